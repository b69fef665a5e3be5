// One setting: its name, its control, one sentence, and where its value comes from.

import { knows, number, t } from "../language/language.js";
import { placeOf } from "./place.js";

const SURE = [[0.4, "eager"], [0.65, "even"], [Infinity, "careful"]];

export class Row {
  element = document.createElement("li");
  #name;
  #shape; // of table.js
  #control;
  #shown = element("output", "setting-value");
  #from = element("span", "setting-from");
  #reset = element("button", "setting-reset");
  #unread = element("p", "setting-said bad"); // what was set cannot be used: said until a person has chosen
  #keep = element("button", "setting-reset");
  #said = element("p", "setting-said");

  // record: of /api/settings; change: called with the new value, null for the default
  constructor(record, shape, change) {
    const { name } = record;
    this.#name = name;
    this.#shape = shape;
    this.#control = controlOf(record, shape);
    const id = `setting-${name}`;
    this.element.className = "setting";
    this.element.dataset.name = name;
    const label = element("label", "setting-name", nameOf(name));
    const what = element("p", "hint", knows(`settings.what.${name}`) ? t(`settings.what.${name}`) : record.doc);
    label.htmlFor = this.#control.id = id;
    what.id = `${id}-what`;
    this.#from.id = `${id}-from`;
    this.#control.setAttribute("aria-describedby", `${what.id} ${this.#from.id}`);
    this.#shown.htmlFor = id;
    this.#said.setAttribute("role", "status");
    Object.assign(this.#reset, { type: "button", textContent: t("settings.reset") });
    this.#reset.setAttribute("aria-label", t("settings.reset_name", { name: nameOf(name) }));
    this.#reset.addEventListener("click", () => {
      this.#control.focus(); // the button goes away
      change(null);
    });
    Object.assign(this.#keep, { type: "button", textContent: t("settings.keep_this") });
    this.#keep.addEventListener("click", () => {
      this.#control.focus();
      change(valueIn(this.#control, record.kind));
    });
    this.#control.addEventListener("input", () => this.#tell(valueIn(this.#control, record.kind)));
    this.#control.addEventListener("change", () => {
      const value = valueIn(this.#control, record.kind);
      if (value !== undefined) change(value);
    });
    const head = element("div", "setting-head");
    head.append(label, ...(this.#control.type === "number" ? [this.#control, this.#shown] : [this.#shown, this.#control]));
    const foot = element("p", "setting-foot");
    foot.append(this.#from, this.#reset);
    this.element.append(head, what, this.#unread, foot, this.#said);
    this.show(record);
  }

  // record: of /api/settings
  show(record) {
    const { value, place, from, waits, unread } = record;
    const isChanged = from === "page" && JSON.stringify(value) !== JSON.stringify(record.default); // what is as it was is not marked
    put(this.#control, value);
    this.#control.disabled = Boolean(place);
    this.#tell(value);
    const origin = place ? t("settings.fixed", { place: placeOf(place) }) : isChanged ? t("settings.from_page") : "";
    this.#from.textContent = [origin, waits ? t("settings.waits") : ""].filter(Boolean).join(" ");
    this.#reset.hidden = !isChanged;
    const key = `settings.unread.${this.#name}`;
    this.#unread.replaceChildren(...(unread ? [t(knows(key) ? key : "settings.unread"), " ", this.#keep] : []));
    this.element.classList.toggle("set", isChanged);
    this.element.classList.toggle("fixed", Boolean(place));
  }

  say(sentence, bad = false) {
    this.#said.textContent = sentence;
    this.#said.classList.toggle("bad", bad);
  }

  // the value in words, while it is chosen, too
  #tell(value) {
    const { unit, none, sure } = this.#shape;
    if (this.#control.type === "number") this.#shown.textContent = none && value === 0 ? t("settings.unit.none") : unitOf(unit, value);
    if (this.#control.type !== "range") return;
    const words = sure ? `, ${t(`settings.sure.${SURE.find(([below]) => value < below)[1]}`)}` : "";
    const said = none && value === 0 ? t("settings.unit.none") : withUnit(value, unit) + words;
    this.#shown.textContent = said;
    this.#control.setAttribute("aria-valuetext", said);
  }
}

export function nameOf(name) {
  return knows(`settings.name.${name}`) ? t(`settings.name.${name}`) : name;
}

function withUnit(value, unit) {
  const shown = unit === "percent" ? 100 * value : value;
  const digits = Number.isInteger(Math.round(100 * shown) / 100) ? 0 : 1;
  const text = number(shown, digits);
  return unit ? t(`settings.unit.${unit}`, { value: text, n: shown }) : text;
}

// without the value
function unitOf(unit, n) {
  return unit ? t(`settings.unit.${unit}`, { value: "", n }).trim() : "";
}

function controlOf({ name, kind, choices, low, high }, { slider }) {
  if (choices.length) return selectOf(name, choices);
  const input = document.createElement(kind === "texts" ? "textarea" : "input");
  if (kind === "switch") {
    input.type = "checkbox";
    input.setAttribute("role", "switch");
  } else if (slider) {
    const [min, max, step] = slider;
    Object.assign(input, { type: "range", min, max, step });
  } else if (kind === "number" || kind === "whole number") {
    Object.assign(input, { type: "number", min: low, max: high, step: kind === "number" ? "any" : 1 });
  } else {
    Object.assign(input, { autocomplete: "off", spellcheck: false });
    if (kind === "texts") Object.assign(input, { rows: 2, placeholder: t("settings.one_a_line") });
  }
  return input;
}

function selectOf(name, choices) {
  const select = document.createElement("select");
  for (const choice of choices) select.append(new Option(choiceOf(name, choice), choice));
  return select;
}

function choiceOf(name, choice) {
  const key = `settings.choice.${name}.${choice}`;
  if (knows(key)) return t(key);
  return knows(`overlay.kind.${choice}`) ? t(`overlay.kind.${choice}`) : String(choice);
}

function put(control, value) {
  if (control.type === "checkbox") control.checked = value;
  else if (control.type === "range" && value > Number(control.max)) Object.assign(control, { max: value, value });
  else control.value = Array.isArray(value) ? value.join("\n") : value;
}

// undefined: there is none
function valueIn(control, kind) {
  if (kind === "switch") return control.checked;
  if (kind === "texts") return control.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (kind === "text") return control.value.trim();
  const value = Number(control.value);
  return control.value === "" || !Number.isFinite(value) ? undefined : value;
}

function element(tag, className, text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}
