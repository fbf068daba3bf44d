// @ts-check
// How threads of a block change from step to step.

import { countOf, lanesOf } from "./step_state.js";
import { box, fitted, say, set, shortened, tenth } from "./step_shapes.js";

/** @typedef {import("./step_state.js").Held} Held */
/**
 * @typedef {object} Place
 * @property {number} columns
 * @property {number} cell
 * @property {number} x
 * @property {number} y
 * @property {number} gap
 * @property {number} count
 */

const LANES = 32;

/**
 * Where a thread is drawn.
 * @param {Place} place
 * @param {number} thread
 */
export function corner(place, thread) {
  const row = Math.floor(thread / place.columns);
  const warp = Math.floor(thread / LANES);
  return [
    tenth(place.x + (thread % place.columns) * place.cell),
    tenth(place.y + row * place.cell + warp * place.gap),
  ];
}

/**
 * The thread at a point of the picture; -1 for none.
 * @param {Place} place
 * @param {number} x
 * @param {number} y
 */
export function threadAt(place, x, y) {
  const column = Math.floor((x - place.x) / place.cell);
  if (column < 0 || column >= place.columns) return -1;
  for (let thread = column; thread < place.count; thread += place.columns) {
    const top = corner(place, thread)[1];
    if (y >= top && y < top + place.cell) return thread;
  }
  return -1;
}

/**
 * Bits of a warp's lanes by what they do; each lane is in one.
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 * @param {number} warp
 */
export function lanesOfWarp(data, held, step, warp) {
  const mine = data.steps.warp[step] === warp;
  const run = mine ? data.steps.mask[step] : 0;
  const done = held.done[warp] & ~run;
  const wait = held.waits[warp] & ~run & ~done;
  const rest = data.lanes[warp] & ~(run | done | wait);
  return { run, ready: mine ? 0 : rest, wait, off: mine ? rest : 0, done };
}

/**
 * @param {Place} place
 * @param {number} warp
 * @param {number} bits
 */
function cells(place, warp, bits) {
  const gap = tenth(place.cell / 24);
  const side = place.cell - 2 * gap;
  const round = place.cell === 36 ? 5 : place.cell === 20 ? 3 : 0;
  let path = "";
  for (const lane of lanesOf(bits)) {
    const [x, y] = corner(place, warp * LANES + lane);
    path += box(x + gap, y + gap, side, side, round);
  }
  return path;
}

/**
 * @param {Place} place
 * @param {number} warp
 * @param {number} bits
 */
function bars(place, warp, bits) {
  const { cell } = place;
  let path = "";
  for (const lane of lanesOf(bits)) {
    const [x, y] = corner(place, warp * LANES + lane);
    for (const at of [0.7, 0.8]) {
      path += box(x + cell * at, y + cell * 0.14, Math.max(1.2, cell / 18), cell / 6);
    }
  }
  return path;
}

/**
 * @param {Place} place
 * @param {number} warp
 * @param {ReturnType<typeof lanesOfWarp>} lanes
 */
function warpName(place, warp, lanes) {
  const word = lanes.run ? "runs" : lanes.wait ? "waits" : lanes.ready || lanes.off ? "" : "done";
  if (place.columns !== 8) return word === "waits" ? `w${warp}‖` : `w${warp}`;
  const threads = Math.min(place.count - warp * LANES, LANES);
  if (Math.ceil(threads / place.columns) * place.cell <= 100) return `w${warp}`;
  return word ? `warp ${warp} · ${word}` : `warp ${warp}`;
}

/**
 * Draw what all threads do after a step.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 */
export function threadsOf(frame, data) {
  /** @type {Place} */
  const place = data.threads;
  /** @type {Map<number, string>} */
  const drawn = new Map();

  /**
   * @param {Held} held
   * @param {number} watch
   * @param {number} thread
   * @param {ReturnType<typeof lanesOfWarp>} lanes
   */
  function number(held, watch, thread, lanes) {
    const bit = 1 << (thread & 31);
    const at = watch < 0 ? -1 : held.values[watch][thread];
    const value = at < 0 ? "·" : fitted(data.words[at], 5);
    const words = watch < 0 ? String(thread) : value;
    const element = frame.at(`n${thread}`);
    const run = (lanes.run & bit) !== 0;
    const pale = ((lanes.off | lanes.done) & bit) !== 0;
    say(element, words);
    set(element, {
      "font-size": words.length < 5 ? 13 : 10,
      fill: run ? "var(--bg)" : pale ? "var(--faint)" : "var(--ink)",
      "font-weight": run ? 600 : undefined,
    });
  }

  /**
   * @param {Held} held
   * @param {number} step
   * @param {number} watch
   */
  return (held, step, watch) => {
    for (let warp = 0; warp < data.lanes.length; warp++) {
      const lanes = lanesOfWarp(data, held, step, warp);
      const { run, ready, wait, off, done } = lanes;
      const first = warp * LANES;
      const many = countOf(data.lanes[warp]);
      if (place.columns === 8) {
        for (let at = first; at < first + many; at++) number(held, watch, at, lanes);
      }
      const key = [run, ready, wait, off, done].join();
      if (drawn.get(warp) === key) continue;
      drawn.set(warp, key);
      set(frame.at(`run${warp}`), { d: cells(place, warp, run) });
      set(frame.at(`ready${warp}`), { d: cells(place, warp, ready | wait) });
      set(frame.at(`off${warp}`), { d: cells(place, warp, off) });
      set(frame.at(`done${warp}`), { d: cells(place, warp, done) });
      set(frame.at(`wait${warp}`), { d: bars(place, warp, wait) });
      say(frame.at(`w${warp}`), warpName(place, warp, lanes));
    }
    if (place.columns === 8) {
      const name = watch < 0 ? "thread number" : shortened(data.names[watch], 24);
      say(frame.at("shown"), `number shown: ${name}`);
    }
  };
}

/**
 * Draw the ring around the focused thread.
 * @param {import("./frame.js").Frame} frame
 * @param {Place} place
 * @param {number} thread
 */
export function focus(frame, place, thread) {
  const [x, y] = corner(place, thread);
  set(frame.at("focus0"), { x: tenth(x + 2), y: tenth(y + 2) });
  set(frame.at("focus1"), { x: tenth(x - 1), y: tenth(y - 1) });
}

/**
 * Draw the axis of time after a step.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {number} step
 */
export function time(frame, data, step) {
  const { axis } = data;
  const x = tenth(axis.x + (step + 0.5) * axis.wide);
  const near = x > 1000;
  set(frame.at("played"), { width: tenth((step + 1) * axis.wide) });
  set(frame.at("now"), { d: `M${x} 14V${tenth(axis.bottom + 4)}` });
  set(frame.at("needle"), { d: `M${x} ${tenth(axis.bottom + 1)}l6 10h-12z` });
  const words = { x: tenth(near ? x - 9 : x + 9), "text-anchor": near ? "end" : "start" };
  set(frame.at("nowstep"), words);
  say(frame.at("nowstep"), `step ${(data.start + step + 1).toLocaleString("en")}`);
  const late = step >= data.steps.warp.length * 0.55;
  set(frame.at("hint"), { display: late ? "none" : "inline" });
}

