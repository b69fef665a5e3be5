// What this browser does for alerts: it gets messages, and plays sounds. Permission is asked for by a press.

import { locale, t } from "../language/language.js";
import { addDevice, pushKey, removeDevice } from "./api.js";
import { isMuted, mute, play } from "./sound.js";

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const WORKER = new URL("push_worker.js", import.meta.url);
const NAMES = [[/edg/i, "Edge"], [/firefox|fxios/i, "Firefox"], [/chrom|crios/i, "Chrome"], [/safari/i, "Safari"]];
const SYSTEMS = [[/android/i, "Android"], [/iphone|ipad/i, "iOS"], [/windows/i, "Windows"], [/mac os/i, "macOS"], [/linux/i, "Linux"]];
const find = (name) => document.getElementById(`alerts-${name}`);

export class ThisBrowser {
  #devices = [];
  #changed;

  // changed: called when the list of browsers is another one
  constructor(changed) {
    this.#changed = changed;
    find("allow").addEventListener("click", () => this.#allow());
    find("sounds").checked = !isMuted();
    find("sounds").addEventListener("change", () => mute(!find("sounds").checked));
    find("hear").addEventListener("click", () => play());
  }

  // record: of /api/alerts
  show({ ways, devices }, mayChange) {
    this.#devices = devices;
    const [can, why] = ways.includes("push") ? canPush() : [false, ""];
    find("push").hidden = !ways.includes("push") || !mayChange;
    find("allow").hidden = !can;
    find("why-not").hidden = can;
    find("why-not").textContent = why;
    find("devices").replaceChildren(...devices.map((device) => this.#line(device)));
  }

  #line(device) {
    const line = document.createElement("li");
    line.textContent = `${t("alerts.device", { name: device.name, date: DATE.format(new Date(device.added)) })} `;
    const button = line.appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", className: "button", textContent: t("alerts.remove") });
    button.setAttribute("aria-label", t("alerts.remove_device", { name: device.name }));
    button.addEventListener("click", () => this.#remove(device));
    return line;
  }

  async #allow() {
    this.#say("");
    try {
      if ((await Notification.requestPermission()) !== "granted") return this.#say(t("alerts.denied"), true);
      const registration = await activated(await navigator.serviceWorker.register(WORKER));
      const key = fromBase64(await pushKey());
      const known = await registration.pushManager.getSubscription();
      if (known && !isSame(known.options.applicationServerKey, key)) await known.unsubscribe(); // of another vitcam
      const found = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
      await addDevice({ ...found.toJSON(), name: nameOfBrowser() });
      this.#say(t("alerts.allowed"));
      this.#changed();
    } catch (error) {
      this.#say(t("alerts.not_allowed", { reason: error.message }), true);
    }
  }

  async #remove(device) {
    try {
      await removeDevice(device.id);
      this.#say(t("alerts.removed", { name: device.name }));
      this.#changed();
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #say(sentence, bad = false) {
    find("browser-message").hidden = !sentence;
    find("browser-message").textContent = sentence;
    find("browser-message").classList.toggle("bad", bad);
  }
}

// whether this browser can get messages from this page, and why not
function canPush() {
  if (!window.isSecureContext) return [false, t("alerts.needs_https")];
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return [false, t("alerts.no_push")];
  return [true, ""];
}

function activated(registration) {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  return new Promise((done, failed) => {
    const look = () => {
      if (worker.state === "activated") done(registration);
      if (worker.state === "redundant") failed(new Error(worker.state));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

function nameOfBrowser() {
  const nameIn = (names) => names.find(([pattern]) => pattern.test(navigator.userAgent))?.[1];
  return [nameIn(NAMES) ?? t("alerts.a_browser"), nameIn(SYSTEMS)].filter(Boolean).join(", ");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function isSame(buffer, key) {
  const bytes = new Uint8Array(buffer);
  return bytes.length === key.length && bytes.every((byte, index) => byte === key[index]);
}
