// A change of something that others may change at the same time: it names the version that it is of. Where that is old,
// it is merged with what is there now, and the viewer is asked about what both have changed.

import { addWords, answerOf, t } from "../language/language.js";
import { checkSession } from "../session.js";

let words = null; // a promise of what is said where others have changed something

// what the viewer changes, as values by keys that several people may change apart:
// valuesOf(record): of what the daemon gives; bodyOf(values, present): what is sent, undefined for no body;
// questionsOf(overlaps, present): [{keys, title, mine, theirs}] in words; overlaps: [{key, mine, theirs}], undefined: deleted
// isPartial: what is not sent stays

// base, mine: the values that the viewer has read, and those that are to be
// returns {answer, etag, isMerged}; answer is null where the viewer gave up, or all is to stay as others have made it
export async function sendChange(path, method, etag, base, mine, { valuesOf, bodyOf, questionsOf, isPartial = false }) {
  let [known, wanted, version, present] = [base, mine, etag, null];
  for (;;) {
    const values = isPartial ? changesOf(known, wanted) : wanted;
    if (isPartial && present && Object.keys(values).length === 0) return { answer: null, etag: version, isMerged: true };
    const response = await send(path, method, version, bodyOf(values, present));
    const answer = await answerOf(response);
    if (response.ok) return { answer, etag: response.headers.get("ETag") ?? "", isMerged: present !== null };
    if (response.status !== 412) throw new Error(answer.error);
    present = answer.present;
    await (words ??= addWords("versions").catch(() => { words = null; }));
    const theirs = valuesOf(present);
    const { merged, overlaps } = merge(known, wanted, theirs);
    if (overlaps.length) {
      const { ask } = await import("./ask.js");
      const chosen = await ask(answer, questionsOf(overlaps, present));
      if (!chosen) return { answer: null, etag: version, isMerged: false };
      for (const key of chosen) put(merged, key, wanted[key]);
    }
    [known, wanted, version] = [theirs, merged, answer.etag];
  }
}

// what is to be said beside "saved"
export function mergedWords(isMerged) {
  return isMerged ? ` ${t("versions.merged")}` : "";
}

function send(path, method, version, body) {
  const headers = { ...(version && { "If-Match": version }), ...(body !== undefined && { "Content-Type": "application/json" }) };
  const refused = () => { throw new Error(t("common.no_answer")); };
  return fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).then(checkSession, refused);
}

// what both have changed is as theirs until it is chosen
function merge(base, mine, theirs) {
  const [merged, overlaps] = [{}, []];
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])) {
    const isMine = !same(mine[key], base[key]);
    const isTheirs = !same(theirs[key], base[key]);
    if (isMine && isTheirs && !same(mine[key], theirs[key])) overlaps.push({ key, mine: mine[key], theirs: theirs[key] });
    put(merged, key, isMine && !isTheirs ? mine[key] : theirs[key]);
  }
  return { merged, overlaps };
}

function changesOf(base, values) {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => !same(value, base[key])));
}

function put(values, key, value) {
  if (value === undefined) delete values[key];
  else values[key] = value;
}

export function same(one, other) {
  return plain(one) === plain(other);
}

// the order of keys does not count
function plain(value) {
  return JSON.stringify(value, (_, each) => (each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each));
}
