/**
 * Addresses: the query names the page, the fragment a moment in it.
 *
 * Promises: every page has an address that survives a reload and works under any path prefix;
 * links of the page itself are followed without a reload. Never touches the document's content.
 */

/**
 * @typedef {{page: "lobby"|"start"|"room"|"file"|"tv", room?: string, game?: string, seat?: boolean,
 *   invite?: string, embed: boolean, theme?: string, moment?: number}} Route
 */

/** As the protocol has it, in characters. */
const LONGEST_INVITE = 64;

/**
 * The route that an address stands for; what it does not know is the lobby.
 * @param {URL} url
 * @returns {Route}
 */
export function read(url) {
  const query = url.searchParams;
  const embed = query.has("embed");
  /** @type {Route} */
  let route = { page: "lobby", embed };
  const room = query.get("room");
  if (room) route = { page: "room", room, embed };
  else if (query.has("start"))
    route = { page: "start", game: query.get("start") || undefined, embed };
  else if (query.has("file")) route = { page: "file", embed };
  else if (query.has("tv")) route = { page: "tv", embed };
  if (room && query.has("seat") && !embed) route.seat = true;
  const invite = query.get("invite");
  if (room && invite && invite.length <= LONGEST_INVITE) route.invite = invite;
  const theme = query.get("theme");
  if (theme === "dark" || theme === "light") route.theme = theme;
  const moment = /^#move=(\d{1,9})$/.exec(url.hash);
  if (moment) route.moment = Number(moment[1]);
  return route;
}

/**
 * The relative address of a route.
 * @param {Partial<Route>} route
 */
export function href(route) {
  const query = [];
  if (route.room) query.push(`room=${encodeURIComponent(route.room)}`);
  else if (route.page === "start") query.push(`start=${encodeURIComponent(route.game ?? "")}`);
  else if (route.page === "file" || route.page === "tv") query.push(route.page);
  if (route.room && route.seat) query.push("seat");
  if (route.room && route.invite) query.push(`invite=${encodeURIComponent(route.invite)}`);
  if (route.embed) query.push("embed");
  if (route.theme) query.push(`theme=${route.theme}`);
  return `?${query.join("&")}${route.moment === undefined ? "" : `#move=${route.moment}`}`;
}

/** Where the visitor is; tells by the event `route` when that changes. */
export class Router extends EventTarget {
  /** @type {Route} */
  route = read(new URL(location.href));

  constructor() {
    super();
    addEventListener("popstate", () => this.#changed());
    document.addEventListener("click", (event) => this.#clicked(event));
  }

  /**
   * Go somewhere; `replace` leaves no step behind for the back button.
   * @param {Partial<Route>} route
   * @param {{replace?: boolean}} [how]
   */
  go(route, { replace = false } = {}) {
    const url = new URL(href(route), document.baseURI);
    if (replace || url.href === location.href) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
    this.#changed();
  }

  #changed() {
    this.route = read(new URL(location.href));
    this.dispatchEvent(new Event("route"));
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = /** @type {Element | null} */ (event.target);
    const link = /** @type {HTMLAnchorElement | null | undefined} */ (target?.closest?.("a[href]"));
    if (
      !link?.getAttribute("href")?.startsWith("?") ||
      link.target ||
      link.hasAttribute("download")
    ) {
      return;
    }
    event.preventDefault();
    this.go(read(new URL(link.href)));
  }
}
