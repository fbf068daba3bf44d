// @ts-check
// The sentences of the step view; Python's `step_words` says the same.

import { number } from "./svg.js";
import { READ, countOf } from "./step_state.js";

/** @typedef {import("./step_state.js").Held} Held */
/** @typedef {import("./step_state.js").Use} Use */

const MOST_CELLS = 3;
const REPORTED = 2; // of what stands in `apart`: the emulator found an error there
const VERBS = ["", "reads", "writes", "updates"];

/** @param {string[]} parts */
function joined(parts) {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}

/** @param {number} line */
function where(line) {
  return line > 0 ? `line ${line}` : "code that has no line";
}

/**
 * A cell as people index it.
 * @param {{name: string, shape: number[]}} array
 * @param {number} cell
 */
export function spelled(array, cell) {
  if (!array.shape.length) return array.name;
  const parts = [];
  let rest = cell;
  for (const size of array.shape.slice(1).reverse()) {
    parts.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `${array.name}[${[rest, ...parts].join(", ")}]`;
}

/**
 * @param {any} data
 * @param {number} step
 */
function howMany(data, step) {
  const every = countOf(data.lanes[data.steps.warp[step]]);
  const active = countOf(data.steps.mask[step]);
  if (active !== every) return `${active} of ${every} threads`;
  return every > 1 ? `all ${every} threads` : "its one thread";
}

/**
 * @param {any} data
 * @param {Held} held
 * @param {number} warp
 */
function oneOther(data, held, warp) {
  const line = held.at[warp];
  if (line < 0) return `Warp ${warp} has not started.`;
  if ((data.lanes[warp] & ~held.done[warp]) === 0) return `Warp ${warp} is done.`;
  if (held.waits[warp]) return `Warp ${warp} waits at the barrier on ${where(line)}.`;
  return `Warp ${warp} has just run ${where(line)}.`;
}

/**
 * @param {any} data
 * @param {Held} held
 * @param {number} own
 */
function manyOthers(data, held, own) {
  const others = data.lanes.map((/** @type {any} */ _, /** @type {number} */ at) => at);
  others.splice(own, 1);
  /** @param {(warp: number) => boolean} test */
  const count = (test) => others.filter(test).length;
  const fresh = count((warp) => held.at[warp] < 0);
  const done = count((warp) => (data.lanes[warp] & ~held.done[warp]) === 0);
  const waits = count((warp) => (held.waits[warp] & ~held.done[warp]) !== 0);
  /** @type {[number, string, string][]} */
  const groups = [
    [waits, "wait at a barrier", "waits at a barrier"],
    [others.length - fresh - done - waits, "are ready", "is ready"],
    [fresh, "have not started", "has not started"],
    [done, "are done", "is done"],
  ];
  const parts = groups.filter(([many]) => many)
    .map(([many, more, one]) => [many, many > 1 ? more : one]);
  const every = `he other ${others.length} warps`;
  if (parts.length === 1) return `T${every} ${parts[0][1]}.`;
  return `Of t${every}, ${joined(parts.map((part) => part.join(" ")))}.`;
}

/**
 * Why the threads that wait at barriers go on after a step.
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 */
function opening(data, held, step) {
  const warps = data.lanes.length;
  if (data.steps.apart[step] === REPORTED) {
    return "Threads wait at different barriers: an error. "
      + "The emulator reports it and lets them go on.";
  }
  if (data.steps.apart[step]) {
    return "Each group of threads waits at a barrier of its own, and all go on.";
  }
  if (!data.steps.arrives[step]) return "Nobody else is to come, so the barrier opens.";
  if (held.done.some((/** @type {number} */ each) => each !== 0)) {
    return "All threads that have not ended are here, so the barrier opens.";
  }
  const here = warps === 1 ? "It is" : warps === 2 ? "Both warps are" : `All ${warps} warps are`;
  return `${here} here, so the barrier opens.`;
}

/**
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 */
function others(data, held, step) {
  const warps = data.lanes.length;
  const own = data.steps.warp[step];
  if (data.steps.opens[step]) return ` ${opening(data, held, step)}`;
  if (warps === 1) return "";
  return ` ${warps === 2 ? oneOther(data, held, 1 - own) : manyOthers(data, held, own)}`;
}

/**
 * What went wrong in the launch, at its step.
 * @param {any} data
 * @param {number} step
 */
function failed(data, step) {
  return data.marks.find((/** @type {any} */ each) => each.fault && each.step === step);
}

/**
 * What went wrong in a step, else what its warp does, and the others.
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 */
export function answer(data, held, step) {
  const now = `Step ${number(data.start + step + 1)} of ${number(data.count)}`;
  const mark = failed(data, step);
  if (mark) return `${now}: thread ${mark.thread} ${mark.fault}.`;
  return `${now}: ${runs(data, held, step)}`;
}

/**
 * What the warp of a step does, and the others.
 * @param {any} data
 * @param {Held} held
 * @param {number} step
 */
function runs(data, held, step) {
  const { steps } = data;
  const line = where(steps.line[step]);
  let verb = `runs ${line}`;
  if (steps.arrives[step]) verb = `reaches the barrier on ${line}`;
  else if (steps.opcode) verb = `runs ${steps.opcodes[steps.opcode[step]]} of ${line}`;
  const own = `warp ${steps.warp[step]} ${verb} with ${howMany(data, step)}.`;
  return own + others(data, held, step);
}

/**
 * What a thread does to cells: verb, cell, value, each once.
 * @param {any} data
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} thread
 * @returns {[string, string, string][]}
 */
export function acts(data, held, uses, thread) {
  /** @type {Map<string, [string, string, string]>} */
  const found = new Map();
  for (const use of uses) {
    if (use.thread !== thread) continue;
    const cell = spelled(data.arrays[use.array], use.cell);
    const cells = held.cells.get(use.array);
    const fresh = use.kind === READ && cells && cells.warp[use.cell] < 0;
    /** @type {[string, string, string]} */
    const act = [VERBS[use.kind], cell, fresh ? "" : data.words[use.value]];
    if (!found.has(act.join("\n"))) found.set(act.join("\n"), act);
  }
  return [...found.values()];
}

/**
 * @param {string} verb
 * @param {[string, string, string][]} every
 */
function told(verb, every) {
  const mine = every.filter((each) => each[0] === verb);
  const said = mine.slice(0, MOST_CELLS)
    .map(([, cell, value]) => value ? `${cell} = ${value}` : `${cell} (never written)`);
  const left = mine.length - MOST_CELLS;
  if (left > 0) said.push(`${left} more cell${left > 1 ? "s" : ""}`);
  return `${verb} ${joined(said)}`;
}

/**
 * @param {any} data
 * @param {Held} held
 * @param {number} thread
 */
function changed(data, held, thread) {
  /** @type {string[]} */
  const said = [];
  data.names.forEach((/** @type {string} */ name, /** @type {number} */ at) => {
    const now = held.values[at][thread];
    const old = held.was.get(`${at} ${thread}`) ?? now;
    if (now === old) return;
    if (old < 0) said.push(`sets ${name} = ${data.words[now]}`);
    else said.push(`changes ${name} from ${data.words[old]} to ${data.words[now]}`);
  });
  const left = said.length - MOST_CELLS;
  return left > 0 ? [...said.slice(0, MOST_CELLS), `sets ${left} more`] : said;
}

/**
 * @param {any} data
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} step
 * @param {number} thread
 */
function doing(data, held, uses, step, thread) {
  const every = acts(data, held, uses, thread);
  const verbs = [...new Set(every.map((each) => each[0]))].sort();
  const parts = [...verbs.map((verb) => told(verb, every)), ...changed(data, held, thread)];
  if (parts.length) return `Thread ${thread} ${parts.join(", ")}.`;
  if (data.steps.arrives[step]) {
    const whom = ["until every thread of the block arrives", "for its group",
      "for threads that wait elsewhere"];
    return `Thread ${thread} waits here ${whom[data.steps.apart[step]]}.`;
  }
  return `Thread ${thread} touches no cell${data.names.length ? " and sets no variable" : ""}.`;
}

/**
 * What the focused thread does, after what was found in this step.
 * @param {any} data
 * @param {Held} held
 * @param {Use[]} uses
 * @param {number} step
 * @param {number} thread
 */
export function detail(data, held, uses, step, thread) {
  const warp = thread >> 5;
  const bit = 1 << (thread & 31);
  const mark = data.marks.find((/** @type {any} */ each) => each.step === step);
  let found = mark ? `Finding: ${mark.words}. ` : "";
  if (failed(data, step)) {
    const words = runs(data, held, step);
    found = `${words[0].toUpperCase()}${words.slice(1)} `;
  }
  let said = `Thread ${thread} is off in this step: the condition sent it another way.`;
  if (warp !== data.steps.warp[step]) {
    said = `Thread ${thread} belongs to warp ${warp}, which does nothing in this step.`;
  } else if (data.steps.mask[step] & bit) said = doing(data, held, uses, step, thread);
  else if (held.done[warp] & bit) said = `Thread ${thread} is done.`;
  else if (held.waits[warp] & bit) said = `Thread ${thread} waits at the barrier.`;
  return `${found}${said} ${data.note}`.trim();
}
