// One alert in the list: its sentence, what can be done with it, and what came of it last.

import { timeOf } from "../history/words.js";
import { t } from "../language/language.js";
import { placeOf } from "../settings/place.js";
import { sentenceOf, wayOf } from "./sentence.js";

// alert: of /api/alerts; on: {toggle(alert), try(alert), change(alert), remove(alert)}; mayChange: whether the caller may
export function alertCard(alert, on, mayChange) {
  const card = child(null, "li", "card alert");
  card.dataset.id = alert.id;
  card.classList.toggle("off", !alert.enabled);
  const head = child(card, "div", "alert-head");
  const title = child(head, "h3", "", sentenceOf(alert));
  title.id = `alert-${alert.id}-title`;
  title.tabIndex = -1;
  child(card, "p", "hint alert-ways", waysOf(alert));
  showTold(card, alert);
  if (!mayChange) return card;
  const label = child(head, "label", "alert-switch");
  const toggle = child(label, "input");
  Object.assign(toggle, { type: "checkbox", checked: alert.enabled });
  toggle.setAttribute("role", "switch");
  toggle.setAttribute("aria-label", t("alerts.on", { sentence: sentenceOf(alert) }));
  toggle.addEventListener("change", () => on.toggle(alert));
  const buttons = child(card, "div", "buttons");
  for (const [name, done] of [["try", on.try], ["change", on.change], ["delete", on.remove]]) {
    const button = child(buttons, "button", `button alert-${name}`, name === "delete" ? t("common.delete") : t(`alerts.do.${name}`));
    button.type = "button";
    button.setAttribute("aria-describedby", title.id);
    button.addEventListener("click", () => done(alert));
  }
  return card;
}

// rule: of the configuration
export function ruleCard(rule) {
  const card = child(null, "li", "card alert");
  child(card, "h3", "", sentenceOf(rule));
  child(card, "p", "hint alert-ways", rule.kinds.map(wayOf).join(", "));
  child(card, "p", "hint alert-place", t("alerts.place", { name: rule.name, place: placeOf(rule.place) }));
  showTold(card, rule);
  return card;
}

function waysOf(alert) {
  const ways = [alert.ntfy && `${wayOf("ntfy")}: ${alert.ntfy}`, alert.push && wayOf("push"), alert.sound && wayOf("sound"), alert.mqtt && wayOf("mqtt"), alert.webhook && `${wayOf("webhook")}: ${alert.webhook}`];
  return [...ways, alert.notify.length && `${wayOf("notify")}: ${alert.notify.join(", ")}`].filter(Boolean).join(" · ");
}

function showTold(card, { trouble, last }) {
  for (const sentence of trouble) child(card, "p", "alert-trouble", t("alerts.trouble", { sentence }));
  const list = child(card, "ul", "alert-last");
  list.setAttribute("aria-label", t("alerts.last"));
  list.append(...last.map(outcomeLine));
  if (!last.length) list.remove();
}

function outcomeLine({ time, event, trial, kind, status, detail, picture }) {
  const line = child(null, "li", status);
  const when = timeOf(time);
  if (event) Object.assign(child(line, "a", "", when), { href: `#event/${event}` });
  else line.append(when);
  const said = t(`alerts.outcome.${status}`, { way: wayOf(kind) });
  line.append(` ${[trial && t("alerts.trial"), said, detail].filter(Boolean).join(" · ")}`);
  if (trial && picture) Object.assign(child(line, "img"), { src: `api/events/${picture}/frame.jpg`, alt: t("alerts.picture_sent") });
  return line;
}

function child(parent, tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  parent?.append(element);
  return element;
}
