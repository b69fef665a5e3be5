// Connects the parts of the page to the daemon, and connects them again when it was not reachable.

import { Answer } from "./answer.js";
import { Caption } from "./caption.js";
import { Controls } from "./controls.js";
import { Crop } from "./crop.js";
import { Feed } from "./feed.js";
import { Followed } from "./followed.js";
import { addWords, answerOf, offerLanguages, t } from "./language/language.js";
import { Look } from "./look/look.js";
import { Strip } from "./look/strip.js";
import { Today } from "./look/today.js";
import { showModel } from "./model.js";
import { forgetModel } from "./models/in_use.js";
import { OnDemand } from "./panels/on_demand.js";
import { loadStyleOnce } from "./panels/style.js";
import { OFFERS, PART_VIEWS } from "./part_views.js";
import { LivePicture } from "./picture.js";
import { Places } from "./places.js";
import { Playback } from "./playback.js";
import { Screen } from "./screen.js";
import { Seen } from "./seen.js";
import { checkSession, showSession } from "./session.js";
import { statusOf } from "./shown.js";
import { Speed } from "./speed.js";
import { isLive, Views } from "./views.js";
import { Windows } from "./windows.js";

const ASK_MS = 1000;
const ASLEEP_MS = 10_000; // a longer pause between two requests means that the computer was asleep
const DRAW_MS = 100;
const SPEAK_MS = 5000;
const ON_PLACEHOLDER = ["no_signal", "starting"];

const picture = new LivePicture(document.getElementById("picture"));
const answer = new Answer(document.getElementById("answer"));
const caption = new Caption();
const speed = new Speed(document.getElementById("stages"));
const seen = new Seen();
const playback = new Playback(showPlayback);
const places = new Places();
const followed = new Followed();
const today = new Today();
const strip = new Strip();
const look = new Look(draw);
const offers = OFFERS.map(async (name) => new (await import(`./${name}/offer.js`)).Offer({ isSimple: () => look.isSimple, strip }));
new Screen();
loadStyleOnce("(forced-colors: active)", "page/look/forced_colors.css");
for (const list of document.querySelectorAll("[data-terms]")) {
  list.addEventListener("toggle", async () => (await import("./look/terms.js")).explainTerms(list));
}
offerLanguages(document.getElementById("language"));
let model = null;
let views = null;
let source = ""; // of the newest state
let setAside = null; // loaded once something is set aside or not saved

const crop = new Crop(showView);
let words = null; // of a model whose labels are words
const controls = new Controls((look, kind) => {
  picture.show(look);
  followed.look = look;
  tellOffers("setLook", look, kind);
  document.getElementById("fit").classList.toggle("plain", !kind.needs);
});
const panels = [
  new OnDemand("zones", ["page/zones.css"], async () => new (await withWords(import("./zones.js"))).Zones()),
  new OnDemand("names", ["page/names.css"], async () => new (await withWords(import("./names.js"))).Names(() => answer.names, readModel)),
  new OnDemand("models", ["page/models/models.css"], async () => new (await withWords(import("./models/models.js"))).Models(readModel)),
];

async function withWords(module) {
  return (await Promise.all([module, addWords("panels")]))[0];
}

// an address such as #zones is the live picture with that panel open
const PANELS = ["zones", "crop", "names", "models"];
let opened = false; // that of the address the page was opened with; true where it names none
addEventListener("hashchange", openPanel);

function openPanel() {
  const name = location.hash.slice(1);
  if (!PANELS.includes(name)) return true;
  const button = document.getElementById(name);
  if (button.disabled) return false;
  if (button.ariaExpanded !== "true") button.click();
  button.scrollIntoView({ block: "nearest" });
  return true;
}

// predictions: what stands there is drawn ten times a second

let framed = false; // predictions say which part the model saw; before the first one, the state says it
let isMarked = true; // whether that part is marked: there is one, and it is always the same

const windows = new Windows({ changed: share, heard: (kind, data) => feed.hear(kind, data), came: () => feed.greet() });
const feed = new Feed(windows, {
  open: () => views?.catchUp(),
  event(record) {
    views?.event(record);
    today.event();
    strip.event();
  },
  async heard(kind, record, isFirst) {
    const { name } = PART_VIEWS.find(({ hears }) => hears === kind);
    (await import(`./${name}/heard.js`)).hear(record, isFirst);
  },
  prediction(prediction) {
    const { width, height, crop: part } = prediction.frame;
    if (places.add(prediction)) seen.show([width, height], part, isMarked && prediction.zone === null && prediction.track === null);
    framed = true;
  },
});

function relisten() {
  framed = false;
  feed.restart();
}

// a message of the browser was pressed, and this window is to show its event
navigator.serviceWorker?.addEventListener("message", ({ data }) => { if (data?.open) location.hash = data.open; });

// this window may keep other connections open than before
function share() {
  if (!views || !windows.isSettled) return; // it begins soon
  feed.update();
  showPicture();
  const sharing = document.getElementById("sharing");
  sharing.hidden = windows.streams || !isLive();
  sharing.textContent = t(windows.isLeftOut ? "live.left_out" : "live.one_by_one");
}

setInterval(draw, DRAW_MS);

let drawn = null; // the newest look that was drawn, and the one that stood there

function draw() {
  places.draw();
  const { standing } = places.shown ?? {};
  if (standing?.look) {
    if (standing.newest !== drawn?.newest || standing.look !== drawn.look) answer.show(standing.newest, standing.look, standing.isDimmed);
    drawn = { newest: standing.newest, look: standing.look };
    caption.show(places.all, places.shown, look.isSimple);
  }
  followed.show(places.followed, places.shown, answer.name);
}

