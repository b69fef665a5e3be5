// Asks the daemon. A refusal is thrown with the daemon's sentence.

import { answerOf, t } from "./language/language.js";
import { checkSession } from "./session.js";

// Returns the answer's JSON.
export async function ask(path, method = "GET", body = undefined) {
  return answerOf(await send(path, method, body));
}

// body: a Blob, or what is sent as JSON. Returns the response; what is thrown has its status, and what else the answer says
export async function send(path, method = "GET", body = undefined, signal = undefined) {
  let response;
  try {
    const isFile = body instanceof Blob;
    const type = isFile ? body.type || "application/octet-stream" : "application/json";
    const sent = body === undefined ? {} : { headers: { "Content-Type": type }, body: isFile ? body : JSON.stringify(body) };
    response = checkSession(await fetch(path, { method, signal, keepalive: method === "DELETE", ...sent }));
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(t("common.no_answer"));
  }
  if (response.ok) return response;
  const { error = t("common.no_answer"), ...more } = await answerOf(response).catch(() => ({}));
  throw Object.assign(new Error(error), more, { status: response.status });
}

export function sentence(text) {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
