// @ts-check
// How shared memory and the arrows change in the step view.

import { strong } from "./svg.js";
import { READ } from "./step_state.js";
import { box, fitted, say, set, tenth } from "./step_shapes.js";
import { corner } from "./step_threads.js";

/** @typedef {import("./step_state.js").Held} Held */
/** @typedef {import("./step_state.js").Use} Use */
/**
 * @typedef {object} Sheet
 * @property {number} array
 * @property {number} columns
 * @property {number} rows
 * @property {number} first
 * @property {number} count
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {number} wide
 * @property {boolean} values
 */
/** @typedef {{path: string, x: number, y: number, ring: string}} Arrow */

const HUES = 4;
const MOST_ARROWS = 3;

/**
 * @param {Sheet} sheet
 * @param {number} cell
 * @returns {[number, number] | null}
 */
function place(sheet, cell) {
  const row = Math.floor((cell - sheet.first) / sheet.wide);
  const column = cell - sheet.first - row * sheet.wide;
  if (row < 0 || row >= sheet.rows || column >= sheet.columns) return null;
  return [tenth(sheet.x + column * sheet.w), tenth(sheet.y + row * sheet.h)];
}

/**
 * @param {Sheet} sheet
 * @param {number[]} cells
 * @param {number} inset
 */
function boxes(sheet, cells, inset) {
  const gap = inset * Math.min(1, sheet.w / 25);
  let path = "";
  for (const cell of cells) {
    const at = place(sheet, cell);
    if (!at) continue;
    const round = sheet.values ? 3 : 0;
    path += box(at[0] + gap, at[1] + gap, sheet.w - 2 * gap, sheet.h - 2 * gap, round);
  }
  return path;
}

/** @param {Iterable<number>} cells */
function sorted(cells) {
  return [...new Set(cells)].sort((a, b) => a - b);
}

/**
 * @param {any} data
 * @param {number} array
 * @param {number} step
 */
