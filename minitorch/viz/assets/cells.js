// @ts-check
// The parts of an array's picture that follow a thread, drawn as Python's `cell_view`
// does.

import { path, rect, ring, strong, text, tint } from "./svg.js";

/**
 * @typedef {object} Panel Where an array lies in the picture, and which part is drawn.
 * @property {number} x
 * @property {number} y
 * @property {number} rows
 * @property {number} columns
 * @property {number} shownRows
 * @property {number} shownColumns
 * @property {number} firstRow
 * @property {number} firstColumn
 * @property {number} cell
 * @property {string[]} words Values of all cells; empty where they are not known.
 * @property {{start: number[], block: number[]} | null} writers
 */

/** @typedef {{left: number, top: number, side: number}} Margins */

const NUMBERED = 15;
const MOST_LABELS = 200;
const [LETTERS, LEAST] = [10, 6]; // size of values, and where they have little room
const LETTER = 0.602; // width of one, by its size
const [GAP, RING] = [1, 4.8]; // of a cell's room, what stays free
const MUTED = { fill: "var(--mut)", mono: true };

/** The part of an array that is drawn, around the cells of a thread. */
export class Sheet {
  /**
   * @param {Panel} panel
   * @param {Margins} margins
   * @param {number} count How many cells the array has.
   */
  constructor(panel, margins, count) {
    this.panel = panel;
    this.margins = margins;
    this.count = count;
    this.firstRow = panel.firstRow;
    this.firstColumn = panel.firstColumn;
  }

  /** Whether only a part is drawn. */
  get isPart() {
    const { rows, columns, shownRows, shownColumns } = this.panel;
    return rows > shownRows || columns > shownColumns;
  }

  /**
   * Move to a cell; false where nothing is known of the cells there.
   * @param {number} flat
   */
  moveTo(flat) {
    const { rows, columns, shownRows, shownColumns, writers } = this.panel;
    if (!this.isPart || !writers) return false;
    const row = Math.floor(flat / columns);
    this.firstRow = Math.max(0, Math.min(row - 32, rows - shownRows));
    this.firstColumn = Math.max(0, Math.min((flat % columns) - 32, columns - shownColumns));
    return true;
  }

  /** @param {number} flat */
  isShown(flat) {
    const { columns, shownRows, shownColumns } = this.panel;
    const row = Math.floor(flat / columns) - this.firstRow;
    const column = (flat % columns) - this.firstColumn;
    return row >= 0 && row < shownRows && column >= 0 && column < shownColumns;
  }

  /**
   * Where a cell is drawn.
   * @param {number} flat
   * @returns {[number, number]}
   */
  corner(flat) {
    const { columns, cell } = this.panel;
    return [
      this.margins.left + ((flat % columns) - this.firstColumn) * cell,
      this.margins.top + (Math.floor(flat / columns) - this.firstRow) * cell,
    ];
  }

  /**
   * The cell at a place of the panel; -1 beside the cells.
   * @param {number} x
   * @param {number} y
   */
  cellAt(x, y) {
    const { cell, columns, shownRows, shownColumns } = this.panel;
    const row = Math.floor((y - this.margins.top) / cell);
    const column = Math.floor((x - this.margins.left) / cell);
    if (row < 0 || row >= shownRows || column < 0 || column >= shownColumns) return -1;
    const flat = (row + this.firstRow) * columns + column + this.firstColumn;
    return flat < this.count ? flat : -1;
  }

  /** Which part is drawn, in words. */
  get part() {
    if (!this.isPart) return "";
    const { columns, shownRows, shownColumns } = this.panel;
    const rows = `rows ${this.firstRow}–${this.firstRow + shownRows - 1}`;
    if (columns <= shownColumns) return ` · ${rows} drawn`;
    const last = this.firstColumn + shownColumns - 1;
    return ` · ${rows}, columns ${this.firstColumn}–${last} drawn`;
  }
}

/**
 * A path of cells, each for itself.
 * @param {Sheet} sheet
 * @param {number[]} cells
 */
function squares(sheet, cells) {
  const { cell } = sheet.panel;
  const gap = Math.min(0.8, cell / 10);
  const side = (cell - 2 * gap).toFixed(2);
  const shape = `h${side}v${side}h-${side}z`;
  let d = "";
  for (const flat of cells) {
    const [x, y] = sheet.corner(flat);
    d += `M${(x + gap).toFixed(1)} ${(y + gap).toFixed(1)}${shape}`;
  }
  return d;
}

/**
 * The value within a cell; "" where it is not known or has no room.
 * @param {Sheet} sheet
 * @param {number} flat
 * @param {string} fill
 * @param {number} taken
 */
function value(sheet, flat, fill, taken) {
  const { cell, words } = sheet.panel;
  const own = words[flat] ?? "";
  if (cell < NUMBERED || !own) return "";
  const size = Math.min(LETTERS, (cell - taken) / (LETTER * own.length));
  if (size < LEAST) return "";
  const look = { fill, anchor: "middle", mono: true, bold: fill === "var(--bg)" };
  const [x, y] = sheet.corner(flat);
  const round = Math.round(10 * size) / 10;
  return text(x + cell / 2, y + cell / 2 + 0.36 * round, own, round, look);
}

