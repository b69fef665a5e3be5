// The MJPEG stream in an <img>: which variant to ask for, when to stop, when to start again.

const NOTHING = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const WIDTHS = [480, 640, 960, 1280, 1600, 1920]; // few, so that viewers share pictures
const RETRY_MS = 2000;

export class LivePicture {
  #img;
  #options = null;
  #running = false;
  #attempt = 0;
  #retry = 0;
  #crowded = false; // too many variants are being watched: ask for the default one

  constructor(img) {
    this.#img = img;
    img.addEventListener("error", () => this.#recover());
    img.addEventListener("dragstart", (event) => event.preventDefault()); // otherwise the browser drags the frame as a file
    new ResizeObserver(() => this.#refresh()).observe(img);
  }

  // overlay, head and opacity, as /stream takes them
  show(options) {
    this.#options = options;
    this.#crowded = false;
    this.#refresh();
  }

  start() {
    this.#running = true;
    this.#crowded = false;
    this.reload();
  }

  // ends the connection, so that a hidden tab costs nothing
  stop() {
    this.#running = false;
    clearTimeout(this.#retry);
    this.#img.src = NOTHING;
    delete this.#img.dataset.variant;
  }

  reload() {
    this.#attempt += 1;
    delete this.#img.dataset.variant;
    this.#refresh();
  }

  async #recover() {
    clearTimeout(this.#retry);
    const answer = await fetch(this.#img.src, { method: "HEAD" }).catch(() => null);
    this.#crowded = answer?.status === 429;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.reload(), this.#crowded ? 0 : RETRY_MS);
  }

  #refresh() {
    if (!this.#running || !this.#options) return;
    const wanted = this.#img.clientWidth * Math.min(devicePixelRatio, 2);
    const width = WIDTHS.find((candidate) => candidate >= wanted) ?? WIDTHS.at(-1);
    // the default variant is always allowed
    const variant = this.#crowded ? "" : new URLSearchParams({ ...this.#options, width }).toString();
    if (this.#img.dataset.variant === variant) return;
    this.#img.dataset.variant = variant;
    this.#img.src = `stream?${variant}&again=${this.#attempt}`; // a browser may show a known address from its cache
  }
}
