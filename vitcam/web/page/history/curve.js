// The probability of an event's label from second to second, as a picture.

import { percent } from "../guesses.js";
import { number, t } from "../language/language.js";
import { Drawing, svg } from "./svg.js";

const HEIGHT = 170;
const EDGE = { left: 12, right: 12, top: 10, bottom: 26 };
const LEVELS = [0, 0.5, 1]; // without numbers: the event has one, and that is of its picture
const STEPS_S = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const LEAST_PX = 70; // between two times on the axis

export class Curve {
  #drawing;

  constructor(element) {
    this.#drawing = new Drawing(element);
  }

  // curve: of [seconds since the start, probability]
  show(curve) {
    this.#drawing.show((width) => ({ height: HEIGHT, label: describe(curve), fill: (picture) => draw(picture, curve, width) }));
  }
}

function describe(curve) {
  const [start, end] = [curve[0], curve.at(-1)];
  const peak = curve.reduce((best, point) => (point[1] > best[1] ? point : best));
  return t("event.curve_said", { time: seconds(end[0] - start[0]), begin: percent(start[1]), after: seconds(peak[0] - start[0]), peak: percent(peak[1]), end: percent(end[1]) });
}

function draw(picture, curve, width) {
  const first = Math.min(0, curve[0][0]); // an event of an older vitcam is drawn from its start on, too
  const last = Math.max(curve.at(-1)[0], first + 0.1);
  const x = (time) => EDGE.left + ((time - first) / (last - first)) * (width - EDGE.left - EDGE.right);
  const y = (p) => EDGE.top + (1 - p) * (HEIGHT - EDGE.top - EDGE.bottom);
  for (const level of LEVELS) {
    svg(picture, "line", { class: "rule", x1: EDGE.left, x2: width - EDGE.right, y1: y(level), y2: y(level) });
  }
  const step = STEPS_S.find((each) => ((width - EDGE.left) * each) / (last - first) >= LEAST_PX) ?? last - first;
  for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
    svg(picture, "text", { class: "axis", x: x(time), y: HEIGHT - 6, "text-anchor": "middle", text: seconds(time) });
  }
  const line = curve.map(([time, p]) => `${x(time).toFixed(1)},${y(p).toFixed(1)}`).join(" ");
  svg(picture, "polygon", { class: "area", points: `${x(curve[0][0])},${y(0)} ${line} ${x(curve.at(-1)[0])},${y(0)}` });
  svg(picture, "polyline", { class: "curve", points: line });
  if (first < 0) svg(picture, "line", { class: "start", x1: x(0), x2: x(0), y1: EDGE.top, y2: y(0) });
}

function seconds(time) {
  if (Math.abs(time) < 120) return `${number(time, time % 1 ? 1 : 0)} s`;
  return `${number(time / 60, time % 60 ? 1 : 0)} min`;
}
