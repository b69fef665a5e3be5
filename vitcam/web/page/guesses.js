// The most probable labels as bars that grow and shrink, and now and then change places.

import { called } from "./language/labels.js";
import { number } from "./language/language.js";

const MAX_ROWS = 10;
export const LEAST = 0.05; // fainter guesses tell people nothing
const STAYS = 0.03; // what is shown stays until it is fainter than this, so that rows do not come and go
const REST_MS = 1000; // between two changes of the order

export class Guesses {
  #list;
  #rows = new Map();
  #order = []; // labels, as they are shown
  #ordered = -Infinity; // when the order last changed

  constructor(list) {
    this.#list = list;
  }

  // all: [{label, p}], best first; returns those that are shown, `most` at most
  show(all, most = MAX_ROWS, now = performance.now()) {
    const top = this.#settle(all.filter(({ label, p }) => p >= (this.#rows.has(label) ? STAYS : LEAST)).slice(0, most), now);
    this.#list.style.setProperty("--rows", top.length);
    const wanted = new Set(top.map((guess) => guess.label));
    for (const [label, row] of this.#rows) {
      if (!wanted.has(label)) this.#remove(label, row);
    }
    top.forEach(({ label }, place) => { if (!this.#rows.has(label)) this.#add(label, place); });
    this.#arrange(top);
    top.forEach(({ label, p }, place) => {
      const row = this.#rows.get(label);
      row.element.style.setProperty("--place", place);
      row.fill.style.setProperty("--p", p);
      row.percent.textContent = percent(p);
    });
    return top;
  }

  // the same labels change places once in a while, not as often as the model wavers
  #settle(top, now) {
    const isSame = top.length === this.#order.length && top.every(({ label }) => this.#rows.has(label));
    const isOrdered = isSame && top.every(({ label }, place) => label === this.#order[place]);
    if (isSame && !isOrdered && now - this.#ordered < REST_MS) return this.#order.map((label) => top.find((guess) => guess.label === label));
    if (!isOrdered) this.#ordered = now;
    this.#order = top.map(({ label }) => label);
    return top;
  }

  // The elements stand in the order of the screen, for screen readers. A row that gets another place appears there: rows
  // that slid across each other could not be read.
  #arrange(top) {
    top.forEach(({ label }, place) => {
      const { element } = this.#rows.get(label);
      if (this.#list.children[place] === element) return;
      element.classList.remove("new");
      this.#list.insertBefore(element, this.#list.children[place]);
      element.getBoundingClientRect(); // ends the animation, so that it begins again
      element.classList.add("new");
    });
  }

  #add(label, place) {
    const element = child(this.#list, "li", "guess new");
    this.#list.insertBefore(element, this.#list.children[place]);
    element.style.setProperty("--place", place);
    child(element, "span", "name").textContent = called(label);
    const row = { element, percent: child(element, "span", "percent") };
    row.fill = child(child(element, "div", "track"), "div", "fill");
    row.fill.style.setProperty("--p", 0);
    element.getBoundingClientRect(); // makes the browser draw the bar at 0, so that it grows from there
    this.#rows.set(label, row);
  }

  #remove(label, row) {
    this.#rows.delete(label);
    row.element.remove(); // at once: two names on top of each other cannot be read
  }
}

export function percent(p) {
  if (p > 0 && p < 0.01) return "< 1 %";
  return p < 1 && p > 0.99 ? "> 99 %" : `${number(100 * p)} %`;
}

function child(parent, tag, className) {
  const element = document.createElement(tag);
  element.className = className;
  return parent.appendChild(element);
}
