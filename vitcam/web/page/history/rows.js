// Where the cards of the grid lie: rows of cards, and a line before each day. Pure, so that 10,000 events take few ms.

import { dayOf } from "./words.js";

export const GAP = 12;
const DAY_HEIGHT = 44;
const TEXT_HEIGHT = 58; // of a card below its picture
const days = new WeakMap(); // event -> its day: dates are slow, and each event is laid out many times
const MIN_WIDTH = { wide: 218, narrow: 150 };

// returns {columns, card: {width, height}}
export function measure(width) {
  const least = width < 560 ? MIN_WIDTH.narrow : MIN_WIDTH.wide;
  const columns = Math.max(1, Math.floor((width + GAP) / (least + GAP)));
  const card = Math.floor((width - GAP * (columns - 1)) / columns);
  return { columns, card: { width: card, height: Math.round((card * 9) / 16) + TEXT_HEIGHT } };
}

// events: newest first; returns rows of {key, top, height, day} or {key, top, height, from, to}, indices into events
export function layOut(events, { columns, card }) {
  const rows = [];
  let top = 0;
  let day = null;
  const add = (row, height) => {
    rows.push({ ...row, top, height });
    top += height;
  };
  for (let from = 0; from < events.length;) {
    const its = dayOfEvent(events[from]);
    if (its !== day) add({ key: its, day: its }, DAY_HEIGHT);
    day = its;
    const until = from + columns;
    let to = from + 1;
    while (to < until && to < events.length && dayOfEvent(events[to]) === day) to += 1;
    add({ key: events[from].id, from, to }, card.height + GAP);
    from = to;
  }
  return { rows, height: top };
}

// the rows between two heights, both in px from the start of the grid
export function between(rows, top, bottom) {
  const first = firstBelow(rows, top);
  let last = first;
  while (last < rows.length && rows[last].top < bottom) last += 1;
  return rows.slice(first, last);
}

// index of the first row that ends below `top`, by bisection
function firstBelow(rows, top) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].top + rows[middle].height > top) high = middle;
    else low = middle + 1;
  }
  return low;
}

function dayOfEvent(event) {
  if (!days.has(event)) days.set(event, dayOf(event.start));
  return days.get(event);
}
