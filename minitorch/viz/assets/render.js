// @ts-check
// The picture of one state of a scene, at any width, as text: Python's `render` draws
// the same.

import { matches, numbers, spoken } from "./lookup.js";
import { element, escaped, path, rect, ring, strong, text, tint } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {{text: string, height: number}} Drawn */
/**
 * @typedef {object} Part A mark and where it is.
 * @property {any} mark
 * @property {number} x
 * @property {number} y
 * @property {number} room
 * @property {string} text
 */

const [BETWEEN, LETTER, ROW, LEAST] = [18, 7.224, 21, 4.5];
const MUT = { fill: "var(--mut)" };

/** @param {number} value */
const tenth = (value) => Math.floor(value * 10 + 0.5) / 10;

/** @param {number} count */
const range = (count) => Array.from({ length: count }, (_, at) => at);

/**
 * A rectangle as a part of a path, with round corners.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} [r]
 */
function box(x, y, w, h, r = 0) {
  const [left, top, wide, high] = [tenth(x), tenth(y), tenth(w), tenth(h)];
  if (!r) return `M${left} ${top}h${wide}v${high}h${-wide}z`;
  const [across, down, turn] = [tenth(wide - 2 * r), tenth(high - 2 * r), `a${r} ${r} 0 0 1 `];
  return (
    `M${tenth(left + r)} ${top}h${across}${turn}${r} ${r}v${down}${turn}${-r} ${r}` +
    `h-${across}${turn}${-r} ${-r}v-${down}${turn}${r} ${-r}z`
  );
}

/**
 * A value in so many letters, as Python's `fitted`.
 * @param {string} words
 * @param {number} most
 */
function fitted(words, most) {
  if (words.length <= most) return words;
  const found = /^(-?[\d,]+)\.(\d+)(e.*)?$/.exec(words);
  if (found) {
    const power = found[3] ?? "";
    const digits = found[2].slice(0, Math.max(most - found[1].length - 1 - power.length, 0));
    const short = digits ? `${found[1]}.${digits}${power}` : found[1] + power;
    if (short.length <= most) return /[1-9]/.test(short) ? short : "≈0";
  }
  return `${words.slice(0, most - 1)}…`;
}

/**
 * A long name with its middle left out, as Python's `shortened`.
 * @param {string} words
 * @param {number} most
 */
function shortened(words, most) {
  if (words.length <= most) return words;
  const head = Math.floor(most / 2);
  return `${words.slice(0, head)}…${words.slice(words.length - (most - 1 - head))}`;
}

/**
 * @typedef {object} Grid Where the boxes of a mark are, from the corner of the mark.
 * @property {number} columns
 * @property {number} rows
 * @property {number} wide
 * @property {number} first
 * @property {number} count
 * @property {number} left
 * @property {number} top
 * @property {number} w
 * @property {number} h
 * @property {number} group
 * @property {number} gap
 * @property {Int32Array | null} [slots]
 */

/**
 * The corner of a box; null for one that is not drawn.
 * @param {Grid} grid
 * @param {number} item
 * @returns {[number, number] | null}
 */
function place(grid, item) {
  const slot = grid.slots ? grid.slots[item] : item;
  const row = Math.floor(slot / grid.wide) - Math.floor(grid.first / grid.wide);
  const column = (slot % grid.wide) - (grid.first % grid.wide);
  if (row < 0 || row >= grid.rows || column < 0 || column >= grid.columns) return null;
  if (item < 0 || item >= grid.count) return null;
  const apart = grid.group ? Math.floor(item / grid.group) * grid.gap : 0;
  return [tenth(grid.left + column * grid.w), tenth(grid.top + row * grid.h + apart)];
}

/** @param {Grid} grid */
function itemsOf(grid) {
  const { first, rows, wide, columns, count } = grid;
  if (grid.slots) return range(count).filter((item) => place(grid, item));
  const items = [];
  for (let row = 0; row < rows; row++) {
    for (let at = 0; at < columns; at++) {
      if (first + row * wide + at < count) items.push(first + row * wide + at);
    }
  }
  return items;
}

