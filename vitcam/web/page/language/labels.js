// What labels are called in the language of the page, and what models that come with vitcam are said to know. A text that
// the catalogue does not have, such as a name of one's own, is shown as the daemon gives it.

import { language, ORIGINAL } from "./language.js";

const names = new Map(); // key of a label -> its name
const labels = new Map(); // key of a name -> its label

if (language !== ORIGINAL) await load().catch(() => {}); // English names can be read, too

async function load() {
  const answer = await fetch(new URL(`../labels/names.${language}.json`, import.meta.url));
  if (!answer.ok) return;
  for (const [label, name] of Object.entries(await answer.json())) {
    names.set(keyOf(label), name);
    labels.set(keyOf(name), label);
  }
}

export function called(label) {
  return names.get(keyOf(label ?? "")) ?? label;
}

// text: as a person types it; returns the label that it names, or the text itself
export function meantBy(text) {
  return labels.get(keyOf(text)) ?? text;
}

// text: several with commas
export function allMeantBy(text) {
  return text.split(",").map((each) => meantBy(each.trim())).filter(Boolean);
}

function keyOf(text) {
  return text.normalize("NFC").trim().toLowerCase();
}
