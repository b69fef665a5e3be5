// What of the history is shown. The choice is a part of the address, so that going back, reloading and links keep it.

import { countEvents } from "./api.js";
import { dayAfter, dayOf, momentOf } from "./words.js";

const KEYS = ["day", "from", "hours", "kind", "label", "zone", "min_p", "text", "favourite", "corrected"];
const OFFERED_DAYS = 30;
const REST_MS = 300; // after the last key
const MARKS = ["favourite", "corrected"];

export class Filters {
  #form = document.getElementById("filters");
  #chosen = new URLSearchParams();
  #changed;
  #offered = false;
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
    document.getElementById("filters-clear").addEventListener("click", () => this.choose(Object.fromEntries(KEYS.map((key) => [key, ""]))));
  }

  // of the address, after its question mark
  get text() {
    return this.#chosen.toString();
  }

  get day() {
    return this.#chosen.get("day");
  }

  // the first hour of the chosen part of the day, or null
  get from() {
    return this.#chosen.has("from") ? Number(this.#chosen.get("from")) : null;
  }

  // the chosen part of the day in words, or ""
  get part() {
    if (!this.day || this.from === null) return "";
    return [this.from, this.from + this.#hours].map((hour) => `${String(hour).padStart(2, "0")}:00`).join(" to ");
  }

  get #hours() {
    return Number(this.#chosen.get("hours") ?? 1);
  }

  // as the daemon takes them
  get query() {
    const query = {};
    for (const key of ["kind", "label", "zone", "min_p", "text"]) {
      const value = this.#chosen.get(key)?.trim();
      if (value) query[key] = value;
    }
    for (const key of MARKS) if (this.#chosen.get(key)) query[key] = "1";
    return { ...query, ...this.#times() };
  }

  // text: after the question mark of the address
  set(text) {
    const given = new URLSearchParams(text);
    this.#chosen = new URLSearchParams(KEYS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]));
    if (this.day && !/^\d{4}-\d\d-\d\d$/.test(this.day)) this.#chosen.delete("day");
    this.#write();
  }

  // changes: values by key; an empty one takes the filter away
  choose(changes) {
    this.#take(changes);
    this.#changed();
  }

  #take(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (value === "" || value === null) this.#chosen.delete(key);
      else this.#chosen.set(key, value);
    }
    this.#write();
  }

  // whether a live event belongs to what is shown
  match(event) {
    const { since, until, kind, label, zone, min_p: least, text } = this.query;
    const names = [event.corrected, event.shown.label, event.label].filter(Boolean).map((name) => name.toLowerCase());
    if (kind && kind !== event.kind) return false;
    if (label && !names.includes(label.toLowerCase())) return false;
    if (zone && zone !== event.zone) return false;
    if (least && (event.peak ?? event.p ?? 0) < Number(least)) return false;
    if (text && ![...names, event.zone?.toLowerCase()].some((word) => word?.includes(text.toLowerCase()))) return false;
    if (MARKS.some((mark) => this.#chosen.get(mark) && !event[mark])) return false;
    const start = new Date(event.start);
    return !(since && start < new Date(since)) && !(until && start >= new Date(until));
  }

  // offers the labels of the last weeks, and the zones of the newest events
  async offer(events) {
    if (!this.#offered) {
      const since = momentOf(dayAfter(dayOf(Date.now()), -OFFERED_DAYS));
      const counts = await countEvents({ since: since.toISOString() });
      this.#fill("label", counts.map(({ label }) => label).sort());
      this.#offered = true;
    }
    const zones = new Set(events.map(({ zone }) => zone).filter(Boolean));
    this.#fill("zone", [...zones].sort());
    if (zones.size) this.#form.elements.zone.closest("label").hidden = false;
  }

  #times() {
    if (!this.day) return {};
    const [from, hours] = this.from === null ? [0, 24] : [this.from, this.#hours];
    const until = from + hours < 24 ? momentOf(this.day, from + hours) : momentOf(dayAfter(this.day, 1));
    return { since: momentOf(this.day, from).toISOString(), until: until.toISOString() };
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
    this.#take(same ? values : { ...values, from: "", hours: "" });
    if (this.text !== before) this.#changed();
  }

  #write() {
    for (const key of KEYS) {
      const field = this.#form.elements[key];
      const value = this.#chosen.get(key) ?? "";
      if (!field) continue;
      if (field.type === "checkbox") field.checked = Boolean(value);
      else {
        if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) field.add(new Option(value, value));
        if (field.value !== value) field.value = value; // the cursor stays where the viewer types
      }
    }
    this.#form.elements.day.max = dayOf(Date.now());
    document.getElementById("filters-export").href = `api/events/export?${new URLSearchParams({ ...this.query, format: "csv" })}`;
    document.getElementById("filters-clear").hidden = this.text === "";
  }

  #fill(key, values) {
    const select = this.#form.elements[key];
    for (const value of values) {
      if (![...select.options].some((option) => option.value === value)) select.add(new Option(value, value));
    }
  }
}
