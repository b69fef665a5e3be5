// Two days side by side: what was seen on each, and how often in each hour.

import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { countEvents, summarise } from "./api.js";
import { keyOf } from "./stories.js";
import { Drawing, svg } from "./svg.js";
import { midnights } from "./periods.js";
import { child } from "./card.js";
import { dayAfter, dayName, dayOf, hourName } from "./words.js";

const MOST = 200;
const HEIGHT = 96;
const AXIS = 18;

export class Comparison {
  #element = document.getElementById("compare");
  #day = document.getElementById("compare-day");
  #drawing = new Drawing(document.getElementById("compare-picture"));
  #table = document.getElementById("compare-table");
  #note = document.getElementById("compare-note");
  #failed;
  #shown = "";

  // chosen: called with the other day, or null
  constructor(chosen, failed) {
    this.#failed = failed;
    this.#element.addEventListener("toggle", () => {
      const isOpen = this.#element.open;
      if (isOpen === (this.#element.dataset.with !== "")) return; // it was opened by the address
      chosen(isOpen ? this.#day.value : null);
    });
    this.#day.addEventListener("change", () => { if (this.#day.value) chosen(this.#day.value); });
  }

  // day: the one that is shown
  async show(filters, day) {
    const other = filters.with;
    this.#element.hidden = filters.lists || filters.days > 1;
    this.#element.dataset.with = other ?? "";
    this.#element.open = Boolean(other);
    this.#day.max = dayOf(Date.now());
    this.#day.value = other ?? dayAfter(day, -1);
    const shown = other ? JSON.stringify([day, other, filters.conditions]) : "";
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (!other) return;
    try {
      const found = await Promise.all([day, other].map((each) => ask(filters.conditions, each)));
      if (shown === this.#shown) this.#draw(found);
    } catch (error) {
      this.#shown = "";
      this.#failed(error);
    }
  }

  #draw(days) {
    const rows = rowsOf(days);
    const names = days.map(({ day }) => dayName(day));
    this.#note.textContent = rows.length ? days.map(({ events }, side) => t("history.day_events", { day: names[side], events: t("history.n_events", { n: events }) })).join(" ") : t("history.none_on_both");
    this.#drawing.show((width) => ({ height: HEIGHT + AXIS, label: t("history.by_hour", { what: this.#note.textContent }), fill: (picture) => drawHours(picture, days, width) }));
    const head = document.createElement("tr");
    for (const [index, text] of [t("history.what"), ...names].entries()) Object.assign(child(head, "th", index ? `side-${index}` : "", text), { scope: "col" });
    this.#table.tHead.replaceChildren(head);
    const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
    this.#table.tBodies[0].replaceChildren(...rows.map((row) => makeRow(row, most)));
    this.#table.hidden = rows.length === 0;
  }
}

async function ask(conditions, day) {
  const times = midnights(day);
  const [since, until] = times.map((time) => time.toISOString());
  const [{ whole }, counts] = await Promise.all([summarise(conditions, times, MOST), countEvents({ ...conditions, since, until })]);
  const hours = Array.from({ length: 24 }, (_, hour) => counts.reduce((sum, each) => sum + each.hours[hour], 0));
  return { day, events: whole.events, stories: whole.stories, hours };
}

// what was seen on one of the days only comes first, then what differs most
function rowsOf(days) {
  const rows = new Map();
  days.forEach(({ stories }, side) => {
    for (const story of stories) {
      const row = rows.get(keyOf(story)) ?? rows.set(keyOf(story), { label: story.label, counts: [0, 0] }).get(keyOf(story));
      row.counts[side] = story.events;
    }
  });
  const differs = ({ counts: [one, other] }) => Math.abs(Math.log((one + 0.5) / (other + 0.5)));
  const isAlone = ({ counts }) => counts.includes(0);
  return [...rows.values()].sort((a, b) => isAlone(b) - isAlone(a) || differs(b) - differs(a) || a.label.localeCompare(b.label));
}

function makeRow({ label, counts }, most) {
  const row = document.createElement("tr");
  child(row, "th", "", called(label)).scope = "row";
  counts.forEach((count, side) => {
    const cell = child(row, "td", `side-${side + 1}`);
    child(cell, "span", "number", count ? number(count) : "–");
    child(cell, "span", "amount").style.setProperty("--part", Math.sqrt(count / most).toFixed(3));
  });
  return row;
}

// the first day above the line, the other one below
function drawHours(picture, days, width) {
  const most = Math.max(1, ...days.flatMap(({ hours }) => hours));
  const [each, middle] = [width / 24, HEIGHT / 2];
  svg(picture, "line", { class: "rule", x1: 0, x2: width, y1: middle, y2: middle });
  days.forEach(({ hours }, side) => hours.forEach((count, hour) => {
    const height = Math.sqrt(count / most) * (middle - 4);
    if (count) svg(picture, "rect", { class: `side-${side + 1}`, x: hour * each + 1, width: Math.max(1, each - 2), y: side ? middle + 1 : middle - 1 - height, height, rx: 2 });
  }));
  for (let hour = 0; hour < 24; hour += width < 620 ? 6 : 3) {
    svg(picture, "text", { class: "axis", x: hour * each, y: HEIGHT + 14, text: hourName(hour) });
  }
}
