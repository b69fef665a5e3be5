// Which windows of this browser show vitcam, and what each of them may keep open. A browser opens six connections to a
// host over HTTP/1.1, for all its windows together. So the windows tell each other that they are there: one of them
// reads predictions for all, the first few have a stream, and the others ask for one picture after the other.

const MOST_HELD = 4; // connections that stay open; the rest is for requests
const MOST_READING = 5; // of several vitcams below paths of one host, each needs a window that reads
const BEAT_MS = 1000;
const GONE_MS = 3500; // a window that says nothing in this time has crashed or hangs
const SETTLE_MS = 120; // in which the others answer a new window
const PLACE = new URL(".", location).pathname;
const MANY = ["h2", "h3"]; // these have any number of requests on one connection

export class Windows {
  #channel = shares() ? new BroadcastChannel("vitcam windows") : null;
  #own = { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), since: 0, place: PLACE, live: true };
  #others = new Map(); // id -> the same of another window, and when it was heard of
  #joined = false;
  #settled = false;
  #beating = 0;
  #settling = 0;
  #shares = "";
  #on;

  // on: {changed(): this window may keep other connections open, heard(kind, data): another window at the same place
  // tells it, came(): one more of these windows shows the live picture}
  constructor(on) {
    this.#on = on;
    this.#channel?.addEventListener("message", ({ data }) => this.#hear(data));
    addEventListener("pagehide", () => this.leave());
  }

  // the window is on the screen; live: whether it shows the live picture
  join(live) {
    this.#own.live = live;
    if (this.#joined) return this.#say("here");
    this.#joined = true;
    this.#own.since = Date.now();
    this.#settled = !this.#channel;
    if (!this.#channel) return this.#compare();
    this.#say("who");
    this.#beating = setInterval(() => this.#say("here"), BEAT_MS);
    this.#settling = setTimeout(() => { this.#settled = true; this.#compare(); }, SETTLE_MS);
  }

  leave() {
    if (!this.#joined) return;
    this.#joined = this.#settled = false;
    clearInterval(this.#beating);
    clearTimeout(this.#settling);
    this.#others.clear();
    this.#shares = "";
    this.#say("bye");
  }

  // whether the others have had time to answer
  get isSettled() {
    return this.#settled;
  }

  // whether this window reads predictions and events
  get reads() {
    return this.#share.reads;
  }

  // whether this window may keep a stream open
  get streams() {
    return this.#share.streams;
  }

  // whether nobody reads predictions for this window, because so many other vitcams are open
  get isLeftOut() {
    return this.#settled && !this.#all.some((each) => each.place === PLACE && this.#reading.has(each.id));
  }

  // whether some window at this place shows the live picture
  get anyLive() {
    return this.#all.some(({ place, live }) => place === PLACE && live);
  }

  // to the other windows at this place
  tell(kind, data) {
    if ([...this.#others.values()].some(({ place }) => place === PLACE)) this.#channel.postMessage({ kind, data, place: PLACE });
  }

  get #all() {
    return [this.#own, ...this.#others.values()].sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
  }

  // ids of the windows that read, each for all windows at its place
  get #reading() {
    const first = new Map();
    for (const { id, place } of this.#all) if (!first.has(place)) first.set(place, id);
    return new Set([...first.values()].slice(0, MOST_READING));
  }

  get #share() {
    if (!this.#channel) return { reads: this.#joined, streams: this.#joined };
    if (!this.#settled) return { reads: false, streams: false };
    const reading = this.#reading;
    const streaming = this.#all.filter(({ live }) => live).slice(0, Math.max(0, MOST_HELD - reading.size));
    return { reads: reading.has(this.#own.id), streams: streaming.includes(this.#own) };
  }

  #say(kind) {
    this.#forget();
    this.#channel?.postMessage({ kind, from: { ...this.#own } });
    this.#compare();
  }

  #hear({ kind, from, place, data }) {
    if (!this.#joined) return;
    if (!from) {
      if (place === PLACE) this.#on.heard(kind, data);
      return;
    }
    const before = this.#others.get(from.id);
    if (kind === "bye") this.#others.delete(from.id);
    else this.#others.set(from.id, { ...from, heard: Date.now() });
    if (kind === "who") this.#say("here");
    this.#compare();
    if (kind !== "bye" && from.place === PLACE && from.live && !before?.live) this.#on.came();
  }

  #forget() {
    for (const [id, { heard }] of this.#others) if (Date.now() - heard > GONE_MS) this.#others.delete(id);
  }

  #compare() {
    if (!this.#settled) return;
    const shares = JSON.stringify([this.#share, this.anyLive, this.isLeftOut]);
    if (shares === this.#shares) return;
    this.#shares = shares;
    this.#on.changed();
  }
}

function shares() {
  const [arrival] = performance.getEntriesByType("navigation");
  return "BroadcastChannel" in window && !MANY.includes(arrival?.nextHopProtocol);
}
