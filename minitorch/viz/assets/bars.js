// @ts-check
// Rows of words with a bar each as SVG, as Python's `bars` draws them.

import { numbers, spoken } from "./lookup.js";
import { MUT, path, range, rect, tenth, text } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
export function bars(scene, mark, state, room) {
  const rows = range(mark.names.length);
  const left = mark.names_room;
  const step = tenth((room - left - 50) / mark.heads.length);
  const lengths = numbers(mark.lengths, state, rows);
  let out = text(0, 14, spoken(scene, mark.title, state), 13, { bold: true });
  mark.heads.forEach((/** @type {string} */ head, /** @type {number} */ at) => {
    out += text(tenth(left + step * (at + 1)), 34, head, 11.5, { ...MUT, anchor: "end" });
  });
  mark.names.forEach((/** @type {string} */ name, /** @type {number} */ row) => {
    const y = 60 + 27 * row;
    out += path(`M0 ${y - 18}H${room}`, { stroke: "var(--line)" });
    out += text(0, y, name, 12.5, { bold: row === 0 });
  });
  mark.columns.forEach((/** @type {any} */ column, /** @type {number} */ at) => {
    numbers(column, state, rows).forEach((words, row) => {
      if (words < 0) return;
      const look = { anchor: "end", bold: row === 0 };
      out += text(tenth(left + step * (at + 1)), 60 + 27 * row, scene.words[words], 12.5, look);
    });
  });
  lengths.forEach((length, row) => {
    if (length <= 0) return;
    const wide = tenth((40 * length) / Math.max(...lengths));
    out += rect(room - 42, 51 + 27 * row, wide, 8, { rx: 2, fill: "var(--d30)" });
  });
  return { text: out, height: 60 + 27 * rows.length - 14 };
}
