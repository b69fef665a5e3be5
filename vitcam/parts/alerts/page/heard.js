// An alert came to this page: it is shown for a while wherever the viewer is, and heard.

import { called } from "../language/labels.js";
import { t } from "../language/language.js";
import { loadStyle } from "../panels/style.js";
import { isMuted, play } from "./sound.js";

const SHOWN_MS = 20_000;
const line = document.createElement("p");
const link = document.createElement("a");
const unheard = Object.assign(document.createElement("span"), { textContent: t("alerts.unheard"), hidden: true });
const close = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: t("common.close") });
let hiding = 0;

Object.assign(line, { id: "alert-heard", className: "reason alert-heard", role: "alert", hidden: true });
line.append(t("alerts.heard"), " ", link, " ", unheard, " ", close);
for (const each of [link, close]) each.addEventListener("click", () => { line.hidden = true; });
document.querySelector("header").append(line);
loadStyle("page/alerts/heard.css").catch(() => {}); // it can be read without

// record: of the server-sent event `alert`; isFirst: whether this window plays the sound, and no other one of this browser
export async function hear({ event }, isFirst) {
  const name = called(event.shown.kind ?? event.label);
  link.textContent = [event.test && t("alerts.trial"), event.zone ? t("alerts.heard_in", { name, zone: event.zone }) : name].filter(Boolean).join(": ");
  link.href = event.test ? "#alerts" : `#event/${event.id}`;
  line.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { line.hidden = true; }, SHOWN_MS);
  unheard.hidden = !isFirst || isMuted() || (await play());
}
