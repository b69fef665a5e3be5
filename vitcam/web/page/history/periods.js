// Days and weeks of the viewer's calendar as times. A day has 23 or 25 hours when clocks change: nothing is counted in ms.

import { dayAfter, dayOf, momentOf } from "./words.js";

const MONDAY = 1;

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
