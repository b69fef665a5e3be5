// What the model says of a picture: one word, how familiar the picture is, and the guesses below.

import { THRESHOLD } from "./following.js";
import { Guesses, percent } from "./guesses.js";

export class Answer {
  #element;
  #label;
  #note;
  #familiarity;
  #guesses;
  #things = 0;
  said = "";

  // element: the card that holds .label, .familiarity, .note and .guesses
  constructor(element) {
    this.#element = element;
    this.#label = element.querySelector(".label");
    this.#note = element.querySelector(".note");
    this.#familiarity = element.querySelector(".familiarity");
    this.#guesses = new Guesses(element.querySelector(".guesses"));
  }

  // things: how many labels the model has
  knows(things) {
    this.#things = things;
  }

  // a picture that is unknown gets no name: the guesses are only what is closest to it
  show({ top, known, familiarity }) {
    const things = this.#things === 1 ? "the one thing" : `the ${this.#things} things`;
    const [name, chance] = known ? [top[0].label, percent(top[0].p)] : ["Unknown", ""];
    this.said = known ? `${name}, ${chance}` : `Unknown: it looks like none of ${things} that the model knows`;
    this.#element.classList.toggle("unknown", !known);
    this.#name(name, chance);
    this.#note.textContent = known ? "Most probable:" : `It looks like none of ${things} it knows. Closest:`;
    this.#showFamiliarity(familiarity ?? null);
    this.#guesses.show(top);
  }

  #name(name, chance) {
    if (this.#label.children.length !== 2) this.#label.replaceChildren(document.createElement("span"), document.createElement("span"));
    this.#label.children[0].textContent = name;
    this.#label.children[1].textContent = chance;
  }

  // null: the model file cannot tell
  #showFamiliarity(familiarity) {
    this.#familiarity.hidden = familiarity === null;
    if (familiarity === null) return;
    const meter = this.#familiarity.querySelector("[role=meter]");
    meter.style.setProperty("--p", familiarity);
    meter.setAttribute("aria-valuenow", Math.round(100 * familiarity));
    this.#familiarity.querySelector(".word").textContent = familiarity < THRESHOLD ? "too low" : "high";
    meter.setAttribute("aria-valuetext", `${percent(familiarity)}, from 50 % on the picture counts as known`);
  }
}
