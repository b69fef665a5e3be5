// What the model looks at by itself: the whole view or zones, and what is followed because it moves. Where there are
// several such places each has a row, and one of them is shown in full.

import { number, t } from "./language/language.js";
import { chanceOf, nameOf, write } from "./shown.js";
import { Standing } from "./standing.js";

export class Places {
  #list = document.getElementById("places");
  #guesses = document.getElementById("guesses");
  #title = document.querySelector("#answer h2");
  #places = new Map(); // key -> {zone, track, box, at, standing, button, title, label, chance, rate}
  follows = false; // whether anything is followed where it moves
  #chosen = null;
  #pinned = false; // a person has chosen it

  get hasZones() {
    return this.all.some(({ zone }) => zone !== null);
  }

  // what is followed now: [{track, box: [x, y, width, height]}]
  get followed() {
    return this.all.filter(({ track }) => track !== null);
  }

  // the place that is shown in full; null before the first prediction
  get shown() {
    return this.#places.get(this.#chosen) ?? null;
  }

  // prediction: of /api/predictions; returns whether its place is the one that is shown in full
  add(prediction, now = performance.now()) {
    const key = keyOf(prediction);
    const place = this.#places.get(key) ?? this.#open(key, prediction);
    Object.assign(place, { box: prediction.frame.crop, at: now });
    if (prediction.top.length) place.standing.add(prediction, now);
    return key === this.#chosen;
  }

  // state: of /api/state, for which was asked at the time `asked`; places that are not there any more lose their row
  show({ zones, follows, following }, asked) {
    const tracks = new Set(following.map(({ track }) => track));
    const hasZones = Object.keys(zones).length > 0;
    this.follows = hasZones ? Object.values(zones).some((zone) => zone.follows) : follows;
    for (const [key, { zone, track, at, button }] of this.#places) {
      const isThere = track === null ? (zone === null ? !hasZones : zone in zones) : tracks.has(track);
      if (isThere || at > asked) continue;
      button.parentElement.remove();
      this.#places.delete(key);
    }
    for (const { zone, track, rate } of this.#places.values()) {
      const fps = track === null ? zones[zone]?.fps : undefined;
      rate.textContent = fps === undefined ? "" : `${number(fps, fps < 10 ? 1 : 0)} ${t("speed.fps")}`;
    }
    this.#arrange();
  }

  get all() {
    return [...this.#places.values()];
  }

  // draws every row
  draw() {
    for (const { standing, label, chance, button } of this.#places.values()) {
      if (!standing.look) continue;
      standing.settle();
      write(label, nameOf(standing.look));
      write(chance, chanceOf(standing.look));
      button.classList.toggle("unknown", standing.look.shown.level === "none");
      button.classList.toggle("dimmed", standing.isDimmed);
    }
    this.#chooseFront();
  }

  get spoken() {
    const nameOfPlace = ({ zone, track, title }) => [zone, track !== null && title.textContent].filter(Boolean).join(", ");
    const inOrder = [...this.#list.children].map((line) => this.all.find(({ button }) => line.contains(button)));
    return inOrder.map((place) => `${nameOfPlace(place)}: ${place.label.textContent}`).join("; ");
  }

  #open(key, { zone, track }) {
    const button = document.createElement("button");
    button.type = "button";
    const [title, label, chance, rate] = ["place", "found", "percent", "rate"].map((className) => {
      const part = button.appendChild(document.createElement("span"));
      part.className = className;
      return part;
    });
    button.addEventListener("click", () => { this.#pinned = true; this.#choose(key); });
    const place = { zone, track, standing: new Standing(), button, title, label, chance, rate };
    this.#places.set(key, place);
    button.classList.toggle("moves", track !== null);
    this.#lineFor(zone, track).appendChild(button);
    this.#arrange();
    return place;
  }

  // what is followed stands below its zone
  #lineFor(zone, track) {
    const line = document.createElement("li");
    const same = this.all.filter((place) => place.zone === zone && place.button.isConnected);
    const last = track === null ? null : same.at(-1)?.button.parentElement;
    if (last) last.after(line);
    else this.#list.append(line);
    return line;
  }

  // what moves is named by its order where there is more than one
  #arrange() {
    const { followed } = this;
    for (const { zone, track, title } of this.#places.values()) {
      const beside = followed.filter((other) => other.zone === zone);
      const order = beside.length > 1 ? ` ${beside.findIndex((other) => other.track === track) + 1}` : "";
      title.textContent = track === null ? zone ?? t("answer.whole_view") : `${t("answer.moving")}${order}`;
    }
    const { hasZones } = this;
    this.#list.hidden = !hasZones && !this.follows && !followed.length;
    if (hasZones === this.#list.classList.contains("below")) {
      this.#list.classList.toggle("below", !hasZones);
      (hasZones ? this.#title : this.#guesses).after(this.#list); // what comes and goes must not move the answer
    }
    if (!this.#places.has(this.#chosen)) this.#pinned = false;
    this.#chooseFront();
  }

  // what is followed and has a name stands in front until it has none, or a person chooses another place
  #chooseFront() {
    if (this.#pinned) return;
    const chosen = this.shown;
    if (chosen && chosen.track !== null && isNamed(chosen)) return;
    const named = this.followed.find(isNamed);
    if (named) return this.#choose(keyOf(named));
    if (chosen && chosen.track === null) return;
    const first = this.all.find(({ track }) => track === null);
    if (first || !chosen) this.#choose(first ? keyOf(first) : this.#places.keys().next().value ?? null);
  }

  #choose(key) {
    this.#chosen = key;
    for (const [each, { button }] of this.#places) button.setAttribute("aria-pressed", each === key);
    const { zone = null, track = null } = this.shown ?? {};
    const name = document.createElement("span"); // a name keeps its small letters
    name.textContent = zone === null ? "" : ` ${zone}`;
    const [whole, within] = track === null ? ["answer.title", "answer.title_in"] : ["answer.title_moving", "answer.title_moving_in"];
    this.#title.replaceChildren(t(zone === null ? whole : within), name);
  }
}

function keyOf({ zone, track }) {
  return JSON.stringify([zone, track]);
}

// whether it has had a name for a while
function isNamed({ standing: { newest } }) {
  return Boolean(newest) && newest.headline.level !== "none";
}
