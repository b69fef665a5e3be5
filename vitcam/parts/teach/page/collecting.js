// One recording of pictures: it is begun and ended, and how far it is is asked for meanwhile.

import { ask } from "../ask.js";
import { DATA_SET } from "./api.js";

const ASK_MS = 400;

export class Collecting {
  #requests = Promise.resolve(); // one after the other: an end must not come before its beginning
  #timer = 0;
  #isOn = false;
  #does;

  // does: {shown, over, failed}, called with the state of the recording, its last state, or the error
  constructor(does) {
    this.#does = does;
  }

  // wanted: {label, zone, count or seconds}
  begin(wanted) {
    this.#request(async () => {
      const state = await ask("api/collect", "POST", { dataset: DATA_SET, ...wanted });
      this.#isOn = true;
      return state;
    });
  }

  end() {
    this.#request(() => (this.#isOn ? ask("api/collect", "DELETE") : null));
  }

  #request(send) {
    this.#requests = this.#requests.then(send).then((state) => { if (state) this.#take(state); }, (error) => this.#fail(error));
  }

  #take(state) {
    clearTimeout(this.#timer);
    if (state.active) {
      this.#does.shown(state);
      this.#timer = setTimeout(() => this.#request(() => (this.#isOn ? ask("api/collect") : null)), ASK_MS);
      return;
    }
    this.#isOn = false;
    this.#does.over(state);
  }

  #fail(error) {
    this.#isOn = false;
    this.#does.failed(error);
  }
}
