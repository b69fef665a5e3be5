// The model card, from /api/model.

export function showModel(model) {
  const text = (id, value) => { document.getElementById(id).textContent = value ?? ""; };
  text("model-name", model.name);
  text("model-description", model.description);
  const facts = document.getElementById("model-facts");
  facts.replaceChildren();
  for (const [name, value] of rows(model)) {
    facts.appendChild(document.createElement("dt")).textContent = name;
    facts.appendChild(document.createElement("dd")).textContent = value;
  }
  showLabels(model.labels ?? []);
}

function rows(model) {
  const { input, patches, accuracy = {} } = model;
  const outside = model.outside ? `, ${model.outside} operators outside` : "";
  const found = [
    ["input", input && `${input.width} × ${input.height} px, ${input.resize}`],
    ["patches", patches && `${patches.columns} × ${patches.rows} of ${patches.size} px`],
    ["layers", model.layers && `${model.layers}, ${model.heads} heads`],
    ["parameters", model.parameters && millions(model.parameters)],
    ["accuracy", typeof accuracy.top1 === "number" && `${(100 * accuracy.top1).toFixed(1)} % top-1${accuracy.n ? ` of ${accuracy.n.toLocaleString("en-GB")} photos` : ""}`],
    ["runtime", model.runtime],
    ["threads", model.threads],
    ["XNNPACK", model.partitions !== undefined && model.partitions !== null && `${count(model.partitions, "partition")}${outside}`],
    ["licence", model.licence],
  ];
  return found.filter(([, value]) => value);
}

function showLabels(labels) {
  const details = document.getElementById("model-labels");
  details.hidden = labels.length === 0;
  details.querySelector("summary").textContent = `${labels.length.toLocaleString("en-GB")} labels`;
  details.querySelector("p").textContent = labels.join(" · ");
}

function millions(n) {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)} million` : `${Math.round(n / 1e3)} thousand`;
}

function count(n, what) {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
