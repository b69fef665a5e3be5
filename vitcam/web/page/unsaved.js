// What was changed and could not be saved so far: a restart would undo it, so every view says it until it is saved.

import { knows, locale, t } from "./language/language.js";

const notice = document.getElementById("unsaved");

// unsaved: of /api/state
export function showUnsaved(unsaved) {
  const names = Object.keys(unsaved);
  const what = new Intl.ListFormat(locale).format(names.map((name) => (knows(`unsaved.${name}`) ? t(`unsaved.${name}`) : name)));
  const reason = [...new Set(Object.values(unsaved))].join("; ");
  const text = names.length ? t("unsaved.says", { what, reason }) : "";
  notice.hidden = !text;
  if (notice.textContent !== text) notice.textContent = text;
}
