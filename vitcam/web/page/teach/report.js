// What a teaching found, in words and with pictures.

import { t } from "../language/language.js";
import { addressOf, ask, counted, sentence } from "./api.js";
import { pictureOf } from "./label.js";

const MOST = 10; // lines of a kind
const MOST_PICTURES = 4; // of a line
const SURE = "Delete it for good?";

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
    this.#title.textContent = `${report.name} has learned ${counted(report.labels.length, "label")} from ${counted(pictures)}`;
    this.#text.replaceChildren(
      ...(isCompared ? [line(beforeAndAfter(report))] : []),
      ...wellOf(report).map(line),
      ...listOf("These were taken for something else", report.confused.map((pair) => confused(pair, dataset))),
      ...listOf("These may have the wrong name", report.suspects.map((suspect) => this.#suspect(suspect))),
      ...listOf("These cannot be read", report.unreadable.map(({ path, error }) => row(`${path}: ${error}`))),
      ...report.advice.map(line),
    );
    this.#part.hidden = false;
    this.#part.focus({ preventScroll: true });
    this.#part.scrollIntoView({ block: "nearest" });
  }

  #suspect({ name, label, looks_like: other, p }) {
    const found = row(`Named ${label}. It looks like ${other} (${percent(p)}).`, [name], this.#dataset);
    const acts = found.appendChild(document.createElement("span"));
    acts.className = "teach-acts";
    const [folder, file] = partsOf(name);
    const move = buttonOf(`Move it to ${other}`);
    const remove = buttonOf("Delete it");
    move.addEventListener("click", () => this.#mend(found, () => ask(addressOf(folder, file, this.#dataset), "PATCH", { label: other })));
    remove.addEventListener("click", () => { // a second press deletes it
      if (remove.textContent === SURE) this.#mend(found, () => ask(addressOf(folder, file, this.#dataset), "DELETE"));
      remove.textContent = SURE;
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
function beforeAndAfter({ name, compared }) {
  if (!compared) return t("inbox.not_compared");
  const { model, before, after } = compared;
  return t("inbox.compared", { n: before.n, model, before: before.right, name, after: after.right });
}

// how well it knows its labels
function wellOf({ accuracy, lost }) {
  const said = [];
  if (accuracy) said.push(`Right: ${percent(accuracy.value)} of ${counted(accuracy.n)} that it had not learned from. The true share lies between ${percent(accuracy.low)} and ${percent(accuracy.high)} (95 % interval).`);
  if (lost) said.push(`Of what the shipped model answered right before, ${(100 * lost).toFixed(1)} % is lost.`);
  return said;
}

function confused({ label, taken_for: other, count, names }, dataset) {
  return row(`${label} was taken for ${other}: ${counted(count)}.`, names, dataset);
}

function listOf(title, rows) {
  if (rows.length === 0) return [];
  const heading = Object.assign(document.createElement("h4"), { textContent: title });
  const list = Object.assign(document.createElement("ul"), { className: "teach-list" });
  list.append(...rows.slice(0, MOST));
  const rest = rows.length - MOST;
  return [heading, list, ...(rest > 0 ? [line(`And ${rest} more.`)] : [])];
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

function percent(share) {
  return `${Math.round(100 * share)}\u00a0%`;
}
