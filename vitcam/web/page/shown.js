// What is displayed of a picture or an event. The daemon decides it; this puts it into words.

import { percent } from "./guesses.js";

// record: of a prediction or an answer
export function nameOf({ shown, blank }) {
  if (shown.level !== "none") return shown.label;
  return blank ? "Nothing to see" : "Not sure";
}

// "" where there is no name
export function chanceOf({ shown }) {
  return shown.level === "none" ? "" : percent(shown.p);
}
