// Asks the viewer about what somebody else has changed, too: which of the two is to hold.

import { timeOf } from "../history/words.js";
import { t } from "../language/language.js";
import { loadStyle } from "../panels/style.js";

const styled = loadStyle("page/versions/versions.css");
let count = 0;

// refusal: the daemon's 412; questions: [{keys, title, mine, theirs}]
// returns the keys whose value is to be the viewer's own; null: the viewer gave up
export async function ask(refusal, questions) {
  await styled.catch(() => {});
  const dialog = document.body.appendChild(element("dialog", "versions"));
  const title = dialog.appendChild(element("h2", "", t("versions.title")));
  title.id = `versions-title-${count += 1}`;
  dialog.setAttribute("aria-labelledby", title.id);
  const form = dialog.appendChild(element("form"));
  form.method = "dialog";
  form.append(element("p", "", whoOf(refusal)), ...questions.map(questionOf), element("p", "hint", t("versions.choose")));
  const buttons = form.appendChild(element("span", "buttons"));
  const cancel = buttons.appendChild(element("button", "button", t("common.cancel")));
  const save = buttons.appendChild(element("button", "button strong", t("versions.save")));
  Object.assign(cancel, { value: "", formNoValidate: true });
  save.value = "save";
  dialog.showModal();
  await new Promise((closed) => { dialog.addEventListener("close", closed, { once: true }); });
  const mine = new FormData(form);
  dialog.remove();
  return dialog.returnValue === "save" ? questions.flatMap(({ keys }, index) => (mine.get(nameOf(index)) === "mine" ? keys : [])) : null;
}

function whoOf({ time, token }) {
  if (!time) return t("versions.by_other");
  const when = timeOf(time);
  return token ? t("versions.by_token", { token, time: when }) : t("versions.by_browser", { time: when });
}

function questionOf({ title, mine, theirs }, index) {
  const group = element("fieldset");
  group.append(element("legend", "", title));
  for (const [value, text] of [["mine", t("versions.mine", { text: mine })], ["theirs", t("versions.theirs", { text: theirs })]]) {
    const label = group.appendChild(element("label"));
    label.append(Object.assign(document.createElement("input"), { type: "radio", name: nameOf(index), value, required: true }), element("span", "", text));
  }
  return group;
}

function nameOf(index) {
  return `question-${index}`;
}

function element(tag, className = "", text = "") {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}