/**
 * Where boxes are; of an array that is too large, those around the focus.
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Grid}
 */
export function gridOf(mark, state, room) {
  const { count, group } = mark;
  const top = mark.title ? 40 : 4;
  let [w, h] = mark.size;
  if (!mark.columns) {
    const wide = Math.max(1, Math.min(Math.floor(room / w), count));
    const rows = Math.ceil(count / wide);
    w = tenth(room / wide);
    return { columns: wide, rows, wide, first: 0, count, left: 0, top, w, h, group: 0, gap: 0 };
  }
  const { columns: wide, slots } = mark;
  const every = Math.ceil((slots ? Math.max(...slots) + 1 : count) / wide);
  let left = mark.labelled.length ? 30 : 0;
  if (group) left = wide < 32 ? 44 : 30;
  else if (mark.labels) left = 12 + 6.1 * String(mark.labels === "row" ? every - 1 : count).length;
  w = Math.max(Math.floor(Math.min(w, (room - left) / wide) * 10) / 10, mark.words ? w : LEAST);
  const columns = Math.max(1, Math.min(wide, Math.floor((room - left + 0.5) / w)));
  const rows = Math.min(every, mark.most || every);
  let [row, column] = [0, 0];
  const center = mark.center ?? mark.ring;
  if ((rows < every || columns < wide) && center) {
    let at = Math.max(numbers(center, state, [0])[0], 0);
    if (slots) at = slots[at];
    row = Math.max(0, Math.min(Math.floor(at / wide) - Math.floor(rows / 2), every - rows));
    column = Math.max(0, Math.min((at % wide) - Math.floor(columns / 2), wide - columns));
  }
  const gap = group ? tenth(h > 12 ? h / 4 : 2) : 0;
  if (!mark.words) h = Math.min(h, w);
  const first = row * wide + column;
  return { columns, rows, wide, first, count, left, top, w, h, group, gap, slots };
}

/**
 * Which part of an array is drawn, in words.
 * @param {Grid} grid
 */
function partOf({ rows, columns, wide, first, count }) {
  const every = Math.ceil(count / wide);
  const [row, column] = [Math.floor(first / wide), first % wide];
  const parts = [];
  if (rows < every) parts.push(`rows ${row}–${row + rows - 1} of ${every.toLocaleString("en")}`);
  if (columns < wide) {
    parts.push(`columns ${column}–${column + columns - 1} of ${wide.toLocaleString("en")}`);
  }
  return parts.join(", ");
}

/** @type {Record<string, [number, (who: number) => Record<string, string | number>]>} */
const LOOKS = {
  belongs: [1, (who) => ({ fill: tint(who) })],
  waits: [1, (who) => ({ fill: tint(who) })],
  runs: [1, (who) => ({ fill: strong(who) })],
  empty: [1, () => ({ fill: EMPTY, stroke: "var(--line)" })],
  bare: [1, () => ({ stroke: "var(--line)" })],
  untouched: [1, () => ({ fill: "var(--off)" })],
  reads: [1, (who) => ({
    fill: "var(--bg)", stroke: strong(who), "stroke-width": 1.4, "stroke-dasharray": "2.6 1.8",
  })],
  read: [2.6, () => ({ stroke: "var(--ink)", "stroke-dasharray": "2.5 2" })],
  written: [1, (who) => ({ stroke: strong(who), "stroke-width": 2 })],
  wrong: [1, () => ({ fill: WRONG, stroke: "var(--bad)" })],
  missed: [1, () => ({ fill: WRONG, stroke: "var(--bad)" })],
};
const [PALE, BOLD] = [["empty", "bare"], ["runs", "written"]];
// `@id-` stands for the picture's own prefix.
const [EMPTY, WRONG] = ["url(#@id-off)", "url(#@id-bad)"];
const [VALUE_OUT, VALUE_IN] = ["url(#@id-in)", "url(#@id-out)"];

const SMALL = 12; // boxes of less height touch each other, and lines are drawn between

/**
 * Corners of neighbours in a row as one, with its width.
 * @param {Grid} grid
 * @param {[number, number][]} corners
 */
