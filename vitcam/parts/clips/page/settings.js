// The settings of clips in the view "Settings".

import { seconds } from "../settings/table.js";

export const group = {
  name: "clips",
  after: "store",
  rows: {
    "clips.enabled": {},
    "clips.before_s": seconds(30, 1),
    "clips.after_s": seconds(30, 1),
    "clips.longest_s": { unit: "s", slider: [5, 300, 5], rarely: true },
    "clips.labels": { rarely: true },
    "clips.zones": { rarely: true },
    "clips.fps": { unit: "fps", slider: [1, 30, 1], rarely: true },
    "clips.width": { unit: "px", rarely: true },
  },
};
