// Times and names of events in words. Days and times are those of the viewer's clock.

import { percent } from "../guesses.js";
import { called } from "../language/labels.js";
import { CLOCK as MINUTE, locale, number, t } from "../language/language.js";
import { detailOf, finerOf } from "../shown.js";

const CLOCK = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const MOMENT = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const SHORT_DAY = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric" });
const DATE = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" });
const WEEK = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" });
const HOUR = new Intl.DateTimeFormat(locale, { hour: "2-digit" });
const LIST = new Intl.ListFormat(locale, { type: "conjunction" });
const SECONDS = { s: 1, min: 60, h: 3600 };
const DAY_MS = 86_400_000;
const FEW = 4;
const LIKELY = 0.5; // from this probability on the label is said where an event is of a group

// time: a Date or what its constructor takes; returns a day such as "2026-11-24"
export function dayOf(time) {
  const date = new Date(time);
  const two = (value) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// hour: of the day, 0 to 24; the days on which clocks change have 23 or 25 hours
export function momentOf(day, hour = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date, hour);
}

export function dayAfter(day, days) {
  const date = momentOf(day);
  date.setDate(date.getDate() + days);
  return dayOf(date);
}

export function dayName(day) {
  if (day === dayOf(Date.now())) return t("common.today");
  if (day === dayOf(Date.now() - DAY_MS)) return t("history.yesterday");
  return DAY.format(momentOf(day));
}

// a day of a week: "Tue 24"
export function shortDayName(day) {
  return SHORT_DAY.format(momentOf(day));
}

// first: its first day
export function weekName(first) {
  const today = dayOf(Date.now());
  if (first <= today && today < dayAfter(first, 7)) return t("history.this_week");
  return WEEK.formatRange(momentOf(first), momentOf(dayAfter(first, 6)));
}

export function clock(time) {
  return CLOCK.format(new Date(time));
}

export function minuteOf(time) {
  return MINUTE.format(new Date(time));
}

// hour: of the day; in a few letters, as the clock of the viewer has it: "22" or "10 PM"
export function hourName(hour) {
  const parts = HOUR.formatToParts(new Date(2026, 0, 1, hour)).filter(({ type }) => type !== "literal");
  return parts.map(({ value }) => value).join(" ");
}

// of any day: of today the time alone
export function timeOf(moment) {
  return dayOf(moment) === dayOf(Date.now()) ? minuteOf(moment) : MOMENT.format(new Date(moment));
}

// hours of a day: "07:00 to 09:00"
export function partOf(day, from, hours) {
  return t("history.hours_range", { from: minuteOf(momentOf(day, from)), to: minuteOf(momentOf(day, from + hours)) });
}

// the time that an event lasted: "12 s", "3 min"; while it lasts "still there"
export function lasted(event) {
  if (event.end === null) return t("history.still_there");
  const seconds = Math.max(0, (new Date(event.end) - new Date(event.start)) / 1000);
  if (seconds < 10) return unit(seconds, "s", 1);
  if (seconds < 100) return unit(seconds, "s");
  return seconds < 6000 ? unit(seconds, "min") : unit(seconds, "h", 1);
}

function unit(seconds, name, digits = 0) {
  return `${number(seconds / SECONDS[name], digits)} ${name}`;
}

// what people call it; a person's word counts before the model's
export function nameOf({ corrected, kind, shown, label }) {
  return corrected || kind === "seen" ? called(shown.kind) ?? t("answer.not_sure") : called(label);
}

// the model's finer name, how probable that was in the picture, and what a second model says; without a name, the best guess
export function chanceOf(event) {
  return [firstOf(event), detailOf(event)].filter(Boolean).join(" · ");
}

function firstOf(event) {
  const { corrected, kind, shown, label, top } = event;
  if (corrected) return [corrected === shown.kind ? "" : called(corrected), t("history.is_corrected")].filter(Boolean).join(" · ");
  if (kind !== "seen") return "";
  if (shown.label === null) return t("answer.perhaps", { guesses: called(label) });
  const inPicture = top?.find((guess) => guess.label === label)?.p;
  if (shown.level === "group" && !(inPicture >= LIKELY)) return [finerOf(event), percent(shown.p)].filter(Boolean).join(" ");
  return [label === shown.kind ? "" : called(label), percent(inPicture ?? shown.p)].filter(Boolean).join(" ");
}

export function listed(names) {
  return LIST.format(names);
}

// the first ones with how often they were seen
export function countedNames(stories, most) {
  return listed(stories.slice(0, most).map(({ label, events }) => `${called(label)} (${number(events)})`));
}

// a summary of a period in a sentence or two. oldest: when the history begins
export function summaryOf({ events, things, stories }, oldest) {
  const parts = [t("history.summary", { events: t("history.n_events", { n: events }), things: t("history.n_things", { n: things }) })];
  const [first, rare] = ["first", "rare"].map((newness) => stories.filter((story) => story.newness === newness).map(({ label }) => called(label)));
  if (first.length) parts.push(t("history.first_since", { day: DATE.format(new Date(oldest)), names: few(first) }));
  if (rare.length) parts.push(t("history.rare_things", { names: few(rare) }));
  return parts.join(" ");
}

function few(names) {
  return listed(names.length > FEW ? [...names.slice(0, FEW), t("history.n_more", { n: names.length - FEW })] : names);
}

// box: "x,y,w,h", as the daemon gives it
export function rectOf(box) {
  return box.split(",").map(Number);
}
