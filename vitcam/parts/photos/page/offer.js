// Offers to try a photo: it is chosen, dropped or pasted. What shows it is loaded with the first one.

import { takePhotos } from "../incoming_photos.js";
import { fill } from "../language/language.js";
import { fetchHtml } from "../panels/html.js";
import { loadStyle } from "../panels/style.js";
import { readFiles } from "../transfer.js";
import { isLive, LIVE } from "../views.js";

const HEAD = `
  <div class="photo-head">
    <h2 data-t="photo.title"></h2>
    <p class="hint" data-t="photo.hint"></p>
    <label class="button strong" for="file" data-t="photo.choose"></label>
    <input id="file" class="quiet" type="file" accept="image/*">
  </div>
  <p id="photo-message" class="message" role="status" hidden></p>`;

export class Offer {
  #card = Object.assign(document.createElement("div"), { id: "photo", className: "card photo", innerHTML: HEAD });
  #style = loadStyle("page/photo/photo.css").catch(() => {}); // it can be used without
  #loading = null; // a promise of the Photo; of null where that failed
  #model = null;
  #look = null;

  constructor() {
    fill(this.#card);
    document.querySelector(".model").before(this.#card);
    const chosen = document.getElementById("file");
    chosen.addEventListener("change", () => {
      if (chosen.files.length) this.#take(readFiles(chosen.files));
      chosen.value = "";
    });
    takePhotos(LIVE, (found) => this.#take(found));
  }

  // model: of /api/model
  setModel(model) {
    this.#model = model;
    this.#loading?.then((photo) => photo?.setModel(model));
  }

  // what the overlay of the live picture looks like
  setLook(look, kind) {
    this.#look = [look, kind];
    this.#loading?.then((photo) => photo?.look(look, kind));
  }

  // found: {photo} or {sentence}
  async #take(found) {
    if (!isLive()) location.hash = LIVE;
    this.#loading ??= this.#load().catch(() => null);
    const photo = await this.#loading;
    if (photo) photo.take(found);
    else this.#loading = null; // the next one tries again
  }

  async #load() {
    const [{ Photo }, [result, explanation]] = await Promise.all([import("./photo.js"), fetchHtml("page/photo/photo.html"), this.#style]);
    this.#card.append(result);
    document.body.append(explanation);
    const photo = new Photo();
    if (this.#model) photo.setModel(this.#model);
    if (this.#look) photo.look(...this.#look);
    return photo;
  }
}
