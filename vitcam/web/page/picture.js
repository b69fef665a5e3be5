// The live picture in an <img>, as an MJPEG stream or one picture after the other: which variant to ask for, when to stop,
// when to start again.

const NOTHING = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const WIDTHS = [480, 640, 960, 1280, 1600, 1920]; // few, so that viewers share pictures
const RETRY_MS = 2000;
const REST_MS = 200; // between two single pictures
const HERE = Math.random().toString(36).slice(2);
const LATE_MS = 10_000; // a single picture takes at most 1 s to come

export class LivePicture {
  #img;
  #options = null;
  #running = false;
  #streams = true;
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

  // streams: whether to keep a connection open for it
  start(streams) {
    if (this.#running && this.#streams === streams) return;
    this.#running = true;
    this.#streams = streams;
    this.#crowded = false;
    this.reload();
  }

  // ends the connection, so that a hidden tab costs nothing
  stop() {
    this.#running = false;
    clearTimeout(this.#retry);
    URL.revokeObjectURL(this.#img.src);
    this.#img.src = NOTHING;
    delete this.#img.dataset.variant;
  }

  reload() {
    delete this.#img.dataset.variant;
    this.#refresh();
  }

  async #recover() {
    if (!this.#streams) return; // the next picture comes
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
    this.#ask();
  }

  #ask() {
    this.#attempt += 1;
    if (this.#streams) this.#img.src = this.#address("stream");
    else this.#followSingle(this.#attempt);
  }

  // a browser may show a known address from its cache, and asks for one once at a time, whatever windows want it
  #address(path) {
    return `${path}?${this.#img.dataset.variant}&again=${HERE}${this.#attempt}`;
  }

  // one picture after the other; each stays until the next one is there
  async #followSingle(attempt) {
    while (attempt === this.#attempt && this.#running && !this.#streams) {
      const answer = await fetch(this.#address("snapshot.jpg"), { priority: "low", signal: AbortSignal.timeout(LATE_MS) }).catch(() => null);
      const isPicture = answer?.headers.get("Content-Type") === "image/jpeg"; // also while there is none: then it says why
      const photo = isPicture ? await answer.blob().catch(() => null) : null;
      if (attempt !== this.#attempt || !this.#running || this.#streams) return;
      if (photo) this.#show(photo);
      if (answer?.status === 429 && !this.#crowded) {
        this.#crowded = true;
        return this.reload();
      }
      await new Promise((rested) => { setTimeout(rested, photo ? REST_MS : RETRY_MS); });
    }
  }

  #show(photo) {
    const last = this.#img.src;
    this.#img.src = URL.createObjectURL(photo);
    URL.revokeObjectURL(last);
  }
}
