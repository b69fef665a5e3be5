// Asks whether something is really to be deleted.

import { fill } from "../language/language.js";

export class Sure {
  #dialog = document.createElement("dialog");

  // name: its ids begin with it; question: a key; remove: called where the answer is yes
  constructor(name, question, remove) {
    const id = `${name}-sure`;
    Object.assign(this.#dialog, { id, className: "sure", innerHTML: `
      <p id="${id}-text" data-t="${question}"></p>
      <span class="buttons">
        <button id="${id}-no" class="button" type="button" data-t="common.keep_it"></button>
        <button id="${id}-yes" class="button strong" type="button" data-t="common.delete_it"></button>
      </span>` });
    this.#dialog.setAttribute("aria-labelledby", `${id}-text`);
    fill(this.#dialog);
    const [no, yes] = this.#dialog.querySelectorAll("button");
    no.addEventListener("click", () => this.close());
    yes.addEventListener("click", () => { this.close(); remove(); });
    document.body.append(this.#dialog);
  }

  ask() {
    this.#dialog.showModal();
  }

  close() {
    this.#dialog.close();
  }
}
