// Joins the parts of the page to the daemon, and joins them again whenever it was away.

import { Controls } from "./controls.js";
import { Crop } from "./crop.js";
import { Following, Guesses, showLabel } from "./guesses.js";
import { showModel } from "./model.js";
import { Photo } from "./photo.js";
import { LivePicture } from "./picture.js";
import { Seen } from "./seen.js";
import { Speed } from "./speed.js";

const ASK_MS = 1000;
const ASLEEP_MS = 10_000; // so long between two questions means that the computer slept
const DRAW_MS = 100;
const SPEAK_MS = 5000;
const STATUS = { ok: "Live", degraded: "Degraded", no_signal: "No picture", starting: "Starting", offline: "Reconnecting" };

const picture = new LivePicture(document.getElementById("picture"));
const photo = new Photo();
const guesses = new Guesses(document.getElementById("guesses"));
const following = new Following();
const speed = new Speed(document.getElementById("stages"));
const seen = new Seen();
let model = null;
let crop = null;

// predictions: the newest one, ten times a second at most

let events = null;
let newest = null;

function listen() {
  events = new EventSource("/api/predictions");
  events.addEventListener("prediction", (event) => { newest = JSON.parse(event.data); });
  events.addEventListener("error", () => {
    if (events?.readyState === EventSource.CLOSED) setTimeout(() => { if (!document.hidden) relisten(); }, ASK_MS);
  });
}

function relisten() {
  events?.close();
  listen();
}

setInterval(() => {
  if (!newest?.top.length) return;
  const top = following.add(newest.top);
  showLabel(document.getElementById("label"), { top, known: newest.known });
  guesses.show(top);
  newest = null;
}, DRAW_MS);

// for those who listen instead of look: only when it changes, and not too often

let spoken = "";
setInterval(() => {
  const [name, p] = document.getElementById("label").children;
  if (!name || name.textContent === spoken) return;
  spoken = name.textContent;
  document.getElementById("spoken").textContent = `${spoken}, ${p.textContent}`;
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
  showStatus(state.status, state.reason);
  document.getElementById("source").textContent = state.source;
  speed.show(state);
  showView(state.view);
}

function showView(view) {
  seen.show(view);
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
  if (line.textContent !== reason) line.textContent = reason;
  document.querySelector(".frame").classList.toggle("offline", status === "offline");
  document.querySelector("main").classList.toggle("stale", !["ok", "degraded"].includes(status));
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
    crop = new Crop(model.input, showView);
    new Controls(model, (look) => {
      picture.show(look);
      photo.look(look);
      document.getElementById("fit").classList.toggle("plain", look.overlay === "none");
    });
    document.addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
    if (!document.hidden) wake();
  } catch {
    showStatus("offline", "vitcam does not answer; this page tries again every second");
    setTimeout(begin, ASK_MS);
  }
}

begin();
