// What is known of the model in use, from /api/model: each fact with one sentence on what it is.

import { called } from "../language/labels.js";
import { number, t } from "../language/language.js";
import { percent } from "./maps.js";

const find = (name) => document.getElementById(`learn-${name}`);

export function showFacts(model) {
  find("facts-title").textContent = t("learn.facts", { name: model.name });
  find("description").textContent = called(model.description);
  find("facts").replaceChildren(...facts(model).filter(([, value]) => value).map(([name, value]) => {
    const fact = document.createElement("div");
    const add = (tag, text, className = "") => fact.appendChild(Object.assign(document.createElement(tag), { textContent: text, className }));
    add("dt", t(`learn.fact.${name}`));
    add("dd", value);
    add("dd", t(`learn.fact_what.${name}`), "hint");
    return fact;
  }));
  const trained = model.trained_on ?? [];
  find("trained").replaceChildren(...(trained.length ? trained.map(source) : [line(t("learn.trained_unknown"))]));
}

function facts({ input, patches, layers, heads, width, parameters, label_count: labels, accuracy = {}, licence }) {
  const { top1, top5, ece, n } = accuracy.headline ?? accuracy;
  return [
    ["layers", layers && number(layers)],
    ["heads", heads && number(heads)],
    ["width", width && number(width)],
    ["patch", patches.size && t("learn.px", { width: patches.size, height: patches.size })],
    ["parameters", parameters && number(parameters)],
    ["input", t("learn.px", { width: input.width, height: input.height })],
    ["labels", labels && number(labels)],
    ["top1", share(top1, n)],
    ["top5", share(top5, n)],
    ["ece", typeof ece === "number" && percent(ece, 1)],
    ["licence", licence],
  ];
}

function share(value, n) {
  if (typeof value !== "number") return "";
  return n ? t("learn.share_of", { share: percent(value, 1), n }) : percent(value, 1);
}

// source: {data, licence, source}
function source({ data: what = "", licence = "", source: from = "" }) {
  const item = line(licence ? `${what} · ${licence}` : what);
  if (/^https:\/\//.test(from)) {
    item.append(" ", Object.assign(document.createElement("a"), { href: from, textContent: new URL(from).host, rel: "noreferrer noopener", target: "_blank" }));
  }
  return item;
}

function line(text) {
  return Object.assign(document.createElement("li"), { textContent: text });
}
