// Zones and masks as lines of the configuration file.

// answer: of /api/zones
export function toToml({ zones, masks }) {
  const tables = Object.entries(zones).map(([name, zone]) => [`[zones.${key(name)}]`, ...settings(zone)].join("\n"));
  const camera = masks.length ? [`[camera]\nmasks = ${JSON.stringify(masks.map((mask) => mask.join(",")))}`] : [];
  return [...camera, ...tables].join("\n\n");
}

function settings({ rect, labels, ...rules }) {
  const lines = [`rect = "${rect.join(",")}"`];
  if (labels.length) lines.push(`labels = ${JSON.stringify(labels)}`); // a list of texts is the same in TOML
  for (const [name, value] of Object.entries(rules)) if (value !== null) lines.push(`${name} = ${JSON.stringify(value)}`);
  return lines;
}

function key(name) {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}
