// What the words of the expert look mean: a list in each card, which a viewer opens.

import { t } from "../language/language.js";

// each list names its terms in data-terms; a term is term.NAME in the catalogue, its sentence term.NAME.what
export function explainTerms() {
  for (const list of document.querySelectorAll("[data-terms]")) {
    const parts = list.dataset.terms.split(" ").flatMap((term) => [part("dt", t(`term.${term}`)), part("dd", t(`term.${term}.what`))]);
    list.querySelector("dl").replaceChildren(...parts);
  }
}

function part(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
