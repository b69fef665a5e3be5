// Which settings are shown, in which order, and with which control. The daemon says what they are and what is allowed.

// unit: of settings.unit; slider: lowest, highest, step; rarely: shown below "More settings"; none: what 0 means is "no limit";
// sure: says in words how careful it is; size: of the text
const share = { unit: "percent", slider: [0, 1, 0.05] };
const seconds = (highest, step) => ({ unit: "s", slider: [0, highest, step] });

export const GROUPS = {
  camera: {
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
  inbox: {
    "inbox.enabled": {},
    "inbox.pictures": { slider: [10, 1000, 10], rarely: true },
    "inbox.max_mb": { unit: "mb", rarely: true },
    "collect.max_mb": { unit: "mb", none: true, rarely: true },
  },
  clips: {
    "clips.enabled": {},
    "clips.before_s": seconds(30, 1),
    "clips.after_s": seconds(30, 1),
    "clips.longest_s": { unit: "s", slider: [5, 300, 5], rarely: true },
    "clips.labels": { rarely: true },
    "clips.zones": { rarely: true },
    "clips.fps": { unit: "fps", slider: [1, 30, 1], rarely: true },
    "clips.width": { unit: "px", rarely: true },
  },
  motion: {
    "look.rest": seconds(30, 0.5),
    "motion.hold_s": { ...seconds(60, 1), rarely: true },
    "motion.threshold": { slider: [1, 100, 1], rarely: true },
  },
  problems: {
    "problems.enabled": {},
    "problems.frozen_s": { unit: "s", none: true, rarely: true },
  },
  overlay: {
    "overlay.mode": {},
    "overlay.opacity": share,
  },
};

// what else is to be sent with a new value, so that both fit together; value: of a name
export function together(name, wanted, value) {
  if (name === "events.enter" && value("events.leave") > wanted) return { "events.leave": wanted };
  if (name === "events.leave" && value("events.enter") < wanted) return { "events.enter": wanted };
  return {};
}
