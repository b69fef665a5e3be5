// The session of a page that was opened with the password: how it ends, and where to begin another one.

const button = document.getElementById("log-out");

button.addEventListener("click", async () => {
  button.disabled = true;
  await fetch("logout", { method: "POST" }).catch(() => null);
  location.replace("login");
});

// access: of /api/state; null where nothing is protected
export function showSession(access) {
  button.hidden = access?.shown !== "session";
}

// Returns the response; leads to the login page if there is no session any more.
export function checkSession(response) {
  if (response.status === 401) location.replace("login");
  return response;
}
