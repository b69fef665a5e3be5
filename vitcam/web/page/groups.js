// Finds the group of labels, such as dog, that the pictures of the last moments likely showed.

const LIKELY = 0.5; // as in vitcam.frames

export class Groups {
  #all = []; // {name, labels, p}, the smallest group first; p is at most the smoothed sum of its labels
  #byName = new Map();

  // model: of /api/model
  constructor({ labels = [], groups = [] } = {}) {
    this.#all = groups.map(({ name, labels: indices }) => ({ name, labels: new Set(indices.map((i) => labels[i])), p: 0 }));
    this.#byName = new Map(this.#all.map((group) => [group.name, group]));
  }

  // A prediction carries a few labels and one group. Both say how likely the other groups are at least.
  // keep: how much the predictions before this one weigh
  add(top, group, keep) {
    const given = group && this.#byName.get(group.label);
    for (const each of this.#all) {
      const listed = top.reduce((sum, { label, p }) => sum + (each.labels.has(label) ? p : 0), 0);
      const least = given && contains(each, given) ? Math.max(listed, group.p) : listed;
      each.p = each.p * keep + least * (1 - keep);
    }
  }

  // best: {label, p}, the most probable label; returns {label, p}, or null if the label is likely or no group is
  find(best) {
    if (best.p >= LIKELY) return null;
    const found = this.#all.find(({ labels, p }) => p >= LIKELY && labels.has(best.label));
    return found ? { label: found.name, p: found.p } : null;
  }
}

function contains(large, small) {
  if (large.labels.size < small.labels.size) return false;
  for (const label of small.labels) if (!large.labels.has(label)) return false;
  return true;
}
