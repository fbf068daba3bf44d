// @ts-check
// Cells as SVG, as Python's `cells` draws them.

import { numbers, spoken } from "./lookup.js";
import { box, fitted, MUT, number, path, range, rect, ring, shortened, strong, tenth, text, tint } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

const LEAST = 4.5; // width of a box without words

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
export function place(grid, item) {
  const slot = grid.slots ? grid.slots[item] : item;
  const row = Math.floor(slot / grid.wide) - Math.floor(grid.first / grid.wide);
  const column = (slot % grid.wide) - (grid.first % grid.wide);
  if (row < 0 || row >= grid.rows || column < 0 || column >= grid.columns) return null;
  if (item < 0 || item >= grid.count) return null;
  const apart = grid.group ? Math.floor(item / grid.group) * grid.gap : 0;
  return [tenth(grid.left + column * grid.w), tenth(grid.top + row * grid.h + apart)];
}

/** @param {Grid} grid */
export function itemsOf(grid) {
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
  const top = mark.heads.length ? (mark.title ? 36 : 18) : mark.title ? 40 : 4;
  let [w, h] = mark.size;
  if (!mark.columns) {
    const wide = Math.max(1, Math.min(Math.floor(room / w), count));
    const rows = Math.ceil(count / wide);
    const shared = { columns: wide, rows, wide, first: 0, count, top, h };
    if (mark.feet.length) return { ...shared, left: 2, w, group: wide, gap: 16 };
    w = tenth(room / wide);
    return { ...shared, left: 0, w, group: 0, gap: 0 };
  }
  const { slots } = mark;
  let { columns: wide, most } = mark;
  mark.places ??= slots ? Math.max(...slots) + 1 : count;
  let every = Math.ceil(mark.places / wide);
  let left = mark.labelled.length ? 30 : 0;
  if (group) left = wide < 32 ? 44 : 30;
  else if (mark.row_names.length) {
    left = 10 + 6.6 * Math.max(...mark.row_names.map((/** @type {string} */ head) => head.length));
  } else if (typeof mark.labels !== "string") left = 42.5;
  else if (mark.labels) left = 12 + 6.1 * String(mark.labels === "row" ? every - 1 : count).length;
  else if (mark.sides.length) {
    left = 12 + 6.1 * Math.max(...mark.sides.map((/** @type {string} */ each) => each.length));
  }
  if (mark.shrink && left + wide * w > room + 0.5) w = mark.shrink;
  const least = mark.words ? w : LEAST;
  while (mark.fold && wide % 2 === 0 && left + wide * least > room + 0.5) {
    [wide, every, most] = [wide / 2, every * 2, most * 2];
  }
  w = Math.max(Math.floor(Math.min(w, (room - left) / wide) * 10) / 10, least);
  const columns = Math.max(1, Math.min(wide, Math.floor((room - left + 0.5) / w)));
  const rows = Math.min(every, most || every);
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
 * @param {boolean} named Whether its rows have numbers.
 */
function partOf({ rows, columns, wide, first, count }, named) {
  const every = Math.ceil(count / wide);
  const [row, column] = [Math.floor(first / wide), first % wide];
  const parts = [];
  if (named && rows < every) {
    const shown = rows === 1 ? `row ${row}` : `rows ${row}–${row + rows - 1}`;
    parts.push(`${shown} of ${number(every)}`);
  }
  if (columns < wide) {
    parts.push(`columns ${column}–${column + columns - 1} of ${number(wide)}`);
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
  moved: [1, () => ({ fill: "var(--d16)", stroke: "var(--d45)" })],
  unmoved: [1, () => ({ stroke: "var(--line)" })],
  untouched: [1, () => ({ fill: "var(--off)" })],
  reads: [1, (who) => ({
    fill: "var(--bg)", stroke: strong(who), "stroke-width": 1.4, "stroke-dasharray": "2.6 1.8",
  })],
  grey: [1, () => ({ fill: "var(--d16)" })],
  dark: [1, () => ({ fill: "var(--d45)" })],
  read: [2.6, () => ({ stroke: "var(--ink)", "stroke-dasharray": "2.5 2" })],
  written: [1, (who) => ({ stroke: strong(who), "stroke-width": 2 })],
  clash: [1, () => ({ fill: "var(--bad)" })],
  wrong: [1, () => ({ fill: WRONG, stroke: "var(--bad)" })],
  missed: [1, () => ({ fill: WRONG, stroke: "var(--bad)" })],
};
/** @type {Record<string, number>} */
const SPANS = { moved: 8, unmoved: 8 }; // items from the one that has the look on
const [PALE, BOLD] = [["empty", "bare"], ["runs", "clash", "written"]];
// `@id-` stands for the picture's own prefix.
const [EMPTY, WRONG] = ["url(#@id-off)", "url(#@id-bad)"];

// Filled boxes of less height touch each other, and lines are drawn between; boxes with
// an edge, and those over them, stand apart.
const SMALL = 12;

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
  if (group) return "";
  const across = range(rows - 1).map((at) =>
    `M${tenth(left)} ${tenth(top + (at + 1) * h)}h${tenth(columns * w)}`);
  const down = range(columns - 1).map((at) =>
    `M${tenth(left + (at + 1) * w)} ${tenth(top)}v${tenth(rows * h)}`);
  return path([...across, ...down].join(""), { stroke: "var(--bg)", "stroke-width": tenth(Math.min(w, h) / 6) });
}

/**
 * @param {Grid} grid
 * @param {[number, number][]} corners
 * @param {string} kind
 * @param {number} who
 * @param {boolean} apart
 */
function look(grid, corners, kind, who, apart) {
  const [inset, attributes] = LOOKS[kind];
  const edge = "stroke" in attributes(who) ? 0.6 : 0;
  const least = grid.h < SMALL ? Math.min(grid.w / 12 + edge, grid.h / 6) : 0;
  const gap = tenth(Math.max(inset * Math.min(1, grid.w / 25), least));
  const r = grid.h >= 32 ? 5 : grid.h >= 24 ? 3 : 0;
  const shape = box(0, 0, (SPANS[kind] ?? 1) * grid.w - 2 * gap, grid.h - 2 * gap, r).replace(/^M\S+ \S+?(?=h)/, "");
  const boxes = apart
    ? corners.map(([x, y]) => `M${tenth(x + gap + r)} ${tenth(y + gap)}${shape}`)
    : runs(grid, corners).map(([x, y, wide]) => box(x, y, wide, grid.h));
  let out = path(boxes.join(""), attributes(who));
  if (kind === "waits") {
    const bars = corners.flatMap(([x, y]) => [0.7, 0.8].map((at) =>
      box(x + grid.w * at, y + grid.h * 0.14, Math.max(1.2, grid.w / 18), grid.h / 6)));
    out += path(bars.join(""), { fill: strong(who) });
  }
  if ((kind === "wrong" || kind === "missed") && grid.h >= 19) {
    const edge = Math.min(3.4, grid.w / 8);
    const clear = corners.map(([x, y]) => box(x + edge, y + grid.h / 2 - 6.5, grid.w - 2 * edge, 13, 2));
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
export function cells(scene, mark, state, room) {
  const grid = gridOf(mark, state, room);
  const items = itemsOf(grid);
  let out = "";
  if (mark.title) {
    const part = mark.row_names.length ? "" : partOf(grid, typeof mark.labels === "string");
    const parts = [spoken(scene, mark.note, state), part].filter(Boolean);
    const note = mark.heads.length ? "" : parts.join(" · ");
    const left = mark.row_names.length ? 0 : grid.left;
    const title = shortened(spoken(scene, mark.title, state), Math.floor((room - left) / 7.8));
    out += text(left, 14, title, 13, { bold: true });
    out += text(left, 30, shortened(note, Math.floor((room - left) / 6)), 11.5, MUT);
  }
  /** @type {Map<number, string[]>} */
  const kinds = new Map();
  let apart = grid.h >= SMALL;
  for (const layer of mark.looks) {
    /** @type {number[][]} */
    const groups = [];
    numbers(layer, state, items).forEach((found, at) => {
      if (found >= 0) (groups[found] ??= []).push(items[at]);
    });
    groups.forEach((own, found) => {
      const [kind, who] = scene.looks[found];
      const corners = /** @type {[number, number][]} */ (own.map((item) => place(grid, item)));
      if (!apart && "stroke" in LOOKS[kind][1](who)) {
        out += lattice(grid);
        apart = true;
      }
      out += look(grid, corners, kind, who, apart);
      if (mark.words) for (const item of own) kinds.set(item, [...(kinds.get(item) ?? []), kind]);
    });
  }
  if (mark.looks.length && !apart) out += lattice(grid);
  if (mark.captions.length) out += facts(scene, mark, state, grid, items);
  else if (mark.words) out += values(scene, mark, state, grid, items, kinds);
  out += labels(scene, mark, state, grid) + groupNames(scene, mark, state, grid);
  out += outlines(mark, state, grid);
  const at = mark.ring ? place(grid, numbers(mark.ring, state, [0])[0]) : null;
  if (at) out += ring(at[0], at[1], grid.w, grid.h, grid.h > 12);
  const groups = grid.group ? Math.floor((grid.count - 1) / grid.group) : 0;
  const below = groups * grid.gap + (mark.feet.length ? 16 : 0);
  return { text: out, height: Math.max(grid.top + grid.rows * grid.h + below, mark.high), grid };
}

/**
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 * @param {number[]} items
 * @param {Map<number, string[]>} kinds
 */
function values(scene, mark, state, grid, items, kinds) {
  const most = Math.max(Math.floor((grid.w - 1) / 6.02), 2);
  if (mark.shrink && grid.w < mark.size[0]) {
    const [focus] = numbers(mark.ring, state, [0]);
    items = items.filter((at) => at === focus);
  }
  return numbers(mark.words, state, items).map((value, at) => {
    if (value < 0 && mark.blank) return "";
    const [x, y] = place(grid, items[at]) ?? [0, 0];
    const own = kinds.get(items[at]) ?? [];
    const words = value >= 0 ? fitted(scene.words[value], most) : "·";
    let ink = value >= 0 && !own.some((each) => PALE.includes(each)) ? "ink" : "faint";
    if (own.some((each) => each === "runs" || each === "clash") && !own.includes("wrong")) ink = "bg";
    else if (own.includes("missed")) ink = "bad";
    const size = grid.h < SMALL || words.length > (grid.w < 30 ? 3 : 4) ? 10 : 11;
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
 * Boxes with a name and a value; an edge of ink where the value is new.
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 * @param {number[]} items
 */
function facts(scene, mark, state, grid, items) {
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
 * @param {any} scene
 * @param {any} mark
 * @param {State} state
 * @param {Grid} grid
 */
function labels(scene, mark, state, grid) {
  if (mark.row_names.length) {
    return range(grid.rows).map((at) => text(0, tenth(grid.top + at * grid.h + grid.h / 2 + 4),
      mark.row_names[at % mark.row_names.length], 11.5, { bold: true })).join("");
  }
  const [row, column] = [Math.floor(grid.first / grid.wide), grid.first % grid.wide];
  const [middle, end] = ["middle", "end"].map((anchor) => ({ ...MUT, anchor, mono: true }));
  let out = "";
  mark.heads.slice(column, column + grid.columns).forEach((/** @type {string} */ name, /** @type {number} */ at) => {
    out += text(tenth(grid.left + (at + 0.5) * grid.w), grid.top - 6, name, 10, middle);
  });
  mark.sides.slice(row, row + grid.rows).forEach((/** @type {string} */ name, /** @type {number} */ at) => {
    out += text(grid.left - 6, tenth(grid.top + (at + 0.5) * grid.h + 3.6), name, 10, end);
  });
  mark.feet.forEach((/** @type {string} */ name, /** @type {number} */ item) => {
    const [x, y] = place(grid, item) ?? [0, 0];
    out += text(tenth(x + grid.w / 2), tenth(y + grid.h + 11), name, 10, middle);
  });
  if (!mark.labels) return out;
  const each = mark.labels === "row" ? 1 : grid.wide;
  for (let at = 0; at < grid.rows; at += Math.max(1, Math.floor(11 / grid.h + 0.9))) {
    const y = tenth(grid.top + at * grid.h + grid.h / 2 + 3.6);
    let words = String((row + at) * each);
    if (typeof mark.labels !== "string") {
      const line = ((row + at) * grid.wide) / mark.columns;
      words = scene.words[line % 1 ? -1 : numbers(mark.labels, state, [line])[0]] ?? "";
    }
    if (words) out += text(grid.left - 6, y, words, 10, end);
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
