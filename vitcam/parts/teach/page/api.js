// What the panel "Teach" asks of the daemon. A refusal is thrown with the daemon's sentence.

import { ask, send } from "../ask.js";
import { answerOf, inWords, knows, t } from "../language/language.js";

export const DATA_SET = "mine";

// asked: of /api/teach; progress: called with {step, done, total}; returns the report
export async function teach(asked, progress, signal) {
  const response = await send("api/teach", "POST", asked, signal);
  let report = null;
  for await (const { kind, record } of events(response)) {
    if (kind === "progress") progress(record);
    if (kind === "error") throw new Error(record.error);
    if (kind === "report") report = record;
  }
  if (!report) throw new Error(t("common.no_answer"));
  return report;
}

// models: of /api/models; stem: the name, or with a number behind it where there is such a model
export function freeName({ models }, stem = t("teach.default_name")) {
  const names = [stem, ...Array.from(models, (_, index) => `${stem} ${index + 2}`)];
  return names.find((name) => !models.includes(name)) ?? stem;
}

// of the model that learns from corrections; base: of /api/inbox
export function nextName(models, base) {
  return freeName(models, base === models.name ? undefined : models.name.replace(/ \d+$/, ""));
}

// text and bar: elements that say how far it is
export function showStep(text, bar, { step, done, total }) {
  const key = `teach.step.${step.replace(" ", "_")}`;
  text.textContent = `${knows(key) ? t(key) : step} …`;
  if (total) Object.assign(bar, { max: total, value: done });
  else bar.removeAttribute("value");
}

// taken: in seconds since the epoch, or null; returns {picture, note}
export async function addPhoto(label, file, taken, signal) {
  const query = new URLSearchParams({ called: file.name, ...(taken ? { taken } : {}) });
  return answerOf(await send(`${addressOf(label)}?${query}`, "POST", file, signal));
}

// paths: of all files of a folder; returns {label, why} of each
export async function placesOf(paths) {
  return (await ask("api/photo-labels", "POST", { paths })).places;
}

// label: of all photos, or null: each has that of its folder; noted: called with {path, picture, note, done, total} of each
export async function addZip(file, label, noted, signal) {
  const query = label ? `?${new URLSearchParams({ label })}` : "";
  const response = await send(`api/datasets/${DATA_SET}${query}`, "POST", file, signal);
  let isWhole = false;
  for await (const { kind, record } of events(response)) {
    if (kind === "photo") noted(record);
    if (kind === "error") throw new Error(record.error);
    isWhole ||= kind === "report";
  }
  if (!isWhole) throw new Error(t("common.no_answer"));
}

export function addressOf(label, picture = null, dataset = DATA_SET) {
  return ["api/datasets", ...[dataset, label, picture].filter((part) => part !== null).map(encodeURIComponent)].join("/");
}

// server-sent events of an answer to a POST, which EventSource cannot read
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const found = /^event: (\w+)\ndata: (.*)$/.exec(block);
      if (found) yield { kind: found[1], record: await inWords(JSON.parse(found[2])) };
    }
  }
}
