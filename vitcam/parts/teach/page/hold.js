// A button that works as long as it is held: by mouse, by touch, or with the space bar or Enter. A short press is one thing by itself.

const SHORT_MS = 250;
const KEYS = [" ", "Enter"];

export class Hold {
  #button;
  #does;
  #timer = 0;
  #state = "up"; // up, down, held

  // does: {short, begin, end}, called for a short press, once the button counts as held, and when it is released
  constructor(button, does) {
    this.#button = button;
    this.#does = does;
    button.addEventListener("pointerdown", (event) => this.#point(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(kind, () => this.#release());
    button.addEventListener("keydown", (event) => this.#key(event, () => { if (!event.repeat) this.#press(); }));
    button.addEventListener("keyup", (event) => this.#key(event, () => this.#release()));
    button.addEventListener("blur", () => this.#release());
    button.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch opens it
    button.addEventListener("click", ({ detail }) => { if (detail === 0) does.short(); }); // by a screen reader
    addEventListener("pagehide", () => this.#release());
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.#release(); });
  }

  #point(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    this.#button.setPointerCapture(event.pointerId);
    this.#press();
  }

  #key(event, act) {
    if (!KEYS.includes(event.key)) return;
    event.preventDefault(); // it would be a click, too
    act();
  }

  #press() {
    if (this.#state !== "up") return;
    this.#state = "down";
    this.#timer = setTimeout(() => {
      this.#show("held");
      this.#does.begin();
    }, SHORT_MS);
  }

  #release() {
    const was = this.#state;
    clearTimeout(this.#timer);
    this.#show("up");
    if (was === "down") this.#does.short();
    if (was === "held") this.#does.end();
  }

  #show(state) {
    this.#state = state;
    this.#button.classList.toggle("held", state === "held");
  }
}
