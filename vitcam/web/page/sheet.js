// The sheet of `vitcam explain` for the photo that was answered last: drawn when it is asked for.

export class Sheet {
  #dialog = document.getElementById("sheet");
  #image = document.getElementById("sheet-image");
  #download = document.getElementById("sheet-download");
  #button = document.getElementById("explain");
  #message = document.getElementById("sheet-message");
  #photo = null;
  #url = null;

  constructor() {
    this.#button.addEventListener("click", () => this.#open());
    document.getElementById("sheet-close").addEventListener("click", () => this.#dialog.close());
  }

  // can: whether this model can explain itself
  allow(can) {
    this.#button.hidden = !can;
  }

  // photo: a File; null where none was answered
  offer(photo) {
    this.#photo = photo;
    this.#message.hidden = true;
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = null;
  }

  async #open() {
    const photo = this.#photo;
    this.#button.disabled = true;
    this.#say(this.#url ? "" : "Drawing the sheet …");
    const sentence = this.#url ? "" : await this.#draw(photo);
    this.#button.disabled = false;
    if (photo !== this.#photo) return; // another photo came meanwhile
    this.#say(sentence, true);
    if (!sentence) this.#dialog.showModal();
  }

  // returns "" or why there is no sheet
  async #draw(photo) {
    try {
      const response = await fetch("/api/explain", { method: "POST", body: photo });
      if (!response.ok) return (await response.json()).error;
      const sheet = await response.blob();
      if (photo === this.#photo) this.#show(photo, sheet);
      return "";
    } catch {
      return "vitcam did not answer; is it still running?";
    }
  }

  #show(photo, sheet) {
    this.#url = URL.createObjectURL(sheet);
    this.#image.src = this.#download.href = this.#url;
    this.#download.download = `${photo.name?.replace(/\.[^.]*$/, "") || "photo"}-explained.png`;
  }

  #say(sentence, bad = false) {
    this.#message.hidden = !sentence;
    this.#message.textContent = sentence;
    this.#message.classList.toggle("bad", bad);
  }
}
