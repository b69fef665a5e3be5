// The history: filters, the day, the grid, and an event's own view. It asks for nothing while another view is shown.

import { EventView } from "./event.js";
import { Filters } from "./filters.js";
import { Grid } from "./grid.js";
import { Overview } from "./overview.js";
import { Pages } from "./pages.js";

const OFF = "Events are not stored. To have a history, switch it on in the settings.";

export class History {
  #list = document.getElementById("events");
  #message = document.getElementById("history-message");
  #empty = document.getElementById("grid-empty");
  #fresh = document.getElementById("fresh");
  #toHistory = document.getElementById("to-history");
  #pages = new Pages();
  #filters = new Filters(() => this.#choose());
  #overview = new Overview((changes) => this.#filters.choose(changes), (error) => this.#refuse(error));
  #grid = new Grid(document.getElementById("grid"), () => this.#more());
  #view;
  #off = OFF; // what is said where no events are kept
  #isOpen = false;
  #loaded = null; // the filters whose events are loaded, as text
  #isLate = false; // something may have happened since the daemon answered what is being loaded
  #scrolled = 0;
  #last = null; // id of the event whose view was open last
  #beside = {}; // ids of the events next to one that is not in the grid, such as one opened by a link
  #waiting = new Map(); // live events that are not in the grid yet, because the viewer reads further down

