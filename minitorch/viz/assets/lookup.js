// @ts-check
// What channels give in a state, as Python's `scene` does with NumPy.

/** @typedef {Record<string, number>} State An index from 0 for each axis. */

/**
 * The JSON and the arrays that `Scene.packed` deflated.
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // @ts-ignore: younger than the types of this compiler.
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const kinds = /** @type {Record<string, any>} */ ({ i1: Int8Array, i2: Int16Array, i4: Int32Array });
  /** @type {Map<number, any>} */
  const known = new Map();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)), (_, value) => {
    if (!value?.$) return value;
    const [kind, offset, count, shape] = value.$;
    const key = offset * 4 + count; // arrays of one place are one
    if (!known.has(key)) {
      known.set(key, Object.assign(new kinds[kind](buffer, 4 + size + offset, count), { shape }));
    }
    return known.get(key);
  });
}

/**
 * The last place with this key and an index of at most `now`; -1: none.
 * @param {{key: Int32Array, index: Int32Array}} columns
 * @param {number} key
 * @param {number} now
 */
export function lastAt({ key: keys, index }, key, now) {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key || (keys[middle] === key && index[middle] <= now)) low = middle + 1;
    else high = middle;
  }
  return low && keys[low - 1] === key ? low - 1 : -1;
}

/**
 * The rows of a state that a channel takes.
 * @param {any} rows
 * @param {Record<string, number>} wanted
 * @param {State} state
 */
export function matches(rows, wanted, state) {
  const found = [];
  const tests = Object.entries(wanted).map(([name, is]) => [rows.columns[name], is]);
  for (let at = rows.start[state[rows.axis]]; at < rows.start[state[rows.axis] + 1]; at++) {
    if (tests.every(([column, is]) => column[at] === is)) found.push(at);
  }
  return found;
}

/**
 * The number that each item has in a state.
 * @param {any} channel
 * @param {State} state
 * @param {number[]} items
 * @returns {number[]}
 */
export function numbers(channel, state, items) {
  if (channel.is === "Chosen") return numbers(channel.channels[state[channel.axis]], state, items);
  if (channel.is === "Table") {
    const { at, values } = channel;
    const row = at.reduce((/** @type {number} */ sum, /** @type {string} */ axis, /** @type {number} */ n) =>
      sum * values.shape[n] + state[axis], 0);
    if (values.shape.length === at.length) return items.map(() => values[row]);
    const size = values.shape[at.length];
    return items.map((item) => values[row * size + item]);
  }
  if (channel.is === "Latest") {
    const { before, stride, by, value } = channel;
    let { offset } = channel;
    for (const axis of Object.keys(by)) offset += state[axis] * by[axis];
    return items.map((item) => {
      const key = offset + item * stride;
      const at = lastAt(channel, key, state[channel.axis]);
      return at >= 0 ? value[at] : before.length === undefined ? before : before[key];
    });
  }
  if (channel.is === "Match") {
    const { rows, item, value, only, by } = channel;
    /** @type {Map<number, number>} */
    const found = new Map();
    const wanted = Object.fromEntries(by.map((/** @type {string} */ axis) => [axis, state[axis]]));
    for (const at of matches(rows, { ...only, ...wanted }, state)) {
      found.set(rows.columns[item][at], rows.columns[value][at]);
    }
    return items.map((each) => found.get(each) ?? -1);
  }
  if (channel.is === "Below") {
    const [limit] = numbers(channel.limit, state, [0]);
    return numbers(channel.value, state, items).map((value, at) => (items[at] < limit ? value : -1));
  }
  if (channel.is === "Index") return items.map(() => index_of(channel, state));
  if (channel.is === "Pattern") {
    const at = index_of(channel.at, state);
    const [pattern, first] = [channel.pattern[at], channel.first[at]];
    const own = new Set(channel.offsets.subarray(channel.start[pattern], channel.start[pattern + 1]));
    const value = numbers(channel.value, state, [0])[0];
    return items.map((item) => (own.has(item - first) ? value : -1));
  }
  if (channel.is === "Masked") {
    /** @type {number[][]} */
    const masks = channel.by.map((/** @type {any} */ each) => numbers(each, state, items));
    return numbers(channel.channel, state, items).map((value, at) =>
      masks.some((mask) => mask[at] >= 0) ? value : -1);
  }
  return items.map((item) => channel[item]);
}

/**
 * The sum that an `Index` stands for.
 * @param {{by: Record<string, number>}} channel
 * @param {State} state
 */
export function index_of({ by }, state) {
  return Object.entries(by).reduce((sum, [axis, stride]) => sum + state[axis] * stride, 0);
}
