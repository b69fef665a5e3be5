// The words that the model tells apart, one a line; shown for models whose labels are words.

import { answerOf, t } from "./language/language.js";
import { modelInUse } from "./models/in_use.js";

export class Words {
  #form = document.getElementById("words");
  #text = document.getElementById("words-text");
  #button = document.getElementById("words-apply");
  #message = document.getElementById("words-message");
  #known = ""; // what the model tells apart now
  #changed;

  // changed: called when the daemon has taken other words
  constructor(changed) {
    this.#changed = changed;
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    this.#text.addEventListener("input", () => { this.#message.hidden = true; });
  }

  // model: of /api/model. What somebody types stays while the model's words are the same
  async setModel({ words }) {
    const known = words ? (await modelInUse()).labels.join("\n") : "";
    this.#form.hidden = !words;
    if (known !== this.#known) this.#text.value = known;
    this.#known = known;
  }

  async #send() {
    const words = this.#text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    this.#button.disabled = true;
    this.#say(t("words.reading"));
    try {
      const response = await fetch("api/words", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ words }) });
      const answer = await answerOf(response);
      if (!response.ok) return this.#say(sentence(answer.error));
      this.#text.value = answer.words.join("\n");
      this.#say(answer.remembered ? t("words.changed") : t("words.not_kept", { reason: answer.reason }));
      await this.#changed();
    } catch {
      this.#say(t("common.try_again"));
    } finally {
      this.#button.disabled = false;
    }
  }

  #say(text) {
    this.#message.textContent = text;
    this.#message.hidden = false;
  }
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
