// All that is known of the model in use. Its labels may be thousands, so it is asked for once somebody sees some of it.

import { called } from "../language/labels.js";
import { checkSession } from "../session.js";

const NOTHING = { labels: [], groups: [] };
let asked = null; // a promise

// returns a promise of /api/model; of no labels where nothing answers
export function modelInUse() {
  asked ??= read().catch(() => {
    asked = null;
    return NOTHING;
  });
  return asked;
}

// another one may be in use, or its labels may have other names
export function forgetModel() {
  asked = null;
}

// list: the datalist of an input, filled once somebody comes there; groups: whether it offers groups, too
export function suggestLabels(input, list, { groups: withGroups = false } = {}) {
  input.addEventListener("focus", async () => {
    const { labels, groups } = await modelInUse();
    const names = new Set([...(withGroups ? groups.map(({ name }) => name) : []), ...labels].map(called));
    list.replaceChildren(...[...names].map((name) => new Option("", name)));
  });
}

async function read() {
  const response = checkSession(await fetch("api/model"));
  if (!response.ok) throw new Error(response.statusText);
  return response.json();
}
