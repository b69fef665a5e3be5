// The view "Learn": how a Vision Transformer comes to its answer for one picture, step by step.

import { takePhotos } from "../incoming_photos.js";
import { t } from "../language/language.js";
import { forgetModel, modelInUse } from "../models/in_use.js";
import { readFiles } from "../transfer.js";
import { attentionOf, classify, fetchPicture, offersOf, pictureNow, sampleOf, useModel } from "./api.js";
import { Attention } from "./attention.js";
import { showFacts } from "./facts.js";
import { Maps, percent } from "./maps.js";
import { Patches } from "./patches.js";
import { showSteps } from "./steps.js";

const SAMPLES = ["cat.jpg", "coffee.jpg", "dog.jpg", "bird.jpg", "person.jpg", "night.jpg", "digit-2.png", "digit-5.png"];
const CLASS_TOKEN = 0;
const find = (name) => document.getElementById(`learn-${name}`);

export async function open() {
  const model = await modelInUse();
  if (!model.name) throw new Error("the model is not known");
  return new Learn(model);
}

// model: of /api/model
class Learn {
  #model;
  #offers = null; // of /api/learn
  #photo = null;
  #newest = 0; // what comes of an older photo is not shown
  #attention = null;
  #token = null; // whose attention is shown
  #maps = new Maps(() => this.#showToken());
  #patches = new Patches((index) => this.#choose(index));

