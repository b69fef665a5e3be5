// Rates and stage latencies, from /api/state.

import { CLOCK, number, t } from "./language/language.js";

const STAGES = ["capture", "preprocess", "infer", "total"];

export class Speed {
  #rows = {};

  constructor(body) {
    for (const stage of STAGES) {
      const row = body.insertRow();
      const head = row.appendChild(document.createElement("th"));
      head.scope = "row";
      head.textContent = t(`speed.stage.${stage}`);
      const share = row.insertCell();
      share.className = "share";
      this.#rows[stage] = { bar: share.appendChild(document.createElement("div")), p50: row.insertCell(), p99: row.insertCell() };
    }
  }

  show(state) {
    for (const [rate, value] of Object.entries(state.fps)) {
      document.getElementById(`fps-${rate}`).textContent = number(value, 1);
    }
    showRest(state);
    showLine(document.getElementById("clock"), state.history.clock);
    const longest = state.ms.total?.p50 || 1;
    for (const [stage, { bar, p50, p99 }] of Object.entries(this.#rows)) {
      const times = state.ms[stage];
      p50.textContent = times ? milliseconds(times.p50) : "–";
      p99.textContent = times ? milliseconds(times.p99) : "–";
      bar.style.transform = `scaleX(${times ? Math.min(1, times.p50 / longest) : 0})`;
    }
  }
}

function showRest({ resting_since }) {
  showLine(document.getElementById("resting"), resting_since ? t("speed.resting", { time: CLOCK.format(new Date(resting_since)) }) : "");
}

// a line that is there as long as it has something to say
export function showLine(line, text) {
  line.hidden = !text;
  if (line.textContent !== text) line.textContent = text;
}

export function milliseconds(ms) {
  return `${number(ms, ms < 10 ? 1 : 0)} ms`;
}