  // model: of /api/model
  constructor(model) {
    this.#view = new EventView({
      changed: (event) => this.#replace(event),
      removed: (id) => { this.#remove(id); this.#back(); },
      step: (id, by) => this.#step(id, by),
      back: () => this.#back(),
    });
    this.setModel(model);
    document.getElementById("event-back").addEventListener("click", (event) => { event.preventDefault(); this.#back(); });
    this.#fresh.addEventListener("click", () => this.#showWaiting());
  }

  // model: of /api/model
  setModel({ labels = [] }) {
    this.#view.setLabels(labels);
  }

  // address: what follows the # of it, such as events?label=cup or event/ID
  open(address) {
    this.#isOpen = true;
    const [path, text = ""] = address.split("?");
    const [, id] = path.match(/^event\/(.+)$/) ?? [];
    if (id) this.#openEvent(decodeURIComponent(id));
    else this.#openList(text);
  }

  close() {
    this.#isOpen = false;
    if (!this.#list.hidden) this.#scrolled = scrollY;
    this.#view.close();
    this.#list.hidden = true;
  }

  // state: of /api/state
  setState({ access, history: { trouble } }) {
    this.#view.allow(!access || access.scope === "control");
    this.#off = trouble ? `${trouble[0].toUpperCase()}${trouble.slice(1)}.` : OFF;
  }

  // record: a live event
  event(record) {
    this.#view.update(record);
    if (this.#view.isOpen && !this.#beside.newer) this.#allowSteps();
    if (!this.#isOpen) this.#loaded = null; // what is loaded is old by now
    else if (this.#loaded === null) this.#isLate = true;
    else this.#take(record);
  }

  // events may have been missed: the newest page has them
  async catchUp() {
    if (!this.#isOpen) this.#loaded = null;
    if (this.#loaded === null) return this.#loadAgain();
    const text = this.#loaded;
    const missed = await this.#pages.peek().catch(() => []); // the page says by itself that vitcam does not answer
    if (text === this.#loaded) for (const record of missed.reverse()) this.#take(record);
  }

  // the first try may have failed because vitcam was away
  #loadAgain() {
    if (this.#pages.isLoading) this.#isLate = true;
    else if (this.#isOpen && !this.#list.hidden) this.#load();
  }

  #openEvent(id) {
    if (!this.#list.hidden) this.#scrolled = scrollY;
    this.#list.hidden = true;
    this.#last = id;
    scrollTo(0, 0);
    this.#view.open(id, this.#pages.events[this.#pages.at(id)]);
    this.#allowSteps();
    document.getElementById("event-title").focus({ preventScroll: true });
  }

  #openList(text) {
    this.#view.close();
    this.#list.hidden = false;
    this.#filters.set(text);
    this.#toHistory.href = this.#address; // the choice stays while the live picture is watched
    if (this.#loaded === this.#filters.text) return this.#comeBack();
    this.#load();
  }

  // to where the viewer was before an event was opened
  #comeBack() {
    this.#grid.show(this.#pages.events);
    scrollTo(0, this.#scrolled);
    if (this.#last) this.#grid.focus(this.#last);
    this.#last = null;
  }

  #choose() {
    history.replaceState(null, "", this.#address);
    this.#toHistory.href = this.#address;
    this.#load();
  }

  async #load() {
    const text = this.#filters.text;
    this.#isLate = false;
    this.#list.setAttribute("aria-busy", "true");
    this.#waiting.clear();
    this.#showFresh();
    try {
      if (!(await this.#pages.start(this.#filters.query))) return;
      this.#loaded = text;
      this.#refuse(null);
      this.#draw();
      if (this.#isLate) this.catchUp();
      this.#overview.show(this.#filters, this.#pages.events[0]);
      await this.#filters.offer(this.#pages.events);
    } catch (error) {
      this.#refuse(error);
    }
    this.#list.setAttribute("aria-busy", "false");
  }

  async #more() {
    try {
      if (!(await this.#pages.more())) return;
      if (this.#view.isOpen) return; // the grid is drawn again when the viewer comes back
      this.#grid.append(this.#pages.events);
    } catch (error) {
      this.#refuse(error);
    }
  }

  // error: with a sentence; null: all is well
  #refuse(error) {
    this.#message.hidden = !error;
    if (error) this.#message.textContent = error.status === 404 ? this.#off : `${error.message.replace(/\.$/, "")}.`;
    const none = Boolean(error) && this.#pages.events.length === 0;
    document.getElementById("events-body").hidden = none;
  }

  #draw() {
    this.#grid.show(this.#pages.events);
    const none = this.#pages.events.length === 0;
    this.#empty.hidden = !none;
    this.#empty.textContent = this.#filters.text ? "No event fits these filters." : "Nothing has happened yet. Events appear here by themselves.";
  }

  get #address() {
    return `#events${this.#filters.text ? `?${this.#filters.text}` : ""}`;
  }

  #back() {
    location.hash = this.#address;
  }

  #step(id, by) {
    const index = this.#pages.at(id);
    const next = index >= 0 ? this.#pages.events[index + by]?.id : by < 0 ? this.#beside.newer : this.#beside.older;
    if (next) location.replace(`#event/${next}`);
  }

  #allowSteps() {
    const index = this.#last === null ? -1 : this.#pages.at(this.#last);
    if (index < 0) return this.#lookBeside();
    this.#view.allowSteps({ newer: index > 0, older: index < this.#pages.events.length - 1 });
    if (index >= 0 && index === this.#pages.events.length - 1 && this.#pages.hasMore) this.#more().then(() => this.#allowSteps());
  }

  async #lookBeside() {
    const id = this.#last;
    this.#beside = {};
    this.#view.allowSteps({ newer: false, older: false });
    const found = id && (await this.#pages.beside(id).catch(() => null)); // the view says by itself that vitcam is away
    if (!found || this.#last !== id) return;
    this.#beside = found;
    this.#view.allowSteps({ newer: Boolean(found.newer), older: Boolean(found.older) });
  }

  // a live event that is not among the loaded ones waits if the viewer reads further down: the page must not jump
  #take(record) {
    const known = this.#pages.at(record.id) >= 0;
    if (!known && !this.#filters.match(record)) return;
    if (known) this.#replace(record);
    else if (this.#view.isOpen || this.#grid.atTop) this.#insert([record]);
    else this.#waiting.set(record.id, record);
    this.#showFresh();
  }

  #insert(records) {
    for (const record of records) this.#pages.put(record);
    this.#draw();
    this.#overview.renew();
  }

  #showWaiting() {
    this.#insert(this.#waiting.values());
    this.#waiting.clear();
    this.#showFresh();
    this.#list.scrollIntoView({ block: "start" });
    this.#grid.focus(this.#pages.events[0]?.id);
  }

  #showFresh() {
    const count = this.#waiting.size;
    this.#fresh.hidden = count === 0;
    this.#fresh.textContent = count === 1 ? "1 new event" : `${count} new events`;
  }

  #replace(record) {
    const index = this.#pages.at(record.id);
    if (index < 0) return;
    this.#pages.put({ ...this.#pages.events[index], ...record });
    this.#draw();
    this.#overview.renew();
  }

  #remove(id) {
    this.#pages.remove(id);
    this.#waiting.delete(id);
    this.#draw();
    this.#overview.renew();
  }
}
