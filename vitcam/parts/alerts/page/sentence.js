// An alert as one sentence, for people to read and, with controls in it, to make.

import { called } from "../language/labels.js";
import { CLOCK, locale, t } from "../language/language.js";

export const NIGHT = "22:00-06:00";
export const DAY = "06:00-22:00";

// rule: an alert, or a rule of the configuration
export function sentenceOf(rule) {
  const parts = { what: whatOf(rule), where: whereOf(rule.zone), long: longOf(rule.for_s), when: whenOf(rule.between) };
  const more = [
    rule.above > 0 && t("alerts.above", { share: Math.round(rule.above * 100) }),
    rule.phase === "end" && t("alerts.at_end"),
    rule.cooldown_s > 0 && t("alerts.quiet", { time: timeOf(rule.cooldown_s) }),
  ];
  return [t("alerts.sentence", parts).replace(/ +/g, " ").replace(" ,", ","), ...more.filter(Boolean)].join(" ");
}

// parts: name -> node; puts each into `line` where the sentence of that key has it
export function fillSentence(line, key, parts) {
  const names = Object.keys(parts);
  const text = t(key, Object.fromEntries(names.map((name) => [name, `\u0000${name}\u0000`])));
  line.replaceChildren(...text.split("\u0000").map((piece) => parts[piece] ?? piece));
}

export function whatOf({ kind, label, not_labels: others = [] }) {
  if (kind !== "seen") return t(`alerts.what.${kind}`);
  const what = called(label) || t("alerts.what.anything");
  return others.length ? t("alerts.what.but_not", { what, others: others.map(called).join(", ") }) : what;
}

export function whereOf(zone) {
  return zone ? t("alerts.where.zone", { zone }) : t("alerts.where.anywhere");
}

export function longOf(seconds) {
  return seconds > 0 ? t("alerts.long.for", { time: timeOf(seconds) }) : t("alerts.long.at_once");
}

export function whenOf(span) {
  if (!span) return t("alerts.when.always");
  if (span === NIGHT || span === DAY) return t(span === NIGHT ? "alerts.when.night" : "alerts.when.day");
  const [from, to] = span.split("-").map((time) => CLOCK.format(new Date(`2026-01-01T${time.trim().padStart(5, "0")}`)));
  return t("alerts.when.between", { from, to });
}

export function timeOf(seconds) {
  const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, each]) => seconds >= each && seconds % each === 0) ?? ["second", 1];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
}

export function wayOf(kind) {
  return t(`alerts.way.${kind}`);
}
