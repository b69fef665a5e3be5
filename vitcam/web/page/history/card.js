// One event in the grid: its picture, what it was, when and where. A link to the event's own view.

import { t } from "../language/language.js";
import { place } from "../seen.js";
import { detailUrl, frameUrl } from "./addresses.js";
import { chanceOf, clock, dayName, dayOf, lasted, nameOf, rectOf } from "./words.js";

const WIDTHS = [160, 240, 320, 480]; // few, so that the daemon makes few thumbnails of a picture

// width: of the picture in px; its address is put into data-src and loaded by the grid
export function makeCard(event, width) {
  const card = document.createElement("a");
  card.className = `event kind-${event.kind}`;
  card.href = `#event/${event.id}`;
  card.dataset.id = event.id;
  card.setAttribute("aria-label", describe(event));
  const picture = child(card, "div", "thumb");
  if (event.frame) addPictures(picture, event, width);
  else child(picture, "span", "none", t("history.no_picture"));
  if (event.clip) child(picture, "span", "has-clip", t("history.with_clip"));
  if (event.favourite) child(picture, "span", "is-favourite", "★");
  if (event.end === null) child(picture, "span", "is-now", t("history.now"));
  const line = child(card, "div", "line");
  child(line, "span", "what", nameOf(event));
  child(line, "span", "chance", chanceOf(event));
  const below = child(card, "div", "line small");
  child(below, "span", "when", event.end === null ? clock(event.start) : `${clock(event.start)} · ${lasted(event)}`);
  if (event.zone) child(below, "span", "where", event.zone);
  return card;
}

// of what was followed: where it was, and what it was
export function addPictures(picture, event, width) {
  const whole = event.box ? child(picture, "div", "whole") : picture;
  addImage(whole, "all", frameUrl(event, thumbWidth(width)));
  if (!event.box) return;
  const [x, y, w, h] = rectOf(event.box);
  place(child(whole, "div", "box"), [x, y, w, h]);
  if (!event.detail) return;
  picture.classList.toggle("right", x + w / 2 < 0.5); // the second picture does not hide what it shows
  addImage(picture, "detail", detailUrl(event, thumbWidth(width / 2)));
}

function addImage(parent, className, address) {
  Object.assign(child(parent, "img", className), { alt: "", decoding: "async" }).dataset.src = address;
}

export function describe(event) {
  const facts = [nameOf(event), chanceOf(event), event.zone && t("history.in_zone", { zone: event.zone })];
  const time = `${dayName(dayOf(event.start))} ${clock(event.start)}, ${lasted(event)}`;
  const marks = [event.favourite && t("history.is_favourite"), event.clip && t("history.has_clip")];
  return [...facts, time, ...marks].filter(Boolean).join(", ");
}

function thumbWidth(width) {
  const wanted = width * Math.min(devicePixelRatio, 2);
  return WIDTHS.find((candidate) => candidate >= wanted) ?? WIDTHS.at(-1);
}

export function child(parent, tag, className = "", text = "") {
  const element = parent.appendChild(document.createElement(tag));
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
