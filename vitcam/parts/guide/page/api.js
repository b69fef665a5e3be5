// What the guide reads and changes of the settings.

import { ask } from "../ask.js";
import { t } from "../language/language.js";

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
