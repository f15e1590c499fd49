/**
 * What lies on a table, and what facts make of it.
 *
 * Promises: knows no game and no rules; a table is never changed, every fact gives a new one; a
 * fact that cannot be applied throws and a fact of a kind unknown here changes nothing.
 */

/** @import {Fact, Piles} from "./messages.js" */

/** @typedef {{readonly piles: Piles, readonly counters: Record<string, number>}} Table */

/** @type {Table} */
export const EMPTY = Object.freeze({ piles: Object.freeze({}), counters: Object.freeze({}) });

const CELL = /^(?:[A2-9TJQK][shdc]-?|\?\?)$/;

/**
 * The table after the fact.
 * @param {Table} table
 * @param {Fact} fact
 * @returns {Table}
 * @throws {RangeError} The fact does not fit the table, or is none.
 */
export function evolve(table, fact) {
  const [kind, name, ...rest] = fact;
  switch (kind) {
    case "mv": {
      const [to, cells] = rest;
      const source = pileOf(table, name);
      const count = cellsOf(cells).length;
      if (count > source.length) {
        throw new RangeError(`${name} has ${source.length} cards, not ${count}`);
      }
      const kept = source.slice(0, source.length - count);
      const target = name === to ? kept : pileOf(table, to);
      return { ...table, piles: { ...table.piles, [name]: kept, [to]: [...target, ...cells] } };
    }
    case "up":
      return turn(table, name, rest[0]);
    case "dn":
      return turn(table, name, rest[0] ?? "??");
    case "set":
      return { ...table, piles: { ...table.piles, [nameOf(name)]: [...cellsOf(rest[0])] } };
    case "count": {
      const { [nameOf(name)]: _, ...others } = table.counters;
      const n = rest[0];
      if (n !== null && !Number.isInteger(n)) {
        throw new RangeError(`${name} cannot be ${n}`);
      }
      return { ...table, counters: n === null ? others : { ...others, [name]: n } };
    }
    default:
      return table;
  }
}

/**
 * The table after all facts, in order.
 * @param {Iterable<Fact>} facts
 * @param {Table} [table]
 * @returns {Table}
 */
export function fold(facts, table = EMPTY) {
  for (const fact of facts) {
    table = evolve(table, fact);
  }
  return table;
}

/**
 * @param {Table} table
 * @param {string} pile
 * @param {unknown} cell
 * @returns {Table}
 */
function turn(table, pile, cell) {
  const cells = pileOf(table, pile);
  if (cells.length === 0) {
    throw new RangeError(`${pile} has no card to turn`);
  }
  return { ...table, piles: { ...table.piles, [pile]: [...cells.slice(0, -1), cellOf(cell)] } };
}

/**
 * @param {Table} table
 * @param {string} name
 */
function pileOf(table, name) {
  if (!Object.hasOwn(table.piles, name)) {
    throw new RangeError(`there is no pile ${name}`);
  }
  return table.piles[name];
}

/** @param {unknown} cells */
function cellsOf(cells) {
  if (!Array.isArray(cells)) {
    throw new RangeError("cells are a list");
  }
  return cells.map(cellOf);
}

/** @param {unknown} cell */
function cellOf(cell) {
  if (typeof cell !== "string" || !CELL.test(cell)) {
    throw new RangeError(`not a cell: ${String(cell).slice(0, 20)}`);
  }
  return cell;
}

/** @param {unknown} name */
function nameOf(name) {
  if (typeof name !== "string") {
    throw new RangeError(`not a name: ${String(name).slice(0, 20)}`);
  }
  return name;
}
