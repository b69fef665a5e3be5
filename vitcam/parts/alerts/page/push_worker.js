// Runs without the page: shows a message that came by Web Push, and opens its event when it is pressed.

const PAGE = "../../";

self.addEventListener("push", (event) => {
  const { title, body, tag, open } = event.data.json();
  const options = { body, tag, renotify: true, icon: `${PAGE}page/home_screen/icon-192.png`, data: { open } };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(`${PAGE}${event.notification.data.open || "#alerts"}`, self.registration.scope).href));
});

async function show(address) {
  const page = new URL(PAGE, self.registration.scope).href;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const found = windows.find(({ url }) => url.split("#")[0] === page);
  if (!found) return self.clients.openWindow(address);
  found.postMessage({ open: new URL(address).hash });
  return found.focus();
}
