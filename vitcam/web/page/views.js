// Which view is shown. The address says it: #events and #event/ID are the history, the others are called as their views;
// all else is the live picture. Code, style and HTML of a view are loaded when it is opened for the first time.

import { t } from "./language/language.js";
import { loadStyle } from "./panels/style.js";
import { PART_VIEWS } from "./part_views.js";

// name: of its element, of the folder with its module and its style, and of its link, which is called to-NAME; fits: the
// addresses that mean it. The module's open() gives an object with open(address), close(), and, as far as it wants to
// know, setModel(), setState(state), event(record) and catchUp()
const VIEWS = [
  { name: "history", fits: /^#events?\b/ },
  ...["settings", ...PART_VIEWS.map(({ name }) => name)].map((name) => ({ name, fits: new RegExp(`^#${name}\\b`) })),
];
export const LIVE = "live"; // the view of the live picture
const RARE = 50; // of View.order
const more = document.getElementById("more"); // on a phone it opens the links of rare views

for (const view of PART_VIEWS) addLink(view);
for (const { name } of VIEWS) addPlace(name);
document.addEventListener("click", ({ target }) => unfold(more.contains(target) && more.ariaExpanded !== "true"));
more.parentElement.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || more.ariaExpanded !== "true") return;
  unfold(false);
  more.focus();
});

function unfold(isOpen) {
  more.ariaExpanded = String(isOpen);
}

export function isLive() {
  return shownView() === LIVE;
}

// its name
export function shownView() {
  return nameOf(location.hash);
}

function nameOf(hash) {
  return VIEWS.find(({ fits }) => fits.test(hash))?.name ?? LIVE;
}

// view: of a part
function addLink({ name, link, icon, order }) {
  const to = Object.assign(document.createElement("a"), { id: `to-${name}`, href: `#${name}`, innerHTML: `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg><span></span>` });
  to.lastChild.textContent = t(link);
  (order < RARE ? more : document.getElementById("to-settings")).before(to, " ");
}

// an element that is empty but for a message
function addPlace(name) {
  const place = Object.assign(document.createElement("div"), { id: name, className: name, role: "main", hidden: true });
  place.append(Object.assign(document.createElement("p"), { id: `${name}-message`, className: "reason", role: "alert", hidden: true }));
  document.querySelector("footer").before(place);
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
    const mayLookOnly = state.access?.scope === "read";
    document.getElementById("to-settings").hidden = mayLookOnly;
    for (const { name, changes } of PART_VIEWS) document.getElementById(`to-${name}`).hidden = mayLookOnly && changes;
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
      const view = this.#opened.get(name) ?? await this.#load(name);
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
    document.title = name === LIVE ? "vitcam" : `${document.getElementById(`to-${name}`).textContent.trim()} · vitcam`;
    if (name === LIVE) scrollTo(0, this.#scrolled);
    this.#turned();
  }

  async #load(name) {
    const loading = import("./panels/view.js").then(({ loadView }) => loadView(name));
    const [view] = await Promise.all([loading, loadStyle(`page/${name}/${name}.css`)]);
    if (this.#opened.has(name)) return this.#opened.get(name); // it was asked for twice
    this.#opened.set(name, view);
    if (this.#state) view.setState?.(this.#state);
    return view;
  }
}
