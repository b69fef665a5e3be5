// The settings of inbox and data sets in the view "Settings".

export const group = {
  name: "inbox",
  after: "store",
  rows: {
    "inbox.enabled": {},
    "inbox.pictures": { slider: [10, 1000, 10], rarely: true },
    "inbox.max_mb": { unit: "mb", rarely: true },
    "collect.max_mb": { unit: "mb", none: true, rarely: true },
  },
};
