// Drawing zones and privacy masks on the picture: by dragging, with the arrow keys, and as a list with names and labels.

import { ARROWS, MIN_SIDE, STEP, between, clamp } from "./crop.js";
import { allMeantBy, called } from "./language/labels.js";
import { answerOf, number, t } from "./language/language.js";
import { place } from "./seen.js";
import { checkSession } from "./session.js";
import { mergedWords, same, sendChange } from "./versions/change.js";

const MIDDLE = [0.3, 0.3, 0.4, 0.4];
const NEARLY_ALL = 0.9; // of the picture: in such a box a drag draws another one
const CORNERS = ["nw", "ne", "sw", "se"];

export class Zones {
  #button = document.getElementById("zones");
  #panel = document.getElementById("zones-panel");
  #layer = document.getElementById("zones-layer");
  #list = document.getElementById("zones-list");
  #message = document.getElementById("zones-message");
  #areas = []; // {isMask, name, labels, rules, rect, box, row}
  #chosen = null;
  #read = { etag: "", values: {} }; // what the panel was opened with, as `valuesOf` has it
  #follows = false; // what moves, where a zone does not say it itself

  constructor() {
    this.#button.addEventListener("click", () => (this.#panel.hidden ? this.open() : this.#close()));
    this.#panel.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    document.getElementById("zones-add").addEventListener("click", () => this.#choose(this.#add({ rect: MIDDLE }), true));
    document.getElementById("zones-cancel").addEventListener("click", () => this.#close());
    this.#layer.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#layer.addEventListener("keydown", (event) => this.#press(event));
    addEventListener("keydown", (event) => { if (event.key === "Escape" && !this.#panel.hidden) this.#close(); });
  }

  // state: of /api/state
  show(state) {
    this.#follows = state.follows;
  }

  async open() {
    this.#message.hidden = true;
    try {
      const response = checkSession(await fetch("api/zones"));
      const found = await answerOf(response);
      if (!response.ok) return this.#say(found.error);
      this.#read = { etag: response.headers.get("ETag") ?? "", values: valuesOf(found) };
      this.#fill(found);
      this.#showFixed(found.fixed);
    } catch {
      return this.#say(t("common.no_answer"));
    }
    this.#toggle(true);
    document.getElementById("zones-add").focus({ preventScroll: true });
  }

  // fixed: of /api/zones
  #showFixed({ zones, masks }) {
    const places = [[t("settings.place.zones"), zones], [t("settings.place.masks"), masks]].filter(([, place]) => place);
    if (places.length) this.#say(places.map(([what, place]) => `${what}: ${t("settings.fixed", { place })}`).join(" "), true);
  }

  #close() {
    this.#toggle(false);
    this.#button.focus({ preventScroll: true });
  }

  #toggle(open) {
    this.#panel.hidden = this.#layer.hidden = !open;
    this.#button.setAttribute("aria-expanded", open);
    document.getElementById("fit").classList.toggle("choosing", open);
  }

  #fill({ zones, masks }) {
    for (const area of [...this.#areas]) this.#remove(area);
    for (const [name, { rect, labels, ...rules }] of Object.entries(zones)) this.#add({ name, labels, rules, rect });
    for (const rect of masks) this.#add({ rect, isMask: true });
    this.#choose(this.#areas[0] ?? null);
  }

  // returns the area, with its box on the picture and its row in the list
  #add({ rect, name = this.#freeName(), labels = [], rules = {}, isMask = this.#drawsMasks }) {
    const area = { isMask, name, labels, rules, rect };
    area.box = this.#layer.appendChild(document.createElement("div"));
    area.box.className = isMask ? "zone-box mask" : "zone-box";
    area.box.tabIndex = 0;
    area.box.setAttribute("role", "group");
    area.tag = area.box.appendChild(document.createElement("span"));
    for (const corner of CORNERS) area.box.appendChild(document.createElement("i")).dataset.corner = corner;
    area.box.addEventListener("focus", () => this.#choose(area));
    area.row = this.#list.appendChild(this.#rowOf(area));
    this.#areas.push(area);
    this.#set(area, rect);
    this.#name();
    return area;
  }

  #rowOf(area) {
    const row = document.createElement("li");
    row.className = area.isMask ? "mask" : "";
    if (area.isMask) row.appendChild(document.createElement("span")).className = "zone-name";
    else {
      this.#field(row, area.name, t("zones.name"), "zone-name", (text) => { area.name = text.trim(); this.#name(); }).maxLength = 32;
      this.#field(row, area.labels.map(called).join(", "), t("zones.labels"), "zone-labels", (text) => {
        area.labels = allMeantBy(text);
      }).placeholder = t("zones.every_label");
    }
    const remove = row.appendChild(document.createElement("button"));
    remove.type = "button";
    remove.className = "button";
    remove.textContent = t("common.delete");
    remove.addEventListener("click", () => { this.#remove(area); this.#choose(this.#areas[0] ?? null); });
    if (!area.isMask) row.appendChild(this.#tickOf(area));
    row.addEventListener("pointerdown", () => this.#choose(area));
    row.addEventListener("focusin", () => this.#choose(area));
    return row;
  }

  // what nobody has ticked stays as the settings say
  #tickOf(area) {
    const tick = document.createElement("label");
    tick.className = "zone-follow";
    tick.title = t("zones.follow_what");
    const box = tick.appendChild(document.createElement("input"));
    Object.assign(box, { type: "checkbox", checked: area.rules.follow ? area.rules.follow === "motion" : this.#follows });
    box.addEventListener("change", () => { area.rules.follow = box.checked ? "motion" : "off"; });
    tick.append(t("zones.follow"));
    return tick;
  }

  #field(row, value, label, className, changed) {
    const field = row.appendChild(document.createElement("input"));
    field.value = value;
    field.title = label;
    field.className = className;
    field.setAttribute("aria-label", label);
    field.addEventListener("input", () => changed(field.value));
    return field;
  }

  #remove(area) {
    area.box.remove();
    area.row.remove();
    this.#areas = this.#areas.filter((other) => other !== area);
    this.#name();
  }

  #choose(area, focus = false) {
    this.#chosen = area;
    for (const each of this.#areas) {
      each.box.classList.toggle("chosen", each === area);
      each.row.classList.toggle("chosen", each === area);
    }
    if (focus) area.box.focus({ preventScroll: true });
  }

  #set(area, [x, y, width, height]) {
    const [w, h] = [clamp(width, MIN_SIDE, 1), clamp(height, MIN_SIDE, 1)];
    area.rect = [clamp(x, 0, 1 - w), clamp(y, 0, 1 - h), w, h];
    place(area.box, area.rect);
  }

  // on the picture and for screen readers
  #name() {
    this.#areas.filter(({ isMask }) => isMask).forEach((mask, index) => {
      mask.name = t("zones.mask_number", { n: index + 1 });
      mask.row.querySelector(".zone-name").textContent = mask.name;
    });
    for (const { isMask, name, box, tag } of this.#areas) {
      tag.textContent = name;
      box.setAttribute("aria-label", t("zones.box", { name: isMask ? name : t("zones.zone_name", { name }) }));
    }
  }

  get #drawsMasks() {
    return this.#panel.elements.draw.value === "mask";
  }

  #freeName() {
    const taken = new Set(this.#areas.map(({ name }) => name));
    let number = 1;
    while (taken.has(`zone${number}`)) number += 1;
    return `zone${number}`;
  }

  // on a handle: resize; on a box: move it; elsewhere: a new one
  #drag(down) {
    if (down.button !== 0 || !down.isPrimary) return; // ignore a second finger
    down.preventDefault();
    const start = this.#point(down);
    const corner = down.target.dataset.corner;
    let area = this.#areas.find(({ box }) => box.contains(down.target));
    if (area && !corner && area.rect[2] * area.rect[3] > NEARLY_ALL) area = undefined;
    const [x, y, w, h] = area?.rect ?? [];
    const anchor = corner ? [corner.includes("w") ? x + w : x, corner.includes("n") ? y + h : y] : start;
    let moves = Boolean(area) && !corner;
    if (area) this.#choose(area, true);
    const move = (event) => {
      const [px, py] = this.#point(event);
      if (moves) return this.#set(area, [x + px - start[0], y + py - start[1], w, h]);
      if (!area && Math.hypot(px - start[0], py - start[1]) <= MIN_SIDE) return;
      if (!area) { area = this.#add({ rect: between(anchor, [px, py]) }); this.#choose(area); }
      this.#set(area, between(anchor, [px, py]));
    };
    this.#layer.setPointerCapture(down.pointerId);
    const dragging = new AbortController();
    const during = (kind, step) => this.#layer.addEventListener(kind, (event) => { if (event.isPrimary) step(event); }, { signal: dragging.signal });
    during("pointermove", move);
    during("lostpointercapture", () => { dragging.abort(); area?.box.focus({ preventScroll: true }); });
  }

  #point(event) {
    const area = this.#layer.getBoundingClientRect();
    return [clamp((event.clientX - area.left) / area.width, 0, 1), clamp((event.clientY - area.top) / area.height, 0, 1)];
  }

  #press(event) {
    const area = this.#chosen;
    if (!area) return;
    if (["Delete", "Backspace"].includes(event.key)) {
      event.preventDefault();
      this.#remove(area);
      return this.#choose(this.#areas[0] ?? null, this.#areas.length > 0);
    }
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const [x, y, w, h] = area.rect;
    const [dx, dy] = arrow.map((side) => side * STEP);
    if (event.shiftKey) this.#set(area, [x, y, Math.min(w + dx, 1 - x), Math.min(h + dy, 1 - y)]);
    else this.#set(area, [x + dx, y + dy, w, h]);
  }

  async #send() {
    const zones = this.#areas.filter(({ isMask }) => !isMask);
    const twice = zones.find(({ name }, index) => zones.findIndex((other) => other.name === name) !== index);
    if (twice) return this.#say(t("zones.twice", { name: twice.name }));
    const drawn = valuesOf({
      zones: Object.fromEntries(zones.map(({ name, rect, labels, rules }) => [name, { rect: rounded(rect), labels, ...rules }])),
      masks: this.#areas.filter(({ isMask }) => isMask).map(({ rect }) => rounded(rect)),
    });
    try {
      const { etag, values } = this.#read;
      const { answer, isMerged } = await sendChange("api/zones", "PUT", etag, values, exact(drawn, values), { valuesOf, bodyOf, questionsOf });
      if (!answer) return this.#say(t("versions.not_saved"));
      this.#close();
      const said = [answer.remembered ? t("common.saved") : t("common.not_kept", { reason: answer.reason }), answer.warning].filter(Boolean).join(" ");
      this.#say(said + mergedWords(isMerged), !answer.warning);
    } catch (error) {
      this.#say(error.message);
    }
  }

  #say(sentence, good = false) {
    this.#message.hidden = false;
    this.#message.classList.toggle("bad", !good);
    this.#message.textContent = sentence;
  }
}

