// Offers the guide: by itself on a first run, and from then on with a button. Its code is loaded when it is opened.

import { loadStyle } from "../panels/style.js";
import { checkSession } from "../session.js";

export class Offer {
  #button = document.getElementById("open-guide");
  #guide = null;
  #asked = false;
  #state = null;
  #isSimple;

  // isSimple: returns whether the simple look is chosen: whoever looks at everything needs no guide
  constructor(isSimple) {
    this.#isSimple = isSimple;
    this.#button.addEventListener("click", () => (document.getElementById("guide").hidden ? this.#open(true) : this.#guide.close()));
  }

  // state: of /api/state
  setState(state) {
    this.#state = state;
    this.#guide?.setState(state);
    if (this.#asked || (state.access && state.access.scope !== "control")) return;
    this.#asked = true;
    this.#ask();
  }

  async #ask() {
    const response = await fetch("api/guide").then(checkSession).catch(() => null);
    const record = response?.ok ? await response.json() : null;
    if (!record) return; // this run has none
    this.#button.hidden = false;
    if (record.open && this.#isSimple()) await this.#open(false);
  }

  async #open(finished) {
    if (!this.#guide) {
      const [{ Guide }] = await Promise.all([import("./guide.js"), loadStyle("page/guide/guide.css")]);
      this.#guide = new Guide();
      this.#guide.setState(this.#state);
    }
    this.#guide.open(finished);
    if (finished) document.getElementById("guide").scrollIntoView({ block: "nearest" });
  }
}
