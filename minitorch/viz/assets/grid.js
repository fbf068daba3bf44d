// @ts-check
// How the grid view moves: the focused thread, and the cell that is pointed at.
//

import { drawAxes, drawGround, drawMine, Sheet } from "./cells.js";
import { followPointer } from "./pointing.js";
import { counted, number, path, rect, strong, text } from "./svg.js";
import { Plan, placeOf } from "./threads.js";
import { joined, spelledCell, spelledCells, ThreadCells } from "./touched.js";

/** @typedef {{array: number, cell: number}} CellPlace */
/** @typedef {{block: number, thread: number, cell: CellPlace | null}} GridState */
/** @typedef {import("./touched.js").ArrayData} ArrayData */
/** @typedef {ArrayData & {panel: import("./cells.js").Panel | null}} DrawnArray */
/** @typedef {{array: DrawnArray, reads: number[] | null, writes: number[] | null}} Mine */

const WARP = 32;
const TABLE = 330; // width of the table of reads
const ROW = 27;

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  const plan = new Plan(data.plan, data.grid, data.block, data.sheet);
  const cells = new ThreadCells(data.patterns);
  const atomic = new Set(data.atomic);
  /** @type {DrawnArray[]} */
  const arrays = data.arrays;
  /** @type {Map<number, Sheet>} */
  const sheets = new Map();
  for (const at of data.order) {
    const { panel, shape } = arrays[at];
    const count = shape.reduce((product, size) => product * size, 1);
    if (panel) sheets.set(at, new Sheet(panel, data.sheet, count));
  }
  /** @type {GridState} */
  let state = { ...data.at, cell: null };

  /** @param {string} name @param {string} content */
  function fill(name, content) {
    frame.at(name).innerHTML = content;
  }

  function index() {
    return (state.block - data.firstBlock) * plan.size + state.thread;
  }

  /** @returns {Mine[]} */
  function mine() {
    const at = index();
    return arrays.map((array) => ({
      array,
      reads: cells.of(array.reads, at),
      writes: cells.of(array.writes, at),
    }));
  }

  /** @param {Mine[]} all */
  function sayThread(all) {
    const who = plan.nameOf(state.block, state.thread);
    if (all.some(({ reads, writes }) => !reads || !writes)) {
      const call = `viz.grid(launch, thread=${state.thread}, block=${state.block})`;
      frame.say(`${who} touches more cells than this picture holds.`, `${call} draws them.`);
      return;
    }
    const spell = (/** @type {"reads" | "writes"} */ name) =>
      all.flatMap((each) => {
        const own = each[name] ?? [];
        return own.length ? [spelledCells(each.array, own)] : [];
      });
    const writes = spell("writes");
    const updates = atomic.has(index());
    const reads = spell("reads").filter((each) => !updates || !writes.includes(each));
    const done = reads.length ? [`reads ${joined(reads)}`] : [];
    if (writes.length) done.push(`${updates ? "updates" : "writes"} ${joined(writes)}`);
    const fault = data.fault;
    const failed = fault?.block === state.block && fault?.thread === state.thread;
    if (failed && !fault.ended) done.length = 0; // the headline is what went wrong
    if (failed) done.push(fault.words);
    const written = all.reduce((sum, each) => sum + (each.writes?.length ?? 0), 0);
    const made = `It makes ${counted(data.reuse[0].reads[index()], "read")}`;
    const detail = `${made} and writes ${counted(written, "cell")}. ${data.tail}`;
    const does = done.length ? done.join(", and ") : "touches no cell";
    frame.say(`${who} ${does}.`, detail.trim());
  }

  /** @param {Mine} each @param {Sheet} sheet */
  function said(each, sheet) {
    const { name, shape } = each.array;
    const size = shape.map(number).join(" × ") + (shape.length === 1 ? " cells" : "");
    if (sheet.part) return size + sheet.part;
    const parts = [];
    if (each.reads?.length) parts.push(`reads ${spelledCells(each.array, each.reads)}`);
    if (each.writes?.length) parts.push(`writes ${spelledCells(each.array, each.writes)}`);
    const words = parts.length ? ` · the thread ${parts.join(" and ")}` : "";
    const short = words.split(` of ${name}`).join("");
    return size + (widthOf(short) < data.sheet.room ? short : "");
  }

  /** @param {string} words */
  function widthOf(words) {
    let total = 0;
    for (const letter of words) {
      total += data.widths[(letter.codePointAt(0) ?? 0) - 32] ?? 0.9;
    }
    return total * 11.5;
  }

  /** @param {Mine} each @param {number} at @param {Sheet} sheet @param {number} hue */
  function drawArray(each, at, sheet, hue) {
    const focus = each.writes?.[0] ?? each.reads?.[0] ?? 0;
    if (sheet.moveTo(focus)) {
      fill(`a${at}-ground`, drawGround(sheet, (block) => plan.hueOf(block)));
      fill(`a${at}-axes`, drawAxes(sheet, each.array.shape.length === 1));
    }
    frame.at(`a${at}-said`).textContent = said(each, sheet);
    const writes = each.writes ?? [];
    fill(`a${at}-mine`, drawMine(sheet, each.reads ?? [], writes, hue, ringed(at, sheet, writes)));
  }

  /**
   * The cell of an array that has the ring: the one that is pointed at, and only that;
   * else the first that the thread writes.
   * @param {number} at @param {Sheet} sheet @param {number[]} writes
   */
  function ringed(at, sheet, writes) {
    if (state.cell) return state.cell.array === at ? state.cell.cell : -1;
    return writes.find((flat) => sheet.isShown(flat)) ?? -1;
  }

  /** @param {Mine[]} all */
  function drawArrows(all) {
    if (!data.arrows) return;
    const [column, row, made] = data.order.map((/** @type {number} */ at) => all[at]);
    const [above, beside, result] = data.order.map((/** @type {number} */ at) => sheets.get(at));
    let content = "";
    const parts = [above, beside, result].some((sheet) => sheet.isPart);
    if (column.reads?.length && row.reads?.length && made.writes?.length && !parts) {
      const [x, y] = result.corner(made.writes[0]);
      const [left, top] = [result.panel.x + x, result.panel.y + y];
      const same = above.corner(column.reads[0])[0] + above.panel.x === left;
      if (same && beside.corner(row.reads[0])[1] + beside.panel.y === top) {
        content = arrowPaths(above, beside, result, left, top);
      }
    }
    fill("arrows", content);
  }

  /**
   * @param {Sheet} above @param {Sheet} beside @param {Sheet} result
   * @param {number} x @param {number} y
   */
  function arrowPaths(above, beside, result, x, y) {
    const half = result.panel.cell / 2;
    const head = `url(#${frame.svg.id}-out)`;
    const look = { stroke: "var(--ink)", "stroke-width": 1.6, "marker-end": head };
    const { left, top } = data.sheet;
    const down = above.panel.y + top + above.panel.shownRows * above.panel.cell;
    const right = beside.panel.x + left + beside.panel.shownColumns * beside.panel.cell;
    const across = `H${(result.panel.x + left - 26).toFixed(1)}`;
    return (
      path(`M${(x + half).toFixed(1)} ${(down + 16).toFixed(1)}V${(down + 40).toFixed(1)}`, look) +
      path(`M${(right + 6).toFixed(1)} ${(y + half).toFixed(1)}${across}`, look)
    );
  }

  function drawSums() {
    const block = placeOf(state.block, data.grid);
    const thread = placeOf(state.thread, data.block);
    [..."xyz"].forEach((name, axis) => {
      if (axis && data.grid[axis] * data.block[axis] === 1) return;
      const size = data.block[axis];
      const whole = block[axis] * size + thread[axis];
      const words = `${name} = ${block[axis]} × ${size} + ${thread[axis]} = ${whole}`;
      frame.at(`sum-${name}`).textContent = words;
    });
  }

  function drawReuse() {
    const block = state.block - data.firstBlock;
    const warp = block * Math.ceil(plan.size / WARP) + Math.floor(state.thread / WARP);
    const rows = [index(), warp, block].map((at, level) => {
      const { reads, cells: distinct } = data.reuse[level];
      return [reads[at], distinct[at]];
    });
    rows.push(data.whole);
    const often = rows.map(([reads, distinct]) => (distinct ? reads / distinct : 0));
    const most = Math.max(...often) || 1;
    let content = "";
    rows.forEach(([reads, distinct], at) => {
      const y = 60 + ROW * at;
      const look = { anchor: "end", bold: at === 0 };
      content += text(150, y, number(reads), 12.5, look);
      content += text(240, y, number(distinct), 12.5, look);
      if (!distinct) return;
      const bar = { rx: 2, fill: "var(--d30)" };
      content += rect(252, y - 9, (44 * often[at]) / most, 8, bar);
      const words = number(Math.round(10 * often[at]) / 10);
      content += text(TABLE, y, words, 12.5, { anchor: "end" });
    });
    fill("reuse", content);
  }

  /** Of the cell that is pointed at: its readers and writers, and the sentence. */
  function drawCell() {
    fill("threads-cell", "");
    if (!state.cell) return;
    const { array, cell } = state.cell;
    const readers = cells.threadsWith(arrays[array].reads, cell);
    const writers = cells.threadsWith(arrays[array].writes, cell);
    const dashed = { "stroke-width": 1.4, "stroke-dasharray": "2.6 1.8" };
    let content = "";
    for (let hue = 0; hue < 4; hue++) {
      const of = (/** @type {number[]} */ all) =>
        plan.squares(all.filter((at) => hueAt(at) === hue).map(threadAt));
      const [reads, writes] = [of(readers), of(writers)];
      if (writes) content += path(writes, { fill: strong(hue) });
      if (reads) content += path(reads, { fill: "none", stroke: strong(hue), ...dashed });
    }
    for (const at of writers) content += plan.numberOf(...threadAt(at));
    fill("threads-cell", content);
    const name = spelledCell(arrays[array], cell);
    frame.say(
      `${name} is read by ${who(readers)}, and written by ${who(writers)}.`,
      data.tail,
    );
  }

  /**
   * Block and thread of a column's row.
   * @param {number} at
   * @returns {[number, number]}
   */
  function threadAt(at) {
    return [data.firstBlock + Math.floor(at / plan.size), at % plan.size];
  }

  /** @param {number} at */
  function hueAt(at) {
    return plan.hueOf(threadAt(at)[0]);
  }

  /** @param {number[]} threads */
  function who(threads) {
    if (!threads.length) return "no thread";
    if (threads.length > 1) return counted(threads.length, "thread");
    return plan.nameOf(...threadAt(threads[0])).replace("T", "t");
  }

  /** @param {Partial<GridState>} change */
  function show(change) {
    const moves = "block" in change || "thread" in change;
    const next = { ...state, ...(moves ? { cell: null } : {}), ...change };
    const last = data.firstBlock + data.blocks - 1;
    next.block = Math.max(data.firstBlock, Math.min(last, next.block));
    next.thread = Math.max(0, Math.min(plan.size - 1, next.thread));
    state = next;
    const all = mine();
    const hue = plan.hueOf(state.block);
    fill("threads-focus", plan.drawFocus(state.block, state.thread, !state.cell));
    for (const [at, sheet] of sheets) drawArray(all[at], at, sheet, hue);
    drawArrows(all);
    drawSums();
    drawReuse();
    if (!state.cell) sayThread(all);
    drawCell();
  }

  /** @param {Partial<GridState>} change */
  function choose(change) {
    show(change);
    frame.changed(state);
  }

  /** The next cell of the thread, after the last one the first. */
  function nextCell() {
    const own = mine().flatMap(({ reads, writes }, array) =>
      [...new Set([...(writes ?? []), ...(reads ?? [])])].map((cell) => ({ array, cell })),
    );
    const { array, cell } = state.cell ?? { array: -1, cell: -1 };
    const now = own.findIndex((each) => each.array === array && each.cell === cell);
    if (own.length) choose({ ...state, cell: own[(now + 1) % own.length] });
  }

  const step = plan.block[1] * plan.grid[1] > 1 ? 1 : plan.plan.fold;
  const tall = step > 1 ? 0 : 1; // of one dimension: the row below is further along x
  const moves = { a: [0, -1], d: [0, 1], w: [tall, -step], s: [tall, step] };
  if (plan.block[2] * plan.grid[2] > 1) Object.assign(moves, { q: [2, -1], e: [2, 1] });
  for (const [name, [axis, by]] of Object.entries(moves)) {
    frame.key(name, () => choose(plan.neighbour(state.block, state.thread, axis, by)));
  }
  frame.key("c", nextCell);
  frame.key("Escape", () => choose({ ...state, cell: null }));
  followPointer(frame, plan, sheets, () => state, choose);
  return { show, state: () => state };
};
