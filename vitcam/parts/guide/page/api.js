// What the guide asks of the daemon. A refusal is thrown with the daemon's sentence.

import { t } from "../language/language.js";
import { checkSession } from "../session.js";

export async function ask(path, method = "GET", body = undefined) {
  const sent = body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = checkSession(await fetch(path, { method, ...sent }));
  } catch {
    throw new Error(t("common.no_answer"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? t("common.no_answer"));
  return answer;
}

// values: of /api/settings. Takes them over now, or by a start of the daemon; returns a sentence about it
export async function set(values) {
  const { restart } = await ask("api/settings", "PATCH", values);
  if (!restart.needed.some((name) => name in values)) return t("guide.saved");
  if (!restart.possible) return t("guide.next_start");
  await ask("api/restart", "POST", {});
  return t("guide.restarting");
}

// returns {name: value} of the settings
export async function settings() {
  const { settings: rows } = await ask("api/settings");
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
