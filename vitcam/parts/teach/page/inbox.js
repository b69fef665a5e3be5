// The inbox: pictures of which the model was unsure are named one after the other, with one key or one tap each, and then learned from.

import { ask, sentence } from "../ask.js";
import { timeOf } from "../history/words.js";
import { called, meantBy } from "../language/labels.js";
import { t } from "../language/language.js";

const MOST = 9; // as many as there are keys
const ASK_MS = 5000;
const TYPING = "input, select, textarea";
const AWAY = ["Delete", "Backspace"];
const find = (name) => document.getElementById(`inbox-${name}`);

export class Inbox {
  #section = document.getElementById("inbox");
  #one = find("one");
  #record = null; // of /api/inbox
  #skipped = new Set(); // ids
  #labels = []; // of the data set and those that were typed here, in an order that stays
  #answered = []; // ids of what can be taken back, the newest last
  #busy = false;
  #asked = 0;
  #does;

  // does: {learn(record), changed()}; changed is called when a picture went into a data set, or left it
  constructor(does) {
    this.#does = does;
    find("away").addEventListener("click", () => this.#answer(null));
    find("skip").addEventListener("click", () => this.#skip());
    find("undo").addEventListener("click", () => this.#undo());
    find("learn").addEventListener("click", () => does.learn(this.#record));
    find("other").addEventListener("submit", (event) => { event.preventDefault(); this.#type(); });
    this.#section.addEventListener("keydown", (event) => this.#press(event));
  }

  // reads what waits; called every second while the panel is open
  look() {
    if (Date.now() - this.#asked > ASK_MS) this.read();
  }

  async read() {
    this.#asked = Date.now();
    try {
      const record = await ask("api/inbox");
      if (!this.#busy) this.#show(record);
    } catch {
      if (!this.#record) this.#section.hidden = true; // this run has none
    }
  }

  #show(record) {
    const before = this.#current?.id;
    this.#record = record;
    const first = record.pictures.findIndex(({ id }) => id === before);
    if (first > 0) record.pictures.unshift(...record.pictures.splice(first, 1)); // what a person looks at stays
    record.pictures.sort((a, b) => this.#skipped.has(a.id) - this.#skipped.has(b.id));
    this.#labels.push(...record.labels.filter((label) => !this.#labels.includes(label)));
    this.#section.hidden = !record.pictures.length && !record.corrections && !this.#answered.length && !record.trouble;
    this.#draw();
    if (record.trouble) this.#say(sentence(record.trouble), true);
  }

  get #current() {
    return this.#record?.pictures[0];
  }

  #draw() {
    const { pictures, corrections } = this.#record;
    const current = this.#current;
    find("count").textContent = t("inbox.count", { n: pictures.length });
    this.#one.hidden = !current;
    find("hint").hidden = !current;
    find("empty").hidden = Boolean(current);
    find("undo").hidden = !this.#answered.length;
    for (const name of ["away", "skip"]) find(name).hidden = !current;
    find("skip").disabled = pictures.length < 2;
    find("learn").hidden = !corrections;
    find("learn").textContent = t("inbox.learn", { n: corrections });
    if (current) this.#drawOne(current);
  }

  #drawOne(current) {
    const address = `api/inbox/${encodeURIComponent(current.id)}/frame.jpg`;
    const picture = find("picture");
    if (picture.getAttribute("src") !== address) picture.src = address;
    const why = whyOf(current);
    if (find("why").textContent !== why) find("why").textContent = why;
    this.#one.setAttribute("aria-label", why);
    const wanted = this.#choicesFor(current);
    const buttons = find("choices");
    while (buttons.children.length > wanted.length) buttons.lastElementChild.remove();
    wanted.forEach((label, index) => this.#drawChoice(buttons.children[index] ?? this.#addChoice(index), label));
  }

  // labels of the data set keep their keys from picture to picture; the model's guesses come after them
  #choicesFor({ top, label }) {
    const guesses = top.map((guess) => guess.label);
    const known = this.#labels.length <= MOST ? this.#labels : [...this.#labels].sort((a, b) => guesses.includes(b) - guesses.includes(a));
    return [...new Set([...(label ? [label] : []), ...known, ...guesses])].slice(0, MOST);
  }

  #addChoice(index) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button inbox-choice" });
    button.setAttribute("aria-keyshortcuts", String(index + 1));
    const key = button.appendChild(document.createElement("kbd"));
    key.textContent = String(index + 1);
    key.ariaHidden = "true";
    button.append(document.createElement("span"));
    button.addEventListener("click", () => this.#answer(button.dataset.label));
    return find("choices").appendChild(button);
  }

  #drawChoice(button, label) {
    button.dataset.label = label;
    button.lastElementChild.textContent = called(label);
  }

  // where a picture is seen, a key is enough; in a field it is a letter
  #press(event) {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (target.matches(TYPING) || altKey) return;
    const isUndo = key === "u" || (key === "z" && (ctrlKey || metaKey));
    if (isUndo ? find("undo").hidden : !this.#current || ctrlKey || metaKey) return;
    const choice = /^[1-9]$/.test(key) ? find("choices").children[Number(key) - 1] : null;
    if (isUndo) this.#undo();
    else if (choice) this.#answer(choice.dataset.label);
    else if (AWAY.includes(key)) this.#answer(null);
    else if (key === "ArrowRight") this.#skip();
    else return;
    event.preventDefault();
  }

  #type() {
    const label = meantBy(find("label").value.normalize("NFC").trim());
    if (!label) return this.#say(t("inbox.type_first"), true);
    return this.#answer(label);
  }

  // label: null throws the picture away
  async #answer(label) {
    const current = this.#current;
    if (!current || this.#busy) return;
    await this.#change(async () => {
      const record = await ask(`api/inbox/${encodeURIComponent(current.id)}`, "POST", { label });
      this.#answered.push(current.id);
      find("label").value = "";
      return [record, label === null ? t("inbox.thrown_away") : t("inbox.named", { label: called(label) })];
    });
  }

  async #undo() {
    const id = this.#answered.at(-1);
    if (!id || this.#busy) return;
    await this.#change(async () => {
      try {
        const record = await ask(`api/inbox/${encodeURIComponent(id)}/answer`, "DELETE");
        this.#skipped.delete(id);
        const place = record.pictures.findIndex((each) => each.id === id);
        if (place > 0) record.pictures.unshift(...record.pictures.splice(place, 1));
        return [record, t("inbox.undone")];
      } finally {
        this.#answered.pop();
      }
    });
  }

  async #change(change) {
    this.#busy = true;
    const keepsFocus = this.#section.contains(document.activeElement);
    const isTyping = document.activeElement === find("label");
    try {
      const [record, said] = await change();
      this.#record = null; // the first one comes next
      this.#show(record);
      this.#say(said);
      this.#does.changed();
    } catch (error) {
      this.#say(sentence(error.message), true);
    } finally {
      this.#busy = false;
    }
    if (keepsFocus) this.#focus(isTyping);
  }

  #focus(isTyping) {
    const next = [this.#one, find("learn"), find("undo"), find("title")].find((each) => !each.hidden);
    (isTyping && this.#current ? find("label") : next).focus({ preventScroll: true });
  }

  #skip() {
    if (this.#record.pictures.length < 2 || this.#busy) return;
    const [current, ...others] = this.#record.pictures;
    this.#skipped.add(current.id);
    this.#record.pictures = [...others, current];
    find("message").hidden = true;
    this.#draw();
  }

  #say(text, bad = false) {
    const message = find("message");
    message.hidden = false;
    message.classList.toggle("bad", bad);
    message.textContent = text;
  }
}

function whyOf({ why, top, label, zone, time }) {
  const guesses = top.slice(0, 2).map((guess) => `${called(guess.label)} ${Math.round(100 * guess.p)}\u00a0%`).join(", ");
  const said = why === "corrected" ? t("inbox.why.corrected", { label: called(label) }) : t(`inbox.why.${why}`, { guesses });
  const at = timeOf(time);
  return `${said} ${zone ? t("inbox.in_zone", { zone, at }) : at}`;
}
