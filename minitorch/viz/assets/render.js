// @ts-check
// The picture of one state of a scene, at any width, as text: Python's `render` draws
// the same. So do the modules of marks.

import { arrows, guide } from "./arrows.js";
import { bars } from "./bars.js";
import { cells } from "./cells.js";
import { code } from "./code.js";
import { frames } from "./frames.js";
import { numbers } from "./lookup.js";
import { element, MUT, path, tenth, text } from "./svg.js";
import { track } from "./track.js";
import { waves } from "./waves.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {{text: string, height: number, grid?: import("./cells.js").Grid}} Drawn */
/**
 * @typedef {object} Part A mark and where it is.
 * @property {any} slot What the scene has there: the mark, or the `OneOf` that it is of.
 * @property {any} mark
 * @property {number} x
 * @property {number} y
 * @property {number} room
 * @property {string} text
 */

const BETWEEN = 18; // marks below each other, and lines of panels

/**
 * @param {any} mark
 * @param {number} room
 * @returns {Drawn}
 */
function key(mark, room) {
  let out = path(`M0 4H${room}`, { stroke: "var(--line)" }) + text(0, 28, "Key", 12, { bold: true });
  let [x, y] = [40, 28];
  for (const [swatch, meaning, wide] of mark.entries) {
    if (x + 22 + wide > room && x > 40) [x, y] = [40, y + 23];
    out += element("g", { transform: `translate(${tenth(x)} ${y - 12})` }, swatch)
      + text(tenth(x + 22), y, meaning, 12, MUT);
    x = tenth(x + 40 + wide);
  }
  return { text: out, height: y + 4 };
}

/**
 * Panels in lines with their widths: beside each other while they fit.
 * @param {any[]} panels
 * @param {number} width
 * @returns {[any, number][][]}
 */
function flow(panels, width) {
  /** @type {any[][]} */
  const lines = [];
  let room = -1;
  for (const panel of panels) {
    room -= panel.gap + panel.width;
    if (room < 0) {
      lines.push([]);
      room = width - panel.width;
    }
    lines[lines.length - 1].push(panel);
  }
  return lines.map((line) => {
    const used = line.reduce((sum, each, at) => sum + each.width + (at ? each.gap : 0), 0);
    const first = Math.max(line.findIndex((each) => each.grow), 0);
    const left = line[first].grow || line.length === 1 ? width - used : 0;
    return line.map((each, at) => [each, tenth(each.width + (at === first ? left : 0))]);
  });
}

/** @type {Record<string, (scene: any, mark: any, state: State, room: number) => Drawn>} */
const MARKS = { Bars: bars, Cells: cells, Code: code, Frames: frames, Track: track, Waves: waves };

/**
 * @param {any} mark
 * @param {State} state
 */
export function markOf(mark, state) {
  return mark.is === "OneOf" ? mark.marks[numbers(mark.at, state, [0])[0]] : mark;
}

/**
 * The parts of a scene's picture, so many pixels wide, and how high it is.
 * @param {any} scene
 * @param {State} state
 * @param {number} width
 * @param {number[]} feet Heights of controls below panels.
 * @returns {{parts: Part[], height: number, below: [number, number][]}} And where these
 *   are: right and top.
 */
export function draw(scene, state, width, feet = []) {
  /** @type {Part[]} */
  const parts = [];
  const placed = new Map();
  /** @type {[number, number][]} */
  const below = [];
  let y = 0;
  for (const line of flow(scene.panels, width)) {
    let [x, bottom] = [0, 0];
    /** @type {number[]} */
    const ends = [];
    for (const [panel, room] of line) {
      x += x ? panel.gap : 0;
      let top = y;
      for (const slot of panel.marks) {
        const mark = markOf(slot, state);
        const drawn = MARKS[mark.is](scene, mark, state, room);
        parts.push({ slot, mark, x, y: top, room, text: drawn.text });
        if (drawn.grid) placed.set(mark.name, { x, y: top, grid: drawn.grid });
        top = tenth(top + drawn.height + BETWEEN);
      }
      [x, bottom] = [tenth(x + room), Math.max(bottom, top)];
      ends.push(x);
    }
    const at = line.map(([panel]) => scene.panels.indexOf(panel));
    at.forEach((each, index) => (below[each] = [ends[index], bottom]));
    y = tenth(bottom + Math.max(...at.map((each) => feet[each] || 0)));
  }
  for (const mark of scene.over) {
    const text = mark.is === "Frames" ? frames(scene, mark, state, width).text
      : (mark.is === "Guide" ? guide : arrows)(mark, state, placed, width);
    parts.push({ slot: mark, mark, x: 0, y: 0, room: width, text });
  }
  if (scene.key) {
    const drawn = key(scene.key, width);
    parts.push({ slot: scene.key, mark: scene.key, x: 0, y, room: width, text: drawn.text });
    y += drawn.height;
  }
  return { parts, height: y, below };
}
