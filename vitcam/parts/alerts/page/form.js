// Makes or changes one alert: a sentence whose parts are chosen, and the ways by which it reaches people.

import { allMeantBy, called, meantBy } from "../language/labels.js";
import { t } from "../language/language.js";
import { ask } from "../ask.js";
import { suggestLabels } from "../models/in_use.js";
import { saveAlert } from "./api.js";
import { drawZone } from "./draw_zone.js";
import { Phone } from "./phone.js";
import { DAY, fillSentence, longOf, NIGHT, timeOf, whatOf, whenOf, whereOf } from "./sentence.js";

const NAMED = "named";
const OWN = "own"; // hours of one's own
const DRAW = " draw"; // no zone is called so
const LENGTHS = [0, 2, 5, 10, 30, 60, 300];
const PAUSES = [0, 60, 600, 3600, 86400];
const SURE = [0, 0.5, 0.7, 0.9];
const WITHOUT_LABEL = ["unknown", "problem"]; // kinds
const find = (name) => document.getElementById(`alert-${name}`);

export class AlertForm {
  #form = find("form");
  #controls = { what: select("what"), label: input("label"), others: input("others"), where: select("where"), long: select("long"), when: select("when") };
  #hours = find("hours");
  #alert = null; // the one that is changed; null: a new one
  #zones = [];
  #zone = "";
  #isDrawing = false;
  #phone = new Phone((sentence) => this.#say(sentence));
  #except; // the part of the sentence for what is left out
  #done;

