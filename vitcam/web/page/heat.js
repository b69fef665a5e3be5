// Draws attention over a photo in the same way as vitcam.pictures.overlay over the live picture.

// inferno, nine of its 256 colours
const INFERNO = [
  [0, 0, 4], [27, 12, 65], [74, 12, 107], [120, 28, 109], [165, 44, 96],
  [207, 68, 70], [237, 105, 37], [251, 155, 6], [252, 255, 164],
];

const PATCH_PX = 16; // px per patch before the canvas is stretched over the photo

// attention: heads of rows of columns; style: tint, heat or grid, as the kind of overlay says; draws inside `seen` {x, y, width, height} of a photo
export function drawHeat(context, attention, seen, { style, head, opacity }) {
  if (!attention) return;
  const grid = spread(fuse(attention, head));
  const small = style === "grid" ? grid : enlarge(grid, PATCH_PX);
  context.imageSmoothingEnabled = style !== "grid";
  context.drawImage(colours(small, (heat) => (style === "heat" ? 1 : heat * opacity)), seen.x, seen.y, seen.width, seen.height);
  if (style === "grid") drawBorders(context, grid, seen);
}

// scales to 0..1; the top 2 % become 1, so that a few large weights do not hide the rest; negative weights become 0
function spread(weights) {
  const positive = weights.map((row) => row.map((weight) => Math.max(0, weight)));
  const sorted = positive.flat().sort((a, b) => a - b);
  const low = sorted[0], high = sorted[Math.round(0.98 * (sorted.length - 1))];
  return positive.map((row) => row.map((weight) => Math.min(1, (weight - low) / (high - low || 1))));
}

// bilinear, between the centres of the patches
function enlarge(grid, times) {
  const along = (cells, at) => {
    const low = Math.min(Math.max(Math.floor(at), 0), cells - 1);
    return [low, Math.min(low + 1, cells - 1), Math.min(Math.max(at - low, 0), 1)];
  };
  const rows = grid.length, columns = grid[0].length;
  return Array.from({ length: rows * times }, (_, j) => {
    const [top, bottom, v] = along(rows, (j + 0.5) / times - 0.5);
    return Array.from({ length: columns * times }, (__, i) => {
      const [left, right, u] = along(columns, (i + 0.5) / times - 0.5);
      const row = (y) => grid[y][left] * (1 - u) + grid[y][right] * u;
      return row(top) * (1 - v) + row(bottom) * v;
    });
  });
}

function colours(grid, alpha) {
  const canvas = document.createElement("canvas");
  canvas.width = grid[0].length;
  canvas.height = grid.length;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(canvas.width, canvas.height);
  grid.flat().forEach((heat, i) => pixels.data.set([...colour(heat), Math.round(255 * alpha(heat))], 4 * i));
  context.putImageData(pixels, 0, 0);
  return canvas;
}

function drawBorders(context, grid, seen) {
  const rows = grid.length, columns = grid[0].length;
  context.strokeStyle = "rgb(0 0 0 / 50%)";
  context.lineWidth = Math.max(1, seen.width / 500);
  context.beginPath();
  for (let i = 0; i <= columns; i += 1) {
    context.moveTo(seen.x + (i * seen.width) / columns, seen.y);
    context.lineTo(seen.x + (i * seen.width) / columns, seen.y + seen.height);
  }
  for (let j = 0; j <= rows; j += 1) {
    context.moveTo(seen.x, seen.y + (j * seen.height) / rows);
    context.lineTo(seen.x + seen.width, seen.y + (j * seen.height) / rows);
  }
  context.stroke();
}

function fuse(attention, head) {
  if (head !== "mean" && attention[head]) return attention[head];
  return attention[0].map((row, y) => row.map((_, x) => mean(attention.map((grid) => grid[y][x]))));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// heat: 0 to 1; returns red, green and blue
export function colour(heat) {
  const at = heat * (INFERNO.length - 1);
  const low = Math.min(Math.floor(at), INFERNO.length - 2);
  return INFERNO[low].map((value, i) => Math.round(value + (at - low) * (INFERNO[low + 1][i] - value)));
}