function runs({ w }, corners) {
  /** @type {[number, number, number][]} */
  const found = [];
  for (const [x, y] of [...corners].sort((a, b) => a[1] - b[1] || a[0] - b[0])) {
    const last = found[found.length - 1];
    if (last && last[1] === y && Math.abs(last[0] + last[2] - x) < 0.15) last[2] = x - last[0] + w;
    else found.push([x, y, w]);
  }
  return found;
}

/**
 * Lines in the colour of the ground between small boxes.
 * @param {Grid} grid
 */
function lattice({ columns, rows, left, top, w, h, group }) {
  if (h >= SMALL || group) return "";
  const across = range(rows - 1).map((at) =>
    `M${tenth(left)} ${tenth(top + (at + 1) * h)}h${tenth(columns * w)}`);
  const down = range(columns - 1).map((at) =>
    `M${tenth(left + (at + 1) * w)} ${tenth(top)}v${tenth(rows * h)}`);
  return path([...across, ...down].join(""), { stroke: "var(--bg)", "stroke-width": tenth(w / 6) });
}

/**
 * @param {Grid} grid
 * @param {[number, number][]} corners
 * @param {string} kind
 * @param {number} who
 */
function look(grid, corners, kind, who) {
  const [inset, attributes] = LOOKS[kind];
  const gap = tenth(inset * Math.min(1, grid.w / 25));
  const r = grid.h >= 32 ? 5 : grid.h >= 24 ? 3 : 0;
  const shape = box(0, 0, grid.w - 2 * gap, grid.h - 2 * gap, r).replace(/^M\S+ \S+?(?=h)/, "");
  const boxes = grid.h < SMALL
    ? runs(grid, corners).map(([x, y, wide]) => box(x, y, wide, grid.h))
    : corners.map(([x, y]) => `M${tenth(x + gap + r)} ${tenth(y + gap)}${shape}`);
  let out = path(boxes.join(""), attributes(who));
  if (kind === "waits") {
    const bars = corners.flatMap(([x, y]) => [0.7, 0.8].map((at) =>
      box(x + grid.w * at, y + grid.h * 0.14, Math.max(1.2, grid.w / 18), grid.h / 6)));
    out += path(bars.join(""), { fill: strong(who) });
  }
  if ((kind === "wrong" || kind === "missed") && grid.h >= 19) {
    const clear = corners.map(([x, y]) => box(x + 3.4, y + grid.h / 2 - 6.5, grid.w - 6.8, 13, 2));
    out += path(clear.join(""), { fill: "var(--bg)" });
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
function cells(scene, mark, state, room) {
  const grid = gridOf(mark, state, room);
  const items = itemsOf(grid);
  let out = "";
  if (mark.title) {
    const note = [spoken(scene, mark.note, state), partOf(grid)].filter(Boolean).join(" · ");
    const title = shortened(spoken(scene, mark.title, state), Math.floor(room / 7.8));
    out += text(grid.left, 14, title, 13, { bold: true });
    out += text(grid.left, 30, shortened(note, Math.floor(room / 6)), 11.5, MUT);
  }
  /** @type {Map<number, string[]>} */
  const kinds = new Map();
  for (const layer of mark.looks) {
    /** @type {number[][]} */
    const groups = [];
    numbers(layer, state, items).forEach((found, at) => {
      if (found >= 0) (groups[found] ??= []).push(items[at]);
    });
    groups.forEach((own, found) => {
      const [kind, who] = scene.looks[found];
      const corners = /** @type {[number, number][]} */ (own.map((item) => place(grid, item)));
      out += look(grid, corners, kind, who);
      if (mark.words) for (const item of own) kinds.set(item, [...(kinds.get(item) ?? []), kind]);
    });
  }
  if (mark.looks.length) out += lattice(grid);
  if (mark.captions.length) out += facts(scene, mark, state, grid);
  else if (mark.words) out += values(scene, mark, state, grid, kinds);
  out += labels(mark, grid) + groupNames(scene, mark, state, grid);
  out += outlines(mark, state, grid);
  const at = mark.ring ? place(grid, numbers(mark.ring, state, [0])[0]) : null;
  if (at) out += ring(at[0], at[1], grid.w, grid.h, grid.h > 12);
  const groups = grid.group ? Math.floor((grid.count - 1) / grid.group) : 0;
  return { text: out, height: grid.top + grid.rows * grid.h + groups * grid.gap };
}

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 * @param {Map<number, string[]>} kinds
 */
function values(scene, mark, state, grid, kinds) {
  const items = itemsOf(grid);
  const most = Math.max(Math.floor((grid.w - 1) / 6.02), 2);
  return numbers(mark.words, state, items).map((value, at) => {
    if (value < 0 && mark.blank) return "";
    const [x, y] = place(grid, items[at]) ?? [0, 0];
    const own = kinds.get(items[at]) ?? [];
    const words = value >= 0 ? fitted(scene.words[value], most) : "·";
    let ink = value >= 0 && !own.some((each) => PALE.includes(each)) ? "ink" : "faint";
    if (own.includes("runs")) ink = "bg";
    else if (own.includes("missed")) ink = "bad";
    const size = words.length > (grid.w < 30 ? 3 : 4) ? 10 : 11;
    return text(
      tenth(x + grid.w / 2), tenth(y + grid.h / 2 + 4), words,
      size > 10 && grid.h >= 32 ? 13 : size,
      {
        anchor: "middle", mono: true, fill: `var(--${ink})`,
        bold: own.some((each) => BOLD.includes(each)),
      },
    );
  }).join("");
}

/**
 * Boxes around items, and their names beside them.
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 */
function outlines(mark, state, grid) {
  if (!mark.outlines) return "";
  const thick = numbers(mark.outlined, state, [0])[0];
  return range(mark.outlines.length / 5).map((at) => {
    const [row, column, rows, columns, who] = mark.outlines.subarray(5 * at, 5 * at + 5);
    const [x, y] = [tenth(grid.left + column * grid.w), tenth(grid.top + row * grid.h)];
    const [w, h] = [tenth(columns * grid.w), tenth(rows * grid.h)];
    const edge = { stroke: strong(who), "stroke-width": at === thick ? 2.4 : 0.8 };
    const out = rect(x + 0.5, y + 0.5, w - 1, h - 1, { rx: 3, fill: "none", ...edge });
    if (!mark.labelled.length || h < 12) return out;
    return out + text(column ? x + w + 4 : x - 4, tenth(y + h / 2 + 4), mark.labelled[at], 11,
      { fill: strong(who), bold: true, mono: true, anchor: column ? undefined : "end" });
  }).join("");
}

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
function bars(scene, mark, state, room) {
  const rows = range(mark.names.length);
  const step = tenth((room - 140) / mark.heads.length);
  const lengths = numbers(mark.lengths, state, rows);
  let out = text(0, 14, spoken(scene, mark.title, state), 13, { bold: true });
  mark.heads.forEach((/** @type {string} */ head, /** @type {number} */ at) => {
    out += text(tenth(90 + step * (at + 1)), 34, head, 11.5, { ...MUT, anchor: "end" });
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
      out += text(tenth(90 + step * (at + 1)), 60 + 27 * row, scene.words[words], 12.5, look);
    });
  });
  lengths.forEach((length, row) => {
    if (length <= 0) return;
    const wide = tenth((40 * length) / Math.max(...lengths));
    out += rect(room - 42, 51 + 27 * row, wide, 8, { rx: 2, fill: "var(--d30)" });
  });
  return { text: out, height: 60 + 27 * rows.length - 14 };
}

