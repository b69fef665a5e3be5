// An alert came to this page: it is shown for a while wherever the viewer is, and heard.

import { t } from "../language/language.js";
import { isMuted, play } from "./sound.js";

const SHOWN_MS = 20_000;
let hiding = 0;

// record: of the server-sent event `alert`; isFirst: whether this window plays the sound, and no other one of this browser
export async function hear({ event }, isFirst) {
  const line = document.getElementById("alert-heard");
  const link = line.querySelector("a");
  const name = event.shown.label ?? event.label;
  link.textContent = [event.test && t("alerts.trial"), event.zone ? t("alerts.heard_in", { name, zone: event.zone }) : name].filter(Boolean).join(": ");
  link.href = event.test ? "#alerts" : `#event/${event.id}`;
  line.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { line.hidden = true; }, SHOWN_MS);
  for (const each of [link, line.querySelector("button")]) each.onclick = () => { line.hidden = true; };
  const heard = !isFirst || isMuted() || (await play());
  document.getElementById("alert-unheard").hidden = heard;
}