/**
 * The one cell with a ring: its value stands in it, or beside it.
 * @param {Sheet} sheet
 * @param {number} flat
 * @param {string} fill
 */
function drawFocus(sheet, flat, fill) {
  const { cell, words } = sheet.panel;
  const own = words[flat] ?? "";
  const inside = value(sheet, flat, fill, RING);
  const [x, y] = sheet.corner(flat);
  const content = inside + ring(x, y, cell, cell);
  if (inside || !own) return content;
  const wide = LETTER * LETTERS * own.length + 10;
  const right = x + cell + 4;
  const left = right + wide > sheet.margins.left + sheet.margins.side ? x - 4 - wide : right;
  const box = { rx: 3, fill: "var(--bg)", stroke: "var(--ink)" };
  const look = { anchor: "middle", mono: true, bold: true };
  const middle = y + cell / 2;
  return (
    content +
    rect(left, middle - 8, wide, 16, box) +
    text(left + wide / 2, middle + 3.6, own, LETTERS, look)
  );
}

/**
 * What the focused thread does to the array, and the one cell with a ring.
 * @param {Sheet} sheet
 * @param {number[]} reads
 * @param {number[]} writes
 * @param {number} hue
 * @param {number} focus The cell with the ring, -1 for none.
 */
export function drawMine(sheet, reads, writes, hue, focus) {
  const { cell } = sheet.panel;
  const read = reads.filter((flat) => sheet.isShown(flat));
  const written = writes.filter((flat) => sheet.isShown(flat));
  const large = cell > 8;
  const look = {
    fill: "var(--bg)",
    stroke: strong(hue),
    "stroke-width": large ? 1.4 : 0.8,
    "stroke-dasharray": large ? "2.6 1.8" : undefined,
  };
  let content = read.length ? path(squares(sheet, read), look) : "";
  if (written.length) content += path(squares(sheet, written), { fill: strong(hue) });
  const own = new Set(written); // a cell that is read, too, has its value once
  for (const flat of read.slice(0, MOST_LABELS)) {
    if (flat !== focus && !own.has(flat)) content += value(sheet, flat, "var(--ink)", GAP);
  }
  for (const flat of written.slice(0, MOST_LABELS)) {
    if (flat !== focus) content += value(sheet, flat, "var(--bg)", GAP);
  }
  if (focus < 0 || !sheet.isShown(focus)) return content;
  return content + drawFocus(sheet, focus, own.has(focus) ? "var(--bg)" : "var(--ink)");
}

/**
 * Row numbers, or for one dimension the number of the first cell; columns below.
 * @param {Sheet} sheet
 * @param {boolean} flat
 */
export function drawAxes(sheet, flat) {
  const { left, top } = sheet.margins;
  const { cell, columns, shownRows, shownColumns } = sheet.panel;
  let content = "";
  for (let at = 0; at < shownRows; at += Math.max(1, Math.ceil(shownRows / 5))) {
    const row = sheet.firstRow + at;
    const words = (flat ? row * columns : row).toLocaleString("en");
    const y = top + at * cell + Math.min(cell, 13) - 1;
    content += text(left - 5, y, words, 9.5, { ...MUTED, anchor: "end" });
  }
  const bottom = top + shownRows * cell + 12;
  for (let at = 0; at < shownColumns; at += Math.max(1, Math.ceil(shownColumns / 5))) {
    const words = `${flat ? "+" : ""}${sheet.firstColumn + at}`;
    const x = left + at * cell + cell / 2;
    content += text(x, bottom, words, 9.5, { ...MUTED, anchor: "middle" });
  }
  return content;
}

/**
 * Every cell that is drawn: grey, or in the hue of the block that wrote it.
 * @param {Sheet} sheet
 * @param {(block: number) => number} hueOf
 */
export function drawGround(sheet, hueOf) {
  const { cell, columns, shownRows, shownColumns, writers } = sheet.panel;
  if (!writers) return "";
  const parts = ["", "", "", "", ""]; // nobody's, then by hue
  let run = 0;
  for (let row = sheet.firstRow; row < sheet.firstRow + shownRows; row++) {
    const start = row * columns + sheet.firstColumn;
    const end = Math.min(start + shownColumns, sheet.count);
    let from = start;
    while (from < end) {
      while (run + 1 < writers.start.length && writers.start[run + 1] <= from) run++;
      const who = hueAt(writers.block[run]);
      let to = from;
      let next = run;
      while (to < end && hueAt(writers.block[next]) === who) {
        to = Math.min(end, writers.start[next + 1] ?? end);
        if (to < end) next++;
      }
      const [x, y] = sheet.corner(from);
      const wide = ((to - from) * cell).toFixed(2);
      const tall = cell.toFixed(2);
      parts[who + 1] += `M${x.toFixed(1)} ${y.toFixed(1)}h${wide}v${tall}h-${wide}z`;
      from = to;
    }
  }
  return parts.map((d, at) => d && path(d, { fill: at ? tint(at - 1) : "var(--off)" })).join("");

  /** @param {number} block */
  function hueAt(block) {
    return block < 0 ? -1 : hueOf(block);
  }
}
