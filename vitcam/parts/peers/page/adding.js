// A camera is added: its address and its password are typed, and it is asked at once. A certificate of its own is trusted
// with a second press.

import { ask, sentence } from "../ask.js";
import { t } from "../language/language.js";

const EXAMPLE = "192.168.1.21";
const TOKEN = /^vitcam_/;
const find = (name) => document.getElementById(`wall-${name}`);

export class Adding {
  #form = find("add");
  #fingerprint = ""; // of the certificate that was shown last
  #added;

  // added: called when there is one more camera
  constructor(added) {
    this.#added = added;
    find("address").placeholder = EXAMPLE;
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#send(""); });
    find("trust").addEventListener("click", () => this.#send(this.#fingerprint));
  }

  // mayChange: whether the caller may add cameras
  allow(mayChange) {
    this.#form.hidden = !mayChange;
  }

  async #send(fingerprint) {
    const [address, secret, name] = ["address", "secret", "name"].map((field) => find(field).value.trim());
    const wanted = { address, ...(secret && { [TOKEN.test(secret) ? "token" : "password"]: secret }), ...(name && { name }), ...(fingerprint && { fingerprint }) };
    this.#say(t("wall.asking"));
    this.#askTrust("", "");
    for (const button of [find("send"), find("trust")]) button.disabled = true;
    try {
      const made = await ask("api/peers", "POST", wanted);
      this.#form.reset();
      this.#say(t("wall.added", made));
      this.#added();
    } catch (error) {
      this.#say(error.fingerprint ? "" : sentence(error.message), true);
      if (error.fingerprint) this.#askTrust(address, error.fingerprint);
    }
    for (const button of [find("send"), find("trust")]) button.disabled = false;
  }

  #askTrust(address, fingerprint) {
    this.#fingerprint = fingerprint;
    find("certificate").hidden = !fingerprint;
    find("certificate-of").textContent = t("wall.certificate", { address });
    find("fingerprint").textContent = fingerprint;
  }

  #say(text, bad = false) {
    find("said").hidden = !text;
    find("said").textContent = text;
    find("said").classList.toggle("bad", bad);
  }
}
