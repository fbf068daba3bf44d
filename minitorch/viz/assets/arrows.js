// @ts-check
// Arrows between items as SVG, as Python's `arrows` draws them.

import { place } from "./cells.js";
import { matches, numbers } from "./lookup.js";
import { path, rect, ring, tenth, text } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./cells.js").Grid} Grid */

const [MOST, VERBS] = [3, ["reads", "writes"]]; // a verb from a cell, and to one
const [VALUE_OUT, VALUE_IN] = ["url(#@id-in)", "url(#@id-out)"];

/**
 * What arrows of a state join: target, cell, and 1 for those that go to the cell.
 * @param {any} mark
 * @param {State} state
 * @returns {[number, number, number][]}
 */
function endsOf(mark, state) {
  const { target, cell, out } = mark.rows.columns;
  /** @type {Map<string, [number, number, number]>} */
  const found = new Map();
  for (const at of matches(mark.rows, { [mark.by]: state[mark.by] }, state)) {
    if (target[at] >= 0) found.set(`${target[at]} ${cell[at]} ${out[at]}`, [target[at], cell[at], out[at]]);
  }
  return [...found.values()].filter(([a, b, goes]) => goes || !found.has(`${a} ${b} 1`));
}

/**
 * Arrows run in the gaps between boxes; below each other a word stands for one.
 * @param {any} mark
 * @param {State} state
 * @param {Map<string, {x: number, y: number, grid: Grid}>} placed
 * @param {number} width
 */
export function arrows(mark, state, placed, width) {
  const from = placed.get(mark.start);
  const start = from && place(from.grid, state[mark.by]);
  if (!from || !start) return "";
  const { x, y, grid } = from;
  const right = tenth(x + grid.left + grid.columns * grid.w + 10);
  const known = mark.targets.map((/** @type {string} */ name) => placed.get(name));
  const left = tenth(Math.min(...known.map((/** @type {any} */ to) => to.x + to.grid.left)) - 26);
  /** @type {[number, number, Grid, number, number][]} */
  const ends = [];
  for (const [target, cell, goes] of endsOf(mark, state)) {
    const at = place(known[target].grid, cell);
    if (!at || ends.length >= MOST) continue;
    const to = known[target];
    ends.push([tenth(to.x + at[0]), tenth(to.y + at[1]), to.grid, goes, to.x]);
  }
  ends.sort((a, b) => a[1] - b[1]);
  /** @type {[number, number][]} */
  const taken = []; // middles of verbs
  /**
   * Where a verb at x does not cover another one, from y on down.
   * @param {number} x
   * @param {number} y
   */
  const free = (x, y) => {
    while (taken.some(([a, b]) => Math.abs(x - a) < 44 && Math.abs(y - b) < 20)) y = tenth(y + 20);
    taken.push([x, y]);
    return y;
  };
  return ends.map(([cx, cy, other, goes, tx], number) => {
    const out = ring(cx, cy, other.w, other.h, false);
    const sy = tenth(y + start[1] + (number === 0 && ends.length > 1 ? 0 : grid.h));
    const end = tenth(cy + (cy + other.h / 2 > sy ? 0 : other.h));
    if (left < right) {
      const beside = tenth(tx + other.left + other.columns * other.w + 26);
      if (beside + 22 >= width) return out;
      return out + verb(beside, free(beside, tenth(cy + other.h / 2)), VERBS[goes]);
    }
    const middle = tenth((right + left) / 2);
    const said = free(middle, tenth((sy + end) / 2));
    const d = `M${tenth(x + start[0] + grid.w + 1)} ${sy}H${right}`
      + `C${tenth(middle + 14)} ${sy} ${tenth(middle - 14)} ${end} ${left} ${end}H${tenth(cx - 1)}`;
    const head = goes ? { "marker-end": VALUE_IN } : { "marker-start": VALUE_OUT };
    return out + path(d, { stroke: "var(--bg)", "stroke-width": 4 })
      + path(d, { stroke: "var(--ink)", "stroke-width": goes ? 2.4 : 1.6, ...head })
      + verb(middle, said, VERBS[goes]);
  }).join("");
}

/**
 * An arrow to the row or column of a cell, where both marks show the same ones.
 * @param {any} mark
 * @param {State} state
 * @param {Map<string, any>} placed
 */
export function guide(mark, state, placed) {
  const { x: fx, y: fy, grid: other } = placed.get(mark.start);
  const { x, y, grid } = placed.get(mark.end);
  const cell = place(grid, numbers(mark.cell, state, [0])[0]);
  const [here, there] = [grid, other].map(({ first, wide }) =>
    mark.down ? first % wide : Math.floor(first / wide));
  const item = mark.item && place(other, numbers(mark.item, state, [0])[0]);
  if (item && cell) {
    const [left, top] = [fx + item[0] + other.w / 2, tenth(fy + other.top + other.rows * other.h)];
    const right = tenth(x + grid.left + grid.columns * grid.w);
    const out = numbers(mark.out, state, [0])[0] > 0;
    return path(`M${tenth(left)} ${top + 1}V${top + 9}H${right + 9}`
      + `V${tenth(y + cell[1] + grid.h / 2)}H${right + 2}`, {
      stroke: "var(--ink)", "stroke-width": out ? 2.4 : 1.6,
      ...(out ? { "marker-end": VALUE_IN } : { "marker-start": VALUE_OUT }),
    });
  }
  if (mark.item || !cell || here !== there) return "";
  const look = { stroke: "var(--ink)", "stroke-width": 1.6, "marker-end": VALUE_IN };
  if (mark.down && fx === x && fy < y && other.left === grid.left && other.w === grid.w) {
    const start = tenth(fy + other.top + other.rows * other.h + 3);
    return path(`M${tenth(x + cell[0] + grid.w / 2)} ${start}V${tenth(y + 1)}`, look);
  }
  if (mark.down || fy !== y || fx >= x || other.h !== grid.h) return "";
  const start = tenth(fx + other.left + other.columns * other.w + 6);
  return path(`M${start} ${tenth(y + cell[1] + grid.h / 2)}H${tenth(x + 2)}`, look);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 */
function verb(x, y, words) {
  const edge = { rx: 4, fill: "var(--bg)", stroke: "var(--ink)", "stroke-width": 0.8 };
  return rect(x - 21, y - 9, 42, 18, edge) + text(x, y + 4, words, 11, { anchor: "middle" });
}
