// Files that are dropped anywhere on the page. What was dragged from the page itself is no upload.

import { readTransfer } from "./dropped.js";

// taken: called with {photo} or {sentence}
export function acceptDrops(veil, taken) {
  let own = false;
  let inside = 0; // enter and leave come for every element that is passed
  const show = (entered) => {
    inside = entered;
    veil.hidden = own || inside <= 0;
  };
  // what a part of the page has forbidden never starts, and so never ends
  addEventListener("dragstart", (event) => { own = !event.defaultPrevented; });
  addEventListener("dragend", () => { own = false; });
  addEventListener("dragenter", (event) => { event.preventDefault(); show(inside + 1); });
  addEventListener("dragleave", () => show(inside - 1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(0);
    if (!own) taken(readTransfer(event.dataTransfer));
  });
}
