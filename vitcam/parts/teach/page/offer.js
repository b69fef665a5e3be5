// Offers to teach labels of one's own. The panel is loaded when its button is pressed for the first time.

import { t } from "../language/language.js";
import { fetchHtml } from "../panels/html.js";
import { OnDemand } from "../panels/on_demand.js";
import { loadStyle } from "../panels/style.js";

const STYLES = ["page/teach/teach.css", "page/teach/inbox.css"];

export class Offer {
  #button = Object.assign(document.createElement("button"), { id: "teach", type: "button", className: "button", textContent: t("teach.go"), hidden: true });
  #panel;

  // readModel: called when another model is in use
  constructor({ readModel }) {
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.setAttribute("aria-controls", "teach-panel");
    document.querySelector(".model .buttons").append(this.#button);
    this.#panel = new OnDemand("teach", [], () => load(readModel));
  }

  // state: of /api/state
  setState(state) {
    this.#button.hidden = Boolean(state.access) && state.access.scope !== "control";
    this.#panel.show(state);
  }
}

async function load(readModel) {
  const [{ Teach }, elements] = await Promise.all([import("./teach.js"), fetchHtml("page/teach/teach.html"), ...STYLES.map(loadStyle)]);
  document.getElementById("models-panel").after(...elements);
  return new Teach(readModel);
}
