// @ts-check
// Which cells each thread touches, and the words for them, as Python's `touched` and
// `cell_view` have them.

import { number } from "./svg.js";

/** @typedef {{pattern: number[], first: number[]}} Columns */

/**
 * @typedef {object} ArrayData
 * @property {string} name
 * @property {number[]} shape
 * @property {Columns} reads
 * @property {Columns} writes
 */

const UNKNOWN = -1;

/** Cells of threads: patterns of offsets, shifted to a first cell. */
export class ThreadCells {
  /** @param {number[][]} patterns */
  constructor(patterns) {
    this.patterns = patterns;
    /** @type {(Set<number> | undefined)[]} */
    this.sets = [];
  }

  /**
   * The cells of a thread, flat; null where they were left out.
   * @param {Columns} columns
   * @param {number} thread
   */
  of(columns, thread) {
    const pattern = columns.pattern[thread];
    if (pattern === UNKNOWN) return null;
    const first = columns.first[thread];
    return this.patterns[pattern].map((offset) => offset + first);
  }

  /**
   * The threads that have a cell.
   * @param {Columns} columns
   * @param {number} cell
   */
  threadsWith(columns, cell) {
    const found = [];
    for (let thread = 0; thread < columns.pattern.length; thread++) {
      const pattern = columns.pattern[thread];
      if (pattern <= 0) continue;
      const offsets = (this.sets[pattern] ??= new Set(this.patterns[pattern]));
      if (offsets.has(cell - columns.first[thread])) found.push(thread);
    }
    return found;
  }
}

/**
 * Indices of a flat cell.
 * @param {number} flat
 * @param {number[]} shape
 */
function indices(flat, shape) {
  const found = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    found.unshift(flat % shape[axis]);
    flat = Math.floor(flat / shape[axis]);
  }
  return found;
}

/**
 * A cell as it is indexed: C[10, 3].
 * @param {ArrayData} array
 * @param {number} flat
 */
export function spelledCell(array, flat) {
  return `${array.name}[${indices(flat, array.shape).join(", ")}]`;
}

/**
 * Cells in words: one cell, a row, a column, a stretch, or their number.
 * @param {ArrayData} array
 * @param {number[]} cells
 */
export function spelledCells(array, cells) {
  if (cells.length === 1) return spelledCell(array, cells[0]);
  const low = indices(cells[0], array.shape);
  const high = [...low];
  for (const cell of cells) {
    indices(cell, array.shape).forEach((at, axis) => {
      if (at < low[axis]) low[axis] = at;
      if (at > high[axis]) high[axis] = at;
    });
  }
  const varying = low.flatMap((at, axis) => (at === high[axis] ? [] : [axis]));
  const axis = varying[0];
  if (varying.length === 1 && cells.length === high[axis] - low[axis] + 1) {
    if (array.shape.length === 2 && cells.length === array.shape[axis]) {
      return `${axis === 0 ? "column" : "row"} ${low[1 - axis]} of ${array.name}`;
    }
    const index = low.map((at, each) => (each === axis ? `${at}–${high[axis]}` : String(at)));
    return `${array.name}[${index.join(", ")}]`;
  }
  return `${number(cells.length)} cells of ${array.name}`;
}

/** @param {string[]} parts */
export function joined(parts) {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}
