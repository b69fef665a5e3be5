// Teaching labels of your own: pictures are collected, a model is taught with them, it says how well it knows them, and it is used.

import { ask, sentence } from "../ask.js";
import { called, meantBy } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { LivePicture } from "../picture.js";
import { placeOf } from "../settings/place.js";
import { Bring } from "./bring.js";
import { Collecting } from "./collecting.js";
import { DATA_SET, freeName, nextName, showStep, teach } from "./api.js";
import { Inbox } from "./inbox.js";
import { TeachLabel } from "./label.js";
import { TeachReport } from "./report.js";

const NOTHING = "nothing special"; // the empty scene
const NOTHING_S = 10;
const LONGEST_S = 60;
const MB = 1_000_000;
const PLAIN = { overlay: "none", head: "mean", opacity: 0.5 };
const find = (name) => document.getElementById(`teach-${name}`);

export const open = () => new Teach();

class Teach {
  #panel = find("panel");
  #picture = new LivePicture(find("picture"));
  #isOpen = false;
  #list = find("labels");
  #zone = find("zone");
  #message = find("message");
  #labels = new Map(); // label -> TeachLabel
  #taking = null; // the TeachLabel whose pictures are being taken
  #collecting = new Collecting({ shown: (state) => this.#showTaken(state), over: (state) => this.#endTaken(state), failed: (error) => this.#endTaken(null, error) });
  #report = new TeachReport({ changed: () => this.#read(), failed: (error) => this.#fail(error) });
  #bring = new Bring(this.#panel, () => this.#read());
  #inbox = new Inbox({ learn: (record) => this.#learn(record), changed: () => this.#read() });
  #teaching = null; // AbortController
  #isAsked = false; // for the empty scene
  #taught = ""; // the name of the model that was taught here and can be used
  #models = { models: [], name: "", before: null, fixed: "" };
  #loads = null;

