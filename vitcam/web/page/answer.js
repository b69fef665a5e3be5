// The answer for one picture: its best label, how familiar the picture is, and the most probable labels.

import { Guesses, percent } from "./guesses.js";
import { THRESHOLD } from "./smoothing.js";

const BLANK = "there is nothing to see (too dark, too bright or too plain)";

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

  // an unknown picture gets no name: its guesses are only the closest labels
  show({ top, known, blank, familiarity }) {
    const why = blank ? BLANK : this.#unknown();
    const [name, chance] = known ? [top[0].label, percent(top[0].p)] : ["Unknown", ""];
    this.spoken = known ? `${name}, ${chance}` : `Unknown: ${why}`;
    this.#element.classList.toggle("unknown", !known);
    this.#name(name, chance);
    this.#note.textContent = known ? "Most probable:" : `${why[0].toUpperCase()}${why.slice(1)}. Closest:`;
    this.#showFamiliarity(familiarity ?? null);
    this.#guesses.show(top);
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