/**
 * Boxes with a name and a value; an edge of ink where the value is new.
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 */
function facts(scene, mark, state, grid) {
  const items = itemsOf(grid);
  /** @type {number[][]} */
  const names = mark.captions.map((/** @type {any} */ each) => numbers(each, state, items));
  const now = numbers(mark.words, state, items);
  const before = { ...state, [mark.changes]: state[mark.changes] - 1 };
  const old = mark.changes ? numbers(mark.words, before, items) : now;
  const most = Math.floor((grid.w - 22) / 7.53);
  return items.map((item, at) => {
    const said = names.filter((each) => each[at] >= 0).map((each) => scene.words[each[at]]).join(" ");
    if (!said) return "";
    const [x, y] = place(grid, item) ?? [0, 0];
    const fresh = now[at] !== old[at];
    const words = now[at] >= 0 ? scene.words[now[at]] : "not set";
    const both = fresh && old[at] >= 0 ? `${scene.words[old[at]]} → ${words}` : words;
    return rect(x + 0.5, y + 0.5, grid.w - 7, grid.h - 7, {
      rx: 6, fill: "none", stroke: fresh ? "var(--ink)" : "var(--line)",
      "stroke-width": fresh ? 1.6 : 1,
    }) + text(x + 8, y + 15, shortened(said, Math.floor((grid.w - 20) / 6.2)), 11, MUT)
      + text(x + 8, y + 31, both.length <= most ? both : shortened(words, most), 12.5, { mono: true });
  }).join("");
}

