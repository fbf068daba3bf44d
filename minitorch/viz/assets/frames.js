// @ts-check
// Drawings made in advance, as Python's `frames` shows them.

import { numbers } from "./lookup.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

/**
 * @param {any} _scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
export function frames(_scene, { at: by, widths, heights, elements, start, order }, state, room) {
  const width = Math.max(widths.filter((/** @type {number} */ each) => each <= room).length - 1, 0);
  const at = (width * (start.length - 1)) / widths.length + numbers(by, state, [0])[0];
  let [text, depth] = ["", 0];
  for (const number of order.subarray(start[at], start[at + 1])) {
    const part = elements[number];
    text += part;
    if (part === "</g>") depth--;
    else if (/^<g[^<]*[^/]>$/.test(part)) depth++;
    if (!depth) text += "\n";
  }
  return { text, height: heights[width] };
}
