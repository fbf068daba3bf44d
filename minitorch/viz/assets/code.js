// @ts-check
// Lines of code as SVG, as Python's `code` draws them.

import { numbers, spoken } from "./lookup.js";
import { element, escaped, MUT, number, range, rect, shortened, strong, tenth, text } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

const [LETTER, ROW] = [7.224, 21]; // of code at 12 px, and its lines

/**
 * A line of code in lines of `most` letters, the later ones further in.
 * @param {string} line
 * @param {number} most
 */
function wrap(line, most) {
  const [own, half] = [line.length - line.trimStart().length, Math.floor(most / 2)];
  let rest = line.slice(Math.max(own - half, 0)); // the indentation takes half at most
  const indent = Math.min(own + 4, half);
  const lines = [];
  while (rest.length > most) {
    let at = rest.lastIndexOf(" ", most);
    if (at <= 0 || !rest.slice(0, at).trim()) at = most;
    lines.push(rest.slice(0, at).trimEnd());
    rest = " ".repeat(indent) + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/**
 * Where lines of code are: their rows and first base lines.
 * @param {any} mark
 * @param {number} room
 */
export function linesOf(mark, room) {
  const widest = number(Math.max(...mark.totals, 1)).length;
  const tail = mark.totals.some(Boolean) ? 6.9 * (2 * widest + 1) + (room >= 400 ? 36 : 8) : 8;
  /** @type {number[]} */
  const digits = mark.numbers.map((/** @type {number} */ each) => String(each).length);
  const left = (mark.sign === "" ? 14 : 68) + 7.3 * Math.max(...digits);
  const most = Math.max(Math.floor((room - left - tail) / LETTER), 12);
  /** @type {string[][]} */
  const rows = mark.texts.map((/** @type {string} */ each) => wrap(each, most));
  let at = 58;
  const y = rows.map((each) => (at += ROW * each.length) - ROW * each.length);
  return { left, tail, rows, y, bottom: at - 10 };
}

/**
 * Code in runs: keywords bold, comments pale; `inside` where a comment goes on.
 * @param {string} code
 * @param {any} mark
 * @param {boolean} inside
 */
function spans(code, mark, inside) {
  const at = inside ? 0 : code.indexOf(mark.comment);
  const body = at < 0 ? code : code.slice(0, at);
  /** @type {[string, number, string][]} */
  const runs = [];
  let last = 0;
  for (const found of body.matchAll(new RegExp(mark.keywords, "g"))) {
    runs.push([body.slice(last, found.index), 400, "ink"], [found[0], 600, "ink"]);
    last = (found.index ?? 0) + found[0].length;
  }
  runs.push([body.slice(last), 400, "ink"], [code.slice(body.length), 400, "mut"]);
  return runs.filter(([words]) => words).map(([words, weight, ink]) =>
    element("tspan", { "font-weight": weight, fill: `var(--${ink})` }, escaped(words))).join("");
}

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
export function code(scene, mark, state, room) {
  const lines = linesOf(mark, room);
  const every = range(mark.numbers.length);
  const title = shortened(spoken(scene, mark.title, state), Math.floor(room / 7));
  let out = text(0, 14, title, 13, { bold: true }) + text(0, 30, spoken(scene, mark.note, state), 11.5, MUT);
  const active = numbers(mark.active, state, [0])[0];
  const who = numbers(mark.who, state, [0])[0];
  if (active >= 0) {
    const [y, high] = [lines.y[active] - 15, ROW * lines.rows[active].length];
    out += rect(0, y, room, high, { fill: "var(--panel)" });
    out += rect(lines.left - 8, y, 3, high, { fill: "var(--ink)" });
  }
  numbers(mark.wrong, state, every).forEach((wrong, at) => {
    if (wrong < 0) return;
    out += rect(lines.left - 8, lines.y[at] - 15, 3, ROW * lines.rows[at].length, { fill: "var(--bad)" });
  });
  out += (mark.drawn ??= {})[room] ??= lines.rows.map((rows, at) => {
    const y = lines.y[at];
    let inside = false;
    return text(lines.left - 12, y, String(mark.numbers[at]), 12,
      { fill: "var(--faint)", anchor: "end", mono: true }) + rows.map((row, number) => {
      const own = row.trimStart();
      const content = spans(own, mark, inside);
      inside ||= own.includes(mark.comment);
      const x = tenth(lines.left + (row.length - own.length) * LETTER);
      return content && text(x, y + number * ROW, content, 12, { mono: true, raw: true });
    }).join("");
  }).join("");
  /** @type {(x: number, y: number, words: string, fill: string, ink: string, edge?: string) => string} */
  const chip = (x, y, words, fill, ink, edge) =>
    rect(x, y - 12, 25, 16, { rx: 4, fill, stroke: edge })
    + text(x + 12.5, y, words, 10.5, { fill: ink, anchor: "middle", bold: true });
  const whose = numbers(mark.whose, state, every);
  numbers(mark.others, state, every).forEach((words, at) => {
    if (words < 0) return;
    const hue = whose[at] >= 0 ? strong(whose[at]) : "var(--mut)";
    out += chip(0.5, lines.y[at], scene.words[words], "var(--bg)", hue, hue);
  });
  if (active >= 0 && mark.sign !== "") {
    out += chip(27, lines.y[active], spoken(scene, mark.sign, state), strong(who), "var(--bg)");
  }
  const most = Math.max(...mark.totals, 1);
  numbers(mark.counts, state, every).forEach((found, at) => {
    const [count, total, y] = [Math.max(found, 0), mark.totals[at], lines.y[at]];
    if (!total) return;
    if (room >= 400 && count) {
      const x = tenth(room - lines.tail + 4);
      out += rect(x, y - 8, tenth((26 * count) / most), 7, { rx: 2, fill: "var(--d30)" });
    }
    const words = `${number(count)}/${number(total)}`;
    out += text(room - 2, y, words, 11, { ...MUT, anchor: "end" });
  });
  return { text: out, height: lines.bottom };
}
