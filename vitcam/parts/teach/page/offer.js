// Offers to say what was seen where the model was wrong, beside the last events. What asks is loaded when it is wanted.

import { addWords, t } from "../language/language.js";
import { fetchHtml } from "../panels/html.js";
import { OnDemand } from "../panels/on_demand.js";
import { loadStyle } from "../panels/style.js";

export class Offer {
  #button = Object.assign(document.createElement("button"), { id: "not-right", type: "button", className: "button", textContent: t("teach.not_right"), hidden: true });
  #panel;

  // strip: of the last events
  constructor({ strip }) {
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.setAttribute("aria-controls", "mend");
    document.querySelector(".lately-head").append(this.#button);
    this.#panel = new OnDemand("not-right", ["page/teach/mend.css"], () => load(strip));
  }

  // state: of /api/state
  setState(state) {
    this.#button.hidden = Boolean(state.access) && state.access.scope !== "control";
    this.#panel.show(state);
  }
}

async function load(strip) {
  await addWords("teach");
  const [{ Mend }, elements] = await Promise.all([import("./mend.js"), fetchHtml("page/teach/mend.html")]);
  document.getElementById("strip").append(...elements);
  return new Mend(strip);
}
