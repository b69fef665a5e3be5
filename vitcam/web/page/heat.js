// Attention drawn over a photo, as vitcam.attention draws it over the live picture.

// inferno, nine of its 256 colours
const INFERNO = [
  [0, 0, 4], [27, 12, 65], [74, 12, 107], [120, 28, 109], [165, 44, 96],
  [207, 68, 70], [237, 105, 37], [251, 155, 6], [252, 255, 164],
];

// weights: rows of columns; returns a small canvas, a pixel a patch, or null where there is nothing to draw
export function heatCanvas(attention, { overlay, head, opacity }) {
  if (!attention || overlay === "none") return null;
  const weights = fuse(attention, head);
  const rows = weights.length, columns = weights[0].length;
  const all = weights.flat();
  const low = Math.min(...all), range = Math.max(...all) - low || 1;
  const canvas = new OffscreenCanvas(columns, rows);
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  all.forEach((weight, i) => {
    const heat = (weight - low) / range;
    const alpha = overlay === "heat" ? 1 : heat * opacity;
    pixels.data.set([...colour(heat), Math.round(255 * alpha)], 4 * i);
  });
  context.putImageData(pixels, 0, 0);
  return canvas;
}

function fuse(attention, head) {
  if (head !== "mean" && attention[head]) return attention[head];
  return attention[0].map((row, y) => row.map((_, x) => mean(attention.map((grid) => grid[y][x]))));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function colour(heat) {
  const at = heat * (INFERNO.length - 1);
  const low = Math.min(Math.floor(at), INFERNO.length - 2);
  return INFERNO[low].map((value, i) => Math.round(value + (at - low) * (INFERNO[low + 1][i] - value)));
}
