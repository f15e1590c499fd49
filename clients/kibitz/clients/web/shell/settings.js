/**
 * What this visitor likes, kept in the browser; the document's root shows it as data attributes.
 *
 * Promises: works where storage is forbidden (then for this visit only); other tabs follow.
 * Never talks to a server. In a frame of another site nothing is read or kept: no token there.
 */

const KEY = "kibitz";

const DEFAULTS = {
  name: "",
  token: "",
  theme: /** @type {"system" | "light" | "dark"} */ ("system"),
  deck: /** @type {"2" | "4"} */ ("2"),
  motion: /** @type {"off" | "fast" | "normal"} */ ("normal"),
  sound: false,
  crowd: true,
  /** Whether what a bot thinks is unfolded. */
  thoughts: true,
  /** Games that were begun or joined here and not ended, the last one first. */
  games: /** @type {{room: string, game: string}[]} */ ([]),
};

/** As the protocol has them, in characters. */
const LONGEST_NAME = 32;
const LONGEST_TOKEN = 4096;
/** A guest's, or one of an operator's. */
const TOKEN = /^(kbz_[\w-]{43}|[\w-]+\.[\w-]+\.[\w-]+)$/;
/** The most games that are kept. */
const MOST = 8;

/** @typedef {typeof DEFAULTS} Liking */

class Settings extends EventTarget {
  #embed = new URLSearchParams(location.search).has("embed");
  #values = { ...DEFAULTS };

  constructor() {
    super();
    this.#load();
    this.#show();
    addEventListener("storage", (event) => {
      if (event.key !== null && event.key !== KEY) return;
      this.#load();
      this.#show();
      this.dispatchEvent(new Event("change"));
    });
  }

  get name() {
    return this.#values.name;
  }
  get token() {
    return this.#values.token;
  }
  get theme() {
    return this.#values.theme;
  }
  get deck() {
    return this.#values.deck;
  }
  get motion() {
    return this.#values.motion;
  }
  get sound() {
    return this.#values.sound;
  }
  get games() {
    return this.#values.games;
  }
  get crowd() {
    return this.#values.crowd;
  }
  get thoughts() {
    return this.#values.thoughts;
  }
  get embed() {
    return this.#embed;
  }

  /**
   * Change some of it, keep it, and tell by the event `change`.
   * @param {Partial<Liking>} changes
   */
  set(changes) {
    Object.assign(this.#values, changes);
    try {
      if (!this.#embed) localStorage.setItem(KEY, JSON.stringify(this.#values));
    } catch {
      /* storage is full or forbidden: it holds for this visit */
    }
    this.#show();
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Keep a game that goes on, or forget one that has ended.
   * @param {string} room
   * @param {string | null} game
   */
  keep(room, game) {
    const others = this.games.filter((kept) => kept.room !== room);
    const games = game ? [{ room, game }, ...others].slice(0, MOST) : others;
    if (JSON.stringify(games) !== JSON.stringify(this.games)) this.set({ games });
  }

  #load() {
    try {
      const kept = this.#embed ? null : JSON.parse(localStorage.getItem(KEY) ?? "null");
      for (const [key, normal] of Object.entries(DEFAULTS)) {
        const value = kept?.[key];
        const fits =
          typeof value === typeof normal && Array.isArray(value) === Array.isArray(normal);
        Object.assign(this.#values, { [key]: fits ? value : normal });
      }
      // What the server would not take would keep us out for ever.
      this.#values.name = this.#values.name.replace(/\p{Surrogate}/gu, "").slice(0, LONGEST_NAME);
      const { token } = this.#values;
      if (token.length > LONGEST_TOKEN || !TOKEN.test(token)) this.#values.token = "";
      this.#values.games = this.#values.games.filter((kept) => typeof kept?.room === "string");
    } catch {
      /* storage is forbidden or its content is not ours: the defaults hold */
    }
  }

  #show() {
    const root = document.documentElement;
    const asked = this.#embed ? new URLSearchParams(location.search).get("theme") : null;
    const theme = asked ?? this.theme;
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    root.dataset.deck = this.deck;
    root.dataset.motion = this.motion;
    root.dataset.crowd = this.crowd ? "on" : "off";
    root.toggleAttribute("data-embed", this.#embed);
  }
}

export const settings = new Settings();