/**
 * @param {any} mark
 * @param {Grid} grid
 */
function labels(mark, grid) {
  if (!mark.labels) return "";
  const [each, row] = [mark.labels === "row" ? 1 : grid.wide, Math.floor(grid.first / grid.wide)];
  let out = "";
  for (let at = 0; at < grid.rows; at += Math.max(1, Math.floor(11 / grid.h + 0.9))) {
    const y = tenth(grid.top + at * grid.h + grid.h / 2 + 3.6);
    out += text(grid.left - 6, y, String((row + at) * each), 10, { ...MUT, anchor: "end", mono: true });
  }
  return out;
}

/**
 * Brackets and names beside groups of items.
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 */
function groupNames(scene, mark, state, grid) {
  if (!mark.group || !mark.names) return "";
  const groups = range(Math.ceil(grid.count / mark.group));
  const hues = numbers(mark.hues, state, groups);
  return numbers(mark.names, state, groups).map((name, at) => {
    const [x, y] = place(grid, at * mark.group) ?? [0, 0];
    const own = Math.min(grid.count - at * mark.group, mark.group);
    const high = Math.ceil(own / grid.wide) * grid.h;
    const [hue, words] = [strong(hues[at]), scene.words[name]];
    let out = "";
    if (grid.wide < 32) {
      const bracket = `M${tenth(x - 8)} ${tenth(y + 2)}h-5v${tenth(high - 4)}h5`;
      out = path(bracket, { stroke: hue, "stroke-width": 1.6 });
    }
    if (high > 100) {
      const turn = `translate(${tenth(x - 19)} ${tenth(y + high / 2)}) rotate(-90)`;
      return out + text(0, 0, words, 11.5, { fill: hue, anchor: "middle", bold: true, transform: turn });
    }
    const short = words.split(" · ")[0].replace("warp ", "w");
    const left = tenth(x - (grid.wide < 32 ? 17 : 6));
    return out + text(left, tenth(y + high / 2 + 4), short, 10, { fill: hue, anchor: "end", bold: true });
  }).join("");
}

/**
 * A line of code in lines of `most` letters, the later ones further in.
 * @param {string} line
 * @param {number} most
 */
function wrap(line, most) {
  let rest = line;
  const indent = Math.min(rest.length - rest.trimStart().length + 4, Math.floor(most / 2));
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
  const widest = Math.max(...mark.totals, 1).toLocaleString("en").length;
  const tail = 6.9 * (2 * widest + 1) + (room >= 400 ? 36 : 8);
  const left = 68 + 7.3 * Math.max(.../** @type {number[]} */ (mark.numbers).map((each) => String(each).length));
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
function code(scene, mark, state, room) {
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
  if (active >= 0) {
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
    const words = `${count.toLocaleString("en")}/${total.toLocaleString("en")}`;
    out += text(room - 2, y, words, 11, { ...MUT, anchor: "end" });
  });
  return { text: out, height: lines.bottom };
}

/**
 * Where a track begins, how wide an index is, how high a row is.
 * @param {any} scene
 * @param {any} mark
 * @param {number} room
 */
