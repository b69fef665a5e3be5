// What the view "Learn" asks of the daemon. Each gives what was asked for, or throws an Error with a sentence to show.

import { t } from "../language/language.js";
import { checkSession } from "../session.js";

export const JSON_BODY = { "Content-Type": "application/json" };

export async function ask(target, options) {
  let response;
  try {
    response = checkSession(await fetch(target, options));
  } catch {
    throw new Error(t("common.no_answer"));
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error ?? t("common.no_answer"));
}

export const record = async (target, options) => (await ask(target, options)).json();
export const classify = (photo) => record("api/classify?input=1", { method: "POST", body: photo });
export const attentionOf = async (photo) => (await ask("api/attention", { method: "POST", body: photo })).arrayBuffer();
export const sampleOf = async (name) => (await ask(`page/learn/${name}`)).blob();
export const pictureNow = async () => (await ask("snapshot.jpg?overlay=none&quality=90")).blob();
export const fetchPicture = async (url) => (await ask("api/fetch", { method: "POST", headers: JSON_BODY, body: JSON.stringify({ url }) })).blob();
export const useModel = (name) => record("api/model", { method: "POST", headers: JSON_BODY, body: JSON.stringify({ name }) });
