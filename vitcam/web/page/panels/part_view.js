// A view that a part brings: its HTML is put into its place before its module looks for it there.

import { fill } from "../language/language.js";
import { checkSession } from "../session.js";

// gives what the module's open() gives
export async function loadView(name) {
  const [{ open }, answer] = await Promise.all([import(`../${name}/${name}.js`), fetch(`page/${name}/${name}.html`)]);
  if (!checkSession(answer).ok) throw new Error(answer.statusText);
  const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
  fill(body);
  document.getElementById(`${name}-message`).after(...body.children);
  try {
    return await open();
  } catch (error) {
    document.getElementById(name).replaceChildren(document.getElementById(`${name}-message`));
    throw error;
  }
}
