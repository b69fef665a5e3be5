// The cameras that were found, each with a picture of what it sees: a viewer chooses one.

import { ask } from "../ask.js";
import { answerOf, t } from "../language/language.js";

const DEMO = "demo";
const WIDTH = 480; // px of the picture of the camera that is in use

export class Cameras {
  #list = document.getElementById("guide-cameras");
  #turn = 0; // the newest search; what an older one finds is not shown
  #chosen;

  // chosen: called with {source, name}
  constructor(chosen) {
    this.#chosen = chosen;
  }

  // returns a sentence where no camera was found
  async look() {
    const turn = ++this.#turn;
    const { cameras, trouble } = await ask("api/cameras");
    if (turn !== this.#turn) return "";
    const buttons = cameras.map((camera) => this.#button(camera));
    this.#list.replaceChildren(...buttons.map(({ button }) => button));
    this.#take(buttons, turn);
    return cameras.some(({ source }) => source !== DEMO) ? "" : trouble || t("guide.none");
  }

  // one after the other: the daemon has one thread for it
  async #take(buttons, turn) {
    for (const { camera, picture, said } of buttons) {
      const address = camera.used ? `snapshot.jpg?overlay=none&width=${WIDTH}` : `api/cameras/picture?${new URLSearchParams({ source: camera.source })}`;
      const response = camera.trouble ? null : await fetch(address).catch(() => null);
      if (turn !== this.#turn) return;
      if (response?.ok) picture.src = URL.createObjectURL(await response.blob());
      else said.textContent = camera.trouble || (response && (await answerOf(response).catch(() => null)))?.error || t("common.no_answer");
    }
  }

  #button(camera) {
    const button = document.createElement("button");
    const name = camera.source === DEMO ? t("guide.demo") : camera.name;
    Object.assign(button, { type: "button", className: "guide-camera" });
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", camera.used);
    button.setAttribute("aria-label", camera.used ? `${name}, ${t("guide.used")}` : t("guide.use", { name }));
    const picture = button.appendChild(Object.assign(document.createElement("img"), { alt: "", width: 160, height: 90 }));
    picture.addEventListener("load", () => URL.revokeObjectURL(picture.src));
    button.appendChild(document.createElement("span")).textContent = name;
    const said = button.appendChild(Object.assign(document.createElement("small"), { textContent: camera.used ? t("guide.used") : "" }));
    button.addEventListener("click", () => this.#chosen({ source: camera.source, name }));
    return { camera, button, picture, said };
  }
}
