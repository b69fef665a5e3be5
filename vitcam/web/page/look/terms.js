// What the words of the details mean: a list in each card, filled once a viewer opens it.

import { addWords, t } from "../language/language.js";

let words; // a promise

// list: names its terms in data-terms; a term is term.NAME in the catalogue, its sentence term.NAME.what
export async function explainTerms(list) {
  await (words ??= addWords("look").catch((error) => { words = null; throw error; }));
  const parts = list.dataset.terms.split(" ").flatMap((term) => [part("dt", t(`term.${term}`)), part("dd", t(`term.${term}.what`))]);
  list.querySelector("dl").replaceChildren(...parts);
}

function part(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
