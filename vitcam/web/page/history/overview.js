// The chosen day as a timeline, and on request how often each label came in each hour.

import { countEvents, listEvents } from "./api.js";
import { Counts } from "./counts.js";
import { Timeline } from "./timeline.js";
import { dayAfter, dayName, dayOf, momentOf } from "./words.js";

const MARKED = 1000; // events of a day that get a mark; the hours count all of them
const PAGE = 500;
const LIVE_MS = 3000; // live events draw it again at most this often
const DAYS = { day: 1, week: 7, month: 30 };

export class Overview {
  #element = document.getElementById("timeline");
  #title = document.getElementById("timeline-title");
  #note = document.getElementById("timeline-note");
  #part = document.getElementById("counts");
  #period = document.getElementById("counts-period");
  #timeline;
  #counts = new Counts();
  #filters = null;
  #day = null;
  #due = 0;
  #turn = 0; // an answer to an older question is not shown
  #failed;

  // chosen: called with changes of the filters; failed: called with an error
  constructor(chosen, failed) {
    this.#failed = failed;
    this.#timeline = new Timeline((part) => chosen({ day: this.#day, ...part }));
    document.getElementById("day-before").addEventListener("click", () => chosen({ day: dayAfter(this.#day, -1), from: "", hours: "" }));
    document.getElementById("day-after").addEventListener("click", () => chosen({ day: dayAfter(this.#day, 1), from: "", hours: "" }));
    this.#part.addEventListener("toggle", () => this.#loadCounts().catch(failed));
    this.#period.addEventListener("change", () => this.#loadCounts().catch(failed));
  }

  // filters: of filters.js; newest: the newest event of the list, or undefined
  show(filters, newest) {
    this.#filters = filters;
    this.#day = filters.day ?? dayOf(newest?.start ?? Date.now());
    this.#title.textContent = [dayName(this.#day), filters.part].filter(Boolean).join(", ");
    document.getElementById("day-after").disabled = this.#day >= dayOf(Date.now());
    this.#element.setAttribute("aria-busy", "true"); // the marks and hours are still those of another day
    this.#load();
  }

  // events came, changed or went
  renew() {
    this.#due ||= setTimeout(() => { this.#due = 0; if (this.#part.offsetParent) this.#load(); }, LIVE_MS);
  }

  async #load() {
    const turn = this.#turn += 1;
    const query = { ...this.#filters.query, since: momentOf(this.#day).toISOString(), until: momentOf(dayAfter(this.#day, 1)).toISOString() };
    try {
      const { events, all } = await this.#eventsOf(query);
      const byHour = all ? hoursOf(events) : sumOf(await countEvents(query));
      if (turn !== this.#turn) return;
      this.#timeline.show({ day: this.#day, events, byHour, from: this.#filters.day ? this.#filters.from : null });
      this.#element.setAttribute("aria-busy", "false");
      this.#note.textContent = all ? (events.length ? "" : "No events on this day.") : `The marks show the newest ${events.length} events of the day. The hours count all of them.`;
      await this.#loadCounts();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#element.setAttribute("aria-busy", "false");
      this.#failed(error);
    }
  }

  async #eventsOf(query) {
    let page = await listEvents(query, { limit: PAGE });
    let events = page.events;
    while (page.next !== null && events.length < MARKED) {
      page = await listEvents(query, { before: page.next, limit: PAGE });
      events = [...events, ...page.events];
    }
    return { events, all: page.next === null };
  }

  async #loadCounts() {
    if (!this.#part.open || !this.#filters) return;
    const since = momentOf(dayAfter(this.#day, 1 - DAYS[this.#period.value]));
    const until = momentOf(dayAfter(this.#day, 1));
    this.#counts.show(await countEvents({ ...this.#filters.query, since: since.toISOString(), until: until.toISOString() }));
  }
}

function hoursOf(events) {
  const hours = Array(24).fill(0);
  for (const { start } of events) hours[new Date(start).getHours()] += 1;
  return hours;
}

// counts: of countEvents; returns how many there were of all labels
function sumOf(counts) {
  return Array.from({ length: 24 }, (_, hour) => counts.reduce((sum, { hours }) => sum + hours[hour], 0));
}
