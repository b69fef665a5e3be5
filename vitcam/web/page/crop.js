// Choosing the part of the picture that the model sees: by dragging, with the arrow keys, or by numbers.

import { answerOf, t } from "./language/language.js";
import { place, seenOf } from "./seen.js";

const WHOLE = [0, 0, 1, 1];
export const MIN_SIDE = 0.02; // of the picture; a shorter drag is a click
export const STEP = 0.01;
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Crop {
  #button = document.getElementById("crop");
  #panel = document.getElementById("crop-panel");
  #message = document.getElementById("crop-message");
  #layer = document.getElementById("crop-layer");
  #box = document.getElementById("crop-box");
  #inner = document.getElementById("crop-inner");
  #kept = document.getElementById("crop-kept");
  #fields = ["x", "y", "w", "h"].map((name) => document.getElementById(`crop-${name}`));
  #input;
  #applied;
  #view = { picture: null, crop: null };
  #hasZones = false;
  #rect = WHOLE;

  // applied: called with what the daemon answers
  constructor(applied) {
    this.#applied = applied;
    this.#button.addEventListener("click", () => (this.#panel.hidden ? this.#open() : this.#close()));
    this.#panel.addEventListener("submit", (event) => { event.preventDefault(); this.#send(this.#rect); });
    for (const whole of ["crop-whole", "crop-kept-whole"]) document.getElementById(whole).addEventListener("click", () => this.#send(null));
    document.getElementById("crop-cancel").addEventListener("click", () => this.#close());
    this.#fields.forEach((field, side) => field.addEventListener("input", () => this.#read(side)));
    this.#layer.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#box.addEventListener("keydown", (event) => this.#nudge(event));
    addEventListener("keydown", (event) => { if (event.key === "Escape" && !this.#panel.hidden) this.#close(); });
  }

  // model: of /api/model
  setModel({ input }) {
    this.#input = input;
  }

  // view and zones: of /api/state
  show(view, zones = null) {
    this.#view = view;
    if (zones) this.#hasZones = Object.keys(zones).length > 0;
    this.#button.disabled = !view.picture || this.#hasZones;
    this.#button.title = this.#hasZones ? t("zones.no_crop") : "";
    this.#button.textContent = t(view.crop ? "crop.is_open" : "crop.open");
    this.#kept.hidden = !view.remembered;
  }

  #open() {
    if (this.#view.fixed) return this.#say(t("settings.fixed", { place: this.#view.fixed }));
    this.#toggle(true);
    this.#message.hidden = true;
    this.#set(this.#view.crop ?? WHOLE);
    this.#box.focus({ preventScroll: true });
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

  // typed: the field that the viewer is typing in, which is not changed
  #set([x, y, width, height], typed = -1) {
    const [w, h] = [clamp(width, MIN_SIDE, 1), clamp(height, MIN_SIDE, 1)];
    this.#rect = [clamp(x, 0, 1 - w), clamp(y, 0, 1 - h), w, h];
    place(this.#box, this.#rect);
    if (this.#view.picture) place(this.#inner, seenOf(this.#rect, this.#input, this.#view.picture));
    this.#fields.forEach((field, side) => { if (side !== typed) field.value = (100 * this.#rect[side]).toFixed(1); });
  }

  // the typed number is kept: a position makes the size smaller, a size moves the position
  #read(typed) {
    const sides = this.#fields.map((field) => field.valueAsNumber / 100);
    if (!sides.every(Number.isFinite)) return;
    const other = (typed + 2) % 4;
    sides[other] = Math.min(sides[other], 1 - sides[typed]);
    this.#set(sides, typed);
  }

  // on a handle: resize; inside: move; elsewhere: a new rectangle
  #drag(down) {
    if (down.button !== 0 || !down.isPrimary) return; // ignore a second finger
    down.preventDefault();
    const start = this.#point(down);
    const [x, y, w, h] = this.#rect;
    const corner = down.target.dataset.corner;
    const anchor = corner ? [corner.includes("w") ? x + w : x, corner.includes("n") ? y + h : y] : start;
    const inside = !corner && this.#box.contains(down.target) && w * h < 0.98;
    const move = (event) => {
      const [px, py] = this.#point(event);
      if (inside) this.#set([x + px - start[0], y + py - start[1], w, h]);
      else if (corner || Math.hypot(px - start[0], py - start[1]) > MIN_SIDE) this.#set(between(anchor, [px, py]));
    };
    this.#layer.setPointerCapture(down.pointerId);
    this.#box.focus({ preventScroll: true });
    const dragging = new AbortController();
    const during = (kind, step) => this.#layer.addEventListener(kind, (event) => { if (event.isPrimary) step(event); }, { signal: dragging.signal });
    during("pointermove", move);
    during("lostpointercapture", () => dragging.abort());
  }

  #point(event) {
    const area = this.#layer.getBoundingClientRect();
    return [clamp((event.clientX - area.left) / area.width, 0, 1), clamp((event.clientY - area.top) / area.height, 0, 1)];
  }

  // arrow keys move the rectangle, with shift they resize it
  #nudge(event) {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const [x, y, w, h] = this.#rect;
    const [dx, dy] = arrow.map((side) => side * STEP);
    if (event.shiftKey) this.#set([x, y, Math.min(w + dx, 1 - x), Math.min(h + dy, 1 - y)]);
    else this.#set([x + dx, y + dy, w, h]);
  }

  async #send(rect) {
    const crop = rect?.map((side) => Number(side.toFixed(4))) ?? null;
    try {
      const response = await fetch("api/crop", { method: "POST", body: JSON.stringify({ crop }) });
      const answer = await answerOf(response);
      if (!response.ok) return this.#say(answer.error, true);
      this.#close();
      this.#applied({ ...answer, remembered: false }); // it is of this run now; the answer is about the next run
      if (!rect && answer.remembered) return this.#say(t("crop.is_whole"));
      this.#say(answer.remembered ? t("common.saved") : t("common.not_kept", { reason: answer.reason }));
    } catch {
      this.#say(t("common.no_answer"), true);
    }
  }

  #say(sentence, bad = false) {
    this.#message.hidden = false;
    this.#message.classList.toggle("bad", bad);
    this.#message.textContent = sentence;
  }
}

export function between([ax, ay], [bx, by]) {
  return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)];
}

export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
