// A row for each zone: its name, what is seen there, and how often it is looked at. One of them is shown in full below.

import { chanceOf, nameOf } from "./shown.js";
import { Smoothing } from "./smoothing.js";

export class ZoneRows {
  #list = document.getElementById("zone-rows");
  #title = document.querySelector("#answer h2");
  #plainTitle = this.#title.textContent;
  #zones = new Map(); // name -> {newest, smoothing, answer, button, label, chance, rate}
  #chosen = null;

  get areShown() {
    return this.#zones.size > 0;
  }

  // prediction: of /api/predictions, with a zone; returns whether this zone is the one that is shown in full
  add(prediction) {
    const zone = this.#zones.get(prediction.zone) ?? this.#open(prediction.zone);
    zone.newest = prediction;
    return prediction.zone === this.#chosen;
  }

  // rates: `zones` of /api/state; zones that are not there any more lose their row
  showRates(rates) {
    for (const [name, { button }] of this.#zones) {
      if (name in rates) continue;
      button.parentElement.remove();
      this.#zones.delete(name);
    }
    if (!this.#zones.has(this.#chosen)) this.#choose(this.#zones.keys().next().value ?? null);
    for (const [name, { fps }] of Object.entries(rates)) {
      const zone = this.#zones.get(name);
      if (zone) zone.rate.textContent = `${fps.toFixed(fps < 10 ? 1 : 0)} fps`;
    }
    this.#list.hidden = !this.areShown;
  }

  // draws every row; returns what Answer shows of the chosen zone, null while there is nothing
  draw() {
    for (const zone of this.#zones.values()) {
      if (!zone.newest?.top.length) continue;
      zone.answer = zone.smoothing.add(zone.newest);
      zone.label.textContent = nameOf(zone.answer);
      zone.chance.textContent = chanceOf(zone.answer);
      zone.button.classList.toggle("unknown", zone.answer.shown.level === "none");
      zone.newest = null;
    }
    return this.#zones.get(this.#chosen)?.answer ?? null;
  }

  get spoken() {
    return [...this.#zones].map(([name, { label }]) => `${name}: ${label.textContent}`).join("; ");
  }

  #open(name) {
    const button = document.createElement("button");
    button.type = "button";
    const [title, label, chance, rate] = ["zone", "found", "percent", "rate"].map((className) => {
      const part = button.appendChild(document.createElement("span"));
      part.className = className;
      return part;
    });
    title.textContent = name;
    button.addEventListener("click", () => this.#choose(name));
    const zone = { newest: null, smoothing: new Smoothing(), answer: null, button, label, chance, rate };
    this.#zones.set(name, zone);
    this.#list.appendChild(document.createElement("li")).appendChild(button);
    this.#list.hidden = false;
    this.#choose(this.#chosen ?? name);
    return zone;
  }

  #choose(name) {
    this.#chosen = name;
    for (const [each, { button }] of this.#zones) button.setAttribute("aria-pressed", each === name);
    const title = document.createElement("span"); // a name keeps its small letters
    title.textContent = name === null ? "" : ` ${name}`;
    this.#title.replaceChildren(name === null ? this.#plainTitle : `${this.#plainTitle} in`, title);
  }
}
