// The answer that stands there for one place: the newest look's own. A look that says something else dims the name that
// stands there at once. Within half a second another one takes its place, if no look agrees with it again: what the
// looks say since then, or that it is not sure where they disagree with each other.

import { isNamed, nameOf } from "./shown.js";

const MOMENT_MS = 400; // a name that no look agrees with stands there this long
const SAID_MS = 250; // after this time of looks that agree with each other their name stands there
const BACK_MS = 2000; // within this time a name that stood there comes back with the first look that gives it
const STEADY_MS = 1000;

export class Standing {
  look = null; // the newest look that agrees with what stands there
  newest = null;
  #disagrees = null; // since when no look agrees
  #said = 0; // since when all looks give the same name
  #left = { name: null, at: 0 }; // the name that stood there before it was not sure
  #labelled = -Infinity; // since when what stood there had the same label

  get isDimmed() {
    return this.#disagrees !== null && isNamed(this.look);
  }

  // whether the label has not changed for a while, so that it can be read
  isSteady(now = performance.now()) {
    return now - this.#labelled >= STEADY_MS;
  }

  add(look, now = performance.now()) {
    if (!this.newest || nameOf(look) !== nameOf(this.newest)) this.#said = now;
    this.newest = look;
    if (!this.look || look.path !== this.look.path || nameOf(look) === nameOf(this.look)) this.#take(look, now);
    else this.#disagrees ??= now;
    this.settle(now);
  }

  // again and again, also while no looks come
  settle(now = performance.now()) {
    if (this.#disagrees === null) return;
    const { newest } = this;
    const isOver = now - this.#disagrees >= MOMENT_MS;
    const isBack = !isNamed(this.look) && nameOf(newest) === this.#left.name && now - this.#left.at < BACK_MS;
    if (isNamed(newest) ? isBack || now - this.#said >= SAID_MS : isOver || !isNamed(this.look)) this.#take(newest, now);
    else if (isOver && isNamed(this.look)) this.#take({ ...newest, blank: false, shown: { ...newest.shown, label: null, kind: null, level: "none" } }, now);
  }

  #take(look, now) {
    if (this.look && isNamed(this.look) && !isNamed(look)) this.#left = { name: nameOf(this.look), at: now };
    if (this.look?.shown.label !== look.shown.label) this.#labelled = now;
    this.look = look;
    this.#disagrees = null;
  }
}
