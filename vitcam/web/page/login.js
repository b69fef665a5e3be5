// Sends the password, and says why it was refused.

const form = document.getElementById("login");
const field = document.getElementById("password");
const message = document.getElementById("message");
const send = document.getElementById("send");
const show = document.getElementById("show");
const NO_SESSION = window === top
  ? "The password is right, but this browser keeps no cookie of vitcam. Allow cookies for it."
  : "The password is right, but this browser keeps no session in a frame of another site. Open vitcam in a window of its own.";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  send.disabled = true;
  message.textContent = "";
  try {
    const response = await fetch("login", { method: "POST", redirect: "manual", body: new URLSearchParams({ password: field.value }) });
    const isRight = response.type === "opaqueredirect";
    if (isRight && (await hasSession())) return location.replace("./");
    message.textContent = isRight ? NO_SESSION : sentence((await response.json()).error);
    field.select();
  } catch {
    message.textContent = "vitcam does not answer. Try again.";
  }
  send.disabled = false;
  field.focus();
});

show.addEventListener("click", () => {
  const hidden = field.type === "password";
  field.type = hidden ? "text" : "password";
  show.textContent = hidden ? "Hide" : "Show";
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
