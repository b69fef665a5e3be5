// The 24 hours of a day, or the days of a week: a bar and a button for each that has something, and an empty place for the others.

import { t } from "../language/language.js";
import { dayOf, hourName, partOf } from "./words.js";

const LEAST_PX = 40; // a button is as wide as a thumb
const BLOCKS = [1, 2, 3, 4, 6];
const KEYS = { ArrowLeft: -1, ArrowRight: 1 };

export class Axis {
  #element = document.getElementById("axis");
  #chosen;
  #steps = [];
  #pressed = null;
  #width = 0;
  #isDay = true;

  // chosen: called with the step of a button, and whether it was pressed already
  constructor(chosen) {
    this.#chosen = chosen;
    this.#element.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) chosen(JSON.parse(button.dataset.step), button.getAttribute("aria-pressed") === "true");
    });
    this.#element.addEventListener("keydown", (event) => this.#press(event));
    new ResizeObserver(() => { if (this.#element.clientWidth !== this.#width) this.#draw(); }).observe(this.#element);
  }

  // counts: of the 24 hours of a day; pressed: the first hour of the chosen part, or null
  showHours(counts, pressed) {
    this.#isDay = true;
    this.#show(counts.map((count, hour) => ({ count, from: hour })), pressed);
  }

  // days: [{day, name, count}]
  showDays(days) {
    this.#isDay = false;
    this.#show(days, null);
  }

  #show(steps, pressed) {
    this.#steps = steps;
    this.#pressed = pressed;
    this.#draw();
  }

  #draw() {
    this.#width = this.#element.clientWidth;
    if (!this.#width) return;
    const groups = this.#isDay ? hourGroups(this.#steps, this.#width) : this.#steps.map((step) => ({ ...step, title: step.name }));
    const most = Math.max(1, ...groups.map(({ count }) => count));
    const focused = this.#element.contains(document.activeElement) ? document.activeElement.dataset.step : null;
    const parts = groups.map((group) => (group.count || (this.#isDay && group.from === this.#pressed) ? makeButton(group, most, this.#isDay && group.from === this.#pressed) : makeGap(group)));
    this.#element.replaceChildren(...(groups.some(({ count }) => count) ? parts : parts.filter(({ tagName }) => tagName === "BUTTON")));
    const buttons = this.#buttons;
    const current = buttons.find((button) => button.dataset.step === focused) ?? buttons.find((button) => button.getAttribute("aria-pressed") === "true") ?? buttons[0];
    if (current) current.tabIndex = 0;
    if (focused !== null) current?.focus();
  }

  get #buttons() {
    return [...this.#element.querySelectorAll("button")];
  }

  // Tab leads to one of them, the arrow keys to the others
  #press(event) {
    const next = KEYS[event.key] && this.#buttons[this.#buttons.indexOf(event.target) + KEYS[event.key]];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

// hours together where one by one they would be too narrow
function hourGroups(steps, width) {
  const hours = BLOCKS.find((each) => (24 / each) * LEAST_PX <= width) ?? BLOCKS.at(-1);
  return Array.from({ length: 24 / hours }, (_, place) => {
    const from = place * hours;
    const count = steps.slice(from, from + hours).reduce((sum, step) => sum + step.count, 0);
    return { from, hours, count, name: hourName(from), title: partOf(dayOf(Date.now()), from, hours) };
  });
}

function makeButton({ count, name, title, ...step }, most, isPressed) {
  const button = document.createElement("button");
  button.type = "button";
  button.tabIndex = -1;
  button.dataset.step = JSON.stringify(step);
  if (isPressed || step.from !== undefined) button.setAttribute("aria-pressed", String(isPressed));
  const text = t("history.story", { label: title, times: t("history.n_events", { n: count }) });
  button.setAttribute("aria-label", text);
  button.title = text;
  const bar = button.appendChild(document.createElement("span"));
  bar.className = "amount";
  bar.style.setProperty("--part", Math.sqrt(count / most).toFixed(3));
  button.append(labelOf(name));
  return button;
}

function makeGap({ name }) {
  const gap = Object.assign(document.createElement("span"), { className: "gap", ariaHidden: "true" });
  gap.append(labelOf(name));
  return gap;
}

function labelOf(name) {
  return Object.assign(document.createElement("span"), { className: "hour", textContent: name });
}
