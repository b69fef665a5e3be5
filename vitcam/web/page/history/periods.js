// Days and weeks of the viewer's calendar as times. A day has 23 or 25 hours when clocks change: nothing is counted in ms.

import { dayAfter, dayOf, momentOf } from "./words.js";

const MONDAY = 1;
const QUARTER_MS = 15 * 60_000;

// the midnights that begin each of some days, and the one that ends the last
export function midnights(day, days = 1) {
  return Array.from({ length: days + 1 }, (_, number) => momentOf(dayAfter(day, number)));
}

// the first day of the week that a day belongs to
export function weekOf(day) {
  return dayAfter(day, -((momentOf(day, 12).getDay() + 7 - firstDay()) % 7));
}

// from: the first hour of a part of a day, or null
export function timesOf({ day, days, from, hours }) {
  if (days > 1 || from === null) return midnights(day, days);
  return [momentOf(day, from), from + hours < 24 ? momentOf(day, from + hours) : momentOf(dayAfter(day, 1))];
}

// the parts of a time in which the viewer's clock is equally far ahead of UTC: one, or two where clocks change
export function zonesOf(since, until) {
  const parts = [];
  for (let from = since; from < until; from = parts.at(-1).to) {
    const ahead = -from.getTimezoneOffset();
    let to = from;
    while (to < until && -to.getTimezoneOffset() === ahead) to = new Date(to.getTime() + QUARTER_MS);
    parts.push({ from, to: new Date(Math.min(to, until)), ahead });
  }
  return parts;
}

export function isOver(day, days = 1) {
  return dayAfter(day, days) <= dayOf(Date.now());
}

function firstDay() {
  try {
    const locale = new Intl.Locale(navigator.language);
    return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay % 7 || MONDAY;
  } catch {
    return MONDAY;
  }
}
