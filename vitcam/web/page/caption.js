// The caption over the picture: what stands there for the place in front; with zones a line for each of them.

import { LEAST } from "./guesses.js";
import { called } from "./language/labels.js";
import { locale, t } from "./language/language.js";
import { chanceOf, detailOf, finerOf, isNamed, nameOf, write } from "./shown.js";

const OR = new Intl.ListFormat(locale, { type: "disjunction" });
const DOUBTS = 2; // guesses of a picture without a name
const MOST_LINES = 3;

export class Caption {
  rests = false; // nothing moves, so what stands there is of the last look
  #name = document.getElementById("caption");
  #more = document.getElementById("caption-more");
  #doubts = [];

  // places: all of them; front: the one in front; isSimple: without numbers
  show(places, front, isSimple) {
    const { look } = front.standing;
    const lines = front.zone === null ? [front] : linesOf(places);
    this.#name.classList.toggle("dimmed", lines.some(({ standing }) => standing.isDimmed));
    Object.assign(this.#name.dataset, { seq: look.seq, label: look.shown.label ?? "" });
    write(this.#name, lines.map(({ zone, standing }) => (zone === null ? "" : `${zone}: `) + nameOf(standing.look)).join("\n"));
    const finer = !isSimple || front.standing.isSteady() ? finerOf(look) : "";
    const said = lines.length > 1 ? [] : [[finer, !isSimple && chanceOf(look)].filter(Boolean).join(" "), detailOf(look), this.#between(look)];
    write(this.#more, [...said, this.rests && t("live.rests")].filter(Boolean).join(" · "));
  }

  // what a picture without a name may show; the same guesses stay as long as the newest look has them
  #between({ top, shown, blank }) {
    if (blank || shown.level !== "none") return "";
    const possible = top.filter(({ p }) => p >= LEAST).map(({ label }) => label);
    if (!this.#doubts.length || !this.#doubts.every((label) => possible.includes(label))) this.#doubts = possible.slice(0, DOUBTS);
    return this.#doubts.length ? t("answer.between", { names: OR.format(this.#doubts.map(called)) }) : "";
  }
}

// those that have a name first, in the order of the places
function linesOf(places) {
  const known = places.filter(({ standing }) => standing.look);
  const hasName = ({ standing }) => isNamed(standing.look);
  const first = [...known.filter(hasName), ...known.filter((place) => !hasName(place))].slice(0, MOST_LINES);
  return known.filter((place) => first.includes(place));
}
