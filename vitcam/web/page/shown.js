// What is displayed of a picture or an event. The daemon decides it; this puts it into words.

import { percent } from "./guesses.js";
import { called } from "./language/labels.js";
import { t } from "./language/language.js";

export function isNamed({ shown }) {
  return shown.level !== "none";
}

// record: of a prediction or an answer; returns what people say for it
export function nameOf({ shown, blank }) {
  if (isNamed({ shown })) return called(shown.kind);
  return t(blank ? "answer.nothing" : "answer.not_sure");
}

// the name that the model has for it, where that is finer; else ""
export function finerOf({ shown: { label, kind } }) {
  return label === kind ? "" : called(label) ?? "";
}

// what a second model says of it: "goldfinch 83 %"
export function detailOf({ shown: { detail } }) {
  if (!detail) return "";
  return detail.label ? `${called(detail.label)} ${percent(detail.p)}` : t("answer.unsure_which");
}

// text is written only where it has changed
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// "" where there is no name
export function chanceOf({ shown }) {
  return shown.level === "none" ? "" : percent(shown.p);
}

// in words; where the bundled film runs, no camera is live
export function statusOf(status, source) {
  return t(status === "ok" && /^demo(:|$)/.test(source) ? "status.demo" : `status.${status}`);
}
