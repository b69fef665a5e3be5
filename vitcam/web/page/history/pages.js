// The events that were loaded so far, newest first. The daemon sends them a page at a time.

import { listEvents } from "./api.js";

const FIRST = 60; // fills the screen
const LATER = 200;

export class Pages {
  events = [];
  filters = {}; // of the loaded ones
  #next = null;
  #loading = null; // an AbortController while a page is on its way

  // whether there are older events than the loaded ones
  get hasMore() {
    return this.#next !== null;
  }

  get isLoading() {
    return this.#loading !== null;
  }

  // filters: of filters.js; forgets everything that was loaded for other filters
  async start(filters) {
    this.#loading?.abort();
    const page = await this.#load(filters, null, FIRST);
    if (!page) return false;
    this.filters = filters;
    this.events = page.events;
    this.#next = page.next;
    return true;
  }

  clear() {
    this.#loading?.abort();
    this.filters = {};
    this.events = [];
    this.#next = null;
  }

  // returns whether events were added
  async more() {
    if (!this.hasMore || this.isLoading) return false;
    const page = await this.#load(this.filters, this.#next, LATER);
    if (!page) return false;
    this.events = [...this.events, ...page.events];
    this.#next = page.next;
    return true;
  }

  // the newest events that are not loaded, or have changed since
  async peek() {
    const { events } = await listEvents(this.filters, { limit: FIRST });
    const known = new Map(this.events.map((event) => [event.id, JSON.stringify(event)]));
    return events.filter((event) => known.get(event.id) !== JSON.stringify(event));
  }

  // ids of the events that came right after and before one, wherever it is; undefined where there is none
  async beside(id) {
    const [newer, older] = await Promise.all([{ after: id }, { before: id }].map((place) => listEvents(this.filters, { ...place, limit: 1 })));
    return { newer: newer.events[0]?.id, older: older.events[0]?.id };
  }

  at(id) {
    return this.events.findIndex((event) => event.id === id);
  }

  // an event that began, or one that changed
  put(record) {
    const index = this.at(record.id);
    if (index >= 0) this.events = this.events.map((event) => (event.id === record.id ? record : event));
    else {
      const older = this.events.findIndex(({ start }) => start <= record.start);
      const place = older < 0 ? this.events.length : older;
      this.events = [...this.events.slice(0, place), record, ...this.events.slice(place)];
    }
  }

  remove(id) {
    this.events = this.events.filter((event) => event.id !== id);
  }

  // null: other filters were chosen meanwhile
  async #load(filters, before, limit) {
    const loading = this.#loading = new AbortController();
    try {
      const page = await listEvents(filters, { before, limit, signal: loading.signal });
      return loading.signal.aborted ? null : page;
    } catch (error) {
      if (loading.signal.aborted) return null;
      throw error;
    } finally {
      if (this.#loading === loading) this.#loading = null;
    }
  }
}
