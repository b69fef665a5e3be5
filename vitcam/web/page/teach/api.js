// What the panel "Teach" asks of the daemon. A refusal is thrown with the daemon's sentence.

import { t } from "../language/language.js";
import { checkSession } from "../session.js";

export const DATA_SET = "mine";

// Returns the answer's JSON.
export async function ask(path, method = "GET", body = undefined) {
  const response = await send(path, method, body);
  return response.json();
}

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

// taken: in seconds since the epoch, or null; returns {picture, note}
export async function addPhoto(label, file, taken, signal) {
  const query = new URLSearchParams({ called: file.name, ...(taken ? { taken } : {}) });
  return (await send(`${addressOf(label)}?${query}`, "POST", file, signal)).json();
}

// paths: of all files of a folder; returns {label, why} of each
export async function placesOf(paths) {
  return (await (await send("api/photo-labels", "POST", { paths })).json()).places;
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

export function sentence(text) {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

async function send(path, method, body, signal) {
  let response;
  try {
    const isFile = body instanceof Blob;
    const type = isFile ? body.type || "application/octet-stream" : "application/json";
    const sent = body === undefined ? {} : { headers: { "Content-Type": type }, body: isFile ? body : JSON.stringify(body) };
    response = checkSession(await fetch(path, { method, signal, keepalive: method === "DELETE", ...sent }));
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(t("common.no_answer"));
  }
  if (response.ok) return response;
  const said = await response.json().then(({ error }) => error, () => t("common.no_answer"));
  throw Object.assign(new Error(said), { status: response.status });
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
      if (found) yield { kind: found[1], record: JSON.parse(found[2]) };
    }
  }
}
