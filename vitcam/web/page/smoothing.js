// Smooths predictions over time. Otherwise names and bars would change faster than anybody can read.

const HALF_LIFE_MS = 250;
const FORGET_BELOW = 0.0005;

export class Smoothing {
  #p = new Map();
  #names = new Map(); // what was displayed lately -> {answer, weight, sum}
  #familiarity = null;
  #path = null;
  #at = -Infinity;

  // prediction: of /api/predictions; returns {top, shown, blank, unfamiliar, familiarity} of the last moments
  add({ top, shown, blank, unfamiliar, familiarity, path }, now = performance.now()) {
    if (path !== this.#path) this.#at = -Infinity; // another photo starts again
    const keep = 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    this.#at = now;
    this.#path = path;
    if (familiarity === null) this.#familiarity = null;
    else this.#familiarity = (this.#familiarity ?? familiarity) * keep + familiarity * (1 - keep);
    return { top: this.#smooth(top, keep), ...this.#most({ shown, blank, unfamiliar }, keep), familiarity: this.#familiarity };
  }

  #smooth(top, keep) {
    for (const [label, p] of this.#p) this.#p.set(label, p * keep);
    for (const { label, p } of top) this.#p.set(label, (this.#p.get(label) ?? 0) + p * (1 - keep));
    const all = [...this.#p].map(([label, p]) => ({ label, p })).sort((a, b) => b.p - a.p);
    this.#p = new Map(all.filter(({ p }) => p > FORGET_BELOW).map(({ label, p }) => [label, p]));
    return all.slice(0, top.length);
  }

  // what the daemon displayed for most of the last moments, with its average probability in these
  #most(answer, keep) {
    for (const [key, each] of this.#names) {
      each.weight *= keep;
      each.sum *= keep;
      if (each.weight < FORGET_BELOW) this.#names.delete(key);
    }
    const { shown, blank, unfamiliar } = answer;
    const key = JSON.stringify([shown.level, shown.label, blank, unfamiliar]);
    const { weight = 0, sum = 0 } = this.#names.get(key) ?? {};
    this.#names.set(key, { answer, weight: weight + 1 - keep, sum: sum + shown.p * (1 - keep) });
    const most = [...this.#names.values()].reduce((a, b) => (b.weight > a.weight ? b : a));
    return { ...most.answer, shown: { ...most.answer.shown, p: most.sum / most.weight } };
  }
}
