// Says what an event really shows: its name is picked or typed, and counts at once. Then the model learns from it, here.

import { ask, sentence } from "../ask.js";
import { frameUrl } from "../history/addresses.js";
import { called, meantBy } from "../language/labels.js";
import { put, t } from "../language/language.js";
import { labelOf } from "../look/strip.js";
import { suggestLabels } from "../models/in_use.js";
import { nextName, showStep, teach } from "./api.js";
import { beforeAndAfter } from "./report.js";

const MOST = 8; // names to pick from
const WIDTH = 480; // px of the picture
const find = (name) => document.getElementById(`mend-${name}`);

export class Mend {
  #part = document.getElementById("mend");
  #button = document.getElementById("not-right");
  #strip;
  #event = null;
  #record = null; // of /api/inbox; null: this run has none
  #name = ""; // of the model that was taught

  // strip: of the last events
  constructor(strip) {
    this.#strip = strip;
    this.#button.addEventListener("click", () => (this.#part.hidden ? this.open() : this.#close()));
    this.#part.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.#close(); });
    document.getElementById("strip-list").addEventListener("click", (event) => this.#choose(event));
    find("other").addEventListener("submit", (event) => { event.preventDefault(); this.#rename(find("label").value); });
    find("close").addEventListener("click", () => this.#close());
    find("undo").addEventListener("click", () => this.#undo());
    find("learn").addEventListener("click", () => this.#learn());
    find("use").addEventListener("click", () => this.#use());
    suggestLabels(find("label"), find("labels"), { groups: true });
  }

  // for the newest event
  async open() {
    const [newest] = this.#strip.events;
    this.#part.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#record = await ask("api/inbox").catch(() => null);
    if (newest) this.#show(newest);
  }

  #close() {
    this.#part.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#mark(null);
    this.#button.focus();
  }

  // while it asks, a press on an event asks about that one
  #choose(event) {
    const link = event.target.closest("[data-id]");
    const chosen = this.#strip.events.find(({ id }) => id === link?.dataset.id);
    if (this.#part.hidden || !chosen) return;
    event.preventDefault();
    this.#show(chosen);
  }

  #show(event) {
    this.#event = event;
    this.#mark(event.id);
    find("picture").src = event.frame ? frameUrl(event, WIDTH) : "";
    find("picture").hidden = !event.frame;
    find("title").textContent = t("correct.title", { name: called(labelOf(event)) });
    find("label").value = "";
    find("choices").replaceChildren(...this.#choices().map((label) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: called(label) });
      button.addEventListener("click", () => this.#rename(label));
      return button;
    }));
    this.#say("");
    this.#offer({});
    find("title").focus({ preventScroll: true });
    this.#part.scrollIntoView({ block: "nearest" });
  }

  // what a person has taught, what was seen last, and what else the model took it for
  #choices() {
    const seen = this.#strip.events.map(labelOf);
    const guesses = (this.#event.top ?? []).map(({ label }) => label);
    const names = new Set([...(this.#record?.labels ?? []), ...seen, ...guesses]);
    names.delete(labelOf(this.#event));
    return [...names].slice(0, MOST);
  }

  #mark(id) {
    for (const link of document.querySelectorAll("#strip-list [data-id]")) {
      if (link.dataset.id === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  async #rename(text) {
    const label = meantBy(text.normalize("NFC").trim());
    if (!label) return this.#say(t("inbox.type_first"), true);
    await this.#do(async () => {
      await this.#change(label);
      this.#record = await ask("api/inbox").catch(() => null);
      const count = this.#record?.counts[label] ?? 0;
      const needed = this.#record ? this.#record.enough - count : 0;
      this.#say([t("correct.named", { label: called(label) }), count ? t("correct.counts", { n: count, label: called(label) }) : "", count && needed > 0 ? t("correct.needed", { n: needed }) : ""].filter(Boolean).join(" "));
      this.#offer({ learn: Boolean(this.#record?.corrections), undo: true });
    });
  }

  async #undo() {
    await this.#do(async () => {
      await this.#change(null);
      this.#show({ ...this.#event, corrected: null });
      this.#say(t("inbox.undone"));
    });
  }

  async #change(label) {
    await ask(`api/events/${encodeURIComponent(this.#event.id)}`, "PATCH", { label });
    this.#strip.event();
  }

  async #learn() {
    const { dataset, base, add_to } = this.#record;
    this.#offer({});
    find("progress").hidden = false;
    await this.#do(async () => {
      const models = await ask("api/models");
      const asked = { dataset, add_to, compare: true, name: nextName(models, base) };
      const report = await teach(asked, (progress) => showStep(find("step"), find("bar"), progress));
      this.#name = report.name;
      put(find("said"), `${beforeAndAfter(report)} ${t("correct.more")}`);
      find("use").textContent = t("models.use_it", { name: report.name });
      this.#offer({ use: !models.fixed });
      find("use").focus({ preventScroll: true });
    });
    find("progress").hidden = true;
  }

  async #use() {
    this.#say(t("models.loading"));
    await this.#do(async () => {
      const { name, remembered, reason } = await ask("api/model", "POST", { name: this.#name });
      this.#say(remembered ? t("models.used", { name }) : t("models.not_kept", { name, reason }));
      this.#offer({});
    });
  }

  async #do(act) {
    for (const button of this.#part.querySelectorAll("button")) button.disabled = true;
    try {
      await act();
    } catch (error) {
      this.#say(sentence(error.message), true);
    }
    for (const button of this.#part.querySelectorAll("button")) button.disabled = false;
  }

  #offer({ learn = false, undo = false, use = false }) {
    for (const [name, isThere] of Object.entries({ learn, undo, use })) find(name).hidden = !isThere;
    if (learn || use) find(learn ? "learn" : "use").scrollIntoView({ block: "nearest" });
  }

  #say(text, bad = false) {
    find("said").textContent = text;
    find("said").classList.toggle("bad", bad);
  }
}
