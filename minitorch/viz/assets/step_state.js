// @ts-check
// What holds after each step of a block, replayed from columns.

/**
 * One access of a warp: its step, array, kind (1 reads, 2 writes, 3 updates), lanes,
 * and a cell and a value for each of these lanes.
 * @typedef {{array: number, kind: number, thread: number, cell: number, value: number}} Use
 */

/**
 * @typedef {object} Held What holds after a step.
 * @property {number[]} waits Bits of each warp's lanes at a barrier.
 * @property {number[]} done
 * @property {number[]} at Line of each warp's last step; -1: none yet.
 * @property {Map<number, number>} counts How often each line ran.
 * @property {Map<number, {value: Int32Array, warp: Int32Array}>} cells By array.
 * @property {Int32Array[]} values Of each variable in each thread; -1: not set.
 * @property {Map<string, number>} was Old values of what the last step changed.
 */

const LANES = 32;
export const READ = 1;

/** @param {number} bits */
export function lanesOf(bits) {
  const lanes = [];
  for (let lane = 0; lane < LANES; lane++) if ((bits >>> lane) & 1) lanes.push(lane);
  return lanes;
}

/** @param {number} bits */
export function countOf(bits) {
  let count = 0;
  for (let rest = bits >>> 0; rest; rest >>>= 1) count += rest & 1;
  return count;
}

/**
 * Rows by their step.
 * @param {any[][]} rows
 * @param {number} count
 */
function byStep(rows, count) {
  /** @type {any[][][]} */
  const groups = Array.from({ length: count }, () => []);
  for (const row of rows) groups[row[0]].push(row);
  return groups;
}

/** @param {any} data */
function held(data) {
  const { before } = data;
  const count = data.threads.count;
  /** @type {Held["cells"]} */
  const cells = new Map();
  data.arrays.forEach((/** @type {any} */ array, /** @type {number} */ number) => {
    if (!array.shared) return;
    const size = array.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const [value, warp] = before.cells[number] ?? [[], []];
    const own = { value: new Int32Array(size).fill(-1), warp: new Int32Array(size).fill(-1) };
    own.value.set(value);
    own.warp.set(warp);
    cells.set(number, own);
  });
  return {
    waits: [...before.waits],
    done: [...before.done],
    at: [...before.at],
    counts: new Map(Object.entries(before.counts).map(([line, often]) => [+line, Number(often)])),
    cells,
    values: data.names.map((/** @type {string} */ _, /** @type {number} */ name) =>
      before.values.length ? Int32Array.from(before.values[name]) : new Int32Array(count).fill(-1)),
    was: new Map(),
  };
}

/**
 * What a block does, step by step.
 * @param {any} data
 */
export function replay(data) {
  const { steps } = data;
  const count = steps.warp.length;
  const uses = byStep(data.uses, count);
  const changes = byStep(data.changes, count);
  let now = -1;
  /** @type {Held} */
  let state = held(data);

  /** @param {number} step */
  function usesIn(step) {
    /** @type {Use[]} */
    const found = [];
    for (const [, array, kind, mask, cells, values] of uses[step]) {
      lanesOf(mask).forEach((lane, at, lanes) => {
        const spaced = cells.length < lanes.length || (cells.length === 2 && lanes.length > 2);
        found.push({
          array,
          kind,
          thread: steps.warp[step] * LANES + lane,
          cell: spaced ? cells[0] + at * cells[1] : cells[at],
          value: values.length === 1 ? values[0] : values[at],
        });
      });
    }
    return found;
  }

  /** @param {number} step */
  function change(step) {
    state.was = new Map();
    for (const [, warp, name, mask, values] of changes[step]) {
      lanesOf(mask).forEach((lane, at) => {
        const thread = warp * LANES + lane;
        const key = `${name} ${thread}`;
        if (thread >= state.values[name].length) return;
        if (!state.was.has(key)) state.was.set(key, state.values[name][thread]);
        state.values[name][thread] = values.length === 1 ? values[0] : values[at];
      });
    }
  }

  /** @param {number} step */
  function run(step) {
    const warp = steps.warp[step];
    if (step > 0 && steps.opens[step - 1]) state.waits.fill(0);
    state.waits[warp] = steps.waits[step];
    state.done[warp] = steps.done[step];
    state.at[warp] = steps.line[step];
    state.counts.set(steps.line[step], (state.counts.get(steps.line[step]) ?? 0) + 1);
    for (const use of usesIn(step)) {
      const cells = state.cells.get(use.array);
      if (!cells || use.kind === READ) continue;
      cells.value[use.cell] = use.value;
      cells.warp[use.cell] = warp;
    }
    change(step);
  }

  /** @param {number} step */
  function after(step) {
    if (step < now) {
      state = held(data);
      now = -1;
    }
    while (now < step) run(++now);
    return state;
  }

  return { after, usesIn };
}
