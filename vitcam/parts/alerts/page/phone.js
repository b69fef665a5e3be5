// A phone that gets messages by ntfy: its topic, as text and as a code for the phone, and the token of a server.

import { topicOf } from "./api.js";

const find = (name) => document.getElementById(`alert-${name}`);

export class Phone {
  #alert = {};
  #address = ""; // as the daemon knows it
  #say;

  // say: called with a sentence where something is wrong
  constructor(say) {
    this.#say = say;
    find("ntfy").addEventListener("change", () => this.#ask({ address: find("ntfy").value.trim() }));
  }

  // alert: the one to change, or without an id a new one
  open(alert) {
    this.#alert = alert;
    this.#address = "";
    find("ntfy").value = "";
    find("token").value = alert.ntfy_token ?? "";
    find("phone-code").hidden = true;
    this.#ask(alert.ntfy ? { alert: alert.id } : {});
  }

  // what is not changed is sent as the alert shows it
  get wanted() {
    const typed = find("ntfy").value.trim();
    return { ntfy: this.#alert.ntfy && typed === this.#address ? this.#alert.ntfy : typed, ntfy_token: find("token").value.trim() };
  }

  async #ask(wanted) {
    if (wanted.address === "") return;
    const alert = this.#alert;
    try {
      const { address, code } = await topicOf(wanted);
      if (alert !== this.#alert) return; // another one is open now
      if (!("address" in wanted)) this.#address = find("ntfy").value = address;
      find("phone-code").src = `data:image/svg+xml,${encodeURIComponent(code)}`;
      find("phone-code").hidden = false;
    } catch (error) {
      find("phone-code").hidden = true;
      this.#say(error.message);
    }
  }
}
