// The MJPEG stream in an <img>: which variant, when to stop, when to begin again.

const NOTHING = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const WIDTHS = [480, 640, 960, 1280];
const RETRY_MS = 2000;

export class LivePicture {
  #img;
  #options = null;
  #running = false;
  #attempt = 0;
  #retry = 0;

  constructor(img) {
    this.#img = img;
    img.addEventListener("error", () => {
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.reload(), RETRY_MS);
    });
    new ResizeObserver(() => this.#refresh()).observe(img);
  }

  // overlay, head and opacity, as /stream takes them
  show(options) {
    this.#options = options;
    this.#refresh();
  }

  start() {
    this.#running = true;
    this.reload();
  }

  // ends the connection: a tab that nobody sees costs the camera nothing
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

  #refresh() {
    if (!this.#running || !this.#options) return;
    const wanted = this.#img.clientWidth * Math.min(devicePixelRatio, 2);
    const width = WIDTHS.find((candidate) => candidate >= wanted) ?? WIDTHS.at(-1);
    const variant = new URLSearchParams({ ...this.#options, width }).toString();
    if (this.#img.dataset.variant === variant) return;
    this.#img.dataset.variant = variant;
    this.#img.src = `/stream?${variant}&again=${this.#attempt}`; // a browser may show a known address from memory
  }
}
