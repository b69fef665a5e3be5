// Photos come by the file dialog, by paste and by drop. What shows them is loaded with the first one.

import { acceptDrops } from "../incoming_photos.js";
import { readFiles } from "../transfer.js";
import { takesPhotos } from "../views.js";

export class PhotoWaysIn {
  #photo = null;
  #model = null;
  #look = null;

  constructor() {
    const chosen = document.getElementById("file");
    chosen.addEventListener("change", () => {
      if (chosen.files.length) this.#take(readFiles(chosen.files));
      chosen.value = "";
    });
    document.addEventListener("paste", ({ clipboardData }) => {
      if (clipboardData?.files.length) this.#take(readFiles(clipboardData.files));
    });
    acceptDrops(document.getElementById("drop"), (found) => this.#take(found));
  }

  // model: of /api/model
  setModel(model) {
    this.#model = model;
    this.#photo?.setModel(model);
  }

  look(look, kind) {
    this.#look = [look, kind];
    this.#photo?.look(look, kind);
  }

  // found: {photo} or {sentence}
  async #take(found) {
    if (takesPhotos()) return dispatchEvent(new CustomEvent("photo", { detail: found }));
    const { Photo } = await import("./photo.js");
    if (!this.#photo) {
      this.#photo = new Photo();
      if (this.#model) this.#photo.setModel(this.#model);
      if (this.#look) this.#photo.look(...this.#look);
    }
    this.#photo.take(found);
  }
}
