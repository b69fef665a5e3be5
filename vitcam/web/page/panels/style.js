// A style that only a part of the page needs. Resolves once it is in force.

export function loadStyle(href) {
  const link = document.createElement("link");
  return new Promise((loaded, failed) => {
    Object.assign(link, { rel: "stylesheet", href, onload: loaded, onerror: () => { link.remove(); failed(new Error(href)); } });
    document.head.append(link);
  });
}
