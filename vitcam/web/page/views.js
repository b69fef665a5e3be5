// Which view is shown. The address says it: #events and #event/ID are the history, everything else is the live picture.

import { t } from "./language/language.js";

export function isLive() {
  return !/^#events?\b/.test(location.hash);
}

export class Views {
  #live = document.querySelector("main");
  #past = document.getElementById("history");
  #links = { live: document.getElementById("to-live"), history: document.getElementById("to-history") };
  #history = null; // its code is loaded when it is opened for the first time
  #scrolled = 0;
  #state = null;
  #model;
  #turned;

  // model: of /api/model; turned: called when another view is shown
  constructor(model, turned) {
    this.#model = model;
    this.#turned = turned;
    addEventListener("hashchange", () => this.#show());
    this.#show();
  }

  // model: of /api/model, once another one is in use
  setModel(model) {
    this.#model = model;
    this.#history?.setModel(model);
  }

  // state: of /api/state
  setState(state) {
    this.#state = state;
    this.#history?.setAccess(state.access);
    this.#history?.setTrouble(state.history.trouble);
  }

  // record: of an event, as the daemon sends it when something began, changed or ended
  event(record) {
    this.#history?.event(record);
  }

  // there is a connection again: events may have been missed before
  catchUp() {
    this.#history?.catchUp();
  }

  async #show() {
    const live = isLive();
    if (live === this.#live.hidden) this.#turn(live);
    if (live) return this.#history?.close();
    try {
      if (!this.#history) await this.#load();
      if (!isLive()) this.#history.open(location.hash.slice(1));
    } catch {
      document.getElementById("history-message").textContent = t("history.not_loaded");
    }
  }

  #turn(live) {
    if (!live) this.#scrolled = scrollY;
    this.#live.hidden = !live;
    this.#past.hidden = live;
    document.title = live ? "vitcam" : `${t("nav.history")} · vitcam`;
    for (const [name, link] of Object.entries(this.#links)) {
      if ((name === "live") === live) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (live) scrollTo(0, this.#scrolled);
    this.#turned();
  }

  async #load() {
    const [{ History }] = await Promise.all([import("./history/history.js"), loadStyle()]);
    this.#history ??= new History(this.#model);
    if (this.#state) this.setState(this.#state);
  }
}

function loadStyle() {
  const link = document.createElement("link");
  return new Promise((loaded, failed) => {
    Object.assign(link, { rel: "stylesheet", href: "page/history/history.css", onload: loaded, onerror: failed });
    document.head.append(link);
  });
}
