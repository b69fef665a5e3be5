// The answer of POST /api/attention: a line of JSON, then for each block a float for each head and query, and a byte for
// each weight: its square times the float of its row.

const NEWLINE = 10;

export class Attention {
  #blocks = [];

  // buffer: an ArrayBuffer
  constructor(buffer) {
    const bytes = new Uint8Array(buffer);
    const end = bytes.indexOf(NEWLINE);
    Object.assign(this, JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))));
    let at = end + 1;
    for (const queries of this.queries) {
      const rows = this.heads * queries;
      const largest = new Float32Array(buffer.slice(at, at + 4 * rows));
      this.#blocks.push({ queries, largest, steps: bytes.subarray(at + 4 * rows, at + (4 + this.tokens) * rows) });
      at += (4 + this.tokens) * rows;
    }
  }

  get blocks() {
    return this.#blocks.length;
  }

  // How much a token takes from each, or null: in the last block often only what the answer reads asks.
  // head: or "mean"
  weights(block, head, token) {
    const { queries, largest, steps } = this.#blocks[block];
    if (token >= queries) return null;
    const heads = head === "mean" ? [...Array(this.heads).keys()] : [head];
    const sum = new Float32Array(this.tokens);
    for (const each of heads) {
      const row = each * queries + token;
      for (let i = 0; i < this.tokens; i += 1) sum[i] += (steps[row * this.tokens + i] / 255) ** 2 * largest[row] / heads.length;
    }
    return sum;
  }

  // weights: as above; returns those of the patches, as rows of columns
  onGrid(weights) {
    const patches = [...weights.subarray(this.before)];
    return Array.from({ length: this.rows }, (_, y) => patches.slice(y * this.columns, (y + 1) * this.columns));
  }
}
