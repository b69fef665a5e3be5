// One event: its picture, how probable it was from second to second, its clip, and what the viewer can do with it.

import { Guesses } from "../guesses.js";
import { called, meantBy } from "../language/labels.js";
import { put, t } from "../language/language.js";
import { suggestLabels } from "../models/in_use.js";
import { Sure } from "../panels/sure.js";
import { PART_VIEWS } from "../part_views.js";
import { place } from "../seen.js";
import { clipUrl, detailUrl, frameUrl } from "./addresses.js";
import { changeEvent, deleteEvent, getEvent } from "./api.js";
import { Curve } from "./curve.js";
import { chanceOf, clock, dayName, dayOf, lasted, nameOf } from "./words.js";

const TYPING = "input, select, textarea, video, dialog";
const WIDTHS = [480, 960, 1920];
const DETAIL_WIDTH = 480;
const SWIPE_PX = 50;
const OVERLAY = "evidence";
const find = (name) => document.getElementById(`event-${name}`);

export class EventView {
  #section = document.getElementById("event");
  #image = find("image");
  #detail = find("detail");
  #overlay = find("overlay");
  #form = find("correct");
  #message = find("message");
  #sure = new Sure("event", "event.sure", () => this.#delete());
  #guesses = new Guesses(find("guesses"));
  #curve = new Curve(find("curve"));
  #links = PART_VIEWS.filter(({ on_event: text }) => text).map(linkTo);
  #event = null;
  #wanted = null; // id of the event that was asked for last
  #mayChange = true;
  #done;

