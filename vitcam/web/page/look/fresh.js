// Reads what a part of the page shows: when something has happened, and only while the part is on the screen.

const REST_MS = 2000; // several events often come together

export class Fresh {
  #part;
  #read;
  #isStale = true; // something has happened since it was read
  #waiting = 0;

  // read: gives a promise; where it is rejected, the next event reads again
  constructor(part, read) {
    this.#part = part;
    this.#read = read;
    new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) this.#refresh(); }).observe(part);
  }

  // something has happened
  event() {
    this.#isStale = true;
    this.#waiting ||= setTimeout(() => this.#refresh(), REST_MS);
  }

  async #refresh() {
    clearTimeout(this.#waiting);
    this.#waiting = 0;
    if (!this.#isStale || document.hidden || !this.#part.offsetParent) return;
    this.#isStale = false;
    await this.#read().catch(() => { this.#isStale = true; });
  }
}
