// Full screen, and zoom to what the model sees.

import { t } from "./language/language.js";

export class Screen {
  #screen = document.getElementById("screen");
  #frame = document.querySelector(".frame");
  #full = document.getElementById("fullscreen");
  #zoom = document.getElementById("zoom");

  constructor() {
    this.#full.hidden = !document.fullscreenEnabled; // iPhones have no full screen
    this.#full.addEventListener("click", () => this.#toggleFull());
    document.addEventListener("fullscreenchange", () => this.#name(this.#full, t(document.fullscreenElement ? "live.leave_full_screen" : "live.full_screen")));
    this.#zoom.addEventListener("click", () => this.#toggleZoom());
  }

  async #toggleFull() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await this.#screen.requestFullscreen().catch(() => { this.#full.hidden = true; }); // the browser does not allow it
  }

  #toggleZoom() {
    const zoomed = this.#frame.classList.toggle("zoomed");
    this.#zoom.setAttribute("aria-pressed", zoomed);
    this.#name(this.#zoom, t(zoomed ? "crop.show_whole" : "live.zoom"));
  }

  #name(button, name) {
    button.title = name;
    button.setAttribute("aria-label", name);
  }
}
