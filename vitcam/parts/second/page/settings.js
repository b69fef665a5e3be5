// The settings of a second look in the view "Settings".

export const group = {
  name: "species",
  after: "model",
  rows: {
    "species.ask": {},
    "species.model": {},
    "species.only": { rarely: true },
  },
};