  constructor(model) {
    this.#model = model;
    find("samples").append(...SAMPLES.map((name) => this.#sample(name)));
    for (const input of [find("file"), find("shot")]) {
      input.addEventListener("change", () => {
        if (input.files.length) this.#take(readFiles(input.files));
        input.value = "";
      });
    }
    find("now").addEventListener("click", () => this.#get(pictureNow));
    find("address").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#get(() => fetchPicture(find("url").value));
    });
    find("model").addEventListener("change", () => this.#use(find("model").value));
    find("class").addEventListener("click", () => this.#chooseToken(CLASS_TOKEN));
    takePhotos("learn", (found) => this.#take(found));
  }

  async open() {
    showFacts(this.#model);
    try {
      const [offers] = await Promise.all([offersOf(), this.#listModels()]);
      this.#offers = offers;
      find("address").hidden = !offers.fetch;
      if (!this.#photo) await this.#get(() => sampleOf(SAMPLES[0]));
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  close() {}

  // another model is in use
  async setModel() {
    const model = await modelInUse();
    if (!model.name || JSON.stringify(model) === JSON.stringify(this.#model)) return; // the page has noticed it, too
    this.#model = model;
    showFacts(model);
    find("model").value = model.name;
    try {
      this.#offers = await offersOf();
      if (this.#photo) await this.#look(this.#photo);
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  async #listModels() {
    const response = await fetch("api/models");
    find("model").parentElement.hidden = !response.ok;
    if (!response.ok) return;
    const { models, name, fixed } = await response.json();
    const names = models.map((each) => each.name ?? each);
    find("model").replaceChildren(...[...new Set([...names, name])].map((each) => new Option(each, each)));
    find("model").value = name;
    find("model").disabled = Boolean(fixed);
  }

  async #use(name) {
    this.#say(t("learn.changing"));
    find("model").disabled = true;
    try {
      await useModel(name);
      forgetModel();
      await this.setModel();
    } catch (error) {
      this.#say(error.message, true);
      find("model").value = this.#model.name;
    } finally {
      find("model").disabled = false;
    }
  }

  #sample(name) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "learn-sample" });
    const picture = Object.assign(document.createElement("img"), { src: `page/learn/${name}`, alt: t(`learn.sample.${name.split(".")[0].replaceAll("-", "_")}`), width: 72, height: 72 });
    button.append(picture);
    button.addEventListener("click", () => this.#get(() => sampleOf(name)));
    return button;
  }

  // found: {photo} or {sentence}, of a link {sentence, address}
  #take({ photo, sentence, address }) {
    if (photo) this.#look(photo);
    else if (address && this.#offers?.fetch) this.#get(() => fetchPicture(address));
    else this.#say(sentence, true);
  }

  // source: gives a Blob
  async #get(source) {
    this.#say(t("learn.loading"));
    const turn = this.#newest += 1;
    try {
      const photo = await source();
      if (turn === this.#newest) await this.#look(photo);
    } catch (error) {
      if (turn === this.#newest) this.#say(error.message, true);
    }
  }

  // photo: a Blob
  async #look(photo) {
    const turn = this.#newest += 1;
    this.#say(t("common.classifying"));
    try {
      const [answer, original] = await Promise.all([classify(photo), createImageBitmap(photo).catch(() => null)]);
      const received = await createImageBitmap(await dataUrlToBlob(answer.input));
      if (turn !== this.#newest) return;
      this.#photo = photo;
      find("way").hidden = false;
      showSteps(answer, this.#model, original, received);
      this.#prepare(received);
      this.#say("");
    } catch (error) {
      if (turn === this.#newest) this.#say(error.message, true);
    }
  }

  // received: a bitmap of what the model got
  #prepare(received) {
    this.#attention = null;
    this.#token = null;
    this.#maps.setAttention(null);
    const { rows, columns } = this.#model.patches;
    find("attention").hidden = rows === 0;
    find("grid").hidden = find("chosen").hidden = !this.#offers?.attention;
    find("class").hidden = !this.#offers?.attention || this.#model.pooling !== "cls_token";
    find("shares").textContent = "";
    find("striped").hidden = true;
    find("chosen").textContent = t("learn.choose");
    this.#sayAttention(this.#offers?.attention ? "" : t("learn.no_attention"));
    if (rows) this.#patches.setPicture(received, { rows, columns });
  }

  // index: of a patch
  async #choose(index) {
    this.#patches.choose(index, null);
    await this.#chooseToken(null, index);
  }

  // token: its number; null: that of the patch `index`
  async #chooseToken(token, index = null) {
    this.#token = { token, index };
    if (!this.#attention && !(await this.#loadAttention())) return;
    this.#maps.draw(this.#number());
    this.#showToken();
  }

  async #loadAttention() {
    const turn = this.#newest;
    if (this.#attention === undefined) return false; // it is on its way
    this.#attention = undefined;
    this.#sayAttention(t("learn.attention_loading"));
    try {
      const attention = new Attention(await attentionOf(this.#photo));
      if (turn !== this.#newest) return false;
      this.#attention = attention;
      this.#maps.setAttention(attention);
      this.#sayAttention(attention.averaged ? t("learn.averaged") : "");
      find("striped").hidden = attention.queries.every((queries) => queries === attention.tokens);
      return true;
    } catch (error) {
      if (turn === this.#newest) {
        this.#attention = null;
        this.#sayAttention(error.message, true);
      }
      return false;
    }
  }

  #number() {
    const { token, index } = this.#token;
    return token ?? this.#attention.before + index;
  }

  // draws whom the chosen token attends to in the block and head that are shown large
  #showToken() {
    const { token, index } = this.#token;
    const [block, head] = this.#maps.shown;
    const weights = this.#attention.weights(block, head, this.#number());
    const { before, columns } = this.#attention;
    this.#patches.choose(index, weights && this.#attention.onGrid(weights));
    find("chosen").textContent = token === null
      ? t("learn.chosen", { n: index + 1, row: Math.floor(index / columns) + 1, column: (index % columns) + 1 })
      : t("learn.chosen_class");
    find("shares").textContent = weights ? wordsOf(weights, before, this.#number(), block, head) : "";
  }

  #say(sentence, bad = false) {
    say(find("said"), sentence, bad);
  }

  #sayAttention(sentence, bad = false) {
    say(find("attention-said"), sentence, bad);
  }
}

// such as "Block 3, head 1: 12 % on itself, 40 % on the class token, 48 % on other patches."
function wordsOf(weights, before, own, block, head) {
  const itself = weights[own];
  const first = weights.subarray(0, before).reduce((sum, weight) => sum + weight, 0) - (own < before ? itself : 0);
  const values = { block: block + 1, head: head + 1, itself: percent(itself), first: percent(first), rest: percent(Math.max(0, 1 - itself - first)) };
  if (own < before) return t("learn.shares_class", values);
  return t(before ? "learn.shares_before" : "learn.shares", values);
}

function say(element, sentence, bad) {
  const text = sentence && `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  element.textContent = text && !/[.…?!]$/.test(text) ? `${text}.` : text;
  element.classList.toggle("bad", bad);
  element.hidden = !sentence;
}

// the Content-Security-Policy lets no script fetch a data URL
function dataUrlToBlob(url) {
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: "image/png" });
}
