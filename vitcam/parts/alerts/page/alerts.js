// The view "Alerts": what vitcam tells people, made here without a file; the rules of the configuration beside them.

import { t } from "../language/language.js";
import { Sure } from "../panels/sure.js";
import { deleteAlert, listAlerts, saveAlert, tryAlert } from "./api.js";
import { ThisBrowser } from "./browser.js";
import { alertCard, ruleCard } from "./card.js";
import { EXAMPLES, exampleOf } from "./examples.js";
import { AlertForm } from "./form.js";
import { mergedWords } from "../versions/change.js";

const LOOK_MS = 500;
const PATIENCE_MS = 20_000;
const REST_MS = 5000;
const PREFILLED = ["label", "zone", "kind"];
const find = (name) => document.getElementById(`alerts-${name}`);

export const open = () => new Alerts();

class Alerts {
  #record = { alerts: [], rules: [], ways: [], missing: {}, devices: [] };
  #drawn = ""; // what the lists show, as text: they are drawn again where that has changed
  #mayChange = true;
  #isOpen = false;
  #looking = 0;
  #form = new AlertForm({ saved: (answer, isMerged) => this.#saved(answer, isMerged), closed: () => find("new").focus() });
  #browser = new ThisBrowser(() => this.#read());
  #on = {
    toggle: (alert) => this.#change(alert, { enabled: !alert.enabled }),
    try: (alert) => this.#try(alert),
    change: (alert) => this.#form.open(alert),
    remove: (alert) => this.#ask(alert),
  };
  #sure = new Sure("alerts", "alerts.sure", () => this.#remove());
  #leaving = null; // the alert that may be deleted

  constructor() {
    find("new").addEventListener("click", () => this.#form.open());
    find("examples").append(...EXAMPLES.map((name) => this.#example(name)));
  }

  #example(name) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: t(`alerts.example.${name}`) });
    button.addEventListener("click", async () => this.#form.open(await exampleOf(name, this.#form.zones)));
    return button;
  }

  // state: of /api/state
  setState({ access, zones }) {
    const mayChange = !access || access.scope === "control";
    this.#form.setZones(Object.keys(zones));
    if (mayChange === this.#mayChange) return;
    this.#mayChange = mayChange;
    this.#show(this.#record);
  }

  // address: alerts, or alerts?label=cat&zone=door for a new one
  async open(address) {
    this.#isOpen = true;
    const query = new URLSearchParams(address.split("?")[1] ?? "");
    await this.#read();
    const wanted = Object.fromEntries([...query].filter(([name]) => PREFILLED.includes(name)));
    if (!Object.keys(wanted).length || !this.#mayChange) return;
    history.replaceState(null, "", "#alerts"); // a reload does not begin it again
    this.#form.open(wanted);
  }

  close() {
    this.#isOpen = false;
    clearTimeout(this.#looking);
    this.#looking = 0;
    this.#form.leave();
    this.#sure.close();
  }

  // an event may have made an alert act
  event() {
    if (!this.#isOpen || document.hidden) return;
    this.#looking ||= setTimeout(() => this.#read(), REST_MS); // events may come faster than that
  }

  async #read() {
    clearTimeout(this.#looking);
    this.#looking = 0;
    try {
      this.#show(await listAlerts());
      return true;
    } catch (error) {
      this.#say(error.message, true);
      return false;
    }
  }

  #show(record) {
    this.#record = record;
    this.#form.setWays(record.ways, record.missing);
    this.#browser.show(record, this.#mayChange);
    for (const name of ["new", "examples"]) find(name).hidden = !this.#mayChange;
    find("new").disabled = false; // a press before this would be lost
    const text = JSON.stringify([record.alerts, record.rules, this.#mayChange]);
    if (text === this.#drawn) return;
    this.#drawn = text;
    const focused = placeOf(document.activeElement);
    find("list").replaceChildren(...record.alerts.map((alert) => alertCard(alert, this.#on, this.#mayChange)));
    find("none").hidden = record.alerts.length > 0;
    find("rules").replaceChildren(...record.rules.map(ruleCard));
    find("rules-part").hidden = record.rules.length === 0;
    focused?.();
  }

  async #saved({ alert, remembered, reason }, isMerged) {
    if (!(await this.#read())) return;
    this.#say((remembered ? t("alerts.saved") : t("alerts.not_kept", { reason })) + mergedWords(isMerged), !remembered);
    cardOf(alert.id)?.querySelector(".alert-try").focus();
  }

  async #change(alert, change) {
    try {
      const { answer } = await saveAlert(change, alert);
      this.#say(!answer || answer.remembered ? "" : t("alerts.not_kept", { reason: answer.reason }), Boolean(answer) && !answer.remembered);
    } catch (error) {
      this.#say(error.message, true);
    }
    await this.#read();
  }

  // waits for what comes of it
  async #try(alert) {
    this.#say(t("alerts.trying"));
    try {
      const { trial } = await tryAlert(alert.id);
      const until = performance.now() + PATIENCE_MS;
      while (performance.now() < until && this.#isOpen) {
        await new Promise((rested) => { setTimeout(rested, LOOK_MS); });
        if (!(await this.#read())) return;
        const now = this.#record.alerts.find(({ id }) => id === alert.id);
        if (!now) return;
        const found = now.last.filter((outcome) => outcome.trial === trial && outcome.status !== "waiting");
        if (found.length < waysIn(now)) continue;
        const failed = found.filter(({ status }) => status === "failed");
        return this.#say(t(failed.length ? "alerts.tried_failed" : "alerts.tried"), failed.length > 0);
      }
      this.#say(t("alerts.tried_later"));
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #ask(alert) {
    this.#leaving = alert;
    this.#sure.ask();
  }

  async #remove() {
    try {
      const { answer } = await deleteAlert(this.#leaving);
      if (!answer) this.#say(t("versions.not_saved"), true);
      else this.#say(answer.remembered ? t("alerts.deleted") : t("alerts.not_kept", { reason: answer.reason }), !answer.remembered);
    } catch (error) {
      this.#say(error.message, true);
    }
    await this.#read();
    find("new").focus();
  }

  #say(sentence, bad = false) {
    find("said").textContent = sentence;
    find("said").classList.toggle("bad", bad);
  }
}

function waysIn({ ntfy, mqtt, push, sound, webhook, notify }) {
  return [ntfy, mqtt, push, sound, webhook, notify.length].filter(Boolean).length;
}

function cardOf(id) {
  return find("list").querySelector(`[data-id="${CSS.escape(id)}"]`);
}

// returns what puts the focus back where it was, once the lists are drawn again; null: it is not in them
function placeOf(element) {
  const card = element?.closest?.("#alerts-list [data-id]");
  if (!card) return null;
  const [id, index] = [card.dataset.id, [...card.querySelectorAll("a, button, input, h3")].indexOf(element)];
  return () => (cardOf(id)?.querySelectorAll("a, button, input, h3")[index] ?? find("new")).focus();
}
