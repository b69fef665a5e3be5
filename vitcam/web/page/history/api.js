// Requests to the event store. Each returns what the daemon answers, or throws a Refusal with a sentence for people.

import { answerOf, t } from "../language/language.js";
import { checkSession } from "../session.js";
import { placeOf } from "./addresses.js";
import { zonesOf } from "./periods.js";

const TIMEOUT_MS = 20_000;

export class Refusal extends Error {
  // status: of the answer; 0: there was none
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

// filters: of filters.js; before: the id of the last event of the page before, or null; after: an id: the events next to it
export function listEvents(filters, { before = null, after = null, limit, signal }) {
  const query = new URLSearchParams({ ...filters, limit });
  if (before) query.set("before", before);
  if (after) query.set("after", after);
  return ask(`api/events?${query}`, { signal });
}

// returns [{label, hours, quarters}]: how many events of the label began in each of the 24 hours, and of the 96 quarters
// of an hour, of the viewer's day. The answer counts by quarters, so that the hours of every time zone can be made of it.
export async function countEvents(filters) {
  const { hours: counts } = await ask(`api/events/counts?${new URLSearchParams(filters)}`);
  const byLabel = new Map();
  for (const { label, hour, events } of counts) {
    if (!byLabel.has(label)) byLabel.set(label, { label, hours: Array(24).fill(0), quarters: Array(96).fill(0) });
    const [its, start] = [byLabel.get(label), new Date(hour)];
    its.hours[start.getHours()] += events;
    its.quarters[start.getHours() * 4 + Math.floor(start.getMinutes() / 15)] += events;
  }
  return [...byLabel.values()];
}

// The same of many days together, without their quarters. The daemon adds them up, for each time zone in which they lie.
export async function countHours(filters, since, until) {
  const answers = await Promise.all(zonesOf(since, until).map(({ from, to, ahead }) => ask(`api/events/counts?${new URLSearchParams({ ...filters, since: from.toISOString(), until: to.toISOString(), ahead_min: ahead })}`)));
  const byLabel = new Map();
  for (const { label, hour, events } of answers.flatMap(({ hours }) => hours)) {
    if (!byLabel.has(label)) byLabel.set(label, { label, hours: Array(24).fill(0) });
    byLabel.get(label).hours[new Date(hour).getUTCHours()] += events;
  }
  return [...byLabel.values()];
}

// times: Dates, the earliest first; limit: stories of a period. Returns {whole, parts, oldest, earlier, later}
export function summarise(filters, times, limit) {
  const { since, until, ...conditions } = filters;
  return ask(`api/events/summary?${new URLSearchParams({ ...conditions, limit, times: times.map((time) => time.toISOString()).join(",") })}`);
}

// returns {shown, zones}: what can be filtered by
export function listNames() {
  return ask("api/events/names");
}

export function getEvent(id) {
  return ask(placeOf(id));
}

// change: {label} or {favourite}
export function changeEvent(id, change) {
  const body = JSON.stringify(change);
  return ask(placeOf(id), { method: "PATCH", headers: { "Content-Type": "application/json" }, body });
}

export function deleteEvent(id) {
  return ask(placeOf(id), { method: "DELETE" });
}

async function ask(url, { signal, ...options } = {}) {
  const end = new AbortController();
  const late = setTimeout(() => end.abort(), TIMEOUT_MS);
  signal?.addEventListener("abort", () => end.abort());
  let response;
  try {
    response = checkSession(await fetch(url, { ...options, signal: end.signal }));
  } catch {
    throw new Refusal(t("common.try_again"), 0);
  } finally {
    clearTimeout(late);
  }
  const answer = response.status === 204 ? null : await answerOf(response).catch(() => null);
  if (!response.ok) throw new Refusal(answer?.error ?? t("history.answers_with", { status: response.status }), response.status);
  return answer;
}
