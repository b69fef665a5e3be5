// What a teaching found, in words and with pictures.

import { ask, sentence } from "../ask.js";
import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { addressOf } from "./api.js";
import { pictureOf } from "./label.js";

const MOST = 10; // lines of a kind
const MOST_PICTURES = 4; // of a line

export class TeachReport {
  #part = document.getElementById("teach-report");
  #title = document.getElementById("teach-report-title");
  #text = document.getElementById("teach-said");
  #dataset;
  #does;

  // does: {changed, failed}: a picture was moved or deleted, or could not be
  constructor(does) {
    this.#does = does;
  }

  hide() {
    this.#part.hidden = true;
  }

  // report: of /api/teach; asked: what it was asked
  show(report, { dataset, compare: isCompared }) {
    this.#dataset = dataset;
    const pictures = report.labels.reduce((sum, { photos }) => sum + photos, 0);
    this.#title.textContent = t("report.title", { name: report.name, labels: t("models.labels", { n: report.labels.length }), pictures: t("teach.pictures", { n: pictures }) });
    this.#text.replaceChildren(
      ...(isCompared ? [line(beforeAndAfter(report))] : []),
      ...wellOf(report).map(line),
      ...listOf(t("report.confused"), report.confused.map((pair) => confused(pair, dataset))),
      ...listOf(t("report.suspects"), report.suspects.map((suspect) => this.#suspect(suspect))),
      ...listOf(t("report.unreadable"), report.unreadable.map(({ path, error }) => row(`${path}: ${error}`))),
      ...report.advice.map(line),
    );
    this.#part.hidden = false;
    this.#part.focus({ preventScroll: true });
    this.#part.scrollIntoView({ block: "nearest" });
  }

  #suspect({ name, label, looks_like: other, p }) {
    const found = row(t("report.suspect", { label: called(label), other: called(other), share: percent(p) }), [name], this.#dataset);
    const acts = found.appendChild(document.createElement("span"));
    acts.className = "teach-acts";
    const [folder, file] = partsOf(name);
    const move = buttonOf(t("report.move", { other: called(other) }));
    const remove = buttonOf(t("common.delete_it"));
    move.addEventListener("click", () => this.#mend(found, () => ask(addressOf(folder, file, this.#dataset), "PATCH", { label: other })));
    remove.addEventListener("click", () => { // a second press deletes it
      if (remove.dataset.sure) this.#mend(found, () => ask(addressOf(folder, file, this.#dataset), "DELETE"));
      remove.dataset.sure = "yes";
      remove.textContent = t("report.sure");
    });
    acts.append(move, remove);
    return found;
  }

  async #mend(found, change) {
    try {
      await change();
      const next = found.nextElementSibling?.querySelector("button") ?? this.#part;
      found.remove();
      next.focus();
    } catch (error) {
      this.#does.failed(error);
    }
    await this.#does.changed();
  }
}

// on pictures that neither model has learned from
export function beforeAndAfter({ name, compared }) {
  if (!compared) return t("inbox.not_compared");
  const { model, before, after } = compared;
  return t("inbox.compared", { n: before.n, model, before: before.right, name, after: after.right });
}

// how well it knows its labels, and what it takes that is none of them
function wellOf({ accuracy, lost, stolen, background }) {
  const said = [];
  if (accuracy) said.push(t("report.right", { share: percent(accuracy.value), n: accuracy.n, low: percent(accuracy.low), high: percent(accuracy.high) }));
  for (const [key, found] of Object.entries({ lost, stolen })) if (found) said.push(t(`report.${key}`, exactly(found)));
  return [...said, ...background.map((label) => t("report.background", { label: called(label) }))];
}

function confused({ label, taken_for: other, count, names }, dataset) {
  return row(t("report.taken_for", { label: called(label), other: called(other), n: count }), names, dataset);
}

function listOf(title, rows) {
  if (rows.length === 0) return [];
  const heading = Object.assign(document.createElement("h4"), { textContent: title });
  const list = Object.assign(document.createElement("ul"), { className: "teach-list" });
  list.append(...rows.slice(0, MOST));
  const rest = rows.length - MOST;
  return [heading, list, ...(rest > 0 ? [line(t("report.more", { n: rest }))] : [])];
}

// names: of pictures, LABEL/PICTURE
function row(text, names = [], dataset = undefined) {
  const found = document.createElement("li");
  const pictures = found.appendChild(document.createElement("span"));
  pictures.className = "teach-few";
  pictures.append(...names.slice(0, MOST_PICTURES).map((name) => pictureOf(...partsOf(name), dataset)));
  found.appendChild(document.createElement("span")).textContent = text;
  return found;
}

function buttonOf(text) {
  return Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: text });
}

function line(text) {
  return Object.assign(document.createElement("p"), { textContent: sentence(text) });
}

function partsOf(name) {
  const cut = name.lastIndexOf("/");
  return [name.slice(0, cut), name.slice(cut + 1)];
}

function exactly({ count, n, value, low, high }) {
  return { count, n, ...Object.fromEntries(Object.entries({ share: value, low, high }).map(([key, each]) => [key, number(100 * each, 1)])) };
}

function percent(share) {
  return `${Math.round(100 * share)}\u00a0%`;
}
