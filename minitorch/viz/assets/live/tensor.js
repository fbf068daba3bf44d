// @ts-check
// Owns how the tensor view moves: one element, the cell it lies in, the sum that says so.
// Must not know how elements and cells are drawn.

import { within } from "./place.js";
import { number, rect, ring, text } from "./svg.js";

/** @typedef {number[]} Index */
/**
 * @typedef {object} ArrayData
 * @property {[number, number][]} window First and end of what is drawn, each dimension.
 * @property {[number, number][]} places Where each element is drawn.
 * @property {number} wide
 * @property {number[]} cells The cell of each element drawn.
 * @property {number[]} strides
 * @property {number} start
 * @property {number} memory
 */
/** @typedef {{first: number, count: number, left: number, top: number}} MemoryData */
/** @typedef {{array: number, index: Index}} TensorState */

/**
 * Where an element comes among those drawn, or -1.
 * @param {ArrayData} array
 * @param {Index} index
 */
function flatOf(array, index) {
  let flat = 0;
  for (const [dim, [first, end]] of array.window.entries()) {
    if (index[dim] < first || index[dim] >= end) return -1;
    flat = flat * (end - first) + index[dim] - first;
  }
  return flat;
}

/**
 * The index of an element by its place among those drawn.
 * @param {ArrayData} array
 * @param {number} flat
 */
function indexOf(array, flat) {
  /** @type {Index} */
  const index = [];
  for (const [first, end] of [...array.window].reverse()) {
    index.unshift(first + (flat % (end - first)));
    flat = Math.floor(flat / (end - first));
  }
  return index;
}

/**
 * The cell of an element, and what each dimension adds to it.
 * @param {ArrayData} array
 * @param {Index} index
 */
