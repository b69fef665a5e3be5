// How many events of each label there were in each hour of the day: a picture, and the same as a table for screen readers.

import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { Drawing, svg } from "./svg.js";
import { dayOf, hourName, partOf } from "./words.js";

const ROWS = 10;
const ROW = 26;
const AXIS = 20;
const NARROW = 620;
const TOTAL = 44;

export class Counts {
  #drawing = new Drawing(document.getElementById("counts-picture"));
  #table = document.getElementById("counts-table");
  #note = document.getElementById("counts-note");

  // counts: [{label, hours}], 24 numbers for each label
  show(counts) {
    const all = counts.map((each) => ({ ...each, total: sum(each.hours) })).sort((a, b) => b.total - a.total);
    const shown = all.slice(0, ROWS);
    this.#note.textContent = note(all, shown);
    fillTable(this.#table, shown);
    if (!shown.length) return this.#drawing.clear();
    this.#drawing.show((width) => ({ height: shown.length * ROW + AXIS, label: describe(shown), fill: (picture) => draw(picture, shown, width) }));
  }
}

function note(all, shown) {
  if (!all.length) return t("history.none_in_time");
  const total = sum(all.map((each) => each.total));
  const events = t("history.counts_total", { events: t("history.n_events", { n: total }) });
  return all.length > shown.length ? `${events} ${t("history.counts_most", { shown: shown.length, all: all.length })}` : events;
}

function describe(shown) {
  return t("history.counts_said", { counts: shown.map(({ label, total }) => `${called(label)} ${total}`).join(", ") });
}

function draw(picture, shown, width) {
  const names = width < NARROW ? 84 : 140;
  const cell = (width - names - TOTAL) / 24;
  const most = Math.max(...shown.flatMap(({ hours }) => hours));
  shown.forEach(({ label, hours, total }, row) => {
    const top = row * ROW;
    svg(picture, "text", { class: "name", x: 0, y: top + 17, text: shorten(called(label), names) });
    svg(picture, "text", { class: "axis", x: width, y: top + 17, "text-anchor": "end", text: number(total) });
    hours.forEach((count, hour) => drawCell(picture, { count, hour, top, left: names + hour * cell, cell, most }));
  });
  const step = width < NARROW ? 6 : 3;
  for (let hour = 0; hour < 24; hour += step) {
    svg(picture, "text", { class: "axis", x: names + hour * cell, y: shown.length * ROW + 15, text: hourName(hour) });
  }
}

function drawCell(picture, { count, hour, top, left, cell, most }) {
  const strength = count ? 0.2 + 0.8 * Math.sqrt(count / most) : 0;
  const rect = svg(picture, "rect", { class: count ? "cell" : "cell empty", x: left + 1, y: top + 2, width: cell - 2, height: ROW - 4, rx: 3 });
  if (!count) return;
  rect.setAttribute("fill-opacity", strength.toFixed(2));
  svg(rect, "title", { text: `${partOf(dayOf(Date.now()), hour, 1)}: ${count}` });
}

function fillTable(table, shown) {
  const head = document.createElement("tr");
  for (const text of [t("common.label"), ...Array.from({ length: 24 }, (_, hour) => `${hour}`), t("history.all")]) cell(head, "th", text).scope = "col";
  const rows = shown.map(({ label, hours, total }) => {
    const row = document.createElement("tr");
    cell(row, "th", called(label)).scope = "row";
    for (const count of [...hours, total]) cell(row, "td", String(count));
    return row;
  });
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...rows);
}

function cell(row, tag, text) {
  const element = row.appendChild(document.createElement(tag));
  element.textContent = text;
  return element;
}

function shorten(name, width) {
  const most = Math.floor((width - 10) / 7);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
