// Photos that are dropped or pasted, wherever on the page: the view that is shown takes them, else the live picture.
// Something dragged from the page itself is not an upload.

import { readFiles, readTransfer } from "./transfer.js";
import { LIVE, shownView } from "./views.js";

const takers = new Map(); // name of a view -> what takes them there

// view: a name, or LIVE; take: called with {photo} or {sentence}
export function takePhotos(view, take) {
  if (takers.size === 0) listen(document.getElementById("drop"));
  takers.set(view, take);
}

function taker() {
  return takers.get(shownView()) ?? takers.get(LIVE);
}

function listen(veil) {
  let own = false;
  let inside = 0; // there are dragenter and dragleave events for every element on the way
  const show = (entered) => {
    inside = entered;
    veil.hidden = own || inside <= 0 || !taker();
  };
  document.addEventListener("paste", ({ clipboardData }) => {
    if (clipboardData?.files.length) taker()?.(readFiles(clipboardData.files));
  });
  // a drag that a part of the page prevented never starts, and so has no dragend
  addEventListener("dragstart", (event) => { own = !event.defaultPrevented; });
  addEventListener("dragend", () => { own = false; });
  addEventListener("dragenter", (event) => { event.preventDefault(); show(inside + 1); });
  addEventListener("dragleave", () => show(inside - 1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    show(0);
    if (!own) taker()?.(readTransfer(event.dataTransfer));
  });
}
