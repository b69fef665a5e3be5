// Sends the password, and says why it was refused.

import { answerOf, t } from "./language.js";

const form = document.getElementById("login");
const field = document.getElementById("password");
const message = document.getElementById("message");
const send = document.getElementById("send");
const show = document.getElementById("show");
const NO_SESSION = window === top
  ? t("login.no_cookie")
  : t("login.in_frame");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  send.disabled = true;
  message.textContent = "";
  try {
    const response = await fetch("login", { method: "POST", redirect: "manual", body: new URLSearchParams({ password: field.value }) });
    const isRight = response.type === "opaqueredirect";
    if (isRight && (await hasSession())) return location.replace("./");
    message.textContent = isRight ? NO_SESSION : sentence((await answerOf(response)).error);
    field.select();
  } catch {
    message.textContent = t("common.try_again");
  }
  send.disabled = false;
  field.focus();
});

show.addEventListener("click", () => {
  const hidden = field.type === "password";
  field.type = hidden ? "text" : "password";
  show.textContent = t(hidden ? "login.hide" : "login.show");
  show.setAttribute("aria-pressed", String(hidden));
});

// A link on another site brings people here even if they have a session: browsers do not send its cookie with such a
// link, but they do with a request of this page.
hasSession().then((has) => { if (has) location.replace("./"); }).catch(() => null);

// the login page leads to the page if there is one
async function hasSession() {
  return (await fetch("login", { redirect: "manual" })).type === "opaqueredirect";
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
