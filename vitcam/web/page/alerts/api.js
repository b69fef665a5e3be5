// What the alerts ask of the daemon. A refusal is thrown with the daemon's sentence.

import { t } from "../language/language.js";
import { checkSession } from "../session.js";

export function listAlerts() {
  return ask("api/alerts");
}

// alert: what is wanted; id: of the one that changes, null for a new one; returns {alert, remembered, reason}
export function saveAlert(alert, id = null) {
  return id === null ? ask("api/alerts", "POST", alert) : ask(placeOf(id), "PATCH", alert);
}

export function deleteAlert(id) {
  return ask(placeOf(id), "DELETE");
}

// returns {trial}
export function tryAlert(id) {
  return ask(`${placeOf(id)}/try`, "POST", {});
}

// returns the key with which a browser allows messages
export async function pushKey() {
  return (await ask("api/alerts/push")).key;
}

// device: what PushSubscription.toJSON() gives, and a name
export function addDevice(device) {
  return ask("api/alerts/push", "POST", device);
}

export function removeDevice(id) {
  return ask(`api/alerts/push/${encodeURIComponent(id)}`, "DELETE");
}

function placeOf(id) {
  return `api/alerts/${encodeURIComponent(id)}`;
}

async function ask(path, method = "GET", body = undefined) {
  const sent = body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, { method, ...sent }).catch(() => null);
  if (!response) throw new Error(t("common.no_answer"));
  const answer = await checkSession(response).json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? t("common.no_answer"));
  return answer;
}
