// Alerts that many want, to begin with.

import { t } from "../language/language.js";
import { modelInUse } from "../models/in_use.js";
import { NIGHT } from "./sentence.js";

export const EXAMPLES = ["night", "unknown", "problem"];

// zones: their names; returns what the form begins with
export async function exampleOf(name, zones) {
  const zone = zones.length === 1 ? zones[0] : "";
  if (name === "problem") return { kind: "problem" };
  if (name === "unknown") return { kind: "unknown", zone };
  return { label: await known(t("alerts.example.cat"), "cat"), zone, between: NIGHT };
}

// the first of these that the model in use knows; empty: none
async function known(...names) {
  const { labels, groups } = await modelInUse();
  const all = new Set([...labels, ...groups.map((group) => group.name)].map((each) => each.toLowerCase()));
  return names.find((each) => all.has(each.toLowerCase())) ?? "";
}
