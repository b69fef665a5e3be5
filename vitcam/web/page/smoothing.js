// Smooths predictions over time. Otherwise bars would jump and change places faster than anybody can read.

import { Groups } from "./groups.js";

const HALF_LIFE_MS = 250;
const FORGET_BELOW = 0.0005;
const MIN_SHOWN = 0.01; // labels below it all show "< 1 %" and would change places all the time
export const THRESHOLD = 0.5; // of familiarity: below it a picture is unknown

export class Smoothing {
  #p = new Map();
  #groups = new Groups();
  #familiarity = null;
  #path = null;
  #at = -Infinity;

  // model: of /api/model
  setModel(model) {
    this.#groups = new Groups(model);
  }

  // prediction: of /api/predictions; returns {top, group, known, blank, familiarity}, averaged over the last moments
  add({ top, group = null, known, blank = false, familiarity = null, path = null }, now = performance.now()) {
    if (path !== this.#path) this.#at = -Infinity; // another photo starts again
    const keep = 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    this.#at = now;
    this.#path = path;
    if (familiarity === null) this.#familiarity = null;
    else this.#familiarity = (this.#familiarity ?? familiarity) * keep + familiarity * (1 - keep);
    const isKnown = this.#familiarity === null ? known : this.#familiarity >= THRESHOLD;
    const labels = this.#smooth(top, keep);
    this.#groups.add(top, group, keep);
    const likely = this.#groups.find(labels[0]);
    return { top: labels, group: likely, known: isKnown, blank: blank && !isKnown, familiarity: this.#familiarity };
  }

  #smooth(top, keep) {
    for (const [label, p] of this.#p) this.#p.set(label, p * keep);
    for (const { label, p } of top) this.#p.set(label, (this.#p.get(label) ?? 0) + p * (1 - keep));
    const weight = ({ p }) => (p < MIN_SHOWN ? 0 : p);
    const all = [...this.#p].map(([label, p]) => ({ label, p })).sort((a, b) => weight(b) - weight(a));
    this.#p = new Map(all.filter(({ p }) => p > FORGET_BELOW).map(({ label, p }) => [label, p]));
    return all.slice(0, top.length);
  }
}
