// Pause and step through a folder, a photo or a video. Of a camera that somebody has paused: end the pause.

import { answerOf, number, t } from "./language/language.js";

const TYPING = "input, select, textarea, dialog, .crop-box";
const PRESSED = "button, a, summary, label"; // the space bar presses these
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export class Playback {
  #bar = document.getElementById("playback");
  #back = document.getElementById("step-back");
  #pause = document.getElementById("pause");
  #position = document.getElementById("position");
  #refusal = document.getElementById("playback-refusal");
  #record = null;
  #changed;

  // changed: called with what the daemon answers
  constructor(changed) {
    this.#changed = changed;
    this.#back.addEventListener("click", () => this.#ask({ step: -1 }));
    document.getElementById("step").addEventListener("click", () => this.#ask({ step: 1 }));
    this.#pause.addEventListener("click", () => this.#toggle());
    document.getElementById("held-end").addEventListener("click", () => this.#ask({ paused: false }));
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  // record: `playback` of /api/state; null if the source is not a file
  // source: of /api/state; paths of photos are shown relative to it
  show(record, source) {
    this.#record = record;
    this.#bar.hidden = !record;
    if (!record) return;
    const [name, withKey] = record.paused ? ["playback.play", "playback.play_key"] : ["playback.pause", "playback.pause_key"];
    this.#bar.classList.toggle("paused", record.paused);
    this.#back.disabled = !record.can_step_back;
    this.#pause.setAttribute("aria-label", t(name));
    this.#pause.title = t(withKey);
    const index = record.index + 1;
    const place = record.index === null ? "" : record.count === null ? number(index) : t("playback.place", { index, count: record.count });
    const folder = `${source}/`;
    const path = record.path?.startsWith(folder) ? record.path.slice(folder.length) : record.path;
    this.#position.textContent = [place, path].filter(Boolean).join(" · ");
  }

  // held: whether a camera is shown and not classified
  hold(held) {
    document.getElementById("held").hidden = !held;
  }

  #toggle() {
    this.#ask({ paused: !this.#record.paused });
  }

  #press(event) {
    if (!this.#record || this.#bar.offsetParent === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest(TYPING)) return;
    const step = STEPS[event.key];
    if (step) this.#ask({ step });
    else if (event.key === " " && !event.target.closest(PRESSED)) this.#toggle();
    else return;
    event.preventDefault();
  }

  async #ask(change) {
    try {
      const response = await fetch("api/playback", { method: "POST", body: JSON.stringify(change) });
      const answer = await answerOf(response);
      this.#say(response.ok ? "" : answer.error);
      if (response.ok && this.#record) this.#changed(answer);
      else if (response.ok) this.hold(answer.paused);
    } catch {
      this.#say(t("common.no_answer"));
    }
  }

  #say(sentence) {
    this.#refusal.hidden = !sentence;
    this.#refusal.textContent = sentence;
  }
}
