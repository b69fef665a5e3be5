// The day as a picture: a line for each label, a mark for each event, and a button for each hour.

import { Drawing, svg } from "./svg.js";
import { dayAfter, dayName, dayOf, momentOf, nameOf } from "./words.js";

const LANES = 6; // labels that have a line of their own
const LANE = 24;
const AXIS = 22;
const NAMES = { wide: 110, narrow: 84 };
const NARROW = 620;
const LEAST_PX = 3; // width of a mark
const OTHERS = "others";

export class Timeline {
  #element = document.getElementById("timeline");
  #hours = document.getElementById("timeline-hours");
  #drawing = new Drawing(document.getElementById("timeline-picture"));
  #chosen;

  // chosen: called with {from, hours}, or with nulls if that part of the day was chosen already
  constructor(chosen) {
    this.#chosen = chosen;
    this.#hours.addEventListener("click", ({ target }) => this.#choose(target.closest("button")));
    this.#hours.addEventListener("keydown", (event) => this.#press(event));
  }

  // events: of the day; byHour: 24 numbers; from: the first chosen hour, or null
  show({ day, events, byHour, from }) {
    const lanes = lanesOf(events);
    this.#drawing.show((width) => {
      this.#showHours(byHour, from, width);
      const height = Math.max(1, lanes.length) * LANE + AXIS;
      return { height, label: describe(day, events, byHour), fill: (picture) => draw(picture, { day, lanes, width, height }) };
    });
  }

  #showHours(byHour, from, width) {
    const hours = width < NARROW ? 3 : 1; // a button is as wide as a thumb
    this.#element.style.setProperty("--names", `${namesWidth(width)}px`);
    const buttons = [];
    for (let start = 0; start < 24; start += hours) {
      const count = byHour.slice(start, start + hours).reduce((sum, each) => sum + each, 0);
      const button = document.createElement("button");
      button.type = "button";
      Object.assign(button.dataset, { from: start, hours });
      button.setAttribute("aria-pressed", String(from === start));
      const text = `${two(start)}:00 to ${two(start + hours)}:00, ${count === 1 ? "1 event" : `${count} events`}`;
      button.setAttribute("aria-label", text);
      button.title = text;
      button.disabled = count === 0 && from !== start;
      buttons.push(button);
    }
    for (const button of buttons) button.tabIndex = -1;
    const first = buttons.find((button) => button.getAttribute("aria-pressed") === "true") ?? buttons.find(({ disabled }) => !disabled);
    if (first) first.tabIndex = 0;
    const focused = this.#hours.contains(document.activeElement) ? document.activeElement.dataset.from : null;
    this.#hours.replaceChildren(...buttons);
    if (focused !== null) buttons.find(({ dataset }) => dataset.from === focused)?.focus();
  }

  // Tab leads to one of the hours, the arrow keys to the others
  #press(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const buttons = [...this.#hours.querySelectorAll("button:enabled")];
    const next = by && buttons[buttons.indexOf(event.target) + by];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  #choose(button) {
    if (!button) return;
    const pressed = button.getAttribute("aria-pressed") === "true";
    this.#chosen(pressed ? { from: "", hours: "" } : { from: button.dataset.from, hours: button.dataset.hours });
  }
}

// returns [{name, events}], the most frequent label first; rare labels share the last line
function lanesOf(events) {
  const byName = new Map();
  for (const event of events) {
    const name = nameOf(event);
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(event);
  }
  const lanes = [...byName].map(([name, its]) => ({ name, events: its })).sort((a, b) => b.events.length - a.events.length);
  if (lanes.length <= LANES) return lanes;
  const rest = lanes.splice(LANES - 1);
  return [...lanes, { name: OTHERS, events: rest.flatMap((lane) => lane.events) }];
}

function describe(day, events, byHour) {
  const total = byHour.reduce((sum, each) => sum + each, 0);
  if (!total) return `${dayName(day)}: no events.`;
  const names = lanesOf(events).map(({ name, events: its }) => `${name} ${its.length}`).join(", ");
  const busiest = byHour.indexOf(Math.max(...byHour));
  return `${dayName(day)}: ${total} events, most of them from ${busiest} to ${busiest + 1} o'clock. ${names}.`;
}

function draw(picture, { day, lanes, width, height }) {
  const names = namesWidth(width);
  const [start, end] = [momentOf(day), momentOf(dayAfter(day, 1))];
  const x = (time) => names + ((Math.min(Math.max(time, start), end) - start) / (end - start)) * (width - names);
  const now = Date.now();
  const step = width < NARROW ? 6 : 3;
  for (let hour = 0; hour <= 24; hour += step) {
    const at = names + (hour / 24) * (width - names);
    svg(picture, "line", { class: "rule", x1: at, x2: at, y1: 0, y2: height - AXIS });
    const anchor = hour === 24 ? "end" : "middle";
    svg(picture, "text", { class: "axis", x: at, y: height - 5, "text-anchor": anchor, text: `${two(hour)}:00` });
  }
  lanes.forEach(({ name, events }, lane) => {
    const top = lane * LANE;
    svg(picture, "text", { class: name === OTHERS ? "axis" : "name", x: 0, y: top + LANE / 2 + 4, text: shorten(name, names) });
    svg(picture, "path", { class: "marks", d: marks(events, (time) => x(Math.min(time, now)), top, x(start)) });
  });
  if (day === dayOf(now)) svg(picture, "line", { class: "now", x1: x(now), x2: x(now), y1: 0, y2: height - AXIS });
}

// One path for all marks of a line: marks that touch become one.
// x: where a time lies; nothing that was seen lies after now. first: the left end of the line
function marks(events, x, top, first) {
  const spans = events.map((event) => {
    const right = x(event.end === null ? Infinity : new Date(event.end));
    const left = Math.min(x(new Date(event.start)), Math.max(first, right - LEAST_PX));
    return [left, right];
  }).sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span[0] <= last[1] + 0.5) last[1] = Math.max(last[1], span[1]);
    else merged.push([...span]);
  }
  return merged.map(([left, right]) => `M${left.toFixed(1)} ${top + 5}H${right.toFixed(1)}v${LANE - 10}H${left.toFixed(1)}z`).join("");
}

function namesWidth(width) {
  return width < NARROW ? NAMES.narrow : NAMES.wide;
}

function shorten(name, width) {
  const most = Math.floor((width - 10) / 7);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function two(hour) {
  return String(hour).padStart(2, "0");
}
