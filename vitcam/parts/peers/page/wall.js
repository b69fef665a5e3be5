// Several cameras beside each other: a still every second or two, what each displays, and what happened last. vitcam
// fetches the pictures of the others while this view asks for them.

import { ask } from "../ask.js";
import { answerOf, t } from "../language/language.js";
import { Sure } from "../panels/sure.js";
import { checkSession } from "../session.js";
import { Adding } from "./adding.js";
import { Tile } from "./tile.js";

const ASK_MS = 1500;
const PATIENCE_MS = 8000;

export const open = () => new Wall();

class Wall {
  #list = document.getElementById("wall-tiles");
  #message = document.getElementById("wall-message");
  #tiles = new Map(); // name -> Tile; "" is this camera
  #adding = new Adding(() => this.#turn());
  #leaving = ""; // the name of a camera that is to be removed
  #sure = new Sure("wall", "wall.sure", () => this.#change(this.#leaving, "DELETE"));
  #mayChange = false;
  #called = ""; // what people call this camera
  #source = ""; // what this camera was opened with
  #isOpen = false;
  #asks = 0; // counts the rounds of asking: an older one ends when another has begun

  constructor() {
    document.addEventListener("visibilitychange", () => this.#turn());
  }

  open() {
    this.#isOpen = true;
    this.#turn();
  }

  // state: of /api/state
  setState({ access, name, source }) {
    this.#called = name;
    this.#source = source;
    this.#mayChange = !access || access.scope === "control";
    this.#adding.allow(this.#mayChange);
  }

  close() {
    this.#isOpen = false;
    this.#turn();
  }

  // asks only while somebody sees it
  async #turn() {
    const round = ++this.#asks;
    while (this.#isOpen && !document.hidden && round === this.#asks) {
      const began = performance.now();
      await this.#ask(round);
      await new Promise((done) => setTimeout(done, Math.max(200, began + ASK_MS - performance.now())));
    }
  }

  async #ask(round) {
    try {
      const response = checkSession(await fetch("api/peers", { signal: AbortSignal.timeout(PATIENCE_MS) }));
      const found = await answerOf(response);
      if (!response.ok) throw new Error(found.error);
      if (round === this.#asks) this.#show(found);
    } catch {
      if (round === this.#asks) this.#say(t("status.tries_again"));
    }
  }

  // found: of /api/peers
  #show({ this: own, peers }) {
    this.#say("");
    const cameras = [{ ...own, name: "" }, ...peers];
    const names = cameras.map(({ name }) => name);
    for (const [name, tile] of this.#tiles) {
      if (names.includes(name)) continue;
      tile.element.remove();
      this.#tiles.delete(name);
    }
    for (const camera of cameras) {
      if (!this.#tiles.has(camera.name)) this.#tiles.set(camera.name, new Tile(camera, this.#does));
      const tile = this.#tiles.get(camera.name);
      if (this.#list.children[names.indexOf(camera.name)] !== tile.element) this.#list.append(tile.element);
      tile.show(camera, this.#mayChange, camera.name || this.#called || t("wall.this"), camera.name ? "" : this.#source);
    }
  }

  #does = {
    rename: (name, to) => this.#change(name, "PATCH", { name: to }),
    remove: (name) => { this.#leaving = name; this.#sure.ask(); },
  };

  async #change(name, method, body) {
    try {
      await ask(`api/peers/${encodeURIComponent(name)}`, method, body);
      this.#turn();
    } catch (error) {
      this.#say(error.message);
    }
  }

  #say(sentence) {
    this.#message.hidden = !sentence;
    if (this.#message.textContent !== sentence) this.#message.textContent = sentence;
  }
}
