// What the model sees of the picture: its border, and a veil over the rest. Drawn on the page, never into the picture.

// rectangles are [x, y, width, height] in fractions of the upright picture

export class Seen {
  #stage = document.querySelector(".frame");
  #border = document.getElementById("seen");

  // view: of /api/state; nothing is marked while there is no picture
  show({ picture, seen }) {
    this.#border.hidden = !seen;
    if (picture) this.#stage.style.setProperty("--ratio", picture[0] / picture[1]);
    if (seen) place(this.#border, seen);
  }
}

export function place(element, [x, y, width, height]) {
  for (const [name, value] of Object.entries({ x, y, w: width, h: height })) element.style.setProperty(`--${name}`, value);
}

// The part of `crop` that a model sees of it, as vitcam.resize.crop_of has it.
export function seenOf(crop, input, picture) {
  if (!input || input.resize === "squash") return crop;
  const [x, y, width, height] = crop;
  const [across, down] = [width * picture[0], height * picture[1]];
  const scale = Math.min(down / input.height, across / input.width) * (input.crop_fraction ?? 1);
  const [w, h] = [(scale * input.width) / picture[0], (scale * input.height) / picture[1]];
  return [x + (width - w) / 2, y + (height - h) / 2, w, h];
}
