// One event in the grid: its picture, what it was, when and where. A link to the event's own view.

import { frameUrl } from "./api.js";
import { chanceOf, clock, dayName, dayOf, lasted, nameOf } from "./words.js";

const WIDTHS = [160, 240, 320, 480]; // few, so that the daemon makes few thumbnails of a picture

// width: of the picture in px; its address is put into data-src and loaded by the grid
export function makeCard(event, width) {
  const card = document.createElement("a");
  card.className = `event kind-${event.kind}`;
  card.href = `#event/${event.id}`;
  card.dataset.id = event.id;
  card.setAttribute("aria-label", describe(event));
  const picture = child(card, "div", "thumb");
  if (event.frame) Object.assign(child(picture, "img"), { alt: "", decoding: "async" }).dataset.src = frameUrl(event, thumbWidth(width));
  else child(picture, "span", "none", "no picture");
  if (event.clip) child(picture, "span", "has-clip", "▶ clip");
  if (event.favourite) child(picture, "span", "is-favourite", "★");
  if (event.end === null) child(picture, "span", "is-now", "now");
  const line = child(card, "div", "line");
  child(line, "span", "what", nameOf(event));
  child(line, "span", "chance", event.corrected ? "corrected" : chanceOf(event));
  const below = child(card, "div", "line small");
  child(below, "span", "when", event.end === null ? clock(event.start) : `${clock(event.start)} · ${lasted(event)}`);
  if (event.zone) child(below, "span", "where", event.zone);
  return card;
}

export function describe(event) {
  const facts = [nameOf(event), event.corrected ? "corrected" : chanceOf(event), event.zone && `zone ${event.zone}`];
  const time = `${dayName(dayOf(event.start))} ${clock(event.start)}, ${lasted(event)}`;
  const marks = [event.favourite && "favourite", event.clip && "with a clip"];
  return [...facts, time, ...marks].filter(Boolean).join(", ");
}


function thumbWidth(width) {
  const wanted = width * Math.min(devicePixelRatio, 2);
  return WIDTHS.find((candidate) => candidate >= wanted) ?? WIDTHS.at(-1);
}

function child(parent, tag, className = "", text = "") {
  const element = parent.appendChild(document.createElement(tag));
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
