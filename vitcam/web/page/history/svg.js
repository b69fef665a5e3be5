// Pictures drawn by script. They are drawn again when their element gets another width, so that texts keep their size.

const SVG = "http://www.w3.org/2000/svg";

// attributes: of the new element, its text as `text`
export function svg(parent, tag, { text, ...attributes } = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return parent.appendChild(element);
}

export class Drawing {
  #element;
  #draw = null;
  #width = 0;

  constructor(element) {
    this.#element = element;
    new ResizeObserver(() => { if (Math.abs(element.clientWidth - this.#width) > 1) this.#redraw(); }).observe(element);
  }

  // draw: called with the width in px; returns {height, label, fill}: fill is called with the <svg>
  show(draw) {
    this.#draw = draw;
    this.#redraw();
  }

  clear() {
    this.#draw = null;
    this.#element.replaceChildren();
  }

  #redraw() {
    const width = this.#element.clientWidth;
    if (!this.#draw || !width) return;
    this.#width = width;
    const { height, label, fill } = this.#draw(width);
    const picture = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label })) picture.setAttribute(name, value);
    fill(picture);
    this.#element.replaceChildren(picture);
  }
}
