// Choosing the language of the page.

import { choose, isChosen, language, LANGUAGES, t } from "./language.js";

export function offerLanguages(select) {
  const names = Object.entries(LANGUAGES).map(([code, name]) => Object.assign(new Option(name, code), { lang: code }));
  select.replaceChildren(new Option(t("language.browser"), ""), ...names);
  select.value = isChosen ? language : "";
  select.addEventListener("change", () => choose(select.value));
}
