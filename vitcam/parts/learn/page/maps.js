// A small map for each block and head: whom the chosen token attends to there. One of them is shown large.

import { colour } from "../heat.js";
import { number, t } from "../language/language.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Maps {
  #element = document.getElementById("learn-maps");
  #buttons = [];
  #attention = null;
  #shown = [0, 0]; // block and head
  #changed;

  // changed: called when another map is to be shown large
  constructor(changed) {
    this.#changed = changed;
    this.#element.addEventListener("keydown", (event) => this.#move(event));
  }

  get shown() {
    return this.#shown;
  }

  // attention: an Attention; null: there is none
  setAttention(attention) {
    this.#attention = attention;
    this.#element.replaceChildren();
    this.#element.hidden = !attention;
    if (!attention) return;
    const [block, head] = this.#shown;
    this.#shown = [Math.min(block, attention.blocks - 1), Math.min(head, attention.heads - 1)];
    this.#element.style.setProperty("--heads", `auto repeat(${attention.heads}, auto)`);
    this.#element.style.setProperty("--tiles", `max-content repeat(${attention.heads}, minmax(44px, 84px))`);
    this.#element.append(cell("", "learn-corner"), ...Array.from({ length: attention.heads }, (_, i) => cell(attention.averaged ? t("learn.mean") : t("learn.head", { n: i + 1 }), "learn-label")));
    this.#buttons = Array.from({ length: attention.blocks }, (_, i) => this.#row(i));
    this.#press();
  }

  #row(block) {
    const { heads, columns, rows } = this.#attention;
    this.#element.append(cell(t("learn.block", { n: block + 1 }), "learn-label"));
    return Array.from({ length: heads }, (_, head) => {
      const button = this.#element.appendChild(document.createElement("button"));
      button.type = "button";
      button.className = "learn-map";
      button.appendChild(Object.assign(document.createElement("canvas"), { width: columns, height: rows }));
      button.addEventListener("click", () => this.#show(block, head));
      return button;
    });
  }

  // token: whose attention is drawn
  draw(token) {
    this.#buttons.forEach((row, block) => row.forEach((button, head) => {
      const weights = this.#attention.weights(block, head, token);
      button.disabled = !weights;
      button.setAttribute("aria-label", t(weights ? "learn.map" : "learn.map_none", { block: block + 1, head: head + 1 }));
      if (weights) paint(button.firstChild, this.#attention.onGrid(weights).flat());
    }));
    const [block, head] = this.#shown;
    if (this.#buttons[block][head].disabled) this.#shown = [Math.max(0, block - 1), head];
    this.#press();
  }

  #show(block, head) {
    this.#shown = [block, head];
    this.#press();
    this.#changed();
  }

  #press() {
    const [block, head] = this.#shown;
    this.#buttons.forEach((row, i) => row.forEach((button, j) => {
      const pressed = i === block && j === head;
      button.setAttribute("aria-pressed", pressed);
      button.tabIndex = pressed ? 0 : -1;
    }));
  }

  #move(event) {
    const step = STEPS[event.key];
    if (!step || event.target === this.#element) return;
    event.preventDefault();
    const [down, right] = getComputedStyle(this.#element).gridAutoFlow.startsWith("column") ? [step[1], step[0]] : step;
    const [block, head] = [this.#shown[0] + down, this.#shown[1] + right];
    const button = this.#buttons[block]?.[head];
    if (!button || button.disabled) return;
    this.#show(block, head);
    button.focus();
  }
}

function cell(text, className) {
  return Object.assign(document.createElement("span"), { textContent: text, className });
}

// weights: of the patches; the largest one is the brightest
function paint(canvas, weights) {
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(canvas.width, canvas.height);
  const largest = Math.max(...weights) || 1;
  weights.forEach((weight, i) => pixels.data.set([...colour(weight / largest), 255], 4 * i));
  context.putImageData(pixels, 0, 0);
}

export function percent(share, digits = 0) {
  return t("learn.percent", { share: number(100 * share, digits) });
}
