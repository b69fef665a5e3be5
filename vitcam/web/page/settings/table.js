// Which settings are shown, in which order, and with which control. The daemon says what they are and what is allowed.

import { SETTINGS } from "../part_views.js";

// unit: of settings.unit; slider: lowest, highest, step; rarely: shown below "More settings"; none: what 0 means is "no limit";
// sure: says in words how careful it is; size: of the text
const share = { unit: "percent", slider: [0, 1, 0.05] };
export const seconds = (highest, step) => ({ unit: "s", slider: [0, highest, step] });

const GROUPS = {
  camera: {
    "camera.name": {},
    "camera.source": {},
    "camera.rotate": {},
    "camera.flip": {},
    "camera.width": { unit: "px", rarely: true },
    "camera.height": { unit: "px", rarely: true },
    "camera.fps": { unit: "fps", rarely: true },
    "camera.fingerprint": { rarely: true },
    "camera.every": { rarely: true },
    "camera.ask_every": { rarely: true },
  },
  model: {
    "model.top_k": { slider: [1, 20, 1] },
    "model.likely": { unit: "percent", slider: [0.5, 1, 0.01], rarely: true },
    "look.follow": {},
    "model.fps": { unit: "fps", slider: [0, 30, 1], none: true, rarely: true },
  },
  events: {
    "events.enter": { ...share, sure: true },
    "events.leave": share,
    "events.dwell_s": seconds(10, 0.5),
    "events.half_life_s": { ...seconds(5, 0.1), rarely: true },
    "events.gap_s": { ...seconds(30, 0.5), rarely: true },
  },
  store: {
    "store.enabled": {},
    "store.keep_days": { unit: "days", slider: [0, 365, 1], none: true },
    "store.max_mb": { unit: "mb", none: true },
    "store.forget": { rarely: true },
  },
  motion: {
    "look.rest": seconds(30, 0.5),
    "motion.hold_s": { ...seconds(60, 1), rarely: true },
    "motion.threshold": { slider: [1, 100, 1], rarely: true },
  },
  overlay: {
    "overlay.mode": {},
    "overlay.opacity": share,
  },
};

// returns [name, rows] of each group; those of parts stand behind the group that they name
export async function readGroups() {
  const found = Object.entries(GROUPS);
  const ofParts = await Promise.all(SETTINGS.map((part) => import(`../${part}/settings.js`)));
  for (const { group: { name, after, rows } } of ofParts) found.splice(found.findIndex(([each]) => each === after) + 1, 0, [name, rows]);
  return found;
}

// what else is to be sent with a new value, so that both fit together; value: of a name
export function together(name, wanted, value) {
  if (name === "events.enter" && value("events.leave") > wanted) return { "events.leave": wanted };
  if (name === "events.leave" && value("events.enter") < wanted) return { "events.enter": wanted };
  return {};
}
