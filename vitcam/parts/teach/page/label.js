// One label of the data set: how many pictures it has, the pictures, and a button that takes more.

import { ask } from "../ask.js";
import { called } from "../language/labels.js";
import { t } from "../language/language.js";
import { Hold } from "./hold.js";
import { addressOf } from "./api.js";

const MOST = 12; // pictures that are shown before a person asks for all

export class TeachLabel {
  #pictures = []; // names, the newest first
  #thumbs = new Map(); // name -> button
  #selected = new Set();
  #shows = MOST;
  #does;
  #parts;

  // does: {take, stop, changed, failed, others}; others returns the labels that a picture may be moved to
  constructor(label, does) {
    this.label = label;
    this.count = 0;
    this.#does = does;
    this.row = document.getElementById("teach-label").content.firstElementChild.cloneNode(true);
    const part = (name) => this.row.querySelector(`.teach-${name}`);
    this.#parts = Object.fromEntries(["name", "count", "hold", "pictures", "more", "act", "all", "delete", "target", "move"].map((name) => [name, part(name)]));
    const { name, hold, pictures, more, all, move } = this.#parts;
    name.textContent = called(label);
    pictures.setAttribute("aria-label", t("teach.pictures_of", { label: called(label) }));
    new Hold(hold, { short: () => does.take(this, false), begin: () => does.take(this, true), end: () => does.stop() });
    more.addEventListener("click", () => { this.#shows = Infinity; this.#draw(); pictures.children[MOST]?.focus(); });
    all.addEventListener("click", () => this.#selectAll());
    move.addEventListener("click", () => this.#move());
    this.#parts.delete.addEventListener("click", () => this.#delete());
    this.say(t("teach.hold"), 0);
  }

  // button: what its button says; count: pictures, with those that are being taken
  say(button, count) {
    this.#parts.hold.textContent = button;
    this.#parts.hold.setAttribute("aria-label", `${button}: ${called(this.label)}`);
    this.#parts.count.textContent = t("teach.pictures", { n: count });
  }

  focus() {
    this.#parts.hold.focus({ preventScroll: true });
  }

  // count: of /api/datasets
  async show(count) {
    const isSame = count === this.count && count === this.#pictures.length;
    this.count = count;
    if (isSame) return;
    this.#pictures = count ? (await ask(addressOf(this.label))).pictures.reverse() : [];
    this.#draw();
  }

  #draw() {
    const shown = this.#pictures.slice(0, this.#shows);
    for (const [name, thumb] of this.#thumbs) {
      if (shown.includes(name)) continue;
      thumb.remove();
      this.#thumbs.delete(name);
    }
    shown.forEach((name, index) => this.#place(name, index));
    for (const name of this.#selected) if (!this.#thumbs.has(name)) this.#selected.delete(name);
    this.#parts.pictures.hidden = shown.length === 0;
    this.#parts.more.hidden = shown.length === this.#pictures.length;
    this.#parts.more.textContent = t("teach.show_all", { n: this.#pictures.length });
    this.#offer();
  }

  #place(name, index) {
    const thumb = this.#thumbs.get(name) ?? this.#thumb(name);
    thumb.setAttribute("aria-label", t("teach.picture_of", { number: this.#pictures.length - index, label: called(this.label) }));
    const there = this.#parts.pictures.children[index];
    if (there !== thumb) this.#parts.pictures.insertBefore(thumb, there ?? null);
  }

  #thumb(name) {
    const thumb = document.createElement("button");
    Object.assign(thumb, { type: "button", className: "teach-picture", ariaPressed: "false" });
    thumb.append(pictureOf(this.label, name));
    thumb.addEventListener("click", () => this.#select(name, !this.#selected.has(name)));
    this.#thumbs.set(name, thumb);
    return thumb;
  }

  #select(name, isSelected) {
    if (isSelected) this.#selected.add(name);
    else this.#selected.delete(name);
    this.#thumbs.get(name).ariaPressed = String(isSelected);
    this.#offer();
  }

  #selectAll() {
    this.#shows = Infinity;
    this.#draw();
    for (const name of this.#pictures) this.#select(name, true);
  }

  // what can be done with the selected pictures
  #offer() {
    const { act, target, all } = this.#parts;
    act.hidden = this.#selected.size === 0;
    all.hidden = this.#selected.size === this.#pictures.length;
    this.#ask(false);
    const others = this.#does.others(this);
    if ([...target.options].map(({ value }) => value).join("\n") !== others.join("\n")) target.replaceChildren(...others.map((label) => new Option(called(label), label)));
  }

  // deleting needs a second press
  #ask(isSure) {
    this.#parts.delete.dataset.sure = isSure;
    this.#parts.delete.textContent = t(isSure ? "teach.delete_sure" : "teach.delete", { n: this.#selected.size });
  }

  #delete() {
    if (this.#parts.delete.dataset.sure !== "true") return this.#ask(true);
    return this.#change((name) => ask(addressOf(this.label, name), "DELETE"));
  }

  #move() {
    const label = this.#parts.target.value;
    return this.#change((name) => ask(addressOf(this.label, name), "PATCH", { label }));
  }

  async #change(change) {
    const names = [...this.#selected];
    this.#selected.clear();
    try {
      for (const name of names) await change(name);
    } catch (error) {
      this.#does.failed(error);
    }
    this.focus();
    await this.#does.changed();
  }
}

// a picture of the data set, for those who see it: what it is stands beside it
export function pictureOf(label, name, dataset) {
  const picture = document.createElement("img");
  return Object.assign(picture, { src: addressOf(label, name, dataset), alt: "", loading: "lazy", draggable: false });
}
