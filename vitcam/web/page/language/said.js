// Sentences of the daemon in the language of the page. It is loaded once there is one.

import { addWords, knows, t } from "./language.js";

const LABELS = ["label", "labels", "one", "other"]; // among the values of a sentence
let words; // a promise

// record: of the daemon, with the keys of its sentences in `said`
export async function inWords(record) {
  const { said } = record;
  if (!said.every(({ key }) => knows(`said.${key}`))) await (words ??= addWords("said").catch(() => {}));
  const known = said.filter(({ key }) => knows(`said.${key}`));
  const found = new Map(await Promise.all(known.map(async ({ text, key, values }) => [text, t(`said.${key}`, await withNames(values))])));
  return JSON.parse(JSON.stringify({ ...record, said: undefined }), (_, value) => found.get(value) ?? value);
}

// labels among the values of a sentence have names, too
async function withNames(values) {
  if (!LABELS.some((name) => name in values)) return values;
  const { called } = await import("./labels.js");
  const nameOf = (labels) => labels.split(", ").map(called).join(", ");
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, LABELS.includes(name) ? nameOf(value) : value]));
}
