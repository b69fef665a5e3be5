// The last photo with its overlay and the part that the model saw, next to the picture that the model received.

import { drawHeat } from "../heat.js";
import { t } from "../language/language.js";
import { place } from "../seen.js";
import { nameOf } from "../shown.js";

const MAX_PX = 1280;

export class PhotoPicture {
  #canvas = document.getElementById("photo-canvas");
  #fit = document.getElementById("photo-fit");
  #seen = document.getElementById("photo-seen");
  #given = document.getElementById("photo-given");
  #answer = null;
  #bitmap = null;
  #givenUrl = null;
  #look = { head: "mean", opacity: 0.5 };
  #kind = { needs: { name: "attention", by_head: true }, style: "tint" };

  // answer: of /api/classify; bitmap: null if the browser cannot decode the photo
  show(answer, bitmap) {
    this.#answer = answer;
    this.#bitmap = bitmap;
    const { image, crop } = answer;
    this.#fit.style.setProperty("--ratio", image.width / image.height);
    this.#seen.hidden = !crop;
    if (crop) place(this.#seen, [crop.x / image.width, crop.y / image.height, crop.width / image.width, crop.height / image.height]);
    this.#showGiven(answer.input);
    this.#canvas.setAttribute("aria-label", t("photo.alt", { name: nameOf(answer) }));
    this.#draw();
  }

  // input: a data URL; the Content-Security-Policy forbids these in pictures, so it becomes a blob
  #showGiven(input) {
    this.#given.hidden = !input;
    if (this.#givenUrl) URL.revokeObjectURL(this.#givenUrl);
    this.#givenUrl = null;
    if (!input) return;
    const bytes = Uint8Array.from(atob(input.slice(input.indexOf(",") + 1)), (character) => character.charCodeAt(0));
    this.#givenUrl = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    this.#given.querySelector("img").src = this.#givenUrl;
  }

  clear() {
    this.#answer = this.#bitmap = null;
  }

  // the overlay of the live picture is used here, too
  look(look, kind) {
    this.#look = look;
    this.#kind = kind;
    this.#fit.classList.toggle("plain", !kind.needs);
    if (this.#answer) this.#draw();
  }

  #draw() {
    const { image, crop, attention } = this.#answer;
    const scale = Math.min(1, MAX_PX / Math.max(image.width, image.height));
    this.#canvas.width = Math.round(image.width * scale);
    this.#canvas.height = Math.round(image.height * scale);
    const context = this.#canvas.getContext("2d");
    context.scale(scale, scale);
    if (this.#bitmap) context.drawImage(this.#bitmap, 0, 0, image.width, image.height);
    const seen = crop ?? { x: 0, y: 0, ...image };
    const { needs, style } = this.#kind;
    if (!needs) return;
    const { head, opacity } = this.#look;
    const weights = needs.by_head ? null : this.#answer[needs.name];
    if (weights) drawHeat(context, [weights], seen, { style, head: "mean", opacity });
    else drawHeat(context, attention, seen, { style, head, opacity });
  }
}
