// The figure of `vitcam explain` for the last photo, drawn when the viewer asks for it.

import { send } from "../ask.js";
import { t } from "../language/language.js";

export class Explanation {
  #dialog = document.getElementById("explanation");
  #image = document.getElementById("explanation-image");
  #download = document.getElementById("explanation-download");
  #button = document.getElementById("explain");
  #message = document.getElementById("explanation-message");
  #photo = null;
  #url = null;
  #dark = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.#dark.addEventListener("change", () => this.#forget()); // the figure has the colours of the page
    this.#button.addEventListener("click", () => this.#open());
    document.getElementById("explanation-close").addEventListener("click", () => this.#dialog.close());
  }

  // available: whether the model can explain its answers
  setAvailable(available) {
    this.#button.hidden = !available;
  }

  // photo: a File; null if there is no answer
  setPhoto(photo) {
    this.#photo = photo;
    this.#message.hidden = true;
    this.#forget();
  }

  #forget() {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = null;
  }

  async #open() {
    const photo = this.#photo;
    this.#button.disabled = true;
    this.#say(this.#url ? "" : t("explanation.drawing"));
    const sentence = this.#url ? "" : await this.#draw(photo);
    this.#button.disabled = false;
    if (photo !== this.#photo) return; // another photo was sent meanwhile
    this.#say(sentence, true);
    if (!sentence) this.#dialog.showModal();
  }

  // returns "", or the reason why there is no figure
  async #draw(photo) {
    try {
      const figure = await (await send(`api/explain?scheme=${this.#dark.matches ? "dark" : "light"}`, "POST", photo)).blob();
      if (photo === this.#photo) this.#show(photo, figure);
      return "";
    } catch (error) {
      return error.message;
    }
  }

  #show(photo, figure) {
    this.#url = URL.createObjectURL(figure);
    this.#image.src = this.#download.href = this.#url;
    this.#download.download = `${photo.name?.replace(/\.[^.]*$/, "") || "photo"}-explained.png`;
  }

  #say(sentence, bad = false) {
    this.#message.hidden = !sentence;
    this.#message.textContent = sentence;
    this.#message.classList.toggle("bad", bad);
  }
}
