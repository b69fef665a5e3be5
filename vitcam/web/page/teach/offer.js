// The button "Teach". The code and the styles of the panel are loaded when it is pressed for the first time.

const STYLES = ["page/teach/teach.css", "page/teach/inbox.css"];

export class TeachOffer {
  #button = document.getElementById("teach");
  #teach = null;
  #state = null;

  // changed: called when another model is in use
  constructor(changed) {
    this.#button.addEventListener("click", () => this.#load(changed), { once: true });
  }

  // state: of /api/state
  show(state) {
    this.#state = state;
    this.#button.hidden = Boolean(state.access) && state.access.scope !== "control";
    this.#teach?.show(state);
  }

  async #load(changed) {
    const [{ Teach }] = await Promise.all([import("./teach.js"), ...STYLES.map(load)]);
    this.#teach = new Teach(changed);
    if (this.#state) this.#teach.show(this.#state);
    this.#teach.open();
  }
}

function load(href) {
  const link = document.createElement("link");
  return new Promise((loaded) => {
    Object.assign(link, { rel: "stylesheet", href, onload: loaded, onerror: loaded });
    document.head.append(link);
  });
}
