// All models that can be used here: what each is, one press that uses it, the way back, and the end of those that were taught.

import { ask, sentence } from "../ask.js";
import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { placeOf } from "../settings/place.js";

const find = (name) => document.getElementById(`models${name ? `-${name}` : ""}`);
const STUDY = 10; // labels at most
const NOTHING = { about: [], name: "", before: null, fixed: "" };

export class Models {
  #button = find("");
  #panel = find("panel");
  #found = NOTHING;
  #shown = "";
  #loads = null;
  #isAllowed = false;
  #changed;

  // changed: called when another model is in use
  constructor(changed) {
    this.#changed = changed;
    this.#button.addEventListener("click", () => (this.#panel.hidden ? this.open() : this.#close()));
    find("close").addEventListener("click", () => this.#close());
    find("back").addEventListener("click", () => this.#use("api/model/back"));
    find("cancel").addEventListener("click", () => this.#ask(null));
    this.#panel.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#close(); });
  }

  // state: of /api/state
  show({ access, model_loads: loads }) {
    const isAllowed = !access || access.scope === "control";
    const isOld = isAllowed !== this.#isAllowed || loads !== this.#loads;
    this.#isAllowed = isAllowed;
    this.#loads = loads;
    if (isOld && !this.#panel.hidden) this.#read();
  }

  async open() {
    find("message").hidden = true;
    this.#panel.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    find("title").focus({ preventScroll: true });
    this.#panel.scrollIntoView({ block: "nearest" });
    await this.#read();
  }

  #close() {
    this.#panel.hidden = true;
    this.#ask(null);
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus();
  }

  async #read() {
    try {
      this.#draw(await ask("api/models"));
    } catch (error) {
      this.#say(sentence(error.message), true);
    }
  }

  #draw(found) {
    const mayUse = this.#isAllowed && !found.fixed;
    const shown = JSON.stringify([found, this.#isAllowed]);
    if (shown === this.#shown) return; // a button that was pressed once stays
    this.#shown = shown;
    this.#found = found;
    find("fixed").hidden = !found.fixed;
    find("fixed").textContent = t("models.fixed", { place: placeOf(found.fixed) });
    find("back").hidden = !mayUse || !found.before || found.before === found.name;
    find("back").textContent = t("models.back", { name: found.before ?? "" });
    const had = document.activeElement?.closest?.("[data-model]")?.dataset.model;
    const [known, study] = [false, true].map((forStudy) => found.about.filter((model) => isForStudy(model) === forStudy).map((model) => this.#row(model, mayUse)));
    find("list").replaceChildren(...known, ...(study.length ? [Object.assign(document.createElement("li"), { className: "models-study", textContent: t("models.study") }), ...study] : []));
    if (had) (find("list").querySelector(`[data-model="${CSS.escape(had)}"] button`) ?? find("title")).focus({ preventScroll: true });
  }

  #row(model, mayUse) {
    const row = find("row").content.firstElementChild.cloneNode(true);
    const part = (name) => row.querySelector(`.models-${name}`);
    const isUsed = model.name === this.#found.name;
    row.dataset.model = model.name;
    part("name").textContent = model.name;
    part("used").hidden = !isUsed;
    part("what").textContent = model.error ? sentence(model.error) : called(model.description);
    part("what").classList.toggle("bad", Boolean(model.error));
    part("facts").textContent = model.error ? "" : factsOf(model).join(" · ");
    const [use, remove] = ["use", "delete"].map(part);
    use.hidden = !mayUse || isUsed || Boolean(model.error);
    use.setAttribute("aria-label", t("models.use_it", { name: model.name }));
    use.addEventListener("click", () => this.#check(model.name));
    remove.hidden = !this.#isAllowed || isUsed || model.origin !== "taught";
    remove.setAttribute("aria-label", t("models.delete_it", { name: model.name }));
    remove.addEventListener("click", () => { // a second press deletes it
      if (remove.dataset.sure) this.#delete(model.name);
      remove.dataset.sure = "yes";
      remove.textContent = t("models.sure");
      remove.setAttribute("aria-label", t("models.sure_of", { name: model.name }));
    });
    return row;
  }

  // which labels of zones and rules it does not know is said before it is used
  async #check(name) {
    this.#say(t("models.loading"));
    try {
      const { unknown } = await ask("api/model", "POST", { name, check: true });
      if (unknown.length === 0) return this.#use("api/model", { name });
      find("message").hidden = true;
      this.#ask(name, unknown);
    } catch (error) {
      this.#say(sentence(error.message), true);
    }
  }

  #ask(name, unknown = []) {
    const wasOpen = !find("sure").hidden;
    find("sure").hidden = name === null;
    if (name === null) {
      if (wasOpen) find("title").focus({ preventScroll: true });
      return;
    }
    find("lost").replaceChildren(...unknown.map((text) => Object.assign(document.createElement("li"), { textContent: sentence(text) })));
    find("yes").textContent = t("models.use_it", { name });
    find("yes").onclick = () => { find("sure").hidden = true; this.#use("api/model", { name }); };
    find("sure").scrollIntoView({ block: "nearest" });
    find("yes").focus({ preventScroll: true });
  }

  async #use(path, body) {
    this.#say(t("models.loading"));
    for (const button of this.#panel.querySelectorAll("button")) button.disabled = true;
    try {
      const { name, remembered, reason } = await ask(path, "POST", body);
      this.#say(remembered ? t("models.used", { name }) : t("models.not_kept", { name, reason }));
      await this.#changed();
    } catch (error) {
      this.#say(sentence(error.message), true);
    }
    for (const button of this.#panel.querySelectorAll("button")) button.disabled = false;
    await this.#read();
    (find("back").hidden ? find("title") : find("back")).focus({ preventScroll: true });
  }

  async #delete(name) {
    try {
      this.#draw(await ask(`api/models/${encodeURIComponent(name)}`, "DELETE"));
      this.#say(t("models.deleted", { name }));
    } catch (error) {
      this.#say(sentence(error.message), true);
    }
    find("title").focus({ preventScroll: true });
  }

  #say(text, bad = false) {
    find("message").hidden = false;
    find("message").classList.toggle("bad", bad);
    find("message").textContent = text;
  }
}

// digits and tiny pictures: nothing that a camera at home looks at
function isForStudy({ origin, labels }) {
  return origin === "shipped" && labels <= STUDY;
}

function factsOf(model) {
  const { labels, right, photos, measured, origin, base, taught } = model;
  const from = { shipped: t("models.shipped"), taught: t(taught === "added" ? "models.added_to" : "models.taught_from", { base }), file: t("models.file") };
  const percent = right === null ? "" : number(100 * right, 1);
  const known = measured === "cross-validated" ? t("models.right_checked", { percent, n: photos }) : t("models.right", { percent, n: photos });
  if (isForStudy(model)) return [t("models.labels", { n: labels }), from[origin]]; // its share is of other pictures
  return [t("models.labels", { n: labels }), right === null ? t("models.not_measured") : known, from[origin]];
}
