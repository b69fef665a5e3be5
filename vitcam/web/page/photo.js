// A photo of the viewer's own: send it, show it with what the model says and where it looked.

import { Guesses, showLabel } from "./guesses.js";
import { drawHeat } from "./heat.js";
import { milliseconds } from "./speed.js";

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_PX = 1280;

export class Photo {
  #canvas = document.getElementById("photo-canvas");
  #message = document.getElementById("photo-message");
  #result = document.getElementById("photo-result");
  #guesses = new Guesses(document.getElementById("photo-guesses"));
  #bitmap = null;
  #answer = null;
  #look = { overlay: "attention", head: "mean", opacity: 0.5 };

  constructor() {
    const file = document.getElementById("file");
    file.addEventListener("change", () => { this.classify(file.files[0]); file.value = ""; });
    document.addEventListener("paste", (event) => this.classify(firstImage(event.clipboardData)));
    this.#acceptDrops(document.getElementById("drop"));
  }

  // the overlay switches of the live picture hold here, too
  look(look) {
    this.#look = look;
    this.#draw();
  }

  async classify(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) return this.#say("the photo is larger than 32 MiB; choose a smaller one", true);
    this.#say("looking at it …");
    const started = performance.now();
    try {
      const response = await fetch("/api/classify", { method: "POST", body: file });
      const answer = await response.json();
      if (!response.ok) return this.#say(answer.error, true);
      this.#answer = answer;
      this.#bitmap = await createImageBitmap(file).catch(() => null);
      this.#show(performance.now() - started);
    } catch {
      this.#say("vitcam did not answer; is it still running?", true);
    }
  }

  #show(roundTripMs) {
    const { top, ms } = this.#answer;
    this.#message.hidden = true;
    this.#result.hidden = false;
    showLabel(document.getElementById("photo-label"), this.#answer);
    this.#guesses.show(top);
    document.getElementById("photo-times").textContent =
      `preprocess ${milliseconds(ms.preprocess)}, inference ${milliseconds(ms.infer)}, with upload ${milliseconds(roundTripMs)}`;
    this.#canvas.setAttribute("aria-label", `The photo, with where the model looked to see: ${top[0].label}`);
    this.#draw();
    document.getElementById("photo").scrollIntoView({ behavior: "smooth", block: "nearest" });
  }

  #draw() {
    if (!this.#answer) return;
    const { image, crop, attention } = this.#answer;
    const scale = Math.min(1, MOST_PX / Math.max(image.width, image.height));
    this.#canvas.width = Math.round(image.width * scale);
    this.#canvas.height = Math.round(image.height * scale);
    const context = this.#canvas.getContext("2d");
    context.scale(scale, scale);
    if (this.#bitmap) context.drawImage(this.#bitmap, 0, 0, image.width, image.height);
    const seen = crop ?? { x: 0, y: 0, ...image };
    const ofAllHeads = { evidence: this.#answer.evidence, rollout: this.#answer.rollout }[this.#look.overlay];
    if (ofAllHeads) drawHeat(context, [ofAllHeads], seen, { ...this.#look, head: "mean" });
    else drawHeat(context, attention, seen, this.#look);
  }

  #say(sentence, bad = false) {
    this.#message.textContent = sentence;
    this.#message.classList.toggle("bad", bad);
    this.#message.hidden = false;
  }

  #acceptDrops(veil) {
    let inside = 0; // enter and leave come for every element that is passed
    const over = (change) => { inside += change; veil.hidden = inside <= 0; };
    addEventListener("dragenter", (event) => { event.preventDefault(); over(1); });
    addEventListener("dragleave", () => over(-1));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      over(-inside);
      this.classify(firstImage(event.dataTransfer));
    });
  }
}

function firstImage(transfer) {
  return [...(transfer?.files ?? [])].find((file) => file.type.startsWith("image/") || file.type === "");
}
