// What was seen in a period, folded: a card for each displayed name. A card of several events opens.

import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { addPictures, child } from "./card.js";
import { svg } from "./svg.js";
import { dayOf, minuteOf, shortDayName } from "./words.js";

const PICTURE_PX = 240;
const QUARTERS = 96;
const STRIP = { width: 192, height: 10 };

export function keyOf({ kind, label }) {
  return `${kind}:${label}`;
}

export class Stories {
  #element = document.getElementById("stories");
  #panel = document.getElementById("opened"); // the grid with a line above it
  #title = document.getElementById("opened-title");
  #cards = new Map(); // key -> {card, text}
  #stories = [];
  #open = null;

  // chosen: called with the key of the story that is to be open, or null
  constructor(chosen) {
    this.#element.addEventListener("click", ({ target }) => {
      const key = target.closest("button[data-key]")?.dataset.key;
      if (!key) return;
      chosen(key === this.#open ? null : key);
      this.#cards.get(key)?.card.scrollIntoView({ block: "start" }); // what opens lies below it
    });
    document.getElementById("opened-close").addEventListener("click", () => {
      const key = this.#open;
      chosen(null);
      this.focus(key);
    });
  }

  // stories: of /api/events/summary; days: of the period; quarters: label -> how many events began in each quarter of an
  // hour of the day, or null for a week
  show(stories, days, quarters) {
    this.#stories = stories;
    const wanted = stories.map((story) => this.#take(story, days, quarters?.get(story.label)));
    for (const [key, { card }] of this.#cards) {
      if (wanted.includes(card)) continue;
      card.remove();
      this.#cards.delete(key);
    }
    this.#order(wanted);
    this.open(this.#open);
  }

  clear() {
    this.show([], 1, null);
  }

  // key: of the story under whose card the grid lies; null: none is open
  open(key) {
    this.#open = key;
    const story = this.#stories.find((each) => keyOf(each) === key);
    for (const [each, { card }] of this.#cards) card.querySelector("button")?.setAttribute("aria-expanded", String(each === key));
    document.getElementById("opened-head").hidden = key === null;
    if (story) this.#title.textContent = t("history.story", { label: called(story.label), times: t("history.n_times", { n: story.events }) });
    else if (key) this.#title.textContent = called(key.slice(key.indexOf(":") + 1));
    const place = this.#cards.get(key)?.card ?? null;
    if (place) { if (place.nextElementSibling !== this.#panel) place.after(this.#panel); } else if (this.#panel.parentElement === this.#element) this.#element.after(this.#panel);
  }

  // the card of a story gets the focus
  focus(key) {
    this.#cards.get(key)?.card.querySelector("button, a").focus();
  }

  // the card whose only event this is gets the focus
  focusEvent(id) {
    this.#element.querySelector(`a[href="#event/${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  }

  // an element that moves loses the focus: only those move that are out of place
  #order(wanted) {
    let last = null;
    for (const card of wanted) {
      const next = last ? this.#skip(last.nextElementSibling) : this.#skip(this.#element.firstElementChild);
      if (next !== card) this.#element.insertBefore(card, next);
      last = card;
    }
  }

  #skip(element) {
    return element === this.#panel ? element.nextElementSibling : element;
  }

  #take(story, days, quarters) {
    const key = keyOf(story);
    const text = JSON.stringify([story, days, quarters]);
    const known = this.#cards.get(key);
    if (known?.text === text) return known.card;
    const made = makeCard(story, days, quarters);
    if (known) {
      const focused = known.card.contains(document.activeElement);
      known.card.replaceWith(made);
      if (focused) made.querySelector("button, a").focus({ preventScroll: true });
    }
    this.#cards.set(key, { card: made, text });
    return made;
  }
}

function makeCard(story, days, quarters) {
  const card = document.createElement("article");
  card.className = ["told", `kind-${story.kind}`, story.newness ?? ""].join(" ").trim();
  const folds = story.events > 1;
  const face = child(card, folds ? "button" : "a", "told-face");
  if (folds) Object.assign(face, { type: "button" }).dataset.key = keyOf(story);
  else face.href = `#event/${story.event.id}`;
  if (folds) face.setAttribute("aria-controls", "opened");
  const picture = child(face, "span", "thumb");
  if (story.event.frame) addPictures(picture, story.event, PICTURE_PX);
  else child(picture, "span", "none", t("history.no_picture"));
  for (const image of picture.querySelectorAll("img")) Object.assign(image, { loading: "lazy", src: image.dataset.src });
  if (story.newness) child(picture, "span", "badge", t(`history.newness.${story.newness}`));
  if (folds) child(picture, "span", "how-often", `${number(story.events)} ×`);
  const line = child(face, "span", "line");
  child(line, "span", "what", called(story.label));
  const below = child(face, "span", "line small");
  child(below, "span", "when", whenOf(story, days));
  if (quarters && folds) face.append(strip(quarters));
  face.setAttribute("aria-label", describe(story, days));
  return card;
}

function whenOf({ events, last }, days) {
  const time = days > 1 ? `${shortDayName(dayOf(last))}, ${minuteOf(last)}` : minuteOf(last);
  return events === 1 ? time : t(days > 1 ? "history.last_on" : "history.last_at", { time });
}

function describe(story, days) {
  const newness = story.newness && t(`history.newness.${story.newness}`);
  return [called(story.label), newness, t("history.n_times", { n: story.events }), whenOf(story, days)].filter(Boolean).join(", ");
}

// in which quarters of an hour of the day it was seen
function strip(quarters) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ class: "strip", viewBox: `0 0 ${STRIP.width} ${STRIP.height}`, preserveAspectRatio: "none", "aria-hidden": "true" })) picture.setAttribute(name, value);
  const each = STRIP.width / QUARTERS;
  const marks = quarters.flatMap((count, quarter) => (count ? [`M${quarter * each} 0h${each}v${STRIP.height}h-${each}z`] : []));
  svg(picture, "rect", { class: "ground", width: STRIP.width, height: STRIP.height });
  svg(picture, "path", { class: "marks", d: marks.join("") });
  return picture;
}
