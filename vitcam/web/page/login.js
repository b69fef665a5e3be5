// Sends the password, and says why it was refused.

const form = document.getElementById("login");
const field = document.getElementById("password");
const message = document.getElementById("message");
const send = document.getElementById("send");
const show = document.getElementById("show");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  send.disabled = true;
  message.textContent = "";
  try {
    const response = await fetch("/login", { method: "POST", body: new URLSearchParams({ password: field.value }) });
    if (response.ok) return location.replace("/");
    message.textContent = sentence((await response.json()).error);
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
fetch("/login", { redirect: "manual" })
  .then((response) => { if (response.type === "opaqueredirect") location.replace("/"); })
  .catch(() => null);

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
