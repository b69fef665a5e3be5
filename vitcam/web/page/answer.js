// The answer for one picture: the displayed name, how familiar the picture is, and the most probable labels.

import { Guesses, percent } from "./guesses.js";
import { locale, t } from "./language/language.js";
import { modelInUse } from "./models/in_use.js";
import { chanceOf, nameOf } from "./shown.js";

const FAMILIAR = 0.5; // below it a picture is unfamiliar
const GUESSES = 3; // of a picture without a name
const DOUBTS = 2; // of them in the caption

export class Answer {
  #element;
  #label;
  #note;
  #familiarity;
  #guesses;
  #labels = 0;
  #groups = null; // name -> names of its labels; null: not asked for yet
  name = ""; // what is displayed
  spoken = "";
  caption = ""; // as short as can be
  names = []; // that are shown

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
    this.#groups = null;
  }

  // record: of /api/classify, or of smoothed predictions
  show({ top, shown, blank, unfamiliar, familiarity }) {
    const isNamed = shown.level !== "none";
    const [name, chance] = [nameOf({ shown, blank }), chanceOf({ shown })];
    const listed = this.#guesses.show(blank && !isNamed ? [] : top, isNamed ? undefined : GUESSES);
    this.name = name;
    this.names = [...(isNamed ? [name] : []), ...listed.map(({ label }) => label)];
    this.#element.classList.toggle("unknown", !isNamed);
    this.#name(name, chance);
    this.#note.textContent = [this.#why(shown, top[0], blank, unfamiliar), listed.length ? t("answer.most_probable") : ""].filter(Boolean).join(" ");
    this.#showFamiliarity(familiarity);
    this.caption = isNamed || blank ? name : doubtful(listed);
    const others = shown.level === "label" ? [] : listed.slice(0, isNamed ? 1 : GUESSES);
    const perhaps = others.map(({ label, p }) => `${label}, ${percent(p)}`).join("; ");
    this.spoken = [name, chance, perhaps && t("answer.perhaps", { guesses: perhaps })].filter(Boolean).join(", ");
  }

  // why there is no finer name; for a moment the guesses may be of something else than the name, which lasts
  #why({ level, label }, best, blank, unfamiliar) {
    if (level === "label") return "";
    if (level === "group") return this.#isOutside(label, best.label) ? "" : t("answer.unsure_which");
    if (blank) return t("answer.blank");
    if (unfamiliar) return t("answer.unfamiliar", { n: this.#labels });
    return t("answer.unlikely");
  }

  // whether it is known that a label is not in a group; groups are asked for once somebody sees the card
  #isOutside(group, label) {
    if (!this.#groups && this.#element.offsetParent) {
      this.#groups = new Map();
      this.#readGroups(this.#groups);
    }
    return this.#groups?.get(group)?.has(label) === false;
  }

  async #readGroups(found) {
    const { labels, groups } = await modelInUse();
    for (const { name, labels: members } of groups) found.set(name, new Set(members.map((index) => labels[index])));
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

// guesses: the most probable ones, or none that is worth a word
function doubtful(guesses) {
  const names = guesses.slice(0, DOUBTS).map(({ label }) => label);
  return names.length ? t("answer.not_sure_between", { names: new Intl.ListFormat(locale, { type: "disjunction" }).format(names) }) : t("answer.not_sure");
}
