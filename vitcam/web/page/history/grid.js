// The grid of events. Only the rows on the screen and a few around them exist, however many events there are.

import { makeCard } from "./card.js";
import { GAP, between, layOut, measure } from "./rows.js";
import { dayName } from "./words.js";

const AROUND = 0.75; // of the screen's height: rows that exist above and below it
const AHEAD = 3; // screens before the end at which older events are asked for
const REST_MS = 90; // pictures of rows that pass by faster are not loaded
const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
const LINES = { ArrowUp: -1, ArrowDown: 1 };

export class Grid {
  #element;
  #more;
  #events = [];
  #shape = null;
  #rows = [];
  #shown = new Map(); // key of a row -> its element
  #cards = new Map(); // id -> a card of the arrangement before, while there is a new one
  #sources = new WeakMap(); // a card -> the event that it shows
  #drawing = 0;
  #resting = 0;
  #current = null; // id of the event that Tab leads to

  // more: called when the viewer comes near the end
  constructor(element, more) {
    this.#element = element;
    this.#more = more;
    addEventListener("scroll", () => this.#soon(), { passive: true });
    new ResizeObserver(() => this.#resize()).observe(element);
    element.addEventListener("keydown", (event) => this.#press(event));
    element.addEventListener("focusin", ({ target }) => { if (target.dataset.id) this.#mark(target.dataset.id); });
  }

  // events: newest first; cards of events that did not change stay as they are
  show(events) {
    this.#events = events;
    if (!events.some(({ id }) => id === this.#current)) this.#current = events[0]?.id ?? null;
    this.#arrange();
  }

  // events: those that are shown, and older ones after them
  append(events) {
    this.#events = events;
    if (!this.#shape) return;
    const focused = this.#focused;
    const counts = new Map(this.#lay().map((row) => [row.key, row.to - row.from]));
    for (const [key, element] of this.#shown) {
      if (!element.matches("h3") && counts.get(key) !== element.children.length) this.#drop(key, element); // it was the last row
    }
    this.#draw();
    if (focused && !this.#focused) this.#card(focused)?.focus({ preventScroll: true });
  }

  // the card of an event gets the focus; false if it is not among the loaded ones
  focus(id) {
    const index = this.#events.findIndex((event) => event.id === id);
    if (index < 0) return false;
    this.#reveal(this.#rows.find(({ from, to }) => from <= index && index < to));
    this.#draw();
    this.#card(id)?.focus({ preventScroll: true });
    return true;
  }

  // whether the newest events are on the screen, so that one more appears before the viewer's eyes
  get atTop() {
    return this.#element.getBoundingClientRect().top > -this.#line / 2;
  }

  // id of the event whose card has the focus, or null
  get #focused() {
    return this.#element.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  }

  get #line() {
    return this.#shape ? this.#shape.card.height + GAP : 0;
  }

  #resize() {
    const width = this.#element.clientWidth;
    if (!width || (this.#shape && width === this.#shape.width)) return;
    this.#shape = { width, ...measure(width) };
    this.#element.style.setProperty("--columns", this.#shape.columns);
    this.#element.style.setProperty("--card-height", `${this.#shape.card.height}px`);
    this.#arrange();
  }

  #arrange() {
    if (!this.#shape) return this.#resize();
    const focused = this.#focused;
    this.#cards = new Map([...this.#element.querySelectorAll("a.event")].map((card) => [card.dataset.id, card]));
    this.#shown.clear();
    this.#element.replaceChildren();
    this.#lay();
    this.#draw();
    for (const card of this.#cards.values()) release(card);
    this.#cards.clear();
    if (focused) this.#card(focused)?.focus({ preventScroll: true });
  }

  #lay() {
    const { rows, height } = layOut(this.#events, this.#shape);
    this.#rows = rows;
    this.#element.style.height = `${height}px`;
    return rows;
  }

  #soon() {
    this.#drawing ||= requestAnimationFrame(() => { this.#drawing = 0; this.#draw(); });
  }

  #draw() {
    const { top, width } = this.#element.getBoundingClientRect();
    if (!width) return; // another view is shown
    const around = AROUND * innerHeight;
    const wanted = between(this.#rows, -top - around, -top + innerHeight + around);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, element] of this.#shown) {
      if (!keys.has(key) && !element.contains(document.activeElement)) this.#drop(key, element);
    }
    for (const row of wanted) if (!this.#shown.has(row.key)) this.#add(row);
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#loadPictures(), REST_MS);
    if (-top + (1 + AHEAD) * innerHeight > this.#element.offsetHeight) this.#more();
  }

  #add(row) {
    const element = document.createElement(row.day ? "h3" : "div");
    element.className = row.day ? "day" : "row";
    if (row.day) element.textContent = dayName(row.day);
    for (const event of row.day ? [] : this.#events.slice(row.from, row.to)) {
      element.appendChild(this.#take(event)).tabIndex = event.id === this.#current ? 0 : -1;
    }
    place(element, row);
    this.#shown.set(row.key, element);
    const next = this.#following(row.top); // the order of the elements is that of the screen, for Tab and for readers
    this.#element.insertBefore(element, next);
  }

  // the card that shows the event already, or a new one
  #take(event) {
    const last = this.#cards.get(event.id);
    this.#cards.delete(event.id);
    if (last && this.#sources.get(last) === event) return last;
    const card = makeCard(event, this.#shape.card.width);
    this.#sources.set(card, event);
    for (const now of card.querySelectorAll("img")) { // a picture stays until the next one has come
      const before = last?.querySelector(`img.${now.className}`);
      if (!before) continue;
      before.dataset.src = now.dataset.src;
      now.replaceWith(before);
    }
    return card;
  }

  #following(top) {
    return [...this.#element.children].find((element) => Number(element.dataset.top) > top) ?? null;
  }

  #drop(key, element) {
    release(element);
    element.remove();
    this.#shown.delete(key);
  }

  #loadPictures() {
    for (const img of this.#element.querySelectorAll("img[data-src]")) {
      if (img.getAttribute("src") !== img.dataset.src) img.src = img.dataset.src;
      delete img.dataset.src;
    }
  }

  #card(id) {
    return [...this.#element.querySelectorAll("a.event")].find((card) => card.dataset.id === id);
  }

  #mark(id) {
    const last = this.#current && this.#card(this.#current);
    if (last) last.tabIndex = -1;
    this.#current = id;
    const card = this.#card(id);
    if (card) card.tabIndex = 0;
  }

  #press(event) {
    const id = event.target.dataset?.id;
    if (!id || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const index = this.#events.findIndex((each) => each.id === id);
    const target = this.#goal(event.key, index);
    if (target === null) return;
    event.preventDefault();
    const there = this.#events[Math.min(Math.max(target, 0), this.#events.length - 1)];
    if (there) this.focus(there.id);
  }

  // index of the event to which a key leads; null for another key
  #goal(key, index) {
    if (key in MOVES) return index + MOVES[key];
    if (key === "Home") return 0;
    if (key === "End") return this.#events.length - 1;
    if (!(key in LINES)) return null;
    const lines = this.#rows.filter((row) => row.day === undefined);
    const line = lines.findIndex(({ from, to }) => from <= index && index < to);
    const next = lines[line + LINES[key]];
    return next ? Math.min(next.from + index - lines[line].from, next.to - 1) : index;
  }

  #reveal(row) {
    if (!row) return;
    const top = this.#element.getBoundingClientRect().top + row.top;
    const room = document.querySelector(".filters")?.offsetHeight ?? 0; // it stays at the top of the screen
    if (top < room) scrollBy({ top: top - room - GAP, behavior: "instant" });
    else if (top + row.height > innerHeight) scrollBy({ top: top + row.height - innerHeight + GAP, behavior: "instant" });
  }
}

function place(element, { top }) {
  element.dataset.top = top;
  element.style.transform = `translateY(${top}px)`;
}

// ends the requests for pictures that nobody sees any more
function release(element) {
  for (const img of element.querySelectorAll("img[src]")) if (!img.complete) img.removeAttribute("src");
}