  constructor() {
    this.#picture.show(PLAIN);
    document.addEventListener("visibilitychange", () => this.#watch());
    find("add").addEventListener("submit", (event) => { event.preventDefault(); this.#add(); });
    find("form").addEventListener("submit", (event) => { event.preventDefault(); this.#teach(); });
    find("question").addEventListener("submit", (event) => { event.preventDefault(); this.#addBoth(); });
    find("stop").addEventListener("click", () => this.#teaching?.abort());
    find("use").addEventListener("click", () => this.#use("api/model", { name: this.#taught }));
    find("back").addEventListener("click", () => this.#use("api/model/back"));
  }

  // state: of /api/state
  setState({ zones, model_loads: loads }) {
    this.#showZones(Object.keys(zones));
    if (!this.#isOpen) return;
    if (loads !== this.#loads) Promise.all([this.#readModels(), this.#inbox.read()]);
    else this.#inbox.look();
    this.#loads = loads;
  }

  async open() {
    this.#message.hidden = true;
    this.#isOpen = true;
    this.#watch();
    this.#labelOf(NOTHING).say(t("teach.take_for", { n: NOTHING_S }), 0);
    await Promise.all([this.#read(), this.#readModels(), this.#inbox.read()]);
    find("name").value ||= freeName(this.#models);
  }

  close() {
    this.#isOpen = false;
    this.#watch();
  }

  // one picture after the other, while somebody sees it
  #watch() {
    if (this.#isOpen && !document.hidden) this.#picture.start(false);
    else this.#picture.stop();
  }

  // the labels and their pictures
  async #read() {
    try {
      const { datasets, bytes, max_mb: room } = await ask("api/datasets");
      const counts = datasets.find(({ name }) => name === DATA_SET)?.labels ?? {};
      for (const label of Object.keys(counts)) this.#labelOf(label);
      find("room").textContent = t("teach.room", { mb: number(bytes / MB, 1), room });
      for (const [label, row] of this.#labels) {
        const count = counts[label] ?? 0;
        if (row !== this.#taking) row.say(this.#wordOf(row), count);
        await row.show(count);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #labelOf(label) {
    if (!this.#labels.has(label)) {
      const row = new TeachLabel(label, {
        take: (which, isHeld) => this.#take(which, isHeld),
        stop: () => this.#collecting.end(),
        changed: () => this.#read(),
        failed: (error) => this.#fail(error),
        others: (which) => [...this.#labels.keys()].filter((other) => other !== which.label),
      });
      this.#bring.accept(row.row, label);
      this.#labels.set(label, row);
      this.#list.append(row.row);
    }
    return this.#labels.get(label);
  }

  #wordOf({ label }) {
    return label === NOTHING ? t("teach.take_for", { n: NOTHING_S }) : t("teach.hold");
  }

  #add() {
    const label = meantBy(find("new").value.normalize("NFC").trim());
    if (!label) return this.#say(t("inbox.type_first"), true);
    this.#message.hidden = true;
    find("new").value = "";
    this.#labelOf(label).focus();
  }

  // a question with yes and no is two labels
  #addBoth() {
    const both = ["yes", "no"].map((name) => meantBy(find(name).value.normalize("NFC").trim()));
    if (both.some((label) => !label) || both[0].toLowerCase() === both[1].toLowerCase()) return this.#say(t("teach.question_two"), true);
    this.#message.hidden = true;
    for (const name of ["yes", "no"]) find(name).value = "";
    const [first] = both.map((label) => this.#labelOf(label));
    find("question").closest("details").open = false;
    first.focus();
  }

  // isHeld: as long as the button is held; else one picture, or some seconds of the empty scene
  #take(row, isHeld) {
    this.#message.hidden = true;
    if (this.#taking && this.#taking !== row) this.#taking.say(this.#wordOf(this.#taking), this.#taking.count);
    this.#taking = row;
    const much = isHeld ? { seconds: LONGEST_S } : row.label === NOTHING ? { seconds: NOTHING_S } : { count: 1 };
    this.#collecting.begin({ label: row.label, ...much, ...(this.#zone.value ? { zone: this.#zone.value } : {}) });
  }

  #showTaken({ active, taken, left_s: left }) {
    if (!this.#taking) return;
    this.#taking.row.classList.toggle("taking", active);
    const isWaited = active && this.#taking.label === NOTHING;
    this.#taking.say(isWaited ? t("teach.taking", { left: Math.ceil(left) }) : this.#wordOf(this.#taking), this.#taking.count + taken);
  }

  // state: of the recording; null where it could not begin, with the error
  #endTaken(state, error = null) {
    const row = this.#taking;
    this.#taking = null;
    row?.row.classList.remove("taking");
    if (error) this.#fail(error);
    else if (state.trouble) this.#say(sentence(state.trouble), true);
    else this.#say([t("teach.taken", { n: state.taken, label: called(state.label) }), state.alike ? t("teach.alike", { n: state.alike }) : ""].join(" ").trim());
    return this.#read();
  }

  // with zones, pictures come from one of them
  #showZones(zones) {
    this.#zone.closest("label").hidden = zones.length === 0;
    if ([...this.#zone.options].map(({ value }) => value).join("\n") !== zones.join("\n")) this.#zone.replaceChildren(...zones.map((zone) => new Option(zone)));
  }

  async #readModels() {
    try {
      this.#models = await ask("api/models");
    } catch (error) {
      this.#fail(error);
    }
    this.#offer();
  }

  // what can be used now
  #offer() {
    const { name, before, fixed } = this.#models;
    find("fixed").hidden = !fixed;
    find("fixed").textContent = `${t("models.fixed", { place: placeOf(fixed) })} ${t("teach.fixed")}`;
    find("now").textContent = t("teach.now", { name });
    find("use").hidden = Boolean(fixed) || !this.#taught || this.#taught === name;
    find("use").textContent = t("models.use_it", { name: this.#taught });
    find("back").hidden = Boolean(fixed) || !before || before === name;
    find("back").textContent = t("models.back", { name: before });
  }

  // the first press asks for pictures of the empty scene where there are none
  #teach() {
    if (!this.#isAsked && !this.#labelOf(NOTHING).count) {
      this.#isAsked = true;
      return this.#say(t("teach.ask_nothing", { label: NOTHING }));
    }
    return this.#run({ dataset: DATA_SET, name: find("name").value.trim(), add_to: find("form").elements.beside.value === "yes" });
  }

  // the model in use, with its data set and what was named in the inbox
  #learn({ dataset, base, add_to }) {
    return this.#run({ dataset, name: nextName(this.#models, base), add_to, compare: true });
  }

  // asked: of /api/teach
  async #run(asked) {
    if (this.#teaching) return;
    this.#begin();
    try {
      const report = await teach(asked, (progress) => showStep(find("step"), find("bar"), progress), this.#teaching.signal);
      this.#report.show(report, asked);
      this.#taught = report.name;
      await this.#check();
      find("name").value = "";
      await this.#readModels();
      find("name").value = freeName(this.#models);
    } catch (error) {
      if (error.name === "AbortError") this.#say(t("teach.stopped"));
      else this.#fail(error);
    } finally {
      this.#end();
    }
  }

  #begin() {
    this.#teaching = new AbortController();
    this.#message.hidden = find("lost").hidden = true;
    this.#report.hide();
    showStep(find("step"), find("bar"), { step: "reading photos" });
    find("progress").hidden = false;
    find("go").disabled = true;
  }

  #end() {
    this.#teaching = null;
    find("progress").hidden = true;
    find("go").disabled = false;
  }

  // which labels of zones and rules it does not know is said before it is used
  async #check() {
    const { unknown } = await ask("api/model", "POST", { name: this.#taught, check: true });
    find("lost").hidden = unknown.length === 0;
    find("lost-list").replaceChildren(...unknown.map((text) => Object.assign(document.createElement("li"), { textContent: sentence(text) })));
  }

  async #use(path, body) {
    for (const name of ["use", "back"]) find(name).disabled = true;
    this.#say(t("models.loading"));
    try {
      const { name, remembered, reason } = await ask(path, "POST", body);
      this.#say(remembered ? t("models.used", { name }) : t("models.not_kept", { name, reason }));
      find("lost").hidden = true;
    } catch (error) {
      this.#fail(error);
    }
    for (const name of ["use", "back"]) find(name).disabled = false;
    await this.#readModels();
    const next = ["back", "use"].map(find).find((button) => !button.hidden) ?? find("title");
    next.focus({ preventScroll: true });
  }

  #fail(error) {
    this.#say(sentence(error.message), true);
  }

  #say(text, bad = false) {
    this.#message.hidden = false;
    this.#message.classList.toggle("bad", bad);
    this.#message.textContent = text;
  }
}
