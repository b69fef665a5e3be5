// The words of the page, from one catalogue a language: en.json and so on. index.html and the other modules name them by
// their keys. A module that imports this one runs once the words are there.

export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", pt: "Português" };
export const ORIGINAL = "en";
const KEY = "vitcam language"; // of what was chosen, kept by the browser
const AGAIN_MS = 1000;
const ATTRIBUTES = { tLabel: "aria-label", tTitle: "title", tPlaceholder: "placeholder", tAlt: "alt" };
const PLACES = ["[data-t]", "[data-t-label]", "[data-t-title]", "[data-t-placeholder]", "[data-t-alt]"].join();

export const language = chosen() ?? navigator.languages.map(codeOf).find((code) => code in LANGUAGES) ?? ORIGINAL;
// for Intl: with the viewer's country, where the browser says one
export const locale = navigator.languages.find((each) => codeOf(each) === language) ?? language;
export const CLOCK = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const plural = new Intl.PluralRules(locale);
const numbers = new Map(); // digits -> Intl.NumberFormat
const words = await load();
document.documentElement.lang = language;
fill(document);

// The text of a key. {name} in it is replaced by values.name; numbers are written as the language does. A text that
// depends on a number has several forms, and values.n chooses one.
export function t(key, values = {}) {
  const found = words[key] ?? key;
  const text = typeof found === "string" ? found : found[plural.select(values.n)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? number(values[name]) : values[name] ?? ""));
}

// whether there is a text of this key: for what the daemon names, which may be newer than this page
export function knows(key) {
  return Object.hasOwn(words, key);
}

// digits: after the decimal point
export function number(value, digits = 0) {
  if (!numbers.has(digits)) numbers.set(digits, new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  return numbers.get(digits).format(value);
}

// the viewer may choose another one than the browser says
export function offerLanguages(select) {
  const names = Object.entries(LANGUAGES).map(([code, name]) => Object.assign(new Option(name, code), { lang: code }));
  select.replaceChildren(new Option(t("language.browser"), ""), ...names);
  select.value = chosen() ?? "";
  select.addEventListener("change", () => choose(select.value));
}

// code: of LANGUAGES; empty: as the browser says
function choose(code) {
  try {
    if (code) localStorage.setItem(KEY, code);
    else localStorage.removeItem(KEY);
  } catch {
    return; // the browser keeps nothing
  }
  location.reload();
}

function chosen() {
  try {
    const code = localStorage.getItem(KEY);
    return code in LANGUAGES ? code : null;
  } catch {
    return null;
  }
}

function codeOf(tag) {
  return tag.split("-")[0].toLowerCase();
}

// the JSON of an answer of the daemon, with its sentences in the language of the page
export async function answerOf(response) {
  return inWords(await response.json());
}

// record: of the daemon; its `said` has a key for each sentence that the page has words for
export async function inWords(record) {
  return record?.said?.length ? (await import("./said.js")).inWords(record) : record;
}

// those of a view, which lie in its folder
export async function addWords(name) {
  const answer = await fetch(new URL(`../${name}/${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(answer.statusText);
  Object.assign(words, await answer.json());
}

async function load() {
  for (;;) {
    const answer = await fetch(new URL(`${language}.json`, import.meta.url)).catch(() => null);
    if (answer?.ok) return answer.json();
    await new Promise((rested) => { setTimeout(rested, AGAIN_MS); });
  }
}

// text: links of the page stand in it as [words](#address)
export function put(element, text) {
  const parts = text.split(/\[(.+?)\]\((#.+?)\)/);
  element.replaceChildren(...parts.flatMap((part, i) => {
    if (i % 3 !== 1) return i % 3 ? [] : part;
    return Object.assign(document.createElement("a"), { textContent: part, href: parts[i + 1] });
  }));
}

// gives the elements of a part the texts whose keys they name
export function fill(part) {
  for (const element of part.querySelectorAll(PLACES)) {
    const { t: key, ...named } = element.dataset;
    if (key) put(element, t(key));
    for (const [name, attribute] of Object.entries(ATTRIBUTES)) if (named[name]) element.setAttribute(attribute, t(named[name]));
  }
  for (const { content } of part.querySelectorAll("template")) fill(content);
}
