// The history: filters, the day, the grid, and an event's own view. It asks for nothing while another view is shown.

import { put, t } from "../language/language.js";
import { EventView } from "./event.js";
import { Diary } from "./diary.js";
import { Filters, fits } from "./filters.js";
import { Grid } from "./grid.js";
import { Overview } from "./overview.js";
import { Pages } from "./pages.js";

export const open = () => new History();

class History {
  #list = document.getElementById("events");
  #message = document.getElementById("history-message");
  #empty = document.getElementById("grid-empty");
  #fresh = document.getElementById("fresh");
  #toHistory = document.getElementById("to-history");
  #pages = new Pages();
  #filters = new Filters(() => this.#choose());
  #overview = new Overview((changes) => this.#filters.choose(changes), (error) => this.#refuse(error));
  #diary = new Diary((error) => this.#refuse(error));
  #grid = new Grid(document.getElementById("grid"), () => this.#more());
  #view;
  #off = t("history.off"); // what is said where no events are kept
  #isOpen = false;
  #loaded = null; // the filters whose events are loaded, as text
  #isLate = false; // something may have happened since the daemon answered what is being loaded
  #scrolled = 0;
  #last = null; // id of the event whose view was open last
  #beside = {}; // ids of the events next to one that is not in the grid, such as one opened by a link
  #waiting = new Map(); // live events that are not in the grid yet, because the viewer reads further down

  constructor() {
    this.#view = new EventView({
      changed: (event) => this.#replace(event),
      removed: (id) => { this.#remove(id); this.#back(); },
      step: (id, by) => this.#step(id, by),
      back: () => this.#back(),
    });
    document.getElementById("event-back").addEventListener("click", (event) => { event.preventDefault(); this.#back(); });
    this.#fresh.addEventListener("click", () => this.#showWaiting());
  }

  // address: what follows the # of it, such as events?label=cup or event/ID
  open(address) {
    this.#isOpen = true;
    const [path, text = ""] = address.split("?");
    const id = decoded(path.match(/^event\/(.+)$/)?.[1] ?? "");
    if (id) this.#openEvent(id);
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
    this.#off = trouble ? `${trouble[0].toUpperCase()}${trouble.slice(1)}.` : t("history.off");
  }

  // record: a live event
  event(record) {
    this.#view.update(record);
    if (this.#view.isOpen && !this.#beside.newer) this.#allowSteps();
    if (!this.#isOpen) this.#loaded = null; // what is loaded is old by now
    else if (this.#loaded === null) this.#isLate = true;
    else this.#take(record);
    if (!this.#isOpen) this.#diary.forget();
  }

  // events may have been missed: the newest page has them
  async catchUp() {
    if (!this.#isOpen) this.#loaded = null;
    if (this.#loaded === null) return this.#loadAgain();
    this.#overview.renew();
    if (!this.#hasGrid) return;
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
    if (this.#hasGrid) this.#grid.show(this.#pages.events);
    scrollTo(0, this.#scrolled);
    if (this.#last && !(this.#hasGrid && this.#grid.focus(this.#last))) this.#overview.focus(this.#last);
    this.#last = null;
  }

  // whether events are shown one by one: all of them, or those of the story that is open
  get #hasGrid() {
    return this.#filters.lists || this.#filters.open !== null;
  }

  #choose() {
    history.replaceState(null, "", this.#address);
    this.#toHistory.href = this.#address;
    this.#load();
  }

  async #load() {
    const text = this.#filters.text;
    this.#isLate = false;
    if (this.#loaded === null) this.#overview.forget();
    this.#list.setAttribute("aria-busy", "true");
    this.#waiting.clear();
    this.#showFresh();
    document.getElementById("events-body").classList.toggle("folded", !this.#filters.lists);
    try {
      const isShown = await (this.#filters.lists ? this.#loadAll() : this.#loadFolded());
      if (!isShown || text !== this.#filters.text) return;
      this.#loaded = text;
      this.#refuse(null);
      if (this.#isLate) this.catchUp();
      await this.#filters.offer();
    } catch (error) {
      this.#refuse(error);
    }
    this.#list.setAttribute("aria-busy", "false");
  }

  async #loadAll() {
    this.#diary.show(this.#filters);
    if (!(await this.#pages.start(this.#filters.query))) return false;
    this.#draw();
    this.#overview.show(this.#filters, this.#pages.events.find(({ start }) => new Date(start) <= Date.now())).catch((error) => this.#refuse(error));
    return true;
  }

  // a day or a week, folded; then the events of the story that is open
  async #loadFolded() {
    await this.#overview.show(this.#filters);
    const { open, conditions } = this.#filters;
    if (open === null) this.#pages.clear();
    else {
      const [kind, label] = [open.slice(0, open.indexOf(":")), open.slice(open.indexOf(":") + 1)];
      if (!(await this.#pages.start({ ...conditions, ...this.#overview.times, kind, shown: label }))) return false;
    }
    this.#draw();
    this.#diary.show(this.#filters);
    return true;
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
    if (error) put(this.#message, error.status === 404 ? this.#off : `${error.message.replace(/\.$/, "")}.`);
    const none = Boolean(error) && this.#pages.events.length === 0;
    document.getElementById("events-body").hidden = none && !this.#overview.isShown;
  }

  #draw() {
    document.getElementById("opened").hidden = !this.#hasGrid;
    if (this.#hasGrid) this.#grid.show(this.#pages.events);
    const none = this.#filters.lists && this.#pages.events.length === 0;
    this.#empty.hidden = !none;
    this.#empty.textContent = t(this.#filters.isEmpty ? "history.nothing_yet" : "history.nothing_fits");
  }

  get #address() {
    return `#${this.#filters.address()}`;
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
    if (!this.#filters.lists) this.#overview.renew();
    if (!this.#hasGrid || (!known && !fits(record, this.#pages.filters))) return;
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
    this.#fresh.textContent = t("history.n_new", { n: count });
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

// a part of an address as text; empty where its percent signs are wrong
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
