// The answer for one picture: its best label or group, how familiar the picture is, and the most probable labels.

import { Guesses, percent } from "./guesses.js";
import { THRESHOLD } from "./smoothing.js";

export class Answer {
  #element;
  #label;
  #note;
  #familiarity;
  #guesses;
  #labels = 0;
  spoken = "";

  // element: the card that holds .label, .note and .guesses; the familiarity gauge is added after the label
  constructor(element) {
    this.#element = element;
    this.#label = element.querySelector(".label");
    this.#note = element.querySelector(".note");
    this.#label.after(document.getElementById("familiarity-gauge").content.cloneNode(true));
    this.#familiarity = element.querySelector(".familiarity");
    this.#guesses = new Guesses(element.querySelector(".guesses"));
  }

  // labels: how many the model has
  setLabels(labels) {
    this.#labels = labels;
  }

  // an unknown picture gets no name: its guesses are only the closest labels; group: null if the best label is likely
  show({ top, group, known, blank, familiarity }) {
    this.#element.classList.toggle("unknown", !known);
    if (known) this.#showKnown(top[0], group ?? null);
    else if (blank) this.#showUnknown("Nothing to see", "the picture is too dark, too bright or too plain");
    else this.#showUnknown("Unknown", this.#unknown());
    this.#showFamiliarity(familiarity ?? null);
    this.#guesses.show(top);
  }

  #showKnown(best, group) {
    const { label, p } = group ?? best;
    this.#name(label, percent(p));
    this.#note.textContent = group ? "Unsure which one. Most probable:" : "Most probable:";
    const more = group && label !== best.label ? `, perhaps ${best.label}, ${percent(best.p)}` : "";
    this.spoken = `${label}, ${percent(p)}${more}`;
  }

  #showUnknown(name, why) {
    this.#name(name, "");
    this.#note.textContent = `${why[0].toUpperCase()}${why.slice(1)}. Closest:`;
    this.spoken = `${name}: ${why}`;
  }

  #unknown() {
    const things = this.#labels === 1 ? "the one thing" : `the ${this.#labels} things`;
    return `it looks like none of ${things} that the model knows`;
  }

  #name(name, chance) {
    if (this.#label.children.length !== 2) this.#label.replaceChildren(document.createElement("span"), document.createElement("span"));
    this.#label.children[0].textContent = name;
    this.#label.children[1].textContent = chance;
  }

  // null: the model file has no familiarity
  #showFamiliarity(familiarity) {
    this.#familiarity.hidden = familiarity === null;
    if (familiarity === null) return;
    const meter = this.#familiarity.querySelector("[role=meter]");
    meter.style.setProperty("--p", familiarity);
    meter.setAttribute("aria-valuenow", Math.round(100 * familiarity));
    this.#familiarity.querySelector(".word").textContent = familiarity < THRESHOLD ? "too low" : "high";
    meter.setAttribute("aria-valuetext", `${percent(familiarity)}, the picture counts as known from 50 %`);
  }
}
