// A view: its HTML is put into its place before its module looks for it there.

import { addWords } from "../language/language.js";
import { WORDS } from "../part_views.js";
import { fetchHtml } from "./html.js";

// gives what the module's open() gives
export async function loadView(name) {
  const words = WORDS.includes(name) ? addWords(name) : Promise.resolve();
  const html = words.then(() => fetchHtml(`page/${name}/${name}.html`));
  const [{ open }, elements] = await Promise.all([import(`../${name}/${name}.js`), html]);
  document.getElementById(`${name}-message`).after(...elements);
  try {
    return await open();
  } catch (error) {
    document.getElementById(name).replaceChildren(document.getElementById(`${name}-message`));
    throw error;
  }
}
