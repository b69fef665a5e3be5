// Smooths bars over time, which would change faster than anybody can read. The daemon keeps the headline steady.

const HALF_LIFE_MS = 250;
const FORGET_BELOW = 0.0005;

export class Smoothing {
  #p = new Map();
  #familiarity = null;
  #path = null;
  #at = -Infinity;

  // prediction: of /api/predictions; returns it as Answer takes it, with the bars of the last moments
  add({ top, headline, blank, unfamiliar, familiarity, path }, now = performance.now()) {
    if (path !== this.#path) this.#at = -Infinity; // another photo starts again
    const keep = 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    this.#at = now;
    this.#path = path;
    if (familiarity === null) this.#familiarity = null;
    else this.#familiarity = (this.#familiarity ?? familiarity) * keep + familiarity * (1 - keep);
    return { top: this.#smooth(top, keep), shown: headline, blank, unfamiliar, familiarity: this.#familiarity };
  }

  #smooth(top, keep) {
    for (const [label, p] of this.#p) this.#p.set(label, p * keep);
    for (const { label, p } of top) this.#p.set(label, (this.#p.get(label) ?? 0) + p * (1 - keep));
    const all = [...this.#p].map(([label, p]) => ({ label, p })).sort((a, b) => b.p - a.p);
    this.#p = new Map(all.filter(({ p }) => p > FORGET_BELOW).map(({ label, p }) => [label, p]));
    return all.slice(0, top.length);
  }
}
