// A day or a week: what was seen in it, folded, and when. On request how often each label came in each hour.

import { t } from "../language/language.js";
import { countEvents, countHours, summarise } from "./api.js";
import { Axis } from "./axis.js";
import { Comparison } from "./compare.js";
import { Counts } from "./counts.js";
import { isOver, midnights, timesOf, weekOf } from "./periods.js";
import { Stories } from "./stories.js";
import { dayAfter, dayName, dayOf, momentOf, partOf, shortDayName, summaryOf, weekName } from "./words.js";

const STORIES = 60;
const ALL = 200;
const LIVE_MS = 3000; // live events draw it again at most this often
const DAYS = { day: 1, week: 7, month: 30 };
const find = (name) => document.getElementById(name);

export class Overview {
  #body = find("axis");
  #said = find("timeline-said");
  #back = find("timeline-back");
  #all = find("stories-all");
  #part = find("counts");
  #period = find("counts-period");
  #axis;
  #stories;
  #counts = new Counts();
  #comparison;
  #filters = null;
  #day = null;
  #limit = STORIES;
  #shown = ""; // what is shown, as text: a story that opens changes nothing of it
  #due = 0;
  #turn = 0; // an answer to an older question is not shown
  #failed;

  // chosen: called with changes of the filters; failed: called with an error
  constructor(chosen, failed) {
    this.#failed = failed;
    this.#axis = new Axis((step, wasPressed) => chosen(step.day ? { day: step.day, days: "" } : { day: this.#day, open: "", ...(wasPressed ? { from: "", hours: "" } : { from: String(step.from), hours: String(step.hours) }) }));
    this.#stories = new Stories((key) => chosen({ day: this.#day, open: key }));
    this.#comparison = new Comparison((day) => chosen({ day: this.#day, with: day }), failed);
    const turn = (by) => chosen({ day: dayAfter(this.#day, by * this.#filters.days), from: "", hours: "", open: "", with: "" });
    find("day-before").addEventListener("click", () => turn(-1));
    find("day-after").addEventListener("click", () => turn(1));
    for (const [name, days] of [["period-day", ""], ["period-week", "7"]]) {
      find(name).addEventListener("change", () => chosen({ day: days ? weekOf(this.#day) : this.#dayOfWeek(), days, from: "", hours: "", open: "", with: "" }));
    }
    this.#back.addEventListener("click", () => chosen({ day: this.#filters.days > 1 ? weekOf(this.#back.dataset.day) : this.#back.dataset.day, from: "", hours: "", open: "", with: "" }));
    this.#all.addEventListener("click", () => { this.#limit = ALL; this.#load().catch(failed); });
    this.#part.addEventListener("toggle", () => this.#loadCounts().catch(failed));
    this.#period.addEventListener("change", () => this.#loadCounts().catch(failed));
  }

  // the time that is shown, as the daemon takes it
  get times() {
    const times = timesOf({ day: this.#day, days: this.#filters.days, from: this.#filters.from, hours: this.#filters.hours });
    return { since: times[0].toISOString(), until: times.at(-1).toISOString() };
  }

  // filters: of filters.js; newest: the newest event of a list, or undefined. Returns once it is shown, or throws a Refusal.
  async show(filters, newest) {
    this.#filters = filters;
    const shown = filters.address({ open: "", with: "" });
    if (shown !== this.#shown) {
      this.#limit = STORIES;
      this.#day = filters.day ?? dayOf(newest?.start ?? Date.now());
      if (!(await this.#load())) return;
      this.#shown = shown;
    }
    this.#stories.open(filters.open);
    this.#comparison.show(filters, this.#day, isOver(this.#day));
  }

  // whether anything was shown so far
  get isShown() {
    return this.#shown !== "";
  }

  // the next call of show loads everything again
  forget() {
    this.#shown = "";
  }

  focus(id) {
    this.#stories.focusEvent(id);
  }

  // events came, changed or went
  renew() {
    this.#due ||= setTimeout(() => { this.#due = 0; if (this.#body.offsetParent) this.#load().catch(this.#failed); }, LIVE_MS);
  }

  // returns whether it is still what is wanted; throws a Refusal
  async #load() {
    const turn = this.#turn += 1;
    this.#body.setAttribute("aria-busy", "true"); // what is shown is still that of another day
    try {
      await (this.#filters.lists ? this.#loadHours(turn) : this.#loadStories(turn));
      if (turn !== this.#turn) return false;
      this.#showHead();
      await this.#loadCounts();
    } finally {
      if (turn === this.#turn) this.#body.setAttribute("aria-busy", "false");
    }
    return turn === this.#turn;
  }

  async #loadStories(turn) {
    const { days, day, conditions } = this.#filters;
    let [summary, counts] = await this.#ask();
    if (turn !== this.#turn) return;
    if (!day && !summary.whole.events && summary.earlier) { // the newest day that has something
      this.#day = dayOf(summary.earlier);
      [summary, counts] = await this.#ask();
      if (turn !== this.#turn) return;
    }
    const { whole, parts, oldest, earlier, later } = summary;
    if (days > 1) this.#axis.showDays(parts.map(({ events }, number) => ({ day: dayAfter(this.#day, number), name: shortDayName(dayAfter(this.#day, number)), count: events })));
    else this.#axis.showHours(hoursOf(counts), this.#filters.from);
    this.#stories.show(whole.stories, days, days > 1 ? null : new Map(counts.map(({ label, quarters }) => [label, quarters])));
    this.#said.textContent = whole.events ? summaryOf(whole, oldest) : nothing(conditions, oldest, days);
    this.#all.hidden = whole.things <= whole.stories.length || this.#limit === ALL;
    this.#all.textContent = t("history.show_all_things", { n: whole.things });
    const other = whole.events ? null : earlier ?? later;
    this.#back.hidden = !other;
    if (other) Object.assign(this.#back, { textContent: t("history.go_to", { day: dayName(dayOf(other)) }) }).dataset.day = dayOf(other);
  }

  // returns the summary of what is chosen, and the counts of its whole day
  #ask() {
    const { conditions, days, from, hours } = this.#filters;
    const times = timesOf({ day: this.#day, days, from, hours });
    return Promise.all([summarise(conditions, times, this.#limit), days > 1 ? [] : this.#countDay()]);
  }

  async #loadHours(turn) {
    const counts = await this.#countDay();
    if (turn !== this.#turn) return;
    this.#stories.clear();
    this.#axis.showHours(hoursOf(counts), this.#filters.from);
    this.#said.textContent = counts.length ? "" : t("history.none_on_day");
    this.#back.hidden = this.#all.hidden = true;
  }

  #countDay() {
    const [since, until] = midnights(this.#day).map((time) => time.toISOString());
    return countEvents({ ...this.#filters.conditions, since, until });
  }

  #showHead() {
    const { days, part, lists } = this.#filters;
    find("timeline-title").textContent = days > 1 ? weekName(this.#day) : [dayName(this.#day), part && partOf(this.#day, ...part)].filter(Boolean).join(", ");
    find("day-before").setAttribute("aria-label", t(days > 1 ? "history.week_before" : "history.day_before"));
    find("day-after").setAttribute("aria-label", t(days > 1 ? "history.week_after" : "history.day_after"));
    find("day-after").disabled = this.#day <= dayOf(Date.now()) && !isOver(this.#day, days);
    find("period").hidden = lists;
    find(days > 1 ? "period-week" : "period-day").checked = true;
  }

  // the day to which a week leads
  #dayOfWeek() {
    const today = dayOf(Date.now());
    return this.#day <= today && !isOver(this.#day, 7) ? today : dayAfter(this.#day, 6);
  }

  async #loadCounts() {
    if (!this.#part.open || !this.#filters) return;
    const last = dayAfter(this.#day, this.#filters.days - 1);
    this.#counts.show(await countHours(this.#filters.conditions, momentOf(dayAfter(last, 1 - DAYS[this.#period.value])), momentOf(dayAfter(last, 1))));
  }
}

// counts: of countEvents; returns how many there were of all labels
function hoursOf(counts) {
  return Array.from({ length: 24 }, (_, hour) => counts.reduce((sum, { hours }) => sum + hours[hour], 0));
}

function nothing(conditions, oldest, days) {
  if (Object.keys(conditions).length) return t("history.nothing_fits");
  if (!oldest) return t("history.nothing_yet");
  return t(days > 1 ? "history.none_in_week" : "history.none_on_day");
}
