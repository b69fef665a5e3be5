// The last events below the live picture, the newest first: what each was called, when it began, and how sure the model was.

import { ask } from "../ask.js";
import { frameUrl } from "../history/addresses.js";
import { called } from "../language/labels.js";
import { CLOCK, t } from "../language/language.js";
import { write } from "../shown.js";
import { Fresh } from "./fresh.js";

const MOST = 12;
const WIDTH = 240; // px of a picture
const SURE = [[0.9, "sure"], [0.7, "rather"], [0, "unsure"]];

export class Strip {
  #part = document.getElementById("strip");
  #list = document.getElementById("strip-list");
  #cards = new Map(); // id of an event -> its element
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
    const wanted = new Set(events.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (wanted.has(id) || card.contains(document.activeElement)) continue; // a person is there
      card.remove();
      this.#cards.delete(id);
    }
    events.forEach((event, place) => {
      const card = this.#cards.get(event.id) ?? cardOf(event);
      this.#cards.set(event.id, card);
      show(card, event);
      const there = this.#list.children[place];
      if (there !== card) this.#list.insertBefore(card, there ?? null); // one that moves loses the focus
    });
    this.events = events;
  }
}

// as the daemon calls it
export function labelOf({ shown, label }) {
  return shown.kind ?? label;
}

function cardOf({ id }) {
  const card = document.createElement("li");
  const link = card.appendChild(Object.assign(document.createElement("a"), { href: `#event/${id}`, className: "shot" }));
  link.dataset.id = id;
  link.append(Object.assign(document.createElement("img"), { alt: "", decoding: "async" }), document.createElement("b"), document.createElement("span"));
  return card;
}

// an event that lasts may get a better picture, and another certainty
function show(card, event) {
  const [picture, name, when] = card.firstChild.children;
  const address = event.frame ? frameUrl(event, WIDTH) : "";
  picture.hidden = !address;
  if (address && picture.getAttribute("src") !== address) picture.src = address;
  write(name, called(labelOf(event)));
  const sure = event.corrected ? "told" : SURE.find(([least]) => event.p >= least)[1];
  write(when, `${CLOCK.format(new Date(event.start))} · ${t(`strip.${sure}`)}`);
}
