// The tokens that open this page for programs and other cameras: listed, and taken back.

import { ask } from "../ask.js";
import { locale, t } from "../language/language.js";
import { Sure } from "../panels/sure.js";

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const find = (name) => document.getElementById(`settings-tokens${name}`);

export class Tokens {
  #leaving = "";
  #sure = new Sure("settings-tokens", "settings.tokens_sure", () => this.#revoke());

  // shows nothing where there are none
  async show() {
    const { tokens } = await ask("api/tokens").catch(() => ({ tokens: [] }));
    find("").hidden = tokens.length === 0;
    find("-list").replaceChildren(...tokens.map((token) => this.#line(token)));
  }

  #line({ name, scope, created }) {
    const line = document.createElement("li");
    line.textContent = `${t(`settings.token.${scope}`, { name, date: DATE.format(new Date(created)) })} `;
    const button = line.appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", className: "button", textContent: t("settings.token_revoke") });
    button.setAttribute("aria-label", `${t("settings.token_revoke")}: ${name}`);
    button.addEventListener("click", () => { this.#leaving = name; this.#sure.ask(); });
    return line;
  }

  async #revoke() {
    try {
      await ask(`api/tokens/${encodeURIComponent(this.#leaving)}`, "DELETE");
      find("-said").hidden = true;
    } catch (error) {
      find("-said").hidden = false;
      find("-said").textContent = error.message;
    }
    await this.show();
  }
}