// Each zone and each mask is a value of its own: two people who draw different ones both keep theirs. A mask is where it
// is: one that is moved is another one.
function valuesOf({ zones, masks }) {
  const ofZones = Object.entries(zones).map(([name, zone]) => [`zone ${name}`, zone]);
  return Object.fromEntries([...ofZones, ...masks.map((rect) => [`mask ${rounded(rect)}`, rect])]);
}

function bodyOf(values) {
  const of = (kind) => Object.entries(values).filter(([key]) => key.startsWith(kind));
  return { zones: Object.fromEntries(of("zone ").map(([key, zone]) => [key.slice("zone ".length), zone])), masks: of("mask ").map(([, rect]) => rect) };
}

function questionsOf(overlaps) {
  return overlaps.map(({ key, mine, theirs }) => ({
    keys: [key],
    title: key.startsWith("zone ") ? t("zones.zone_name", { name: key.slice("zone ".length) }) : t("settings.place.masks"),
    mine: wordsOf(mine),
    theirs: wordsOf(theirs),
  }));
}

// undefined: it was deleted
function wordsOf(area) {
  if (area === undefined) return t("versions.deleted");
  const { rect, labels } = Array.isArray(area) ? { rect: area } : area;
  const [x, y, width, height] = rect.map((side) => `${number(100 * side)} %`);
  return [labels && (labels.map(called).join(", ") || t("zones.every_label")), `${x}, ${y}`, `${width} × ${height}`].filter(Boolean).join("; ");
}

// what nobody has touched stays to the last digit
function exact(drawn, read) {
  const untouched = ([key, value]) => key in read && same(value, Array.isArray(read[key]) ? rounded(read[key]) : { ...read[key], rect: rounded(read[key].rect) });
  return Object.fromEntries(Object.entries(drawn).map((each) => (untouched(each) ? [each[0], read[each[0]]] : each)));
}

function rounded(rect) {
  return rect.map((side) => Number(side.toFixed(4)));
}