  // done: {changed(event), removed(id), step(id, by), back()}
  constructor(done) {
    this.#done = done;
    find("change").prepend(...this.#links);
    put(find("correct-hint"), PART_VIEWS.map(({ on_correction: text }) => text && t(text)).filter(Boolean).join(" "));
    this.#overlay.addEventListener("change", () => this.#showPicture());
    this.#image.addEventListener("error", () => this.#say(t("event.picture_failed"), true));
    find("favourite").addEventListener("click", () => this.#change({ favourite: !this.#event.favourite }));
    find("delete").addEventListener("click", () => this.#sure.ask());
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#correct(); });
    find("uncorrect").addEventListener("click", () => this.#change({ label: null }, t("event.uncorrected")));
    find("newer").addEventListener("click", () => this.#done.step(this.#wanted, -1));
    find("older").addEventListener("click", () => this.#done.step(this.#wanted, 1));
    document.addEventListener("keydown", (event) => this.#press(event));
    suggestLabels(find("label"), find("labels"));
    this.#followSwipes(find("picture"));
  }

  get isOpen() {
    return !this.#section.hidden;
  }

  // mayChange: whether the caller may change and delete events
  allow(mayChange) {
    if (this.#mayChange === mayChange) return;
    this.#mayChange = mayChange;
    if (this.#event) this.#showActions();
  }

  // known: the event as the grid has it, shown until the daemon has answered; or undefined
  async open(id, known) {
    this.#wanted = id;
    this.#section.hidden = false;
    this.#message.hidden = true;
    if (known) this.#show(known);
    else this.#blank();
    await this.#load(id);
  }

  // record: a newer state of some event
  update(record) {
    if (this.isOpen && record.id === this.#wanted) this.#load(record.id);
  }

  close() {
    this.#wanted = this.#event = null;
    this.#section.hidden = true;
    find("clip").removeAttribute("src");
    this.#sure.close();
  }

  // steps: {newer, older}, whether there are such events
  allowSteps({ newer, older }) {
    find("newer").disabled = !newer;
    find("older").disabled = !older;
  }

  async #load(id) {
    try {
      const event = await getEvent(id);
      if (this.#wanted === id) this.#show(event);
    } catch (error) {
      if (this.#wanted === id) this.#say(error.status === 404 ? t("event.gone") : error.message, true);
    }
  }

  #blank() {
    this.#event = null;
    find("body").hidden = true;
    find("title").textContent = t("event.title");
  }

  #show(event) {
    const other = this.#event?.id !== event.id;
    this.#event = event;
    find("body").hidden = false;
    find("title").textContent = nameOf(event);
    find("chance").textContent = chanceOf(event);
    this.#showFacts();
    this.#showPicture();
    this.#showCurve(other);
    this.#showClip(other);
    const listed = this.#guesses.show(event.top ?? []);
    find("guesses-part").hidden = !listed.length;
    this.#showActionsTaken();
    this.#showActions();
    for (const link of this.#links) link.href = `#${link.dataset.view}?${new URLSearchParams(about(event))}`;
  }

  #showFacts() {
    const { start, zone, camera, model, kind, corrected } = this.#event;
    const ends = this.#event.end === null ? "" : `–${clock(this.#event.end)}`;
    const facts = [
      [t("event.when"), `${dayName(dayOf(start))}, ${clock(start)}${ends}`], [t("event.lasted"), lasted(this.#event)], [t("common.zone"), zone],
      [t("history.kind"), kind === "seen" ? "" : t(`event.kind.${kind}`)],
      [t("event.model_said"), corrected ? called(this.#event.shown.label) ?? t("answer.not_sure") : ""], [t("event.camera"), camera], [t("event.model"), typeof model === "string" ? model : model?.name],
    ];
    find("facts").replaceChildren(...facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
    if (this.#event.frame_of) find("facts").append(element("dt", t("event.picture")), ownerOf(this.#event.frame_of));
  }

  #showPicture() {
    const event = this.#event;
    const overlay = event.evidence && this.#overlay.checked ? OVERLAY : null;
    this.#overlay.closest("label").hidden = !event.evidence;
    find("picture").hidden = !event.frame;
    find("no-picture").hidden = Boolean(event.frame);
    if (!event.frame) return;
    this.#showDetail(event, overlay);
    const wanted = find("picture").clientWidth * Math.min(devicePixelRatio, 2);
    const address = frameUrl(event, WIDTHS.find((width) => width >= wanted) ?? WIDTHS.at(-1), overlay);
    if (this.#image.getAttribute("src") !== address) this.#image.src = address;
    this.#image.alt = t(overlay ? "event.camera_saw_why" : "event.camera_saw", { name: nameOf(event) });
    find("download").href = frameUrl(event);
    find("download").download = `${dayOf(event.start)} ${clock(event.start).replaceAll(":", "-")} ${nameOf(event)}.jpg`;
  }

  // of what was followed: where it was, and what the model saw of it
  #showDetail({ box, detail, picture }, overlay) {
    find("where").hidden = !box || !picture;
    if (box && picture) {
      find("where").style.setProperty("--ratio", picture.width / picture.height);
      place(find("box"), picture.crop);
    }
    this.#detail.hidden = !detail;
    if (!detail) return;
    const address = detailUrl(this.#event, DETAIL_WIDTH, overlay);
    if (this.#detail.getAttribute("src") !== address) this.#detail.src = address;
    this.#detail.alt = t("event.model_saw", { name: nameOf(this.#event) });
  }

  #showCurve(other) {
    const curve = this.#event.curve;
    if (other || curve) find("curve-part").hidden = !(curve?.length > 1);
    if (curve?.length > 1) this.#curve.show(curve);
  }

  #showClip(other) {
    const clip = this.#event.clip && clipUrl(this.#event);
    find("clip-part").hidden = !clip;
    const video = find("clip");
    if (clip && (other || video.getAttribute("src") !== clip)) video.src = clip;
    if (!clip) video.removeAttribute("src");
  }

  #showActionsTaken() {
    const actions = this.#event.actions ?? [];
    find("actions-part").hidden = actions.length === 0;
    find("actions").replaceChildren(...actions.map(({ rule, kind, status, detail, time }) => {
      const line = element("li", [rule, kind, status, detail, time && clock(time)].filter(Boolean).join(" · "));
      line.className = status;
      return line;
    }));
  }

  #showActions() {
    find("change").hidden = !this.#mayChange;
    find("correct-part").hidden = !this.#mayChange || !this.#event.frame || this.#event.kind === "problem";
    find("uncorrect").hidden = !this.#event.corrected;
    find("favourite").setAttribute("aria-pressed", String(Boolean(this.#event.favourite)));
    find("favourite").querySelector("span").textContent = this.#event.favourite ? "★" : "☆";
  }

  async #change(change, said = "") {
    const id = this.#event.id;
    try {
      const event = await changeEvent(id, change);
      if (this.#wanted === id) {
        this.#show({ ...this.#event, ...event });
        this.#say(said);
      }
      this.#done.changed(event);
    } catch (error) {
      if (this.#wanted === id) this.#say(error.message, true);
    }
  }

  async #correct() {
    const label = meantBy(this.#form.elements.label.value.trim());
    if (!label) return this.#say(t("event.type_first"), true);
    await this.#change({ label }, t("event.stored_as", { label: called(label) }));
    if (!this.#message.classList.contains("bad")) this.#form.reset();
  }

  async #delete() {
    const id = this.#event.id;
    try {
      await deleteEvent(id);
      this.#done.removed(id);
    } catch (error) {
      if (this.#wanted === id) this.#say(error.message, true);
    }
  }

  #press(event) {
    if (!this.isOpen || !this.#section.offsetParent || event.target.closest(TYPING) || event.altKey || event.ctrlKey || event.metaKey) return;
    const action = {
      Escape: () => this.#done.back(),
      ArrowLeft: () => this.#done.step(this.#wanted, -1),
      ArrowRight: () => this.#done.step(this.#wanted, 1),
      o: () => { if (this.#event?.evidence) this.#overlay.click(); },
      f: () => { if (this.#event && this.#mayChange) find("favourite").click(); },
      Delete: () => { if (this.#event && this.#mayChange) this.#sure.ask(); },
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // a finger that moves sideways over the picture leads to the next event
  #followSwipes(picture) {
    let from = null;
    picture.addEventListener("touchstart", ({ touches }) => { from = touches.length === 1 ? touches[0] : null; }, { passive: true });
    picture.addEventListener("touchend", ({ changedTouches: [to] }) => {
      if (!from) return;
      const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY];
      if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(down)) this.#done.step(this.#wanted, across < 0 ? 1 : -1);
    });
  }

  #say(sentence, bad = false) {
    this.#message.hidden = !sentence;
    this.#message.textContent = sentence;
    this.#message.classList.toggle("bad", bad);
  }
}

// what another view is told of an event
function about({ kind, label, zone, shown }) {
  const what = kind === "seen" ? { label: shown.kind ?? label } : { kind };
  return zone ? { ...what, zone } : what;
}

function linkTo({ name, on_event: text }) {
  const link = Object.assign(element("a", t(text)), { className: "button" });
  link.dataset.view = name;
  return link;
}

// id: of the event whose picture is shown, because both looked the same
function ownerOf(id) {
  const place = element("dd", "");
  const link = place.appendChild(element("a", t("event.picture_of")));
  link.href = `#event/${id}`;
  return place;
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
