// A view: its HTML is put into its place before its module looks for it there.

import { fetchHtml } from "./html.js";

// gives what the module's open() gives
export async function loadView(name) {
  const [{ open }, elements] = await Promise.all([import(`../${name}/${name}.js`), fetchHtml(`page/${name}/${name}.html`)]);
  document.getElementById(`${name}-message`).after(...elements);
  try {
    return await open();
  } catch (error) {
    document.getElementById(name).replaceChildren(document.getElementById(`${name}-message`));
    throw error;
  }
}