  // done: {saved(answer), closed()}
  constructor(done) {
    this.#done = done;
    const { what, label, others, where, long, when } = this.#controls;
    for (const each of [label, others]) suggestLabels(each, find("labels"), { groups: true });
    const [named, all] = ["span", "span"].map((tag) => document.createElement(tag));
    named.append(what, label);
    this.#except = document.createElement("span");
    fillSentence(this.#except, "alerts.what.but_not", { what: "", others });
    all.append(named, this.#except);
    fillSentence(find("sentence"), "alerts.sentence", { what: all, where, long, when });
    what.addEventListener("change", () => this.#showFields(true));
    where.addEventListener("change", () => this.#choosePlace());
    when.addEventListener("change", () => this.#showFields(false));
    find("ways").addEventListener("change", () => this.#showFields(false));
    find("cancel").addEventListener("click", () => this.close());
    this.#form.addEventListener("input", () => this.#say(""));
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#save(); });
    this.#form.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  get isOpen() {
    return !this.#form.hidden;
  }

  get zones() {
    return this.#zones;
  }

  // names: of the zones
  setZones(names) {
    if (names.join() === this.#zones.join()) return;
    this.#zones = names;
    this.#offerZones(this.#zone);
  }

  // ways: what an alert can do in this run; missing: way -> the line that makes another one work
  setWays(ways, missing) {
    for (const way of find("ways").querySelectorAll("[data-way]")) {
      const line = missing[way.dataset.way];
      way.querySelector("input").disabled = !ways.includes(way.dataset.way);
      way.classList.toggle("missing", Boolean(line));
      way.querySelector(".alert-missing")?.remove();
      if (!line) continue;
      const said = Object.assign(document.createElement("small"), { className: "alert-missing", textContent: `${t("alerts.missing")} ` });
      said.append(Object.assign(document.createElement("code"), { textContent: line }));
      way.append(said);
    }
  }

  // alert: the one to change; or what a new one is about, without an id
  open(alert = {}) {
    this.#alert = alert.id ? alert : null;
    const { label = "", zone = "", kind = "seen", for_s = 0, between = "", above = 0, cooldown_s = 60 } = alert;
    const { what, label: input, others, long, when } = this.#controls;
    offer(what, [[NAMED, t("alerts.what.named")], ["seen", whatOf({ kind: "seen" })], ...WITHOUT_LABEL.map((each) => [each, whatOf({ kind: each })])]);
    what.value = kind === "seen" ? (label || !alert.id ? NAMED : "seen") : kind;
    input.value = called(label);
    others.value = (alert.not_labels ?? []).map(called).join(", ");
    this.#offerZones(zone);
    offerNumbers(long, LENGTHS, for_s, longOf);
    offer(when, [["", whenOf("")], [NIGHT, whenOf(NIGHT)], [DAY, whenOf(DAY)], [OWN, t("alerts.when.own")]]);
    when.value = [NIGHT, DAY, ""].includes(between) ? between : OWN;
    const [from, to] = (between || NIGHT).split("-").map((time) => time.trim().padStart(5, "0"));
    Object.assign(find("from"), { value: from });
    Object.assign(find("to"), { value: to });
    offerNumbers(find("pause"), PAUSES, cooldown_s, (each) => (each ? timeOf(each) : t("alerts.no_pause")));
    offerNumbers(find("sure"), SURE, above, (each) => (each ? t("alerts.at_least", { share: Math.round(each * 100) }) : t("history.any")));
    for (const name of ["push", "sound", "mqtt"]) find(name).checked = Boolean(alert[name]);
    find("by-ntfy").checked = !this.#alert || Boolean(alert.ntfy);
    this.#phone.open(alert);
    find("webhook").value = alert.webhook ?? "";
    find("by-webhook").checked = Boolean(alert.webhook);
    find("notify").value = (alert.notify ?? []).join("\n");
    find("by-notify").checked = Boolean(alert.notify?.length);
    find("title").textContent = t(this.#alert ? "alerts.change_title" : "alerts.new_title");
    this.#say("");
    this.#form.hidden = false;
    this.#showFields(false);
    (what.value === NAMED && !label ? input : find("title")).focus();
    this.#form.scrollIntoView({ block: "nearest" });
  }

  close() {
    if (!this.isOpen) return;
    this.#form.hidden = true;
    this.#done.closed();
  }

  // another view is shown: what was typed stays while a zone is drawn for it
  leave() {
    if (!this.#isDrawing) this.close();
    this.#isDrawing = false;
  }

  #offerZones(zone) {
    this.#zone = zone;
    const names = zone && !this.#zones.includes(zone) ? [...this.#zones, zone] : this.#zones;
    offer(this.#controls.where, [...["", ...names].map((each) => [each, whereOf(each)]), [DRAW, t("alerts.where.draw")]]);
    this.#controls.where.value = zone;
  }

  #choosePlace() {
    const chosen = this.#controls.where.value;
    if (chosen !== DRAW) { this.#zone = chosen; return; }
    this.#controls.where.value = this.#zone;
    this.#isDrawing = drawZone(() => this.#takeNewZone());
    if (!this.#isDrawing) this.#say(t("alerts.no_picture"));
  }

  async #takeNewZone() {
    const before = this.#zones;
    try {
      this.#zones = Object.keys((await ask("api/zones")).zones);
    } catch {
      return; // the state says it soon
    }
    this.#offerZones(this.#zones.find((name) => !before.includes(name)) ?? this.#zone);
    this.#controls.others.focus();
  }

  // shows what belongs to what is chosen; mayFocus: where something is to be typed now
  #showFields(mayFocus) {
    const { what, label, when } = this.#controls;
    label.hidden = what.value !== NAMED;
    this.#except.hidden = WITHOUT_LABEL.includes(what.value);
    this.#hours.hidden = when.value !== OWN;
    find("phone").hidden = !find("by-ntfy").checked;
    find("webhook-part").hidden = !find("by-webhook").checked;
    find("notify-part").hidden = !find("by-notify").checked;
    if (mayFocus && !label.hidden) label.focus();
  }

  get #wanted() {
    const { what, label, others, long, when } = this.#controls;
    const isNamed = what.value === NAMED;
    const addresses = find("notify").value.split(/\s+/).filter(Boolean);
    return {
      kind: isNamed ? "seen" : what.value,
      label: isNamed ? meantBy(label.value.trim()) : "",
      not_labels: WITHOUT_LABEL.includes(what.value) ? [] : allMeantBy(others.value),
      zone: this.#zone,
      for_s: Number(long.value),
      between: when.value === OWN ? `${find("from").value}-${find("to").value}` : when.value,
      cooldown_s: Number(find("pause").value),
      above: Number(find("sure").value),
      ...(find("by-ntfy").checked ? this.#phone.wanted : { ntfy: "", ntfy_token: "" }),
      push: find("push").checked,
      sound: find("sound").checked,
      mqtt: find("mqtt").checked,
      webhook: find("by-webhook").checked ? find("webhook").value.trim() : "",
      notify: find("by-notify").checked ? addresses : [],
    };
  }

  async #save() {
    const wanted = this.#wanted;
    if (this.#controls.what.value === NAMED && !wanted.label) return this.#refuse(t("alerts.needs_label"), this.#controls.label);
    if (![wanted.ntfy, wanted.push, wanted.sound, wanted.mqtt, wanted.webhook, wanted.notify.length].some(Boolean)) return this.#refuse(t("alerts.needs_way"), find("ways").querySelector("input"));
    find("save").disabled = true;
    try {
      const { answer, isMerged } = await saveAlert(wanted, this.#alert);
      if (!answer) return this.#say(t("versions.not_saved"));
      this.#form.hidden = true;
      this.#done.saved(answer, isMerged);
    } catch (error) {
      this.#say(error.message);
    } finally {
      find("save").disabled = false;
    }
  }

  #refuse(sentence, input) {
    this.#say(sentence);
    input.focus();
  }

  #say(sentence) {
    find("message").hidden = !sentence;
    find("message").textContent = sentence;
  }
}

function input(name) {
  const made = Object.assign(document.createElement("input"), { id: `alert-${name}`, autocomplete: "off", spellcheck: false, placeholder: t(`alerts.${name}_example`) });
  made.setAttribute("list", "alert-labels");
  made.setAttribute("aria-label", t(`alerts.${name}`));
  return made;
}

function select(name) {
  const made = document.createElement("select");
  made.id = `alert-${name}`;
  made.setAttribute("aria-label", t(`alerts.part.${name}`));
  return made;
}

// pairs: of a value and what is said for it
function offer(control, pairs) {
  control.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}

// also a number that another client has set
function offerNumbers(control, numbers, chosen, say) {
  const all = [...new Set([...numbers, chosen])].sort((a, b) => a - b);
  offer(control, all.map((number) => [String(number), say(number)]));
  control.value = String(chosen);
}