export function trackAt(scene, mark, room) {
  const axis = scene.axes.find((/** @type {any} */ each) => each.name === mark.axis);
  const left = 12 + 7 * Math.max(...mark.names.map((/** @type {string} */ name) => name.length));
  const high = Math.min(27, Math.max(5, 170 / mark.names.length));
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
  for (let at = 0; at < mark.bars.length; at += 4) {
    const [row, low, end, count] = mark.bars.subarray(at, at + 4);
    const tall = Math.max(1, ((high - 3) * count) / mark.full);
    paths[row] += box(left + low * wide + gap, top + (row + 1) * high - 3 - tall,
      Math.max((end - low) * wide - 2 * gap, 0.4), tall);
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
    const out = path(`M${tenth(left)} ${tenth(y + high - 3)}H${tenth(room - 6)}`, { stroke: "var(--line)" })
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
function track(scene, mark, state, room) {
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
function arrows(mark, state, placed, width) {
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
    if (!at || ends.length >= mark.most) continue;
    const to = known[target];
    ends.push([tenth(to.x + at[0]), tenth(to.y + at[1]), to.grid, goes, to.x]);
  }
  ends.sort((a, b) => a[1] - b[1]);
  /** @type {number[]} */
  const taken = [];
  return ends.map(([cx, cy, other, goes, tx], number) => {
    const out = ring(cx, cy, other.w, other.h, false);
    const sy = tenth(y + start[1] + (number === 0 && ends.length > 1 ? 0 : grid.h));
    const end = tenth(cy + (cy + other.h / 2 > sy ? 0 : other.h));
    if (left < right) {
      const beside = tenth(tx + other.left + other.columns * other.w + 26);
      return out + (beside + 22 < width ? verb(beside, tenth(cy + other.h / 2), mark.verbs[goes]) : "");
    }
    const middle = tenth((right + left) / 2);
    let said = tenth((sy + end) / 2);
    while (taken.some((each) => Math.abs(said - each) < 20)) said = tenth(said + 20);
    taken.push(said);
    const d = `M${tenth(x + start[0] + grid.w + 1)} ${sy}H${right}`
      + `C${tenth(middle + 14)} ${sy} ${tenth(middle - 14)} ${end} ${left} ${end}H${tenth(cx - 1)}`;
    const head = goes ? { "marker-end": VALUE_IN } : { "marker-start": VALUE_OUT };
    return out + path(d, { stroke: "var(--bg)", "stroke-width": 4 })
      + path(d, { stroke: "var(--ink)", "stroke-width": goes ? 2.4 : 1.6, ...head })
      + verb(middle, said, mark.verbs[goes]);
  }).join("");
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
const MARKS = { Bars: bars, Cells: cells, Code: code, Track: track };

/**
 * The parts of a scene's picture, so many pixels wide, and how high it is.
 * @param {any} scene
 * @param {State} state
 * @param {number} width
 * @returns {{parts: Part[], height: number}}
 */
export function draw(scene, state, width) {
  /** @type {Part[]} */
  const parts = [];
  const placed = new Map();
  let y = 0;
  for (const line of flow(scene.panels, width)) {
    let [x, bottom] = [0, 0];
    for (const [panel, room] of line) {
      x += x ? panel.gap : 0;
      let top = y;
      for (const mark of panel.marks) {
        const drawn = MARKS[mark.is](scene, mark, state, room);
        parts.push({ mark, x, y: top, room, text: drawn.text });
        if (mark.is === "Cells") placed.set(mark.name, { x, y: top, grid: gridOf(mark, state, room) });
        top = tenth(top + drawn.height + BETWEEN);
      }
      [x, bottom] = [tenth(x + room), Math.max(bottom, top)];
    }
    y = bottom;
  }
  for (const mark of scene.over) {
    parts.push({ mark, x: 0, y: 0, room: width, text: arrows(mark, state, placed, width) });
  }
  if (scene.key) {
    const drawn = key(scene.key, width);
    parts.push({ mark: scene.key, x: 0, y, room: width, text: drawn.text });
    y += drawn.height;
  }
  return { parts, height: y };
}
