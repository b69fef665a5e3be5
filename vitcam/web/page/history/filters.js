// What of the history is shown. The choice is a part of the address, so that going back, reloading and links keep it.

import { called, meantBy } from "../language/labels.js";
import { listNames } from "./api.js";
import { timesOf } from "./periods.js";
import { dayOf } from "./words.js";

const CONDITIONS = ["kind", "shown", "label", "zone", "min_p", "text"];
const PLACE = ["view", "day", "days", "from", "hours", "open", "with"];
const REST_MS = 300; // after the last key
const MARKS = ["favourite", "corrected"];
const KEYS = [...PLACE, ...CONDITIONS, ...MARKS];
const OF_A_DAY = { days: "", from: "", hours: "", open: "", with: "" };

export class Filters {
  #form = document.getElementById("filters");
  #open = document.getElementById("filters-open");
  #chosen = new URLSearchParams();
  #changed;
  #typing = 0;

  // changed: called when the viewer has chosen something else
  constructor(changed) {
    this.#changed = changed;
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("change", () => this.#read());
    this.#form.elements.text.addEventListener("input", () => { // events are searched while a viewer types
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => { if (this.#form.offsetParent) this.#read(); }, REST_MS);
    });
    this.#open.addEventListener("click", () => this.#unfold(this.#open.ariaExpanded !== "true"));
    document.getElementById("filters-clear").addEventListener("click", () => this.choose(Object.fromEntries(KEYS.filter((key) => key !== "view").map((key) => [key, ""]))));
  }

  // of the address, after its question mark
  get text() {
    return this.#chosen.toString();
  }

  // whether every event is listed, not folded
  get lists() {
    return this.#chosen.get("view") === "all";
  }

  get day() {
    return this.#chosen.get("day");
  }

  // 1, or 7 for a week
  get days() {
    return this.#chosen.get("days") === "7" && !this.lists ? 7 : 1;
  }

  // the first hour of the chosen part of the day, or null
  get from() {
    return this.#chosen.has("from") && this.day && this.days === 1 ? Number(this.#chosen.get("from")) : null;
  }

  get hours() {
    return Number(this.#chosen.get("hours") ?? 1);
  }

  // the story that is open, as "kind:label", or null
  get open() {
    return this.lists ? null : this.#chosen.get("open");
  }

  // the day that is compared, or null
  get with() {
    return this.lists || this.days > 1 ? null : this.#chosen.get("with");
  }

  // the chosen part of the day: its first hour, and how many; or null
  get part() {
    return this.from === null ? null : [this.from, this.hours];
  }

  // whether nothing is left out
  get isEmpty() {
    return Object.keys(this.query).length === 0;
  }

  // what holds for an event at any time, as the daemon takes it
  get conditions() {
    const query = {};
    for (const key of CONDITIONS) {
      const value = this.#chosen.get(key)?.trim();
      if (value) query[key] = key === "text" ? meantBy(value) : value;
    }
    for (const mark of MARKS) if (this.#chosen.get(mark)) query[mark] = "1";
    return query;
  }

  // the same with the chosen time
  get query() {
    if (!this.day) return this.conditions;
    const times = timesOf(this);
    return { ...this.conditions, since: times[0].toISOString(), until: times.at(-1).toISOString() };
  }

  // the address of the same choice with changes, after the #
  address(changes = {}) {
    const chosen = new URLSearchParams(this.#chosen);
    for (const [key, value] of Object.entries(changes)) put(chosen, key, value);
    return `events${chosen.size ? `?${chosen}` : ""}`;
  }

  // text: after the question mark of the address
  set(text) {
    const given = new URLSearchParams(text);
    this.#chosen = new URLSearchParams(KEYS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]));
    for (const key of ["day", "with"]) if (!isDay(this.#chosen.get(key))) this.#chosen.delete(key);
    if (!isHour(this.#chosen.get("from")) || !isHour(this.#chosen.get("hours") ?? "1")) for (const key of ["from", "hours"]) this.#chosen.delete(key);
    this.#write();
    if (Object.keys(this.conditions).length) this.#unfold(true); // what is left out is seen
  }

  #unfold(isOpen) {
    this.#open.ariaExpanded = String(isOpen);
    document.getElementById("filters-more").hidden = !isOpen;
  }

  // changes: values by key; an empty one takes the filter away
  choose(changes) {
    this.#take(changes);
    this.#changed();
  }

  #take(changes) {
    for (const [key, value] of Object.entries(changes)) put(this.#chosen, key, value);
    this.#write();
  }

  // offers what occurs in the history
  async offer() {
    const { shown, zones } = await listNames();
    this.#fill("shown", shown);
    this.#fill("zone", zones);
    if (zones.length) this.#form.elements.zone.closest("label").hidden = false;
  }

  #read() {
    clearTimeout(this.#typing);
    const before = this.text;
    const values = Object.fromEntries(KEYS.flatMap((key) => {
      const field = this.#form.elements[key];
      if (!field) return [];
      return [[key, field.type === "checkbox" ? (field.checked ? "1" : "") : field.value]];
    }));
    const same = values.day === (this.day ?? "");
    this.#take(same ? { ...values, open: "" } : { ...values, ...OF_A_DAY });
    if (this.text !== before) this.#changed();
  }

  #write() {
    for (const key of KEYS) {
      const field = this.#form.elements[key];
      const value = this.#chosen.get(key) ?? "";
      if (!field) continue;
      if (field.type === "checkbox") field.checked = Boolean(value);
      else {
        if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) field.add(new Option(called(value), value));
        if (field.value !== value) field.value = value; // the cursor stays where the viewer types
      }
    }
    this.#form.elements.day.max = dayOf(Date.now());
    document.getElementById("filters-export").href = `api/events/export?${new URLSearchParams({ ...this.query, format: "csv" })}`;
    document.getElementById("filters-clear").hidden = KEYS.every((key) => key === "view" || !this.#chosen.has(key));
  }

  #fill(key, values) {
    const select = this.#form.elements[key];
    for (const value of values) {
      if (![...select.options].some((option) => option.value === value)) select.add(new Option(called(value), value));
    }
  }
}

// whether a live event is one of those that a query means
export function fits(event, { since, until, kind, shown, label, zone, min_p: least, text, ...marks }) {
  const names = [event.corrected, event.shown.label, event.label].filter(Boolean).map((name) => name.toLowerCase());
  if (kind && kind !== event.kind) return false;
  if (shown && shown.toLowerCase() !== (event.shown.kind ?? event.label).toLowerCase()) return false;
  if (label && !names.includes(label.toLowerCase())) return false;
  if (zone && zone !== event.zone) return false;
  if (least && (event.peak ?? event.p ?? 0) < Number(least)) return false;
  if (text && ![...names, event.zone?.toLowerCase()].some((word) => word?.includes(text.toLowerCase()))) return false;
  if (MARKS.some((mark) => marks[mark] && !event[mark])) return false;
  const start = new Date(event.start);
  return !(since && start < new Date(since)) && !(until && start >= new Date(until));
}

function isHour(text) {
  return /^(1?\d|2[0-4])$/.test(text ?? "");
}

function put(chosen, key, value) {
  if (value === "" || value === null) chosen.delete(key);
  else chosen.set(key, value);
}

// of the calendar, as an address may say it
function isDay(text) {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text));
}