function wrongCells(data, array, step) {
  /** @type {number[]} */
  const found = [];
  for (const mark of data.marks) {
    if (mark.step > step) continue;
    for (const [at, cell] of mark.cells) if (at === array) found.push(cell);
  }
  return sorted(found);
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {Sheet} sheet
 * @param {Int32Array} value
 * @param {number[]} fresh
 */
function values(frame, data, sheet, value, fresh) {
  const end = Math.min(sheet.first + sheet.rows * sheet.wide, sheet.count);
  const most = Math.max(Math.floor((sheet.w - 3) / 6.05), 2);
  const now = new Set(fresh);
  for (let cell = sheet.first; cell < end; cell++) {
    if (!place(sheet, cell)) continue;
    const element = frame.at(`v${sheet.array}c${cell}`);
    const words = value[cell] >= 0 ? fitted(data.words[value[cell]], most) : "·";
    say(element, words);
    set(element, {
      "font-size": words.length <= 3 ? 11 : 10,
      fill: value[cell] >= 0 ? "var(--ink)" : "var(--faint)",
      "font-weight": now.has(cell) ? 600 : undefined,
    });
  }
}

/**
 * Draw the cells of an array of shared memory after a step.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {Sheet} sheet
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} step
 */
export function cells(frame, data, sheet, held, uses, step) {
  const { array } = sheet;
  const now = held.cells.get(array);
  if (!now) return;
  const end = Math.min(sheet.first + sheet.rows * sheet.wide, sheet.count);
  /** @type {number[][]} */
  const hues = Array.from({ length: HUES + 1 }, () => []);
  for (let cell = sheet.first; cell < end; cell++) {
    hues[now.warp[cell] < 0 ? HUES : now.warp[cell] % HUES].push(cell);
  }
  const own = uses.filter((use) => use.array === array);
  const writes = sorted(own.filter((use) => use.kind !== READ).map((use) => use.cell));
  const reads = sorted(own.filter((use) => use.kind === READ).map((use) => use.cell));
  const wrong = wrongCells(data, array, step);
  /** @type {(kind: string, d: string) => void} */
  const draw = (kind, d) => set(frame.at(`c${array}${kind}`), { d });
  for (let hue = 0; hue < HUES; hue++) draw(`h${hue}`, boxes(sheet, hues[hue], 1));
  draw("none", boxes(sheet, hues[HUES], 1));
  draw("wrong", boxes(sheet, wrong, 1));
  draw("write", boxes(sheet, writes, 1));
  draw("read", boxes(sheet, reads, 2.6));
  let clear = "";
  for (const cell of sheet.values ? wrong : []) {
    const at = place(sheet, cell);
    if (at) clear += box(at[0] + 3.4, at[1] + sheet.h / 2 - 6.5, sheet.w - 6.8, 13, 2);
  }
  draw("clear", clear);
  set(frame.at(`c${array}write`), { stroke: strong(data.steps.warp[step]) });
  if (sheet.values) values(frame, data, sheet, now.value, writes);
}

/**
 * @param {any} data
 * @param {number} thread
 * @param {Sheet} sheet
 * @param {number} cell
 * @param {boolean} above
 * @returns {Arrow}
 */
function arrow(data, thread, sheet, cell, above) {
  const { threads } = data;
  const [tx, ty] = corner(threads, thread);
  const at = place(sheet, cell) ?? [0, 0];
  const sy = above ? ty : tenth(ty + threads.cell);
  const end = tenth(at[1] + (at[1] + sheet.h / 2 > sy ? 0 : sheet.h));
  const right = tenth(threads.x + threads.columns * threads.cell + 10);
  const left = tenth(sheet.x - 26);
  const middle = tenth((right + left) / 2);
  const path =
    `M${tenth(tx + threads.cell + 1)} ${sy}H${right}` +
    `C${tenth(middle + 14)} ${sy} ${tenth(middle - 14)} ${end} ${left} ${end}H${tenth(at[0] - 1)}`;
  const ring = box(at[0], at[1], sheet.w, sheet.h, sheet.values ? 3 : 0);
  return { path, x: middle, y: tenth((sy + end) / 2), ring };
}

/**
 * Cells that a thread touches in a step and the picture has, as ends of its arrows.
 * @param {any} data
 * @param {Use[]} uses
 * @param {number} thread
 */
function endsOf(data, uses, thread) {
  /** @type {Map<string, {sheet: Sheet, cell: number, read: boolean}>} */
  const found = new Map();
  for (const use of uses) {
    const sheet = data.sheets.find((/** @type {Sheet} */ each) => each.array === use.array);
    if (use.thread !== thread || !sheet || !place(sheet, use.cell)) continue;
    const read = use.kind === READ;
    const key = `${use.array} ${use.cell} ${read}`;
    if (!found.has(key)) found.set(key, { sheet, cell: use.cell, read });
  }
  const every = [...found.values()];
  /** @type {(sheet: Sheet, cell: number) => boolean} */
  const written = (sheet, cell) => found.has(`${sheet.array} ${cell} false`);
  const reads = every.filter((each) => each.read && !written(each.sheet, each.cell));
  return [...reads, ...every.filter((each) => !each.read)]
    .slice(0, MOST_ARROWS)
    .sort((a, b) => a.sheet.array - b.sheet.array ||
      Math.floor(a.cell / a.sheet.wide) - Math.floor(b.cell / b.sheet.wide));
}

/**
 * Draw the arrows of the focused thread.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {Use[]} uses
 * @param {number} thread
 */
export function arrows(frame, data, uses, thread) {
  const ends = endsOf(data, uses, thread);
  /** @type {Record<string, Arrow[]>} */
  const groups = { reads: [], writes: [] };
  /** @type {number[]} */
  const taken = [];
  ends.forEach(({ sheet, cell, read }, number) => {
    const drawn = arrow(data, thread, sheet, cell, number === 0 && ends.length > 1);
    while (taken.some((other) => Math.abs(drawn.y - other) < 20)) drawn.y += 20;
    taken.push(drawn.y);
    drawn.y = tenth(drawn.y);
    groups[read ? "reads" : "writes"].push(drawn);
  });
  const rings = [...groups.reads, ...groups.writes].map((each) => each.ring);
  set(frame.at("rings"), { d: rings.join("") });
  for (const [verb, group] of Object.entries(groups)) {
    for (let at = 0; at < MOST_ARROWS; at++) {
      const { path, x, y } = group[at] ?? { path: "", x: 0, y: 0 };
      const display = group[at] ? "inline" : "none";
      const name = `${verb}${at}`;
      set(frame.at(name), { d: path, display });
      set(frame.at(`${name}back`), { d: path, display });
      set(frame.at(`${name}box`), { x: tenth(x - 21), y: tenth(y - 9), display });
      set(frame.at(`${name}word`), { x, y: tenth(y + 4), display });
    }
  }
}
