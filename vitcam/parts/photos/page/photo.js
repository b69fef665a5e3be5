// A viewer's photo: send it, and show the answer.

import { Answer } from "../answer.js";
import { ask } from "../ask.js";
import { t } from "../language/language.js";
import { PhotoPicture } from "./photo_picture.js";
import { Explanation } from "./explanation.js";
import { milliseconds } from "../speed.js";

export class Photo {
  #card = document.getElementById("photo");
  #message = document.getElementById("photo-message");
  #result = document.getElementById("photo-result");
  #answer = new Answer(document.getElementById("photo-answer"));
  #picture = new PhotoPicture();
  #explanation = new Explanation();
  #newest = 0; // the answer to an older photo is not shown

  // model: of /api/model
  setModel(model) {
    this.#answer.setModel(model);
    this.#explanation.setAvailable(Boolean(model.rollout));
  }

  look(look, kind) {
    this.#picture.look(look, kind);
  }

  // found: {photo} or {sentence}
  take(found) {
    const { photo, sentence } = found;
    this.#newest += 1;
    if (photo) this.#classify(photo, this.#newest);
    else this.#refuse(sentence);
  }

  async #classify(photo, turn) {
    this.#say(t("common.classifying"));
    const started = performance.now();
    try {
      const answer = await ask("api/classify?input=1", "POST", photo);
      const ms = performance.now() - started;
      const bitmap = await createImageBitmap(photo).catch(() => null);
      if (turn === this.#newest) this.#show(photo, answer, bitmap, ms);
    } catch (error) {
      if (turn === this.#newest) this.#refuse(error.message);
    }
  }

  #show(photo, answer, bitmap, roundTripMs) {
    this.#message.hidden = true;
    this.#result.hidden = false;
    this.#answer.show(answer);
    this.#picture.show(answer, bitmap);
    this.#explanation.setPhoto(photo);
    this.#showEvidenceShare(answer.evidence_share);
    const { preprocess, infer } = answer.ms;
    document.getElementById("photo-times").textContent =
      t("photo.times", { preprocess: milliseconds(preprocess), infer: milliseconds(infer), all: milliseconds(roundTripMs) });
    this.#reveal();
  }

  // share: of the answer's margin; undefined if the model file does not say it; above 1 or below 0 where one of the two
  // spoke against the answer
  #showEvidenceShare(share) {
    const line = document.getElementById("photo-evidence");
    line.hidden = share === undefined;
    if (line.hidden) return;
    const patches = Math.round(100 * share);
    if (patches > 100) line.textContent = t("photo.evidence_patches");
    else if (patches < 0) line.textContent = t("photo.evidence_token");
    else line.textContent = t("photo.evidence", { patches, token: 100 - patches });
  }

  // hides the answer to the photo before: it would look like the answer to this one
  #refuse(sentence) {
    this.#result.hidden = true;
    this.#picture.clear();
    this.#explanation.setPhoto(null);
    this.#say(sentence, true);
    this.#reveal();
  }

  #say(sentence, bad = false) {
    this.#message.textContent = sentence;
    this.#message.classList.toggle("bad", bad);
    this.#message.hidden = false;
  }

  #reveal() {
    const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#card.scrollIntoView({ behavior: reduced ? "instant" : "smooth", block: "nearest" });
  }
}
