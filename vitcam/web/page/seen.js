// Marks the part of the picture that the model sees with a border, and dims the rest. Drawn on the page, not into the picture.

// rectangles are [x, y, width, height] in fractions of the upright picture

export class Seen {
  #frame = document.querySelector(".frame");
  #border = document.getElementById("seen");
  #shape = "";

  // picture: [width, height] in px; nothing is marked while there is no picture; isMarked: false where the picture itself shows it
  show(picture, seen, isMarked = true) {
    this.#border.hidden = !seen || !isMarked;
    if (picture) this.#showPicture(picture);
    if (seen) place(this.#frame, seen);
  }

  #showPicture([width, height]) {
    const shape = `${width}x${height}`;
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#frame.style.setProperty("--ratio", width / height);
    this.#frame.style.setProperty("--px", width);
    // no animation from one photo to the next
    this.#border.classList.add("jump");
    requestAnimationFrame(() => requestAnimationFrame(() => this.#border.classList.remove("jump")));
  }
}

export function place(element, [x, y, width, height]) {
  for (const [name, value] of Object.entries({ x, y, w: width, h: height })) element.style.setProperty(`--${name}`, value);
}

// The part of `crop` that a model sees, computed as in vitcam.pictures.resize.crop_of.
export function seenOf(crop, input, picture) {
  if (!input || input.resize === "squash") return crop;
  const [x, y, width, height] = crop;
  const [across, down] = [width * picture[0], height * picture[1]];
  const scale = Math.min(down / input.height, across / input.width) * (input.crop_fraction ?? 1);
  const [w, h] = [(scale * input.width) / picture[0], (scale * input.height) / picture[1]];
  return [x + (width - w) / 2, y + (height - h) / 2, w, h];
}
