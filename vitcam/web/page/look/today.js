// What happened today, folded: one line for each thing that was seen, what is new first. Asked for when something
// happens, and only while it is on the screen.

import { ask } from "../ask.js";
import { frameUrl } from "../history/addresses.js";
import { called } from "../language/labels.js";
import { CLOCK, t } from "../language/language.js";
import { Fresh } from "./fresh.js";

const MOST = 6;
const WIDTH = 160; // px of a picture

export class Today {
  #part = document.getElementById("today");
  #list = document.getElementById("today-list");
  #none = document.getElementById("today-none");
  #story = document.getElementById("today-story").content.firstElementChild;
  #day = "";
  #shown = "";
  #fresh = new Fresh(this.#part, () => this.#read());

  // history: of /api/state
  show({ enabled = true }) {
    this.#part.hidden = !enabled;
    if (new Date().toDateString() !== this.#day) this.event();
  }

  // something happened
  event() {
    this.#fresh.event();
  }

  async #read() {
    const [start, end] = today();
    this.#day = start.toDateString();
    const times = [start, end].map((time) => time.toISOString()).join();
    this.#draw((await ask(`api/events/summary?${new URLSearchParams({ times, limit: MOST })}`)).whole.stories);
  }

  #draw(stories) {
    const shown = JSON.stringify(stories);
    if (shown === this.#shown || this.#list.contains(document.activeElement)) return; // where a person is, nothing is drawn again
    this.#shown = shown;
    this.#none.hidden = stories.length > 0;
    this.#list.replaceChildren(...stories.map((story) => this.#lineOf(story)));
  }

  #lineOf({ label, events, last, newness, event }) {
    const line = this.#story.cloneNode(true);
    line.querySelector("a").href = `#event/${event.id}`;
    line.querySelector(".what").textContent = called(label);
    const times = t("today.times", { n: events, last: CLOCK.format(new Date(last)) });
    line.querySelector(".when").textContent = newness ? `${t(`today.${newness}`)}, ${times}` : times;
    if (event.frame) line.querySelector("img").src = frameUrl(event, WIDTH);
    return line;
  }
}

// the two midnights of the viewer's day
function today() {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return [start, end];
}
