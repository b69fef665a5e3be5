// Photos that a viewer brings: chosen, dropped, or taken with the phone's camera; single ones, folders of them, or zips.

import { sentence } from "../ask.js";
import { locale, t } from "../language/language.js";
import { MAX_BYTES } from "../transfer.js";
import { addPhoto, addZip, placesOf } from "./api.js";

const MOST = 8; // lines of what was left out
const find = (name) => document.getElementById(`bring-${name}`);

export class Bring {
  #progress = find("progress");
  #result = find("result");
  #stops = null; // AbortController
  #changed;

  // changed: called when pictures were added
  constructor(panel, changed) {
    this.#changed = changed;
    find("stop").addEventListener("click", () => this.#stops?.abort());
    find("zip").addEventListener("change", ({ target }) => this.#chosen(target, null, false));
    panel.addEventListener("dragenter", (event) => this.#over(event));
    panel.addEventListener("dragover", (event) => this.#over(event));
    panel.addEventListener("dragleave", (event) => { event.stopPropagation(); mark(null); });
    panel.addEventListener("drop", (event) => this.#dropped(event));
  }

  // row: of a label, whose inputs add photos to it
  accept(row, label) {
    row.dataset.label = label;
    for (const input of row.querySelectorAll(".bring-file, .bring-camera")) {
      const isCamera = input.classList.contains("bring-camera");
      input.setAttribute("aria-label", t(isCamera ? "bring.camera_of" : "bring.add_to", { label }));
      input.addEventListener("change", () => this.#chosen(input, label, isCamera));
    }
  }

  #chosen(input, label, isCamera) {
    const files = [...input.files].map((file) => ({ file, label, taken: isCamera ? file.lastModified / 1000 : null }));
    input.value = "";
    if (files.length) this.#take(files);
  }

  #over(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation(); // else the page would offer to classify it
    mark(event.target.closest("[data-label]"));
  }

  async #dropped(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    mark(null);
    const label = event.target.closest("[data-label]")?.dataset.label ?? null;
    try {
      await this.#take(await filesOf(event.dataTransfer, label));
    } catch (error) { // of a folder that cannot be read, or whose labels nobody says
      this.#say(sentence(error.message), []);
    }
  }

  async #take(files) {
    if (this.#stops) return this.#say(t("bring.busy"), []);
    const nameless = files.filter(({ file, label, why }) => !label && !why && !isZip(file));
    if (nameless.length) return this.#say(t("bring.no_label"), []);
    this.#stops = new AbortController();
    const kept = [], told = [];
    this.#result.hidden = true;
    this.#progress.hidden = false;
    try {
      for (const [done, each] of files.entries()) {
        this.#show(done, files.length);
        if (each.why) told.push(line(each.path, each.why));
        else await (isZip(each.file) ? this.#zip(each, kept, told) : this.#photo(each, kept, told));
      }
    } catch (error) {
      told.unshift(error.name === "AbortError" ? t("bring.stopped") : sentence(error.message));
    }
    this.#stops = null;
    this.#progress.hidden = true;
    this.#say(t("bring.added", { n: kept.length }), told);
    await this.#changed();
  }

  async #photo({ file, label, taken }, kept, told) {
    if (file.size > MAX_BYTES) return told.push(t("transfer.large", { name: file.name }));
    try {
      note(file.name, await addPhoto(label, file, taken, this.#stops.signal), kept, told);
    } catch (error) {
      if (error.name === "AbortError" || !error.status || error.status >= 500) throw error; // the next one would fail, too
      told.push(line(file.name, error.message));
    }
  }

  #zip({ file, label }, kept, told) {
    return addZip(file, label, (record) => {
      this.#show(record.done, record.total);
      note(record.path, record, kept, told);
    }, this.#stops.signal);
  }

  #show(done, total) {
    find("step").textContent = t("bring.adding");
    const bar = find("bar");
    if (total > 1) Object.assign(bar, { max: total, value: done });
    else bar.removeAttribute("value");
  }

  #say(title, told) {
    find("title").textContent = title;
    const rest = told.length - MOST;
    const lines = told.slice(0, MOST).concat(rest > 0 ? [t("bring.more", { n: rest })] : []);
    find("told").replaceChildren(...lines.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    this.#result.hidden = false;
    this.#result.scrollIntoView({ block: "nearest" });
  }
}

function note(name, { picture, note: said }, kept, told) {
  if (picture) kept.push(picture);
  if (said) told.push(line(name, said));
}

function line(name, said) {
  return `${name}: ${said}.`;
}

function mark(row) {
  for (const marked of document.querySelectorAll(".bring-here")) if (marked !== row) marked.classList.remove("bring-here");
  row?.classList.add("bring-here");
}

function isZip({ name, type }) {
  return /zip/.test(type) || /\.zip$/i.test(name);
}

// transfer: a DataTransfer; label: null: each photo has that of its place in the folder
async function filesOf(transfer, label) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some(({ isDirectory }) => isDirectory)) return [...transfer.files].map((file) => ({ file, label, taken: null }));
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  const places = label ? [] : await placesOf(found.map(({ path }) => path));
  return found
    .map(({ file, path }, i) => ({ file, path, label, taken: null, ...(isZip(file) ? {} : places[i]) }))
    .filter((each) => each.label || each.why || isZip(each.file))
    .sort((one, other) => one.path.localeCompare(other.path, locale, { numeric: true }));
}

async function walk(entry, folder, found) {
  if (entry.name.startsWith(".")) return;
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise((read, failed) => { entry.file(read, failed); });
    found.push({ file, path });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((read, failed) => { reader.readEntries(read, failed); }); // a hundred at a time
    if (some.length === 0) return;
    for (const inner of some) await walk(inner, `${path}/`, found);
  }
}
