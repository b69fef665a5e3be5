// The settings of the camera check in the view "Settings".

export const group = {
  name: "problems",
  after: "motion",
  rows: {
    "problems.enabled": {},
    "problems.frozen_s": { unit: "s", none: true, rarely: true },
  },
};
