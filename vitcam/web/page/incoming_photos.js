// Files that are dropped anywhere on the page. Something dragged from the page itself is not an upload.

import { readTransfer } from "./transfer.js";

// dropped: called with {photo} or {sentence}
export function acceptDrops(veil, dropped) {
  let own = false;
  let inside = 0; // there are dragenter and dragleave events for every element on the way
  const show = (entered) => {
    inside = entered;
    veil.hidden = own || inside <= 0;
  };
  // a drag that a part of the page prevented never starts, and so has no dragend
  addEventListener("dragstart", (event) => { own = !event.defaultPrevented; });
  addEventListener("dragend", () => { own = false; });
  addEventListener("dragenter", (event) => { event.preventDefault(); show(inside + 1); });
  addEventListener("dragleave", () => show(inside - 1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(0);
    if (!own) dropped(readTransfer(event.dataTransfer));
  });
}
