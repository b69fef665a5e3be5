// The answer for one picture: the displayed name, how familiar the picture is, and the most probable labels.

import { Guesses, percent } from "./guesses.js";
import { called } from "./language/labels.js";
import { t } from "./language/language.js";
import { chanceOf, finerOf, nameOf } from "./shown.js";

const FAMILIAR = 0.5; // below it a picture is unfamiliar
const GUESSES = 3; // of a picture without a name

export class Answer {
  #element;
  #label;
  #note;
  #familiarity;
  #guesses;
  #labels = 0;
  name = ""; // what is displayed
  spoken = "";
  names = []; // that are shown, as the daemon calls them

  // element: the card that holds .label, .note and .guesses; the familiarity gauge is added after the label
  constructor(element) {
    this.#element = element;
    this.#label = element.querySelector(".label");
    this.#note = element.querySelector(".note");
    this.#label.after(document.getElementById("familiarity-gauge").content.cloneNode(true));
    this.#familiarity = element.querySelector(".familiarity");
    this.#guesses = new Guesses(element.querySelector(".guesses"));
  }

  // model: of /api/model
  setModel({ label_count: count }) {
    this.#labels = count;
  }

  // record: of /api/classify, or of /api/predictions; standing: what stands there, which the newest look may not agree with
  show({ top, unfamiliar, familiarity, ...newest }, { shown, blank } = newest, isDimmed = false) {
    const isNamed = shown.level !== "none";
    const [name, chance] = [nameOf({ shown, blank }), [finerOf({ shown }), chanceOf({ shown })].filter(Boolean).join(" ")];
    const listed = this.#guesses.show(blank && !isNamed ? [] : top, isNamed ? undefined : GUESSES);
    this.name = name;
    this.names = [...(isNamed ? [shown.kind] : []), ...listed.map(({ label }) => label)];
    this.#element.classList.toggle("unknown", !isNamed);
    this.#label.classList.toggle("dimmed", isDimmed);
    this.#name(name, chance);
    this.#note.textContent = [this.#why(shown, blank, unfamiliar), listed.length ? t("answer.most_probable") : ""].filter(Boolean).join(" ");
    this.#showFamiliarity(familiarity);
    const others = shown.level === "label" ? [] : listed.slice(0, isNamed ? 1 : GUESSES);
    const perhaps = others.map(({ label, p }) => `${called(label)}, ${percent(p)}`).join("; ");
    this.spoken = [name, chance, perhaps && t("answer.perhaps", { guesses: perhaps })].filter(Boolean).join(", ");
  }

  // why there is no finer name
  #why({ level }, blank, unfamiliar) {
    if (level === "label") return "";
    if (level === "group") return t("answer.unsure_which");
    if (blank) return t("answer.blank");
    if (unfamiliar) return t("answer.unfamiliar", { n: this.#labels });
    return t("answer.unlikely");
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
    this.#familiarity.classList.toggle("low", familiarity < FAMILIAR);
    meter.style.setProperty("--p", familiarity);
    meter.setAttribute("aria-valuenow", Math.round(100 * familiarity));
    this.#familiarity.querySelector(".word").textContent = t(familiarity < FAMILIAR ? "answer.familiarity_low" : "answer.familiarity_high");
    meter.setAttribute("aria-valuetext", t("answer.familiarity_value", { share: percent(familiarity) }));
  }
}
