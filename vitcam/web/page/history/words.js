// Times and names of events in words. Days and times are those of the viewer's clock.

import { percent } from "../guesses.js";

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const DAY_MS = 86_400_000;

// time: a Date or what its constructor takes; returns a day such as "2026-11-24"
export function dayOf(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
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
  if (day === dayOf(Date.now())) return "Today";
  if (day === dayOf(Date.now() - DAY_MS)) return "Yesterday";
  return DAY.format(momentOf(day));
}

export function clock(time) {
  return CLOCK.format(new Date(time));
}

// the time that an event lasted: "12 s", "3 min"; while it lasts "since then"
export function lasted(event) {
  if (event.end === null) return "still there";
  const seconds = Math.max(0, (new Date(event.end) - new Date(event.start)) / 1000);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// what a person calls it: the corrected label before what was displayed
export function nameOf({ corrected, kind, shown, label }) {
  if (typeof corrected === "string") return corrected;
  return kind === "seen" ? shown.label ?? "Not sure" : label;
}

// how probable what was displayed was; without a name, the best guess; "" where a person or the camera says what it was
export function chanceOf({ corrected, kind, shown, label }) {
  if (corrected || kind !== "seen") return "";
  return shown.label === null ? `perhaps ${label}` : percent(shown.p);
}

// box: "x,y,w,h", as the daemon gives it
export function rectOf(box) {
  return box.split(",").map(Number);
}
