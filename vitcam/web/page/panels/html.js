// HTML that only a part of the page needs. Resolves with its elements, in the viewer's language.

import { fill } from "../language/language.js";
import { checkSession } from "../session.js";

export async function fetchHtml(href) {
  const answer = checkSession(await fetch(href));
  if (!answer.ok) throw new Error(answer.statusText);
  const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
  fill(body);
  return [...body.children];
}
