// Offers the guide: by itself on a first run, and from then on with a button. Its code is loaded when it is opened.

import { addWords, t } from "../language/language.js";
import { fetchHtml } from "../panels/html.js";
import { OnDemand } from "../panels/on_demand.js";
import { loadStyle } from "../panels/style.js";
import { checkSession } from "../session.js";

export class Offer {
  #button = Object.assign(document.createElement("button"), { id: "open-guide", type: "button", className: "button", textContent: t("guide.open"), hidden: true });
  #panel;
  #asked = false;
  #isSimple;

  // isSimple: whether the simple look is chosen: whoever looks at everything needs no guide
  constructor({ isSimple }) {
    this.#isSimple = isSimple;
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.setAttribute("aria-controls", "guide");
    document.querySelector(".foot").prepend(this.#button);
    this.#panel = new OnDemand("open-guide", [], load);
  }

  // state: of /api/state
  setState(state) {
    this.#panel.show(state);
    if (this.#asked || (state.access && state.access.scope !== "control")) return;
    this.#asked = true;
    this.#ask();
  }

  async #ask() {
    const response = await fetch("api/guide").then(checkSession).catch(() => null);
    const record = response?.ok ? await response.json() : null;
    if (!record) return; // this run has none
    this.#button.hidden = false;
    if (record.open && this.#isSimple()) await this.#panel.open(false);
  }
}

async function load() {
  await addWords("guide");
  const [{ Guide }, elements] = await Promise.all([import("./guide.js"), fetchHtml("page/guide/guide.html"), loadStyle("page/guide/guide.css")]);
  document.querySelector(".say").prepend(...elements);
  return new Guide();
}
