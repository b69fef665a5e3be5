// The choice of a model, which has routes of its own: it is loaded and tried before it is used.

import { ask } from "../ask.js";
import { answerOf, t } from "../language/language.js";
import { placeOf } from "./place.js";

export class ModelRow {
  element = document.createElement("li");
  #select = document.createElement("select");
  #from = document.createElement("p");
  #said = document.createElement("p");

  constructor() {
    this.element.className = "setting";
    this.element.dataset.name = "model.name";
    const label = Object.assign(document.createElement("label"), { className: "setting-name", htmlFor: "setting-model.name", textContent: t("settings.name.model.name") });
    const what = Object.assign(document.createElement("p"), { id: "setting-model.name-what", className: "hint", textContent: t("settings.what.model.name") });
    this.#select.id = label.htmlFor;
    this.#select.setAttribute("aria-describedby", what.id);
    this.#from.className = "setting-foot setting-from";
    this.#said.className = "setting-said";
    this.#said.setAttribute("role", "status");
    this.#select.addEventListener("change", () => this.#use(this.#select.value));
    const head = Object.assign(document.createElement("div"), { className: "setting-head" });
    head.append(label, this.#select);
    this.element.append(head, what, this.#from, this.#said);
  }

  // fixed: where the configuration names it
  async show(fixed) {
    const response = await fetch("api/models");
    this.element.hidden = !response.ok;
    if (!response.ok) return;
    const { models, name } = await answerOf(response);
    this.#select.replaceChildren(...[...new Set([...models, name])].map((each) => new Option(each, each)));
    this.#select.value = name;
    this.#select.disabled = Boolean(fixed);
    this.#from.textContent = fixed ? t("settings.fixed", { place: placeOf(fixed) }) : "";
  }

  async #use(name) {
    this.#say(t("settings.saving"));
    try {
      const answer = await ask("api/model", "POST", { name });
      this.#say([answer.remembered ? t("settings.saved") : t("common.not_kept", { reason: answer.reason }), ...answer.unknown].join(" "), !answer.remembered);
    } catch (error) {
      if (error.status) await this.show("");
      this.#say(error.status ? t("settings.refused", { reason: error.message }) : error.message, true);
    }
  }

  #say(sentence, bad = false) {
    this.#said.textContent = sentence;
    this.#said.classList.toggle("bad", bad);
  }
}
