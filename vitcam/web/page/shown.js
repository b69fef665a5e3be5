// What is displayed of a picture or an event. The daemon decides it; this puts it into words.

import { percent } from "./guesses.js";
import { t } from "./language/language.js";

// record: of a prediction or an answer
export function nameOf({ shown, blank }) {
  if (shown.level !== "none") return shown.label;
  return t(blank ? "answer.nothing" : "answer.not_sure");
}

// "" where there is no name
export function chanceOf({ shown }) {
  return shown.level === "none" ? "" : percent(shown.p);
}
