// The most probable labels as bars that grow, shrink and change places.

const HALF_LIFE_MS = 250;
const FORGET_BELOW = 0.0005;
const LEAST_SHOWN = 0.01; // below it all are "< 1 %", and would change places for ever
const MOST_ROWS = 10;

// A mean that follows: frame by frame, bars would jump and change places faster than anybody can read.
export class Following {
  #p = new Map();
  #at = -Infinity;

  // top: [{label, p}], best first; returns the same of what was there lately
  add(top, now = performance.now()) {
    const keep = 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    this.#at = now;
    for (const [label, p] of this.#p) this.#p.set(label, p * keep);
    for (const { label, p } of top) this.#p.set(label, (this.#p.get(label) ?? 0) + p * (1 - keep));
    const weight = ({ p }) => (p < LEAST_SHOWN ? 0 : p);
    const all = [...this.#p].map(([label, p]) => ({ label, p })).sort((a, b) => weight(b) - weight(a));
    this.#p = new Map(all.filter(({ p }) => p > FORGET_BELOW).map(({ label, p }) => [label, p]));
    return all.slice(0, top.length);
  }
}

export class Guesses {
  #list;
  #rows = new Map();

  constructor(list) {
    this.#list = list;
  }

  // all: [{label, p}], best first
  show(all) {
    const top = all.slice(0, MOST_ROWS);
    this.#list.style.setProperty("--rows", top.length);
    const wanted = new Set(top.map((guess) => guess.label));
    for (const [label, row] of this.#rows) {
      if (!wanted.has(label)) this.#remove(label, row);
    }
    top.forEach(({ label, p }, place) => {
      const row = this.#rows.get(label) ?? this.#add(label, place);
      row.element.style.setProperty("--place", place);
      row.fill.style.setProperty("--p", p);
      row.percent.textContent = percent(p);
    });
  }

  #add(label, place) {
    const element = child(this.#list, "li", "guess");
    element.style.setProperty("--place", place);
    child(element, "span", "name").textContent = label;
    const row = { element, percent: child(element, "span", "percent") };
    row.fill = child(child(element, "div", "track"), "div", "fill");
    row.fill.style.setProperty("--p", 0);
    element.getBoundingClientRect(); // settles the bar at 0, so that it grows from there
    this.#rows.set(label, row);
    return row;
  }

  #remove(label, row) {
    this.#rows.delete(label);
    row.element.remove(); // at once: a name that fades below another one cannot be read, nor can that one
  }
}

// The best guess in large letters; grey where the model itself is not sure.
export function showLabel(element, prediction) {
  const [best] = prediction.top;
  element.classList.toggle("unsure", !prediction.known);
  const name = prediction.known ? best.label : `not sure: ${best.label}?`;
  if (element.children.length !== 2) element.replaceChildren(document.createElement("span"), document.createElement("span"));
  element.children[0].textContent = name;
  element.children[1].textContent = percent(best.p);
}

export function percent(p) {
  if (p > 0 && p < 0.01) return "< 1 %";
  return p < 1 && p > 0.99 ? "> 99 %" : `${Math.round(100 * p)} %`;
}

function child(parent, tag, className) {
  const element = document.createElement(tag);
  element.className = className;
  return parent.appendChild(element);
}
