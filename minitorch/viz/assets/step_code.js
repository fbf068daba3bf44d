// @ts-check
// How the code and the facts of the step view change.

import { number, strong } from "./svg.js";
import { acts } from "./step_words.js";
import { say, set, shortened } from "./step_shapes.js";

/** @typedef {import("./step_state.js").Held} Held */
/** @typedef {import("./step_state.js").Use} Use */

const LETTER = 0.602 * 12.5;

/**
 * Words at a line: its own warp, the others, and whose hue these have (-1: several).
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 * @param {number} line
 * @returns {[string, string, number]}
 */
function chips(data, held, step, line) {
  const own = data.steps.warp[step];
  /** @param {number} warp */
  const wait = (warp) => (held.waits[warp] ? "‖" : "");
  const mine = data.steps.line[step] === line ? `w${own}${wait(own)}` : "";
  /** @type {number[]} */
  const others = [];
  held.at.forEach((at, warp) => {
    if (warp === own || at !== line) return;
    if ((data.lanes[warp] & ~held.done[warp]) !== 0) others.push(warp);
  });
  if (others.length > 1) return [mine, `+${others.length}`, -1];
  return others.length ? [mine, `w${others[0]}${wait(others[0])}`, others[0]] : [mine, "", -1];
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {string} name
 * @param {string} words
 * @param {Record<string, string>} box
 * @param {Record<string, string>} look
 */
function chip(frame, name, words, box, look) {
  const display = words ? "inline" : "none";
  say(frame.at(name), words);
  set(frame.at(name), { ...look, display });
  set(frame.at(`${name}box`), { ...box, display });
}

/**
 * Draw the lines of all warps after a step.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 */
export function code(frame, data, held, step) {
  const own = strong(data.steps.warp[step]);
  const most = Math.max(1, ...Object.values(data.total).map(Number));
  for (const [name] of Object.entries(data.lines)) {
    const line = Number(name);
    const total = data.total[name];
    if (!total) continue;
    const [mine, others, who] = chips(data, held, step, line);
    const hue = who >= 0 ? strong(who) : "var(--mut)";
    chip(frame, `own${line}`, mine, { fill: own }, {});
    chip(frame, `other${line}`, others, { stroke: hue }, { fill: hue });
    const now = held.counts.get(line) ?? 0;
    say(frame.at(`count${line}`), `${number(now)}/${number(total)}`);
    if (data.bars) {
      set(frame.at(`bar${line}`), { width: Math.floor((260 * now) / most + 0.5) / 10 });
    }
  }
  const y = (data.lines[data.steps.line[step]] ?? -985) - 15;
  set(frame.at("line"), { y });
  set(frame.at("lineedge"), { y });
  for (const line of new Set(data.marks.flatMap((/** @type {any} */ mark) => mark.lines))) {
    if (data.lines[String(line)] === undefined) continue;
    const there = data.marks.some((/** @type {any} */ mark) =>
      mark.step <= step && mark.lines.includes(line));
    set(frame.at(`wrong${line}`), { display: there ? "inline" : "none" });
  }
}

/**
 * Name and value for each place of facts, and whether it is new in this step.
 * @param {any} data
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} thread
 * @returns {[string, string, boolean][]}
 */
function factsOf(data, held, uses, thread) {
  const room = Math.max(Math.floor((data.slots.wide - 16) / LETTER), 4);
  if (!data.names.length) {
    return acts(data, held, uses, thread).slice(0, data.slots.count)
      .map(([verb, cell, value]) => [
        shortened(`${verb} ${cell}`, 19),
        shortened(value || "never written", room),
        verb !== "reads",
      ]);
  }
  return data.names.slice(0, data.slots.count)
    .map((/** @type {string} */ name, /** @type {number} */ at) => {
      const now = held.values[at][thread];
      const old = held.was.get(`${at} ${thread}`) ?? now;
      const words = now >= 0 ? data.words[now] : "not set";
      const both = now !== old && old >= 0 ? `${data.words[old]} → ${words}` : words;
      const told = both.length <= room ? both : words;
      return [shortened(name, 12), shortened(told, room), now !== old];
    });
}

/**
 * Draw the facts about the focused thread.
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} thread
 */
export function facts(frame, data, held, uses, thread) {
  const every = factsOf(data, held, uses, thread);
  const [x, y] = data.threads.block;
  const place = [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))]
    .map((at, axis) => (axis === 0 || data.threads.block[axis] > 1 ? `${"xyz"[axis]} ${at}` : ""))
    .filter(Boolean);
  const known = `${data.kind} of thread ${thread}`;
  say(frame.at("factstitle"), data.names.length ? known : `What thread ${thread} does`);
  const lane = `lane ${thread & 31} of warp ${thread >> 5}`;
  say(frame.at("factsplace"), `${place.join(" · ")} · ${lane}`);
  for (let slot = 0; slot < data.slots.count; slot++) {
    const [name, words, fresh] = every[slot] ?? ["", "", false];
    say(frame.at(`fact${slot}name`), name);
    say(frame.at(`fact${slot}`), words);
    set(frame.at(`fact${slot}box`), {
      stroke: fresh ? "var(--ink)" : "var(--line)",
      "stroke-width": fresh ? 1.6 : 1,
      display: name ? "inline" : "none",
    });
  }
}
