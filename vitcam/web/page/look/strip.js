// The last events below the live picture, the newest first: what each was called, when it began, and how sure the model was.

import { ask } from "../ask.js";
import { frameUrl } from "../history/addresses.js";
import { CLOCK, t } from "../language/language.js";
import { Fresh } from "./fresh.js";

const MOST = 12;
const WIDTH = 240; // px of a picture
const SURE = [[0.9, "sure"], [0.7, "rather"], [0, "unsure"]];

export class Strip {
  #part = document.getElementById("strip");
  #list = document.getElementById("strip-list");
  #lines = new Map(); // what stands in it -> its element
  #fresh = new Fresh(this.#part, () => this.#read());
  events = []; // of /api/events

  // history: of /api/state
  show({ enabled = true }) {
    this.#part.hidden = !enabled;
  }

  // something has happened
  event() {
    this.#fresh.event();
  }

  async #read() {
    const { events } = await ask(`api/events?${new URLSearchParams({ kind: "seen", limit: MOST })}`);
    const wanted = new Map(events.map((event) => [JSON.stringify([event.id, nameOf(event), event.frame, event.p]), event]));
    for (const [key, line] of this.#lines) {
      if (wanted.has(key)) continue;
      line.remove();
      this.#lines.delete(key);
    }
    [...wanted].forEach(([key, event], place) => {
      if (!this.#lines.has(key)) this.#lines.set(key, card(event));
      const there = this.#list.children[place];
      if (there !== this.#lines.get(key)) this.#list.insertBefore(this.#lines.get(key), there ?? null); // one that moves loses the focus
    });
    this.events = events;
  }
}

export function nameOf({ shown, label }) {
  return shown.kind ?? label;
}

function card(event) {
  const line = document.createElement("li");
  const link = line.appendChild(Object.assign(document.createElement("a"), { href: `#event/${event.id}`, className: "shot" }));
  link.dataset.id = event.id;
  const add = (tag, more) => link.appendChild(Object.assign(document.createElement(tag), more));
  if (event.frame) add("img", { alt: "", loading: "lazy", decoding: "async", src: frameUrl(event, WIDTH) });
  add("b", { textContent: nameOf(event) });
  const sure = event.corrected ? "told" : SURE.find(([least]) => event.p >= least)[1];
  add("span", { textContent: `${CLOCK.format(new Date(event.start))} · ${t(`strip.${sure}`)}` });
  return line;
}