// for screen readers: only when it changes, and not too often

let spoken = "";
setInterval(() => {
  const name = places.hasZones ? places.spoken : answer.name;
  if (name === spoken) return;
  spoken = name;
  document.getElementById("spoken").textContent = places.hasZones ? name : answer.spoken;
}, SPEAK_MS);

// state: every second; after an outage everything starts again with the first answer

let away = false;
let uptime = 0;
let loads = null; // how many models this run has used one after the other
let asked = Date.now();

async function askState() {
  const slept = Date.now() - asked > ASLEEP_MS;
  const began = performance.now();
  asked = Date.now();
  try {
    const response = checkSession(await fetch("api/state", { signal: AbortSignal.timeout(3000) }));
    const state = await answerOf(response);
    if (away || slept || state.uptime_s < uptime) await rejoin();
    else if (loads !== null && state.model_loads !== loads) await readModel();
    loads = state.model_loads;
    uptime = state.uptime_s;
    away = false;
    showState(state, began);
  } catch {
    away = true;
    showStatus("offline", [t("status.tries_again")]);
  }
}

async function rejoin() {
  await readModel();
  if (isLive()) picture.reload();
  relisten();
}

// began: when it was asked for
function showState(state, began) {
  const paused = state.paused || (state.status === "ok" && state.playback?.paused);
  const told = state.reasons.slice(state.paused && state.status === "degraded" ? 1 : 0); // the first reason is the pause, which the status says
  source = state.source;
  showStatus(paused ? "paused" : state.status, [...told, ...state.notices, state.problem].filter(Boolean));
  if (state.paused) document.querySelector("main").classList.add("stale"); // the answer is of an older picture
  document.getElementById("source").textContent = state.name || source;
  speed.show(state);
  showSession(state.access);
  views.setState(state);
  showPlayback(state.playback ?? null);
  playback.hold(state.paused && !state.playback);
  crop.show(state.view, state.zones);
  document.getElementById("zones").disabled = !state.view.picture;
  showLosses(state);
  today.show(state.history);
  strip.show(state.history);
  caption.rests = state.resting_since !== null;
  tellOffers("setState", state);
  document.documentElement.dataset.scope = state.access?.scope ?? "control";
  for (const panel of panels) panel.show(state);
  opened ||= openPanel();
  places.show(state, began);
  followed.allow(places.follows);
  isMarked = !places.follows;
  if (!framed) seen.show(state.view.picture, state.view.seen, isMarked);
}

// what parts offer; one that was not loaded is left out
function tellOffers(what, ...values) {
  for (const each of offers) each.then((offer) => offer[what]?.(...values), () => {});
}

// few runs have any
async function showLosses({ set_aside: aside, unsaved }) {
  if (!setAside && !aside && !Object.keys(unsaved).length) return;
  const [{ SetAside }, { showUnsaved }] = await Promise.all([import("./set_aside.js"), import("./unsaved.js")]);
  setAside ??= new SetAside();
  setAside.show(aside);
  showUnsaved(unsaved);
}

function showPlayback(record) {
  playback.show(record, source);
  document.querySelector(".frame").classList.toggle("slides", Boolean(record?.path)); // photos of many shapes
}

// at once: the next prediction may take long
function showView(view) {
  seen.show(view.picture, view.seen);
  crop.show(view);
}

// reasons: sentences, the most important first
function showStatus(status, reasons) {
  const element = document.getElementById("status");
  const text = statusOf(status, source);
  if (element.dataset.status !== status || document.getElementById("status-text").textContent !== text) {
    element.dataset.status = status;
    document.getElementById("status-text").textContent = text;
  }
  const line = document.getElementById("reason");
  const reason = reasons.join("\n");
  line.hidden = !reason;
  line.classList.toggle("quiet", ON_PLACEHOLDER.includes(status) && reasons.length === 1); // the placeholder in the picture says it; this line is for screen readers
  if (line.textContent !== reason) line.textContent = reason;
  document.querySelector(".frame").classList.toggle("offline", status === "offline");
  document.querySelector("main").classList.toggle("stale", !["ok", "degraded", "paused"].includes(status));
}

// a hidden tab sends no requests

let asking = 0;

function wake() {
  windows.join(isLive());
  share();
  asked = Date.now();
  askState();
  asking = setInterval(askState, ASK_MS);
}

// the history covers the picture, and then it is not sent
function showPicture() {
  if (isLive() && !document.hidden) picture.start(windows.streams);
  else picture.stop();
}

function turn() {
  if (document.hidden) return;
  windows.join(isLive());
  share();
}

function sleep() {
  windows.leave();
  picture.stop();
  feed.stop();
  clearInterval(asking);
}

// another one may be in use
async function readModel() {
  const response = checkSession(await fetch("api/model?brief=true"));
  forgetModel();
  model = await response.json();
  showModel(model);
  if (model.words && !words) words = new (await import("./words.js")).Words(readModel);
  for (const part of [answer, words, crop, controls, views]) part?.setModel(model);
  tellOffers("setModel", model);
}

async function begin() {
  if (!document.hidden) windows.join(isLive()); // the others answer meanwhile
  try {
    await readModel();
    views = new Views(turn);
    document.addEventListener("visibilitychange", () => (document.hidden ? sleep() : wake()));
    if (!document.hidden) wake();
  } catch {
    showStatus("offline", [t("status.tries_again")]);
    setTimeout(begin, ASK_MS);
  }
}

begin();
