// What the alerts ask of the daemon. A refusal is thrown with the daemon's sentence.

import { ask } from "../ask.js";
import { t } from "../language/language.js";
import { sendChange } from "../versions/change.js";
import { sentenceOf } from "./sentence.js";

const TOLD = ["id", "name", "trouble", "last", "etag"]; // what nobody changes

export function listAlerts() {
  return ask("api/alerts");
}

// wanted: what is to be; alert: the one that changes, null for a new one
// returns {answer: {alert, remembered, reason}, isMerged}; answer is null where the alert stays as others have made it
export async function saveAlert(wanted, alert = null) {
  if (alert === null) return { answer: await ask("api/alerts", "POST", wanted), isMerged: false };
  const base = Object.fromEntries(Object.keys(wanted).map((key) => [key, alert[key]]));
  const valuesOf = (present) => Object.fromEntries(Object.keys(wanted).map((key) => [key, present[key]]));
  const questionsOf = (overlaps, present) => [{
    keys: overlaps.map(({ key }) => key),
    title: sentenceOf(alert),
    mine: wordsOf({ ...present, ...Object.fromEntries(overlaps.map(({ key, mine }) => [key, mine])) }),
    theirs: wordsOf(present),
  }];
  return sendChange(placeOf(alert.id), "PATCH", alert.etag, base, wanted, { valuesOf, bodyOf: (each) => each, questionsOf, isPartial: true });
}

// returns as `saveAlert`, without the alert
export function deleteAlert(alert) {
  const valuesOf = (each) => ({ alert: Object.fromEntries(Object.entries(each).filter(([key]) => !TOLD.includes(key))) });
  const questionsOf = (_, present) => [{ keys: ["alert"], title: sentenceOf(alert), mine: t("versions.deleted"), theirs: wordsOf(present) }];
  return sendChange(placeOf(alert.id), "DELETE", alert.etag, valuesOf(alert), { alert: null }, { valuesOf, bodyOf: () => undefined, questionsOf, isPartial: true });
}

// what else may have changed of an alert is below its sentence
function wordsOf(alert) {
  const ways = [alert.ntfy && t("alerts.way.ntfy"), alert.push && t("alerts.way.push"), alert.sound && t("alerts.way.sound"), alert.mqtt && t("alerts.way.mqtt"), alert.webhook, ...alert.notify];
  return [sentenceOf(alert), ways.filter(Boolean).join(", "), t(alert.enabled ? "versions.on" : "versions.off")].filter(Boolean).join("; ");
}

// returns {trial}
export function tryAlert(id) {
  return ask(`${placeOf(id)}/try`, "POST", {});
}

// wanted: {alert: ID}, {address} or {}; returns {address, link, code} of a topic, the code as SVG
export function topicOf(wanted) {
  return ask("api/alerts/ntfy", "POST", wanted);
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
