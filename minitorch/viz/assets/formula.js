// @ts-check
// Formulas: what a picture computes from its state, as Python's `formulas` writes them.
//

import { bars, planes, tiles } from "./paths.js";
import { number } from "./svg.js";

/**
 * @typedef {object} Given
 * @property {Record<string, number>} row For each axis the row that the state is at.
 * @property {number} [x] Where the pointer is.
 * @property {number} [y]
 * @property {number} [part] The number at the end of the name of what it is at.
 * @property {Record<string, any>} [column] Lists that the figure has beside its tables.
 */
/** @typedef {(given: Given) => any} Value */

/** @type {Record<string, (...values: any[]) => any>} */
const OPERATIONS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  max: Math.max,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a - b * Math.floor(a / b),
  "<": (a, b) => a < b,
  "=": (a, b) => a === b,
  list: (...values) => values,
  item: (values, place) => values[place],
  first: (count, values) => values.slice(0, count),
  cut: (words, start, count) => words.slice(start, start + count),
  find: (values, value) => values.indexOf(value),
  text: (...parts) => parts.join(""),
  number,
  tiles,
  bars,
  planes,
};

/**
 * A formula as a function of what is given.
 * @param {any} spelled A number, a text, or an operation and its parts.
 * @returns {Value}
 */
export function compiled(spelled) {
  if (!Array.isArray(spelled)) return () => spelled;
  const [name, ...parts] = spelled;
  if (name === "row") return (given) => given.row[parts[0]];
  if (name === "column") return (given) => given.column?.[parts[0]];
  if (!parts.length) return (given) => given[/** @type {"x"} */ (name)];
  const values = parts.map(compiled);
  if (name === "if") return (given) => values[values[0](given) ? 1 : 2](given);
  const operation = OPERATIONS[name];
  if (!operation) throw new Error(`[live] got a formula with ${name}, which is not known`);
  return (given) => operation(...values.map((value) => value(given)));
}
