// The model card, from /api/model.

import { called } from "./language/labels.js";
import { number, t } from "./language/language.js";
import { modelInUse } from "./models/in_use.js";

const labels = document.getElementById("model-labels");

labels.addEventListener("toggle", listLabels);

export function showModel(model) {
  const text = (id, value) => { document.getElementById(id).textContent = value ?? ""; };
  text("model-name", model.name);
  text("model-description", called(model.description));
  const facts = document.getElementById("model-facts");
  facts.replaceChildren();
  for (const [name, value] of rows(model)) {
    facts.appendChild(document.createElement("dt")).textContent = name;
    facts.appendChild(document.createElement("dd")).textContent = value;
  }
  labels.hidden = model.label_count === 0;
  labels.querySelector("summary").textContent = t("model.labels", { n: model.label_count });
  listLabels();
}

function rows(model) {
  const { input, patches, accuracy = {} } = model;
  const headline = accuracy.headline ?? accuracy;
  const outside = model.outside ? `, ${t("model.outside", { n: model.outside })}` : "";
  const found = [
    ["input", input && `${input.width} × ${input.height} px, ${input.resize}`],
    ["patches", patches && t("model.patches_value", { grid: `${patches.columns} × ${patches.rows}`, size: patches.size })],
    ["layers", model.layers && t("model.layers_value", { layers: model.layers, n: model.heads })],
    ["parameters", model.parameters && millions(model.parameters)],
    ["accuracy", typeof headline.top1 === "number" && accuracyOf(headline)],
    ["runtime", model.runtime],
    ["threads", model.threads],
    ["xnnpack", model.partitions !== undefined && model.partitions !== null && `${t("model.partitions", { n: model.partitions })}${outside}`],
    ["licence", model.licence],
  ];
  return found.filter(([, value]) => value).map(([name, value]) => [t(`model.fact.${name}`), value]);
}

async function listLabels() {
  if (labels.open) labels.querySelector("p").textContent = (await modelInUse()).labels.map(called).join(" · ");
}

function millions(n) {
  return n >= 1e6 ? t("model.millions", { count: number(n / 1e6, 1) }) : t("model.thousands", { count: number(n / 1e3) });
}

function accuracyOf({ top1, n }) {
  const share = number(100 * top1, 1);
  return n ? t("model.accuracy_of", { share, n }) : t("model.accuracy", { share });
}
