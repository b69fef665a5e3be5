// A style that only a part of the page needs. Resolves once it is in force.

export function loadStyle(href) {
  const link = document.createElement("link");
  return new Promise((loaded, failed) => {
    Object.assign(link, { rel: "stylesheet", href, onload: loaded, onerror: () => { link.remove(); failed(new Error(href)); } });
    document.head.append(link);
  });
}

// query: a media query. What needs the style is there without it, too, so nobody waits for it
export function loadStyleOnce(query, href) {
  const wish = matchMedia(query);
  const load = () => { loadStyle(href).catch(() => {}); };
  if (wish.matches) load();
  else wish.addEventListener("change", load, { once: true });
}
