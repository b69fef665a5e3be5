// Which view is shown. The address says it: #events and #event/ID are the history, #wall, #alerts, #settings and #learn
// are what they say; all else is the live picture. The code of a view and its style are loaded when it is opened for the first time.

import { t } from "./language/language.js";
import { loadStyle } from "./panels/style.js";

// name: of its element in index.html, and of its link, which is called to-NAME and says nav.NAME; fits: the addresses that mean it;
// load: gives an object with open(address), close(), and, as far as it wants to know, setModel(), setState(state),
// event(record) and catchUp()
const VIEWS = [
  {
    name: "wall",
    fits: /^#wall\b/,
    style: "page/wall/wall.css",
    load: async () => new (await import("./wall/wall.js")).Wall(),
  },
  {
    name: "history",
    fits: /^#events?\b/,
    style: "page/history/history.css",
    load: async () => new (await import("./history/history.js")).History(),
  },
  {
    name: "alerts",
    fits: /^#alerts\b/,
    style: "page/alerts/alerts.css",
    load: async () => new (await import("./alerts/alerts.js")).Alerts(),
  },
  {
    name: "settings",
    fits: /^#settings\b/,
    style: "page/settings/settings.css",
    load: async () => new (await import("./settings/settings.js")).Settings(),
  },
  {
    name: "learn",
    fits: /^#learn\b/,
    style: "page/learn/learn.css",
    load: async () => (await import("./learn/learn.js")).openLearn(),
  },
];
const LIVE = "live";

export function isLive() {
  return nameOf(location.hash) === LIVE;
}

// whether a photo that is dropped or pasted is for the view "Learn"
export function isLearning() {
  return nameOf(location.hash) === "learn";
}

function nameOf(hash) {
  return VIEWS.find(({ fits }) => fits.test(hash))?.name ?? LIVE;
}

export class Views {
  #parts = new Map([[LIVE, document.querySelector("main")], ...VIEWS.map(({ name }) => [name, document.getElementById(name)])]);
  #opened = new Map(); // name -> what `load` gave
  #shown = LIVE;
  #scrolled = 0;
  #state = null;
  #turned;

  // turned: called when another view is shown
  constructor(turned) {
    this.#turned = turned;
    addEventListener("hashchange", () => this.#show());
    this.#show();
  }

  // another model may be in use
  setModel() {
    for (const view of this.#opened.values()) view.setModel?.();
  }

  // state: of /api/state
  setState(state) {
    this.#state = state;
    document.getElementById("to-wall").hidden = !state.peers;
    for (const name of ["settings", "learn"]) document.getElementById(`to-${name}`).hidden = state.access?.scope === "read";
    for (const view of this.#opened.values()) view.setState?.(state);
  }

  // record: of an event, as the daemon sends it when something began, changed or ended
  event(record) {
    for (const view of this.#opened.values()) view.event?.(record);
  }

  // there is a connection again: events may have been missed before
  catchUp() {
    for (const view of this.#opened.values()) view.catchUp?.();
  }

  async #show() {
    const name = nameOf(location.hash);
    if (name !== this.#shown) this.#turn(name);
    if (name === LIVE) return;
    try {
      const view = this.#opened.get(name) ?? await this.#load(VIEWS.find((each) => each.name === name));
      if (name === this.#shown) view.open(location.hash.slice(1));
    } catch {
      const line = document.getElementById(`${name}-message`);
      line.hidden = false;
      line.textContent = t("nav.not_loaded");
    }
  }

  #turn(name) {
    if (this.#shown === LIVE) this.#scrolled = scrollY;
    this.#opened.get(this.#shown)?.close();
    this.#shown = name;
    for (const [each, part] of this.#parts) {
      part.hidden = each !== name;
      const link = document.getElementById(`to-${each}`);
      if (each === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = name === LIVE ? "vitcam" : `${t(`nav.${name}`)} · vitcam`;
    if (name === LIVE) scrollTo(0, this.#scrolled);
    this.#turned();
  }

  async #load({ name, style, load }) {
    const [view] = await Promise.all([load(), loadStyle(style)]);
    if (this.#opened.has(name)) return this.#opened.get(name); // it was asked for twice
    this.#opened.set(name, view);
    if (this.#state) view.setState?.(this.#state);
    return view;
  }
}
