// Names of one's own for labels and groups: they are searched for, selected, then renamed, merged or hidden. And the language.

import { called } from "./language/labels.js";
import { answerOf, t } from "./language/language.js";
import { checkSession } from "./session.js";
import { mergedWords, sendChange } from "./versions/change.js";

const LANGUAGE = "\n"; // among names, which have one line
const MOST = 50; // rows that exist at once: a model may have thousands of labels
const find = (name) => document.getElementById(`names-${name}`);

export class Names {
  #button = document.getElementById("names");
  #panel = find("panel");
  #search = find("search");
  #language = find("language");
  #count = find("count");
  #list = find("list");
  #name = find("name");
  #message = find("message");
  #record = null; // of /api/names
  #etag = "";
  #rows = []; // {label, isGroup, translation, name, own, place, text}; name: in the language of the page
  #selected = new Set(); // labels
  #seen;
  #changed;

  // seen: returns the names of the guesses that are shown; changed: called when things are called otherwise
  constructor(seen, changed) {
    this.#seen = seen;
    this.#changed = changed;
    this.#button.addEventListener("click", () => (this.#panel.hidden ? this.open() : this.#close()));
    find("close").addEventListener("click", () => this.#close());
    this.#panel.addEventListener("keydown", (event) => { if (event.key === "Escape" && !event.target.closest("[type=search]")?.value) this.#close(); });
    this.#panel.addEventListener("submit", (event) => { event.preventDefault(); this.#give(); });
    find("hide").addEventListener("click", () => this.#send(""));
    find("reset").addEventListener("click", () => this.#send(null));
    this.#language.addEventListener("change", () => this.#put({ ...valuesOf(this.#record), [LANGUAGE]: this.#language.value }, t("names.language_changed")));
    this.#search.addEventListener("input", () => this.#draw());
    this.#search.addEventListener("keydown", (event) => this.#leave(event));
    this.#list.addEventListener("change", ({ target }) => this.#select(target.value, target.checked));
  }

  async open() {
    this.#message.hidden = true;
    try {
      const response = checkSession(await fetch("api/names"));
      const answer = await answerOf(response);
      if (!response.ok) return this.#say(answer.error, true);
      this.#read(answer, response.headers.get("ETag"));
    } catch {
      return this.#say(t("common.no_answer"), true);
    }
    this.#search.value = "";
    this.#selected.clear();
    this.#panel.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#draw();
    this.#search.focus();
  }

  #close() {
    this.#panel.hidden = true;
    this.#list.replaceChildren();
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus();
  }

  // record: of /api/names
  #read(record, etag) {
    this.#record = record;
    this.#etag = etag ?? "";
    this.#rows = rowsOf(record);
    this.#language.replaceChildren(...record.languages.map(({ code, name }) => new Option(name, code, false, code === record.language)));
    this.#language.disabled = record.fixed.language !== null;
    find("language-fixed").hidden = record.fixed.language === null;
    find("language-fixed").textContent = t("names.language_fixed", { place: record.fixed.language });
    find("known").replaceChildren(...[...new Set(this.#rows.map(({ own }) => own).filter(Boolean))].map((name) => new Option("", name)));
  }

  // the selected rows, then those that match; without a search those that are of use now
  #draw() {
    const text = keyOf(this.#search.value);
    const found = text ? this.#match(text) : this.#useful();
    const selected = this.#rows.filter(({ label }) => this.#selected.has(label));
    const rest = found.filter(({ label }) => !this.#selected.has(label)).slice(0, MOST);
    this.#list.replaceChildren(...[...selected, ...rest].map((row) => this.#rowOf(row)));
    this.#count.textContent = text ? counted(found.length, this.#rows.length) : t("names.useful", { n: this.#rows.length });
    this.#showTarget();
  }

  // those that are the text come first, then those with it as a word, then those that begin with it
  #match(text) {
    const ranks = [(each) => each === text, (each) => ` ${each} `.includes(` ${text} `), (each) => each.startsWith(text), (each) => each.includes(text)];
    const rankOf = (row) => ranks.findIndex((holds) => row.text.some(holds));
    const found = this.#rows.map((row) => [rankOf(row), row]).filter(([rank]) => rank >= 0);
    return found.sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  #useful() {
    const seen = new Set(this.#seen());
    const isSeen = ({ translation, own }) => seen.has(own ?? translation);
    return [...this.#rows.filter(isSeen), ...this.#rows.filter((row) => row.own !== null && !isSeen(row))];
  }

  #rowOf({ label, isGroup, name, own, place }) {
    const row = document.createElement("li");
    const whole = row.appendChild(document.createElement("label"));
    const box = whole.appendChild(document.createElement("input"));
    Object.assign(box, { type: "checkbox", value: label, checked: this.#selected.has(label), disabled: Boolean(place) });
    add(whole, "called", name);
    if (name !== label) add(whole, "original", label);
    if (isGroup) add(whole, "tag", t("names.group"));
    if (own !== null) add(whole, own ? "own" : "tag", own ? `→ ${own}` : t("names.hidden"));
    if (place) add(whole, "tag", t("names.fixed", { place }));
    return row;
  }

  #select(label, isSelected) {
    if (isSelected) this.#selected.add(label);
    else this.#selected.delete(label);
    this.#showTarget();
  }

  #showTarget() {
    const chosen = this.#rows.filter(({ label }) => this.#selected.has(label));
    find("target").textContent = targetOf(chosen);
    for (const part of [this.#name, ...["give", "hide"].map(find)]) part.disabled = chosen.length === 0;
    find("give").textContent = t(chosen.length > 1 ? "names.merge" : "names.rename");
    find("reset").disabled = !chosen.some(({ own }) => own !== null);
  }

  // Enter in the search leads to what was found
  #leave(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.#list.querySelector("input:enabled")?.focus();
  }

  #give() {
    const name = this.#name.value.trim();
    if (!name) return this.#say(t("names.type_first"), true);
    this.#send(name);
  }

  // name: of all that is selected; "": they are hidden; null: they are called as before
  #send(name) {
    const labels = [...this.#selected];
    const first = this.#rows.find(({ label }) => label === labels[0]).name;
    const said = t(`names.said.${name === null ? "reset" : name === "" ? "hidden" : "called"}`, { n: labels.length, first, name });
    const values = valuesOf(this.#record);
    for (const label of labels) {
      delete values[label];
      if (name !== null) values[label] = name;
    }
    return this.#put(values, said);
  }

  // values: as `valuesOf` has them
  async #put(values, said) {
    const bodyOf = ({ [LANGUAGE]: language, ...names }) => ({ ...(this.#record.fixed.language === null ? { language } : {}), names });
    try {
      const { answer, etag, isMerged } = await sendChange("api/names", "PUT", this.#etag, valuesOf(this.#record), values, { valuesOf, bodyOf, questionsOf });
      if (!answer) {
        this.#language.value = this.#record.language;
        return this.#say(t("versions.not_saved"), true);
      }
      this.#read(answer, etag);
      this.#say([said, answer.remembered ? "" : t("common.not_kept", { reason: answer.reason })].filter(Boolean).join(" ") + mergedWords(isMerged));
    } catch (error) {
      this.#language.value = this.#record.language;
      return this.#say(error.message, true);
    }
    this.#selected.clear();
    this.#name.value = this.#search.value = "";
    this.#draw();
    if (document.activeElement !== this.#language) this.#search.focus({ preventScroll: true });
    await this.#changed();
  }

  #say(sentence, bad = false) {
    this.#message.hidden = false;
    this.#message.classList.toggle("bad", bad);
    this.#message.textContent = sentence;
  }
}

// a label and a group of one name are one row, because one name is for both
function rowsOf(record) {
  const places = new Map(Object.entries(record.fixed.names).map(([name, place]) => [keyOf(name), place]));
  const rows = new Map();
  const take = ({ label, translation, name }, isGroup) => {
    if (rows.has(label)) return;
    const own = name === translation ? null : name ?? "";
    const place = places.get(keyOf(label)) ?? places.get(keyOf(translation)) ?? null;
    rows.set(label, { label, isGroup, translation, name: called(translation), own, place, text: [label, translation, called(translation), own ?? ""].map(keyOf) });
  };
  for (const each of record.labels) take(each, false);
  for (const each of record.groups) take(each, true);
  return [...rows.values()];
}

// what was set on the page: each name is a value of its own, and so is the language
function valuesOf(record) {
  const rows = rowsOf(record);
  const known = new Set(rows.flatMap(({ text: [label, translation] }) => [label, translation]));
  const others = Object.entries(record.names).filter(([label]) => !known.has(keyOf(label))); // for labels that another model has
  const own = rows.filter((row) => row.own !== null && !row.place).map((row) => [row.label, row.own]);
  return { [LANGUAGE]: record.language, ...Object.fromEntries([...others, ...own]) };
}

// present: of /api/names
function questionsOf(overlaps, present) {
  const languages = new Map(present.languages.map(({ code, name }) => [code, name]));
  const wordsOf = (key, value) => (key === LANGUAGE ? languages.get(value) ?? value : value === undefined ? t("versions.deleted") : value || t("names.hidden"));
  return overlaps.map(({ key, mine, theirs }) => ({
    keys: [key],
    title: key === LANGUAGE ? t("settings.place.language") : t("names.name_for", { name: key }),
    mine: wordsOf(key, mine),
    theirs: wordsOf(key, theirs),
  }));
}

// texts that a person would call the same have the same key
function keyOf(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}

function counted(found, all) {
  if (found === 0) return t("names.no_match");
  return found > MOST ? t("names.first_matches", { most: MOST, n: found }) : t("names.matches", { n: found, all });
}

function targetOf(chosen) {
  if (chosen.length === 0) return t("names.select_first");
  return chosen.length === 1 ? t("names.name_for", { name: chosen[0].name }) : t("names.name_for_all", { n: chosen.length });
}

function add(parent, className, text) {
  const part = parent.appendChild(document.createElement("span"));
  part.className = className;
  part.textContent = text;
}
