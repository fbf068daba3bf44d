// @ts-check
// Where threads of a launch are drawn, and how they are named, as Python's
// `block_view` does.

import { rect, ring, strong, text } from "./svg.js";

/** @typedef {[number, number, number]} Place */

/**
 * @typedef {object} PlanData
 * @property {number} fold Threads in a row.
 * @property {number} across Blocks in a row.
 * @property {number} drawn How many blocks are drawn.
 * @property {number} width Of a block.
 * @property {number} height
 * @property {number} cell Size of a thread; 0 where only blocks are drawn.
 * @property {boolean} threads
 * @property {boolean} numbered
 * @property {number} axes How many of a thread's numbers stand in it.
 * @property {number} letters Their size.
 */

/**
 * @param {number} number
 * @param {Place} extent
 * @returns {Place}
 */
export function placeOf(number, [x, y]) {
  return [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
}

/**
 * @param {Place} place
 * @param {Place} extent
 */
export function spelledPlace(place, extent) {
  const used = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
  return used === 1 ? String(place[0]) : `(${place.slice(0, used).join(", ")})`;
}

/** The picture of a grid: where blocks and threads are, and which are where. */
export class Plan {
  /**
   * @param {PlanData} plan
   * @param {Place} grid
   * @param {Place} block
   * @param {{left: number, top: number}} margins
   */
  constructor(plan, grid, block, margins) {
    this.plan = plan;
    this.grid = grid;
    this.block = block;
    this.margins = margins;
    this.size = block[0] * block[1] * block[2];
  }

  /** @param {number} block */
  hueOf(block) {
    const [x, y, z] = placeOf(block, this.grid);
    return (x + 2 * y + z) % 4;
  }

  /**
   * "Thread (3, 2) of block (0, 1)"
   * @param {number} block
   * @param {number} thread
   */
  nameOf(block, thread) {
    const name = `hread ${spelledPlace(placeOf(thread, this.block), this.block)}`;
    if (this.grid[0] * this.grid[1] * this.grid[2] === 1) return `T${name}`;
    return `T${name} of block ${spelledPlace(placeOf(block, this.grid), this.grid)}`;
  }

  /**
   * Where a block is drawn.
   * @param {number} block
   * @returns {[number, number]}
   */
  blockAt(block) {
    const { across, width, height } = this.plan;
    return [
      this.margins.left + (block % across) * width,
      this.margins.top + Math.floor(block / across) * height,
    ];
  }

  /**
   * Where a thread is drawn: its square, or where these are too small its block's.
   * @param {number} block
   * @param {number} thread
   * @returns {[number, number, number, number]}
   */
  squareOf(block, thread) {
    const { fold, cell, width, height, threads } = this.plan;
    const [left, top] = this.blockAt(block);
    if (!threads) return [left, top, width, height];
    const wide = this.block[0];
    const x = thread % wide;
    const row = Math.floor(thread / wide) * Math.ceil(wide / fold) + Math.floor(x / fold);
    return [left + (x % fold) * cell, top + row * cell, cell, cell];
  }

  /**
   * The thread at a place of the picture; null beside all.
   * @param {number} x
   * @param {number} y
   * @param {number} thread What to take where only blocks are drawn.
   */
  threadAt(x, y, thread) {
    const { fold, across, drawn, cell, width, height, threads } = this.plan;
    const column = Math.floor((x - this.margins.left) / width);
    const row = Math.floor((y - this.margins.top) / height);
    const block = row * across + column;
    if (column < 0 || column >= across || row < 0 || block >= drawn) return null;
    if (!threads) return { block, thread };
    const [left, top] = this.blockAt(block);
    const rows = Math.ceil(this.block[0] / fold);
    const line = Math.floor((y - top) / cell);
    const at = (line % rows) * fold + Math.floor((x - left) / cell);
    const found = Math.floor(line / rows) * this.block[0] + at;
    return at < this.block[0] && found < this.size ? { block, thread: found } : null;
  }

  /**
   * The thread next to one along x, y or z of the whole grid.
   * @param {number} block
   * @param {number} thread
   * @param {number} axis
   * @param {number} step
   */
  neighbour(block, thread, axis, step) {
    const at = placeOf(block, this.grid);
    const inner = placeOf(thread, this.block);
    const size = this.block[axis];
    const whole = at[axis] * size + inner[axis] + step;
    if (whole < 0 || whole >= size * this.grid[axis]) return { block, thread };
    at[axis] = Math.floor(whole / size);
    inner[axis] = whole % size;
    return { block: numberAt(at, this.grid), thread: numberAt(inner, this.block) };
  }

  /**
   * A path of threads' squares, each once.
   * @param {[number, number][]} threads Block and thread of each.
   */
  squares(threads) {
    const squares = threads.map(([block, thread]) => {
      if (block >= this.plan.drawn) return "";
      const [x, y, w, h] = this.squareOf(block, thread);
      return `M${x + 1.5} ${y + 1.5}h${w - 3}v${h - 3}h${3 - w}z`;
    });
    return [...new Set(squares)].join("");
  }

  /**
   * The number within a thread's square, on its block's strong colour.
   * @param {number} block
   * @param {number} thread
   */
  numberOf(block, thread) {
    if (!this.plan.numbered || block >= this.plan.drawn) return "";
    const [x, y, w, h] = this.squareOf(block, thread);
    const look = { fill: "var(--bg)", anchor: "middle", mono: true, bold: true };
    const label = placeOf(thread, this.block).slice(0, this.plan.axes).join(",");
    return text(x + w / 2, y + h / 2 + 3.4, label, this.plan.letters, look);
  }

  /**
   * The focused block's outline, and its thread with a ring.
   * @param {number} block
   * @param {number} thread
   * @param {boolean} ringed Whether it has the ring, and no cell has it.
   */
  drawFocus(block, thread, ringed) {
    const { drawn, width, height, threads } = this.plan;
    if (block >= drawn) return "";
    const [left, top] = this.blockAt(block);
    const [x, y, w, h] = this.squareOf(block, thread);
    const hue = strong(this.hueOf(block));
    const outline = { rx: 3, fill: "none", stroke: hue, "stroke-width": 2.4 };
    let content = rect(left + 0.5, top + 0.5, width - 1, height - 1, outline);
    if (threads) content += rect(x + 1, y + 1, w - 2, h - 2, { rx: 2.5, fill: hue });
    if (ringed) content += ring(x, y, w, h, threads);
    return content + this.numberOf(block, thread);
  }
}

/**
 * @param {Place} place
 * @param {Place} extent
 */
export function numberAt(place, extent) {
  return place[0] + extent[0] * (place[1] + extent[1] * place[2]);
}
