// Where an event and its pictures are.

// The address of an event's picture. It changes when a better picture may have come.
// width: in px, the most that the picture may have; null: as it was stored
export function frameUrl(event, width = null, overlay = null) {
  return pictureUrl("frame.jpg", event, width, overlay);
}

// The same of what the model saw of something that was followed, in the camera's own px.
export function detailUrl(event, width, overlay = null) {
  return pictureUrl("detail.jpg", event, width, overlay);
}

function pictureUrl(name, { id, peak }, width, overlay) {
  if (!width) return `${placeOf(id)}/${name}`;
  const query = new URLSearchParams({ width, peak });
  if (overlay) query.set("overlay", overlay);
  return `${placeOf(id)}/${name}?${query}`;
}

export function clipUrl({ id }) {
  return `${placeOf(id)}/clip.mp4`;
}

// relative to the page: behind a proxy, the daemon may not know where that is
export function placeOf(id) {
  return `api/events/${encodeURIComponent(id)}`;
}
