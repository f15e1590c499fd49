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
};

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
  get crowd() {
    return this.#values.crowd;
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

  #load() {
    try {
      const kept = this.#embed ? null : JSON.parse(localStorage.getItem(KEY) ?? "null");
      for (const [key, normal] of Object.entries(DEFAULTS)) {
        const value = kept?.[key];
        Object.assign(this.#values, { [key]: typeof value === typeof normal ? value : normal });
      }
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
