// A panel whose code and styles are loaded when its button is pressed for the first time.

import { loadStyle } from "./style.js";

export class OnDemand {
  #button;
  #styles;
  #load;
  #loading = false;
  #panel = null;
  #state = null;

  // button: its id; styles: their addresses; load: gives the panel, which answers the button from then on, with open(),
  // and with show(state) if it wants to know the state
  constructor(button, styles, load) {
    this.#button = document.getElementById(button);
    this.#styles = styles;
    this.#load = load;
    this.#button.addEventListener("click", () => this.open());
  }

  // state: of /api/state
  show(state) {
    this.#state = state;
    this.#panel?.show?.(state);
  }

  // opens it for the first time, as its button does; given: what the panel's open() gets. After a failure the next press
  // tries again
  async open(...given) {
    if (this.#loading || this.#panel) return;
    this.#loading = true;
    try {
      const [panel] = await Promise.all([this.#load(), ...this.#styles.map(loadStyle)]);
      if (this.#state) panel.show?.(this.#state);
      this.#panel = panel;
      panel.open(...given);
    } finally {
      this.#loading = false;
    }
  }
}
