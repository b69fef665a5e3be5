// From the picture to the answer: the original, what the model received, its patches, and the guesses; below, where it
// looked, as `vitcam explain` draws it.

import { drawHeat } from "../heat.js";
import { called } from "../language/labels.js";
import { t } from "../language/language.js";
import { nameOf } from "../shown.js";
import { percent } from "./maps.js";
import { drawGrid } from "./patches.js";

const PX = 480;
const MOST = 5; // guesses
const LOOKS = [["evidence", 0], ["rollout", 0], ["attention", 1]]; // name in the answer, and whether it has heads

const find = (name) => document.getElementById(`learn-${name}`);

// photo: a bitmap of the original, null where the browser cannot read it; received: a bitmap of what the model got
export function showSteps(answer, model, photo, received) {
  showOriginal(answer, photo);
  paint(find("input"), received);
  const { input, patches } = model;
  find("input-size").textContent = t("learn.input_size", { width: input.width, height: input.height, how: t(`learn.resize.${input.resize}`) });
  const cut = paint(find("cut"), received);
  if (patches.rows) drawGrid(cut, patches, cut.canvas.width, cut.canvas.height);
  find("cut-size").textContent = patches.rows ? wordsOfPatches(model) : t("learn.no_patches");
  showAnswer(answer);
  showLooks(answer, received);
}

function showOriginal({ image, crop }, photo) {
  const canvas = find("original");
  const scale = PX / Math.max(image.width, image.height);
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  const context = canvas.getContext("2d");
  if (photo) context.drawImage(photo, 0, 0, canvas.width, canvas.height);
  const seen = crop.width * crop.height / (image.width * image.height);
  if (seen < 1) {
    const [x, y, w, h] = [crop.x, crop.y, crop.width, crop.height].map((side) => side * scale);
    context.fillStyle = "rgb(0 0 0 / 55%)";
    context.fill(outside(canvas, x, y, w, h), "evenodd");
    context.strokeStyle = "#fff";
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, w - 2, h - 2);
  }
  const size = { width: image.width, height: image.height };
  find("original-size").textContent = seen < 1 ? t("learn.original_part", { ...size, share: percent(seen) }) : t("learn.original_whole", size);
}

function outside(canvas, x, y, w, h) {
  const path = new Path2D();
  path.rect(0, 0, canvas.width, canvas.height);
  path.rect(x, y, w, h);
  return path;
}

function paint(canvas, bitmap) {
  const scale = PX / Math.max(bitmap.width, bitmap.height);
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return context;
}

// such as "14 × 14 = 196 patches of 16 × 16 px, and a class token: 197 tokens"
function wordsOfPatches({ patches, pooling }) {
  const { rows, columns, size } = patches;
  const count = rows * columns;
  const before = pooling === "cls_token" ? 1 : 0;
  const values = { columns, rows, count, size, tokens: count + before };
  return t(before === 1 ? "learn.cut_with_token" : "learn.cut", values);
}

function showAnswer(answer) {
  find("name").textContent = nameOf(answer);
  find("top").replaceChildren(...answer.top.slice(0, MOST).map(({ label, p }) => {
    const line = document.createElement("li");
    const share = Object.assign(document.createElement("span"), { className: "learn-p", textContent: percent(p, 2) });
    line.append(Object.assign(document.createElement("span"), { textContent: called(label) }), share);
    line.style.setProperty("--p", p);
    return line;
  }));
}

function showLooks(answer, received) {
  const there = LOOKS.filter(([name]) => answer[name]);
  find("looks").hidden = there.length === 0;
  find("looks").replaceChildren(...there.map(([name, byHead]) => {
    const figure = document.createElement("figure");
    const canvas = figure.appendChild(document.createElement("canvas"));
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", t(`learn.look.${name}`));
    const context = paint(canvas, received);
    const all = { x: 0, y: 0, width: canvas.width, height: canvas.height };
    drawHeat(context, byHead ? answer[name] : [answer[name]], all, { style: "tint", head: "mean", opacity: 0.8 });
    const words = figure.appendChild(document.createElement("figcaption"));
    words.append(Object.assign(document.createElement("b"), { textContent: t(`learn.look.${name}`) }), " ", t(`learn.look_what.${name}`));
    return figure;
  }));
}

