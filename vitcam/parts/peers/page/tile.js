// One camera of the wall. All texts come from other machines: they are shown as text, and never as markup.

import { percent } from "../guesses.js";
import { timeOf } from "../history/words.js";
import { called } from "../language/labels.js";
import { t } from "../language/language.js";
import { statusOf } from "../shown.js";

const WITH_PICTURE = ["ok", "degraded"];
const WORDS = ["status", "caption", "last"];

export class Tile {
  element = document.createElement("li");
  #link = document.createElement("a");
  #title = document.createElement("h3");
  #picture = document.createElement("div");
  #reason = document.createElement("p");
  #words = {};
  #name = document.createElement("span"); // of what is seen
  #chance = Object.assign(document.createElement("span"), { className: "expert" });
  #acts = Object.assign(document.createElement("form"), { className: "tile-acts", hidden: true });
  #still = null; // the number of the picture that is shown, or is being loaded
  #isLoading = false;

  // camera: of /api/peers; the name "" is this camera; does: {rename(name, to), remove(name)}
  constructor({ name, address }, does) {
    this.element.className = "card tile";
    this.#link.href = name ? address : "#live";
    if (name) Object.assign(this.#link, { target: "_blank", rel: "noopener" });
    this.#picture.className = "tile-picture";
    this.#reason.className = "tile-reason";
    const head = document.createElement("div");
    head.className = "tile-head";
    for (const each of WORDS) {
      this.#words[each] = document.createElement("p");
      this.#words[each].className = `tile-${each}`;
    }
    head.append(this.#title, this.#words.status);
    this.#words.caption.append(this.#name, this.#chance);
    this.#picture.append(this.#reason);
    this.#link.append(this.#picture, head, this.#words.caption, this.#words.last);
    this.element.append(this.#link, this.#acts);
    this.#offer(name, does);
  }

  // what can be done with a camera that was added here
  #offer(name, { rename, remove }) {
    const make = (tag, more) => this.#acts.appendChild(Object.assign(document.createElement(tag), more));
    const field = make("input", { value: name, maxLength: 32, hidden: true, ariaLabel: t("wall.new_name", { name }) });
    const renaming = make("button", { className: "button", textContent: t("wall.rename"), ariaLabel: `${t("wall.rename")}: ${name}` });
    const removing = make("button", { type: "button", className: "button", textContent: t("wall.remove"), ariaLabel: `${t("wall.remove")}: ${name}` });
    this.#acts.addEventListener("submit", (event) => {
      event.preventDefault();
      const to = field.value.trim();
      if (!field.hidden && to && to !== name) rename(name, to);
      field.hidden = !field.hidden;
      if (!field.hidden) field.select();
      else renaming.focus();
    });
    removing.addEventListener("click", () => remove(name));
  }

  // mayChange: whether the caller may change something; title: what people call the camera; source: what this
  // camera was opened with, "" for others
  show({ name, address, status, reason, caption, last, still, added }, mayChange, title, source) {
    write(this.#title, title);
    this.#acts.hidden = !added || !mayChange;
    if (name) this.#link.href = address;
    if (status === null && this.#still !== null) return; // vitcam asks it again after a pause
    this.element.dataset.status = status ?? "starting";
    const hasPicture = name ? still !== null : WITH_PICTURE.includes(status);
    this.element.classList.toggle("old", !hasPicture);
    write(this.#words.status, status === null ? t("wall.waiting") : status === "away" ? t("wall.away") : statusOf(status, source));
    write(this.#reason, reason || (hasPicture || status === null ? "" : t("status.no_signal")));
    const seen = hasPicture ? caption : null;
    this.#words.caption.hidden = !seen;
    write(this.#name, seen ? captionOf(seen) : "");
    write(this.#chance, seen?.label ? ` · ${percent(seen.p)}` : "");
    write(this.#words.last, last ? lastOf(last, hasPicture && caption?.label === last.label) : status === null || status === "away" ? "" : t("wall.nothing"));
    if (hasPicture && name) this.#load(still, `api/peers/${encodeURIComponent(name)}/snapshot.jpg?n=${still}`);
    else if (hasPicture) this.#load(performance.now(), `snapshot.jpg?width=640&overlay=none&n=${Math.round(performance.now())}`);
  }

  // one at a time; the picture before stays until the next one is there
  async #load(still, address) {
    if (this.#isLoading || still === this.#still) return;
    this.#isLoading = true;
    this.#still = still;
    const next = new Image();
    next.alt = "";
    next.src = address;
    try {
      await next.decode();
      this.#picture.querySelector("img")?.remove();
      this.#picture.prepend(next);
    } catch {
      this.#still = null; // the next round tries again
    } finally {
      this.#isLoading = false;
    }
  }
}

function captionOf({ label, zone }) {
  const said = label === null ? t("answer.not_sure") : called(label);
  return zone === null ? said : `${zone}: ${said}`;
}

// isThere: whether the camera says that it sees it now; an event ends only a moment later
function lastOf({ label, start, end }, isThere) {
  const name = called(label) ?? t("answer.not_sure");
  const time = timeOf(start);
  return end === null && isThere ? t("wall.since", { time }) : t("wall.last", { name, time });
}

function write(element, text) {
  element.hidden = !text;
  if (element.textContent !== text) element.textContent = text;
}
