// The picture as the model received it, cut into patches: one is chosen by a click or with the arrow keys, and whom it
// attends to is drawn over the picture.

import { drawHeat } from "../heat.js";

const PX = 672; // of the longer side
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const OPACITY = 0.85;

export class Patches {
  #element = document.getElementById("learn-grid");
  #canvas = document.getElementById("learn-grid-picture");
  #bitmap = null;
  #grid = { rows: 1, columns: 1 };
  #chosen = null; // column and row; null: none, or the class token
  #weights = null;
  #choose;

  // choose: called with the number of a patch
  constructor(choose) {
    this.#choose = choose;
    this.#element.addEventListener("click", (event) => this.#click(event));
    this.#element.addEventListener("keydown", (event) => this.#key(event));
  }

  // bitmap: what the model received; grid: {rows, columns}
  setPicture(bitmap, grid) {
    const scale = PX / Math.max(bitmap.width, bitmap.height);
    this.#canvas.width = Math.round(bitmap.width * scale);
    this.#canvas.height = Math.round(bitmap.height * scale);
    this.#bitmap = bitmap;
    this.#grid = grid;
    this.choose(null, null);
  }

  // index: of a patch, or null; weights: of whom it attends to, rows of columns, or null
  choose(index, weights) {
    const { columns } = this.#grid;
    this.#chosen = index === null ? null : [index % columns, Math.floor(index / columns)];
    this.#weights = weights;
    this.#draw();
  }

  #click({ clientX, clientY }) {
    const box = this.#canvas.getBoundingClientRect();
    const { columns, rows } = this.#grid;
    const at = (share, cells) => Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
    this.#pick(at((clientX - box.left) / box.width, columns), at((clientY - box.top) / box.height, rows));
  }

  #key(event) {
    const step = STEPS[event.key];
    if (!step && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const { columns, rows } = this.#grid;
    const [x, y] = this.#chosen ?? [Math.floor(columns / 2), Math.floor(rows / 2)];
    const [right, down] = this.#chosen && step ? step : [0, 0];
    this.#pick(Math.min(columns - 1, Math.max(0, x + right)), Math.min(rows - 1, Math.max(0, y + down)));
  }

  #pick(x, y) {
    this.#choose(y * this.#grid.columns + x);
  }

  #draw() {
    if (!this.#bitmap) return;
    const { width, height } = this.#canvas;
    const context = this.#canvas.getContext("2d");
    context.imageSmoothingEnabled = true;
    context.drawImage(this.#bitmap, 0, 0, width, height);
    if (this.#weights) {
      context.fillStyle = "rgb(0 0 0 / 35%)";
      context.fillRect(0, 0, width, height);
      drawHeat(context, [this.#weights], { x: 0, y: 0, width, height }, { style: "tint", head: "mean", opacity: OPACITY });
    }
    drawGrid(context, this.#grid, width, height);
    if (this.#chosen) this.#frame(context, ...this.#chosen);
  }

  #frame(context, x, y) {
    const [w, h] = [this.#canvas.width / this.#grid.columns, this.#canvas.height / this.#grid.rows];
    for (const [colour, line] of [["#000", 8], ["#fff", 4]]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.strokeRect(x * w, y * h, w, h);
    }
  }
}

// the borders of the patches, dark and light, so that they are seen on any picture
export function drawGrid(context, { rows, columns }, width, height) {
  for (const [colour, offset] of [["rgb(0 0 0 / 45%)", 0], ["rgb(255 255 255 / 45%)", 1]]) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let i = 1; i < columns; i += 1) {
      const x = Math.round((i * width) / columns) + offset;
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    for (let j = 1; j < rows; j += 1) {
      const y = Math.round((j * height) / rows) + offset;
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
    context.stroke();
  }
}
