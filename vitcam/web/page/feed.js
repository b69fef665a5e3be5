// Predictions and events as they come: from the daemon, or from the window that reads them for all.

import { PART_VIEWS } from "./part_views.js";
import { isLive } from "./views.js";

const AGAIN_MS = 1000;
const KINDS = ["prediction", "event"];
const MOST_PLACES = 80; // more than there can be at once

export class Feed {
  #windows;
  #on;
  #source = null;
  #address = null;
  #newest = new Map(); // place -> its newest prediction as text, for windows that come later

  // on: {open(), prediction(record), event(record), heard(kind, record, isFirst)}, the last for what only parts hear;
  // isFirst: whether this window reads for all
  constructor(windows, on) {
    this.#windows = windows;
    this.#on = on;
  }

  // connects as the windows have shared it out
  update() {
    const address = this.#windows.reads ? (this.#windows.anyLive ? "api/predictions" : "api/predictions?only=events") : null;
    if (address === this.#address) return;
    this.stop();
    this.#address = address;
    if (address) this.#listen(address);
  }

  restart() {
    this.stop();
    this.update();
  }

  stop() {
    this.#source?.close();
    this.#source = this.#address = null;
    this.#newest.clear();
  }

  // another window tells what it has read
  hear(kind, data) {
    if (!this.#windows.reads) this.#take(kind, data);
  }

  // a window came: it has missed what will not come again from a source that stands still
  greet() {
    if (this.#source) for (const data of this.#newest.values()) this.#windows.tell("prediction", data);
  }

  #listen(address) {
    const source = this.#source = new EventSource(address);
    source.addEventListener("open", () => this.#got("open"));
    for (const kind of [...KINDS, ...PART_VIEWS.map(({ hears }) => hears).filter(Boolean)]) source.addEventListener(kind, ({ data }) => this.#got(kind, data));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (source === this.#source) this.restart(); }, AGAIN_MS);
    });
  }

  #got(kind, data) {
    this.#windows.tell(kind, data);
    this.#take(kind, data);
  }

  // what was followed and is gone is forgotten after others
  #keep({ zone, track }, data) {
    const place = JSON.stringify([zone, track]);
    this.#newest.delete(place);
    this.#newest.set(place, data);
    if (this.#newest.size > MOST_PLACES) this.#newest.delete(this.#newest.keys().next().value);
  }

  #take(kind, data) {
    if (kind === "open") return this.#on.open();
    if (kind === "prediction" && !isLive() && !this.#source) return;
    const record = JSON.parse(data);
    if (kind === "prediction" && this.#source) this.#keep(record, data);
    if (KINDS.includes(kind)) this.#on[kind](record);
    else this.#on.heard(kind, record, Boolean(this.#source));
  }
}
