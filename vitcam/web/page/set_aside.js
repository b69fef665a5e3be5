// What this start was made without, because starts with it had failed: the viewer uses it again, or forgets it.

import { answerOf, knows, locale, t } from "./language/language.js";

export class SetAside {
  #notice = document.getElementById("aside");
  #sentence = this.#notice.querySelector("span");
  #shown = "";

  constructor() {
    document.getElementById("aside-use").addEventListener("click", () => this.#send(true));
    document.getElementById("aside-forget").addEventListener("click", () => this.#send(false));
  }

  // aside: of /api/state
  show(aside) {
    this.#notice.hidden = !aside;
    const key = JSON.stringify(aside);
    if (!aside || key === this.#shown) return; // an answer stays until something else is set aside
    this.#shown = key;
    const what = new Intl.ListFormat(locale).format(aside.what.map((each) => (knows(`aside.${each}`) ? t(`aside.${each}`) : each)));
    const reason = aside.reason[0].toUpperCase() + aside.reason.slice(1);
    this.#sentence.textContent = t("aside.runs_without", { reason, what });
  }

  async #send(use) {
    try {
      const response = await fetch("api/remembered", { method: "POST", body: JSON.stringify({ use }) });
      const answer = await answerOf(response);
      if (!response.ok) this.#sentence.textContent = answer.error;
      else if (answer.reason) this.#sentence.textContent = t("aside.not_kept", { reason: answer.reason });
      else this.show(answer.set_aside);
    } catch {
      this.#sentence.textContent = t("common.no_answer");
    }
  }
}
