// The controls below the picture: overlay, head, opacity.

import { knows, t } from "./language/language.js";
import { loadSettings, saveSettings } from "./settings.js";

const NOTHING = "none";

export class Controls {
  #form = document.getElementById("controls");
  #head = document.getElementById("head");
  #opacity = document.getElementById("opacity");
  #sentence = document.getElementById("overlay-sentence");
  #offered = ""; // what the model has to choose from
  #explained = [];
  #usual; // the overlay that the daemon would choose
  #changed;
  #pending = 0;
  #where = document.getElementById("where"); // where it looked: on or off

  // changed: called with {overlay, head, opacity} and the kind of overlay, an entry of overlays_explained, whenever they
  // change, and once the model is known
  constructor(changed) {
    this.#changed = changed;
    this.#where.addEventListener("change", () => this.#toggle());
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    for (const kind of ["input", "change"]) this.#form.addEventListener(kind, () => this.#apply());
  }

  // model: of /api/model
  setModel({ stream, heads }) {
    const offered = JSON.stringify([stream, heads]);
    if (offered === this.#offered) return;
    this.#offered = offered;
    this.#explained = stream.overlays_explained;
    this.#usual = this.#offers(stream.default.overlay) ? stream.default.overlay : this.#explained.find(({ needs }) => needs)?.mode ?? NOTHING;
    const chosen = loadSettings({ overlay: stream.default.overlay, head: "mean", opacity: stream.default.opacity });
    // a choice made for another model may not exist for this one
    if (!stream.overlays.includes(chosen.overlay)) chosen.overlay = stream.default.overlay;
    this.#addOverlays(chosen.overlay);
    this.#addHeads(heads ?? 0, chosen.head);
    this.#opacity.value = chosen.opacity;
    this.#apply();
  }

  get #chosen() {
    return { overlay: this.#form.elements.overlay.value, head: this.#head.value, opacity: Number(this.#opacity.value) };
  }

  // off, or what was on before
  #toggle() {
    const { overlay } = this.#chosen;
    const last = loadSettings({ last_overlay: this.#usual }).last_overlay;
    if (this.#where.checked) this.#form.elements.overlay.value = this.#offers(last) ? last : this.#usual;
    else {
      saveSettings({ last_overlay: overlay });
      this.#form.elements.overlay.value = NOTHING;
    }
    this.#apply();
  }

  #offers(overlay) {
    return overlay !== NOTHING && this.#explained.some(({ mode }) => mode === overlay);
  }

  #apply() {
    const chosen = this.#chosen;
    const kind = this.#explained.find((each) => each.mode === chosen.overlay);
    this.#where.checked = Boolean(kind.needs);
    this.#head.disabled = !kind.needs?.by_head;
    this.#opacity.disabled = !kind.needs || kind.style === "heat";
    this.#explain(inWords(kind));
    this.#opacity.title = this.#opacity.ariaValueText = `${Math.round(100 * chosen.opacity)} %`;
    document.getElementById("snapshot").href = `snapshot.jpg?${new URLSearchParams({ ...chosen, width: 1920, quality: 90 })}`;
    saveSettings(chosen);
    clearTimeout(this.#pending); // a slider passes many values, and each would start a new stream
    this.#pending = setTimeout(() => this.#changed(chosen, kind), 120);
  }

  #addOverlays(chosen) {
    const group = document.getElementById("overlays");
    for (const label of group.querySelectorAll("label")) label.remove();
    for (const { mode, label: name } of this.#explained.map(inWords)) {
      const label = group.appendChild(document.createElement("label"));
      const input = label.appendChild(document.createElement("input"));
      Object.assign(input, { type: "radio", name: "overlay", value: mode, checked: mode === chosen });
      label.appendChild(document.createElement("span")).textContent = name;
    }
  }

  #explain({ label, sentence }) {
    const name = document.createElement("b");
    name.textContent = label;
    this.#sentence.replaceChildren(name, " ", sentence);
  }

  #addHeads(heads, chosen) {
    this.#head.length = 1; // the mean
    for (let head = 0; head < heads; head += 1) {
      const option = this.#head.appendChild(document.createElement("option"));
      option.value = String(head);
      option.textContent = String(head + 1); // people count from one
    }
    this.#head.value = chosen;
    if (this.#head.selectedIndex < 0) this.#head.value = "mean";
  }
}

// kind: an entry of overlays_explained; with its words in the viewer's language where the page knows them
function inWords({ mode, label, sentence }) {
  const key = `overlay.kind.${mode}`;
  return { mode, label: knows(key) ? t(key) : label, sentence: knows(`${key}.what`) ? t(`${key}.what`) : sentence };
}
