// How warm the machine is, beside the speed; and at the top of the page why it is slower than it could be.

import { t } from "../language/language.js";
import { showLine } from "../speed.js";

export class Offer {
  #degrees = Object.assign(document.createElement("p"), { id: "celsius", className: "hint", hidden: true });
  #advice = Object.assign(document.createElement("p"), { id: "advice", className: "reason", role: "status", hidden: true });

  constructor() {
    document.getElementById("sharing").before(this.#degrees);
    document.getElementById("reason").after(this.#advice); // a viewer of the picture should see it
  }

  // state: of /api/state
  setState({ heat: { celsius, limit_celsius: limit, advice } }) {
    const key = limit === null ? "heat.celsius" : "heat.celsius_limit";
    showLine(this.#degrees, celsius === null ? "" : t(key, { celsius, limit }));
    showLine(this.#advice, advice);
  }
}
