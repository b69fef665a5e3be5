// Two ways to look at the page: the picture with its answer, or all that there is. Each element of only one of them has
// the class `simple` or `expert`. The choice is kept by the browser.

import { loadSettings, saveSettings } from "../settings.js";

const SIMPLE = "simple";
const LOOKS = [SIMPLE, "expert"];

export class Look {
  #root = document.documentElement;
  #fields = document.getElementById("looks");
  #changed;

  // changed: called when the other look is chosen
  constructor(changed) {
    this.#changed = changed;
    const { look } = loadSettings({ look: SIMPLE });
    this.#show(LOOKS.includes(look) ? look : SIMPLE);
    this.#fields.addEventListener("change", ({ target }) => this.choose(target.value));
  }

  get isSimple() {
    return this.#root.dataset.look === SIMPLE;
  }

  // look: of LOOKS
  choose(look) {
    this.#show(look);
    saveSettings({ look });
    this.#changed();
  }

  #show(look) {
    this.#root.dataset.look = look;
    for (const field of this.#fields.querySelectorAll("input")) field.checked = field.value === look;
  }
}
