// The guide of a first run, step by step. "Next" saves what was typed. Each step can be left out, and the guide can be
// opened again.

import { ask } from "../ask.js";
import { language, number, ORIGINAL, t } from "../language/language.js";
import { PART_VIEWS } from "../part_views.js";
import { Cameras } from "./cameras.js";

const VIEWS = PART_VIEWS.filter(({ step }) => step);
const STEPS = ["camera", "view", "watch", "name", "password", "address", "storage", ...VIEWS.map(({ name }) => name)];
const find = (name) => document.getElementById(`guide-${name}`);

export class Guide {
  #part = withSteps(document.getElementById("guide"));
  #button = document.getElementById("open-guide");
  #forms = Object.fromEntries(STEPS.map((step) => [step, this.#part.querySelector(`[data-step="${step}"]`)]));
  #cameras = new Cameras((camera) => this.#do(() => set({ "camera.source": camera.source })));
  #saves = {
    name: (fields) => this.#setName(fields),
    password: (fields) => this.#setPasswords(fields),
    storage: (fields) => set({ "store.enabled": fields.enabled.checked, "store.keep_days": Number(fields.keep_days.value), "store.max_mb": Number(fields.max_mb.value) }),
  };
  #named = null; // before: {called, used, names}
  #typed = false; // into the form of this step
  #step = 0;
  #state = null;
  #finished = true; // whether it stays closed at the next visit

  constructor() {
    this.#button.addEventListener("click", () => (this.#part.hidden ? this.open() : this.close()));
    find("next").addEventListener("click", () => this.#next());
    find("back").addEventListener("click", () => this.#go(this.#step - 1));
    find("close").addEventListener("click", () => this.close());
    find("look").addEventListener("click", () => this.#look());
    find("crop").addEventListener("click", () => document.getElementById("crop").click());
    find("zone").addEventListener("click", () => document.getElementById("zones").click());
    for (const { name } of VIEWS) this.#forms[name].querySelector("a").addEventListener("click", () => this.#finish());
    find("whole").addEventListener("click", () => this.#do(() => this.#watchAll()));
    find("no-watch").addEventListener("click", () => this.#do(() => this.#setPassword("read", null)));
    this.#forms.view.addEventListener("change", () => this.#do(() => turn(this.#forms.view.elements)));
    for (const step of ["view", ...Object.keys(this.#saves)]) {
      this.#forms[step].addEventListener("input", () => (this.#typed = true));
      this.#forms[step].addEventListener("submit", (event) => { event.preventDefault(); this.#next(); });
    }
    this.#part.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  // state: of /api/state
  show(state) {
    this.#state = state;
  }

  // finished: whether it was closed before
  open(finished = true) {
    this.#finished = finished;
    this.#part.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#go(0, finished);
    if (finished) this.#part.scrollIntoView({ block: "nearest" });
  }

  async #next() {
    const step = STEPS[this.#step], form = this.#forms[step];
    let said = "";
    if (this.#saves[step] && this.#typed) {
      if (!form.reportValidity() || !(await this.#do(() => this.#saves[step](form.elements)))) return;
      said = find("message").textContent;
    }
    if (this.#step === STEPS.length - 1) return this.#finish();
    this.#go(this.#step + 1);
    this.#say(said);
  }

  async #finish() {
    await this.close();
  }

  async close() {
    this.#part.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus({ preventScroll: true });
    if (!this.#finished) await ask("api/guide", "POST", {}).catch(() => null);
    this.#finished = true;
  }

  #go(step, moves = true) {
    this.#step = step;
    this.#typed = false;
    const name = STEPS[step];
    for (const [each, form] of Object.entries(this.#forms)) form.hidden = each !== name;
    find("count").textContent = t("guide.count", { n: step + 1, all: STEPS.length });
    const own = VIEWS.find((view) => view.name === name)?.step ?? { title: `guide.${name}`, hint: `guide.${name}.hint` };
    find("title").textContent = t(own.title);
    find("hint").textContent = t(own.hint);
    find("back").hidden = step === 0;
    find("next").textContent = t(step === STEPS.length - 1 ? "guide.finish" : "guide.next");
    this.#say("");
    if (moves) {
      document.getElementById("picture").scrollIntoView({ block: "nearest" }); // a step asks about it
      find("title").focus();
    }
    this.#begin(name).catch((error) => this.#say(error.message, true));
  }

  #begin(name) {
    if (name === "camera") return this.#look();
    if (name === "view") return this.#showView();
    if (name === "name") return this.#showName();
    if (name === "storage") return this.#showStorage();
    if (name === "password" || name === "address") return this.#showAccess();
    return Promise.resolve();
  }

  async #look() {
    const hint = find("hint");
    hint.textContent = t("guide.looking");
    try {
      const none = await this.#cameras.look();
      if (STEPS[this.#step] === "camera") hint.textContent = none || t("guide.camera.hint");
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  async #showView() {
    const { rotate, flip } = this.#forms.view.elements;
    const found = await settings();
    rotate.value = String(found["camera.rotate"]);
    flip.value = found["camera.flip"];
  }

  // a first run offers the language of the page: whoever goes on has read it
  async #showName() {
    const { called, language: choice } = this.#forms.name.elements;
    const [found, { language: used, languages, names, fixed }] = await Promise.all([settings(), ask("api/names")]);
    this.#named = { called: found["camera.name"], used, names };
    const isOpen = !this.#finished && used === ORIGINAL && fixed.language === null && !Object.keys(names).length;
    choice.replaceChildren(...languages.map(({ code, name }) => new Option(name, code)));
    choice.value = isOpen ? language : used;
    choice.disabled = fixed.language !== null;
    called.value = found["camera.name"];
    this.#typed ||= choice.value !== used;
  }

  async #setName({ called, language: choice }) {
    const { called: before, used, names } = this.#named;
    if (choice.value !== used) await ask("api/names", "PUT", { language: choice.value, names });
    return called.value.trim() === before ? t("guide.saved") : set({ "camera.name": called.value.trim() });
  }

  async #showStorage() {
    const { enabled, keep_days: days, max_mb: most } = this.#forms.storage.elements;
    const found = await settings();
    [enabled.checked, days.value, most.value] = [found["store.enabled"], found["store.keep_days"], found["store.max_mb"]];
    const { events, mb } = this.#state?.history ?? {};
    find("kept").textContent = events === undefined ? "" : t("guide.kept", { n: events, mb: number(mb, mb < 10 ? 1 : 0) });
  }

  async #showAccess() {
    const { passwords, asks, address, command, service } = await ask("api/guide");
    find("current").hidden = !asks;
    find("no-watch").hidden = !passwords.read;
    find("passwords").textContent = [t(passwords.control ? "guide.has_control" : "guide.has_none"), passwords.read ? t("guide.has_read") : ""].join(" ").trim();
    find("code").hidden = !address;
    find("command").hidden = Boolean(address);
    find("command").firstElementChild.textContent = command;
    find("address").textContent = address ? t("guide.reachable", { address }) : t(service ? "guide.not_reachable" : "guide.not_reachable_by_hand");
    if (address) find("code").src = "api/address.svg";
  }

  async #watchAll() {
    const { zones, masks } = await ask("api/zones");
    if (Object.keys(zones).length) await ask("api/zones", "PUT", { zones: {}, masks });
    if (this.#state?.view.crop) await ask("api/crop", "POST", { crop: null });
    return t("guide.is_whole");
  }

  async #setPasswords({ control, read }) {
    if (!control.value && !read.value) return "";
    if (read.value) await this.#setPassword("read", read.value);
    if (control.value) await this.#setPassword("control", control.value);
    for (const field of [control, read]) field.value = "";
    return t("guide.password_set");
  }

  async #setPassword(scope, password) {
    const current = this.#forms.password.elements.current.value;
    await ask("api/password", "PUT", { scope, password, current });
    await this.#showAccess();
    return t("guide.password_set");
  }

  // act: returns a sentence about what was done. Returns whether it was
  async #do(act) {
    const buttons = this.#part.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      this.#say(await act());
      return true;
    } catch (error) {
      this.#say(error.message, true);
      return false;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  #say(sentence, bad = false) {
    const line = find("message");
    line.hidden = !sentence;
    line.classList.toggle("bad", bad);
    line.textContent = sentence;
  }
}

// adds a step for each view that has one, with a link to it
function withSteps(part) {
  for (const { name, step } of VIEWS) {
    const place = document.createElement("div");
    place.dataset.step = name;
    place.append(Object.assign(document.createElement("a"), { className: "button", href: `#${name}`, textContent: t(step.link) }));
    part.querySelector("#guide-message").before(place);
  }
  return part;
}

// the picture turns at once: a look at it says whether it is right
const turn = ({ rotate, flip }) => set({ "camera.rotate": Number(rotate.value), "camera.flip": flip.value });

// values: of /api/settings. Takes them over now, or by a start of the daemon; returns a sentence about it
async function set(values) {
  const { restart } = await ask("api/settings", "PATCH", values);
  if (!restart.needed.some((name) => name in values)) return t("guide.saved");
  if (!restart.possible) return t("guide.next_start");
  await ask("api/restart", "POST", {});
  return t("guide.restarting");
}

// returns {name: value} of the settings
async function settings() {
  const { settings: rows } = await ask("api/settings");
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
