// @ts-check
// Tracks as SVG, as Python's `track` draws them.

import { spoken } from "./lookup.js";
import { MUT, box, element, path, rect, strong, tenth, text } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

/**
 * Where a track begins, how wide an index is, how high a row is.
 * @param {any} scene
 * @param {any} mark
 * @param {number} room
 */
export function trackAt(scene, mark, room) {
  const axis = scene.axes.find((/** @type {any} */ each) => each.name === mark.axis);
  const left = 12 + 7 * Math.max(...mark.names.map((/** @type {string} */ name) => name.length));
  const high = Math.min(mark.high, Math.max(5, 170 / mark.names.length));
  return { left, wide: (room - left - 6) / axis.count, high };
}

/**
 * @param {any} mark
 * @param {number} room
 * @param {{left: number, wide: number, high: number}} at
 */
function rowsOf(mark, room, { left, wide, high }) {
  const top = 18;
  const paths = mark.names.map(() => "");
  const gap = wide > 4 ? 0.6 : 0;
  const below = ((high - 3) * mark.zero) / mark.full;
  for (let at = 0; at < mark.bars.length; at += 4) {
    const [row, low, end, count] = mark.bars.subarray(at, at + 4);
    const tall = Math.max(1, ((high - 3) * Math.abs(count)) / mark.full);
    const y = top + (row + 1) * high - 3 - below - (count >= 0 ? tall : 0);
    paths[row] += box(left + low * wide + gap, y, Math.max((end - low) * wide - 2 * gap, 0.4), tall);
  }
  const thick = Math.min(2, high / 8);
  for (let at = 0; at < mark.lines.length; at += 3) {
    const [row, low, end] = mark.lines.subarray(at, at + 3);
    const middle = top + row * high + (high - 3) / 2;
    for (const y of [middle - 1.5 * thick, middle + 0.5 * thick]) {
      paths[row] += box(left + low * wide, y, (end - low) * wide, thick);
    }
  }
  const every = Math.max(1, Math.floor(11 / high + 0.9));
  return mark.names.map((/** @type {string} */ name, /** @type {number} */ row) => {
    const [y, hue] = [top + row * high, strong(mark.hues[row])];
    const out = path(`M${tenth(left)} ${tenth(y + high - 3 - below)}H${tenth(room - 6)}`, { stroke: "var(--line)" })
      + path(paths[row], { fill: hue });
    if (row % every) return out;
    return out + text(0, tenth(y + high / 2 + 2.5), name, high > 14 ? 12 : 10, { fill: hue, bold: true });
  }).join("");
}

/**
 * Bars of ink and triangles, each with its name where that fits.
 * @param {any} mark
 * @param {number} room
 * @param {{left: number, wide: number}} place_
 * @param {number} bottom
 */
function signs(mark, room, { left, wide }, bottom) {
  let out = "";
  /** @type {[number, number][]} */
  const taken = mark.flags.map((/** @type {[number, string]} */ [at]) => {
    const x = tenth(left + (at + 0.5) * wide);
    return [x - 7, x + 7];
  });
  /** @param {number} x @param {string} words */
  const fits = (x, words) => {
    const end = x + 6.6 * words.length + 4;
    const free = end < room && taken.every(([a, b]) => end < a || x > b);
    if (free) taken.push([x, end]);
    return free;
  };
  for (const [at, words] of mark.flags) {
    const x = tenth(left + (at + 0.5) * wide);
    if (fits(x + 8, words)) out += text(x + 10, 12, words, 11, { fill: "var(--bad)", bold: true });
    out += path(`M${x} 3l6 10.5h-12z`, { fill: "var(--bad)" })
      + path(`M${x} 6.6v3.3`, { stroke: "var(--bg)", "stroke-width": 1.6 })
      + element("circle", { cx: x, cy: 11.7, r: 0.95, fill: "var(--bg)" });
  }
  for (const [at, words] of mark.rules) {
    const x = tenth(left + (at + 1) * wide);
    out += path(`M${x} 14V${bottom}`, { stroke: "var(--ink)", "stroke-width": 1.6 });
    if (fits(tenth(x - 3.1 * words.length), words)) {
      out += text(x, 10, words, 10.5, { ...MUT, anchor: "middle" });
    }
  }
  return out;
}

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
export function track(scene, mark, state, room) {
  const at = trackAt(scene, mark, room);
  const { left, wide, high } = at;
  const bottom = tenth(18 + high * mark.names.length);
  let out = (mark.drawn ??= {})[room] ??= rowsOf(mark, room, at);
  const now = state[mark.axis];
  const after = tenth(left + (now + 1) * wide);
  out += rect(after, 14, Math.max(tenth(room - 6 - after), 0), tenth(bottom - 16),
    { fill: "var(--bg)", opacity: 0.72 });
  out += (mark.signs ??= {})[room] ??= signs(mark, room, at, bottom);
  const x = tenth(left + (now + 0.5) * wide);
  out += path(`M${x} 14V${tenth(bottom + 4)}`, { stroke: "var(--ink)", "stroke-width": 2 })
    + path(`M${x} ${tenth(bottom + 1)}l6 10h-12z`, { fill: "var(--ink)" });
  const near = x > room - 80;
  out += text(near ? x - 9 : x + 9, bottom + 12, spoken(scene, `${mark.axis} {${mark.axis}}`, state), 11,
    { anchor: near ? "end" : undefined, bold: true });
  if (x < room - 130 - 5.6 * mark.note.length) {
    out += text(room - 6, bottom + 12, mark.note, 10.5, { ...MUT, anchor: "end" });
  }
  return { text: out, height: bottom + 18 };
}
