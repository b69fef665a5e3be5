// Where a setting comes from, as the daemon says it, in the language of the page.

import { t } from "../language/language.js";

export function placeOf(said) {
  const [, line, file] = /^line (\d+) of (.+)$/.exec(said) ?? [];
  if (file) return t("place.line", { line, file });
  return said === "the command line" ? t("place.command_line") : said;
}
