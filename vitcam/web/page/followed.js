// What is followed because it moves: a thin frame around it on the picture, and a small picture of what the model saw.

import { t } from "./language/language.js";
import { place } from "./seen.js";

const WIDTH = 240; // px of the small picture
const REST_MS = 1000; // between two of them

export class Followed {
  #fit = document.getElementById("fit");
  #inset = document.getElementById("inset");
  #img = this.#inset.querySelector("img");
  #frames = new Map(); // track -> the frame around it
  #look = null; // overlay, head and opacity, as /snapshot.jpg takes them
  #allowed = false;
  #asked = -Infinity;
  #of = ""; // what the small picture shows: track, look and when the model looked

  constructor() {
    for (const kind of ["load", "error"]) this.#img.addEventListener(kind, () => { this.#img.hidden = kind === "error"; }); // it is gone
  }

  // look: {overlay, head, opacity}
  set look(look) {
    this.#look = look;
  }

  // follows: whether anything is followed where it moves
  allow(follows) {
    this.#allowed = follows;
  }

  // followed: all that is followed now, as Places has it; shown: the place that is shown in full; name: what is there
  show(followed, shown, name) {
    const tracks = new Set(followed.map(({ track }) => track));
    for (const [track, frame] of this.#frames) {
      if (tracks.has(track)) continue;
      frame.remove();
      this.#frames.delete(track);
    }
    for (const { track, box } of followed) place(this.#frameOf(track), box);
    this.#showInset(shown?.track ? shown : null, name);
  }

  #frameOf(track) {
    if (!this.#frames.has(track)) {
      const frame = this.#fit.appendChild(document.createElement("div"));
      frame.className = "followed";
      this.#frames.set(track, frame);
    }
    return this.#frames.get(track);
  }

  #showInset(shown, name, now = performance.now()) {
    this.#inset.hidden = !this.#allowed && !shown;
    this.#inset.classList.toggle("empty", !shown);
    if (!shown) {
      this.#img.hidden = true;
      this.#of = "";
      return;
    }
    const { track, at } = shown;
    this.#img.alt = t("live.inset_alt", { name });
    const query = new URLSearchParams({ ...this.#look, track, width: WIDTH, again: Math.round(at) }).toString();
    const isOther = !this.#of.includes(`track=${track}&`);
    if (query === this.#of || (!isOther && now - this.#asked < REST_MS)) return;
    this.#of = query;
    this.#asked = now;
    this.#img.src = `snapshot.jpg?${query}`;
  }
}
