// Joins the parts of the page to the daemon, and joins them again whenever it was away.

import { Answer } from "./answer.js";
import { Controls } from "./controls.js";
import { Crop } from "./crop.js";
import { Following } from "./following.js";
import { showModel } from "./model.js";
import { Photo } from "./photo.js";
import { LivePicture } from "./picture.js";
import { Playback } from "./playback.js";
import { Screen } from "./screen.js";
import { Seen } from "./seen.js";
import { Speed } from "./speed.js";

const ASK_MS = 1000;
const ASLEEP_MS = 10_000; // so long between two questions means that the computer slept
const DRAW_MS = 100;
const SPEAK_MS = 5000;
const STATUS = { ok: "Live", degraded: "Degraded", no_signal: "No picture", starting: "Starting", paused: "Paused", offline: "Reconnecting" };
const ON_CARD = ["no_signal", "starting"];

const picture = new LivePicture(document.getElementById("picture"));
const photo = new Photo();
const answer = new Answer(document.getElementById("answer"));
const following = new Following();
const speed = new Speed(document.getElementById("stages"));
const seen = new Seen();
const playback = new Playback(showPlayback);
new Screen();
let model = null;
let crop = null;

// predictions: the newest one, ten times a second at most

let events = null;
let newest = null;
let framed = false; // a prediction says what it was made of; until the first one, the state does

function listen() {
  events = new EventSource("/api/predictions");
  events.addEventListener("prediction", (event) => {
    newest = JSON.parse(event.data);
    const { width, height, crop: part } = newest.frame;
    seen.show([width, height], part);
    framed = true;
  });
  events.addEventListener("error", () => {
    if (events?.readyState === EventSource.CLOSED) setTimeout(() => { if (!document.hidden) relisten(); }, ASK_MS);
  });
}

function relisten() {
  framed = false;
  events?.close();
  listen();
}

setInterval(() => {
  if (!newest?.top.length) return;
  answer.show(following.add(newest));
  document.getElementById("caption").textContent = answer.said;
  newest = null;
}, DRAW_MS);

// for those who listen instead of look: only when it changes, and not too often

let spoken = "";
setInterval(() => {
  const name = document.getElementById("label").firstElementChild?.textContent ?? "";
  if (name === spoken) return;
  spoken = name;
  document.getElementById("spoken").textContent = answer.said;
}, SPEAK_MS);

// state: every second; what was lost comes back with the first answer

let away = false;
let uptime = 0;
let asked = Date.now();

async function askState() {
  const slept = Date.now() - asked > ASLEEP_MS;
  asked = Date.now();
  try {
    const response = await fetch("/api/state", { signal: AbortSignal.timeout(3000) });
    const state = await response.json();
    if (away || slept || state.uptime_s < uptime) await rejoin();
    uptime = state.uptime_s;
    away = false;
    showState(state);
  } catch {
    away = true;
    showStatus("offline", "vitcam does not answer; this page tries again every second");
  }
}

async function rejoin() {
  if (JSON.stringify(await getModel()) !== JSON.stringify(model)) return location.reload(); // its switches are others
  picture.reload();
  relisten();
}

function showState(state) {
  const paused = state.status === "ok" && state.playback?.paused;
  showStatus(paused ? "paused" : state.status, state.reason);
  document.getElementById("source").textContent = state.source;
  speed.show(state);
  showPlayback(state.playback ?? null);
  crop.show(state.view);
  if (!framed) seen.show(state.view.picture, state.view.seen);
}

function showPlayback(record) {
  playback.show(record, document.getElementById("source").textContent);
  document.querySelector(".frame").classList.toggle("slides", Boolean(record?.path)); // photos of many shapes
}

// at once: the next prediction may be long in coming
function showView(view) {
  seen.show(view.picture, view.seen);
  crop.show(view);
}

function showStatus(status, reason) {
  const element = document.getElementById("status");
  if (element.dataset.status !== status || document.getElementById("status-text").textContent !== STATUS[status]) {
    element.dataset.status = status;
    document.getElementById("status-text").textContent = STATUS[status] ?? status;
  }
  const line = document.getElementById("reason");
  line.hidden = !reason;
  line.classList.toggle("quiet", ON_CARD.includes(status)); // the card in the picture says it; this one is read aloud
  if (line.textContent !== reason) line.textContent = reason;
  document.querySelector(".frame").classList.toggle("offline", status === "offline");
  document.querySelector("main").classList.toggle("stale", !["ok", "degraded", "paused"].includes(status));
}

// a tab that nobody sees asks for nothing

let asking = 0;

function wake() {
  picture.start();
  relisten();
  asked = Date.now();
  askState();
  asking = setInterval(askState, ASK_MS);
}

function sleep() {
  picture.stop();
  events?.close();
  clearInterval(asking);
}

async function getModel() {
  const response = await fetch("/api/model");
  return response.json();
}

async function begin() {
  try {
    model = await getModel();
    showModel(model);
    answer.knows(model.labels?.length ?? 0);
    photo.setModel(model);
    crop = new Crop(model.input, showView);
    new Controls(model, (look, kind) => {
      picture.show(look);
      photo.look(look, kind);
      document.getElementById("fit").classList.toggle("plain", !kind.needs);
    });
    document.addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
    if (!document.hidden) wake();
  } catch {
    showStatus("offline", "vitcam does not answer; this page tries again every second");
    setTimeout(begin, ASK_MS);
  }
}

begin();