function sumOf(array, index) {
  const products = index.map((at, dim) => at * array.strides[dim]);
  return { products, cell: products.reduce((sum, each) => sum + each, array.start) };
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {ArrayData[]} */
  const arrays = data.arrays;
  /** @type {MemoryData[]} */
  const memories = data.memories;
  const { cell: size, table } = data;
  /** @type {number[]} */
  const starts = [];
  arrays.reduce((sum, { places }) => (starts.push(sum), sum + places.length), 0);
  /** @type {TensorState} */
  let state = data.at;

  /** @param {string} name @param {string} content */
  function fill(name, content) {
    frame.at(name).innerHTML = content;
  }

  /** @param {ArrayData} array @param {number} at @param {Index | null} focus */
  function drawElement(array, at, focus) {
    let content = "";
    if (focus) {
      const flat = flatOf(array, focus);
      const { cell } = sumOf(array, focus);
      const look = { rx: 3, fill: "none", stroke: "var(--ink)", "stroke-width": 1.2 };
      const dashed = { ...look, "stroke-dasharray": "2.6 1.8" };
      for (const [other, own] of array.cells.entries()) {
        if (own !== cell || other === flat) continue;
        const [x, y] = array.places[other];
        content += rect(x + 2, y + 2, array.wide - 4, size.high - 4, dashed);
      }
      if (flat >= 0) content += ring(...array.places[flat], array.wide, size.high);
    }
    fill(`a${at}-focus`, content);
  }

  /** @param {ArrayData} array @param {number} at @param {Index | null} focus */
  function drawSum(array, at, focus) {
    const folded = Math.max(array.strides.length - table.most, 0);
    const { products, cell } = sumOf(array, focus ?? array.strides.map(() => 0));
    const before = products.slice(0, folded).reduce((sum, each) => sum + each, 0);
    const parts = [...(folded ? [before] : []), ...products.slice(folded)].map(number);
    const own = focus?.slice(folded).map(number) ?? parts.map(() => "·");
    const indices = focus ? [...(folded ? ["…"] : []), ...own] : own;
    const look = { anchor: "end", mono: true };
    let content = "";
    for (const [column, product] of parts.entries()) {
      const x = table.head + (column + 1) * table.wide - 8;
      const [y, below] = [table.top + 3 * table.line, table.top + 4 * table.line];
      content += text(x, y, indices[column], table.size, { ...look, bold: true });
      content += text(x, below, focus ? product : "·", table.size, look);
    }
    if (array.start || !parts.length) parts.unshift(`start ${number(array.start)}`);
    const words = focus ? `${parts.join(" + ")} = cell ${number(cell)}` : "no element here";
    const y = table.top + 5 * table.line + 8;
    content += text(12, y, words, table.size, { bold: true, mono: true });
    fill(`a${at}-sum`, content);
  }

  /** @param {number} at @param {(Index | null)[]} foci */
  function drawCell(at, foci) {
    const memory = memories[at];
    const order = [state.array, ...arrays.keys()];
    const shown = order.find((each) => arrays[each].memory === at && foci[each]);
    let content = "";
    if (shown !== undefined) {
      const { cell } = sumOf(arrays[shown], /** @type {Index} */ (foci[shown]));
      const away = cell - memory.first;
      if (away >= 0 && away < memory.count) {
        const x = memory.left + (away % size.row) * size.wide;
        const y = memory.top + Math.floor(away / size.row) * size.pitch;
        content = ring(x, y, size.wide, size.high);
      }
    }
    fill(`m${at}-focus`, content);
  }

  /** @param {Partial<TensorState>} change */
  function show(change) {
    const next = { ...state, ...change };
    const flat = arrays[next.array] ? flatOf(arrays[next.array], next.index) : -1;
    if (!(flat >= 0)) return; // not drawn, or no index of this array
    state = next;
    const at = starts[state.array] + flat;
    /** @type {(Index | null)[]} */
    const foci = data.foci[at];
    for (const [each, array] of arrays.entries()) {
      drawElement(array, each, foci[each]);
      drawSum(array, each, foci[each]);
    }
    for (const each of memories.keys()) drawCell(each, foci);
    frame.say(data.answers[at], data.detail);
  }

  /** @param {TensorState} next */
  function choose(next) {
    if (next.array === state.array && `${next.index}` === `${state.index}`) return;
    show(next);
    frame.changed(state);
  }

  /** @param {number} back The dimension, counted from the last. @param {number} by */
  function move(back, by) {
    const { window } = arrays[state.array];
    const dim = window.length - back;
    if (dim < 0) return;
    const [first, end] = window[dim];
    const index = [...state.index];
    index[dim] = Math.max(first, Math.min(end - 1, index[dim] + by));
    choose({ ...state, index });
  }

  /** The element of the other array that the view shows beside this one. */
  function toOther() {
    const other = (state.array + 1) % arrays.length;
    const at = starts[state.array] + flatOf(arrays[state.array], state.index);
    const index = data.foci[at][other];
    if (index && flatOf(arrays[other], index) >= 0) choose({ array: other, index });
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    for (const [array, { places, wide }] of arrays.entries()) {
      const place = within(frame.at(`a${array}-focus`), event);
      if (!place) continue;
      const { x, y } = place;
      const inside = (/** @type {[number, number]} */ [left, top]) =>
        x >= left && x < left + wide && y >= top && y < top + size.high;
      const flat = places.findIndex(inside);
      if (flat >= 0) return choose({ array, index: indexOf(arrays[array], flat) });
    }
    for (const [at, memory] of memories.entries()) {
      const place = within(frame.at(`m${at}-focus`), event);
      if (!place) continue;
      const { x, y } = place;
      const right = Math.floor((x - memory.left) / size.wide);
      const down = Math.floor((y - memory.top) / size.pitch);
      const high = y - memory.top - down * size.pitch;
      if (right < 0 || right >= size.row || down < 0 || high >= size.high) continue;
      chooseCell(at, memory.first + down * size.row + right);
    }
  }

  /** @param {number} memory @param {number} cell */
  function chooseCell(memory, cell) {
    for (const [array, each] of arrays.entries()) {
      const flat = each.memory === memory ? each.cells.indexOf(cell) : -1;
      if (flat >= 0) return choose({ array, index: indexOf(each, flat) });
    }
  }

  const keys = { d: [1, 1], a: [1, -1], s: [2, 1], w: [2, -1], e: [3, 1], q: [3, -1] };
  for (const [name, [back, by]] of Object.entries(keys)) {
    frame.key(name, () => move(back, by));
  }
  if (arrays.length > 1) frame.key("o", toOther);
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("pointerdown", follow);
  return { show, state: () => state };
};
