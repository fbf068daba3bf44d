// @ts-check
// How the step view moves: in time, among threads, among the numbers shown.
//

import { within } from "./place.js";
import { arrows, cells } from "./step_cells.js";
import { code, facts } from "./step_code.js";
import { replay } from "./step_state.js";
import { focus, threadAt, threadsOf, time } from "./step_threads.js";
import { answer, detail } from "./step_words.js";

/** @typedef {{step: number, thread: number, watch: number}} State */

const PLAY = 450; // milliseconds a step

/**
 * Steps that Shift with an arrow jumps to: barriers and findings.
 * @param {any} data
 */
function marksOf(data) {
  const count = data.steps.warp.length;
  /** @type {number[]} */
  const found = data.marks.map((/** @type {any} */ mark) => mark.step);
  data.steps.opens.forEach((/** @type {number} */ opens, /** @type {number} */ step) => {
    if (opens) found.push(step);
  });
  return [...new Set(found)].filter((step) => step >= 0 && step < count).sort((a, b) => a - b);
}

/**
 * W A S D among the threads as they are drawn.
 * @param {any} data
 * @param {number} thread
 * @param {string} key
 */
function beside(data, thread, key) {
  const { columns, count } = data.threads;
  const apart = { w: -columns, s: columns, a: -1, d: 1 }[key] ?? 0;
  const next = thread + apart;
  return next >= 0 && next < count ? next : thread;
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {State} */
  let state = { step: data.step, thread: data.thread, watch: data.watch };
  const last = data.steps.warp.length - 1;
  const marks = marksOf(data);
  const run = replay(data);
  const threads = threadsOf(frame, data);
  let timer = 0;
  /** @param {number} step */
  const text = (step) =>
    `step ${data.start + step + 1}, warp ${data.steps.warp[step]}, line ${data.steps.line[step]}`;
  const slider = frame.slider({
    label: "Step", count: last + 1, value: state.step, marks, text,
    change: (step) => update({ step }),
  });
  const before = () => marks.filter((at) => at < state.step).pop() ?? 0;
  frame.button({ label: "|◀ mark", act: () => go(before()) });
  frame.button({ label: "◀ step", act: () => go(state.step - 1) });
  frame.button({ label: "step ▶", act: () => go(state.step + 1) });
  frame.button({ label: "mark ▶|", act: () => go(marks.find((at) => at > state.step) ?? last) });
  const button = frame.button({ label: "Play", key: " ", act: play });
  const watches = data.threads.columns === 8 ? data.names : [];
  const choice = watches.length ? frame.choice({
    label: "Number in each thread",
    value: state.watch,
    options: ["thread number", ...watches].map((label, at) => ({ value: at - 1, label })),
    change: (watch) => update({ watch }),
  }) : null;

  /** @param {number} step */
  function go(step) {
    update({ step: Math.max(0, Math.min(last, step)) });
  }

  function play() {
    if (timer) clearInterval(timer);
    timer = timer ? 0 : window.setInterval(() => {
      if (state.step >= last) play();
      else go(state.step + 1);
    }, PLAY);
    button.textContent = timer ? "Pause" : "Play";
  }

  /** @param {Partial<State>} change */
  function show(change) {
    state = { ...state, ...change };
    const { step, thread, watch } = state;
    const held = run.after(step);
    const uses = run.usesIn(step);
    time(frame, data, step);
    threads(held, step, watch);
    focus(frame, data.threads, thread);
    code(frame, data, held, step);
    facts(frame, data, held, uses, thread);
    for (const sheet of data.sheets) cells(frame, data, sheet, held, uses, step);
    arrows(frame, data, uses, thread);
    frame.say(answer(data, held, step), detail(data, held, uses, step, thread));
    slider.set(step);
    choice?.set(watch);
  }

  /** @param {Partial<State>} change */
  function update(change) {
    show(change);
    frame.changed(state);
  }

  /** @param {PointerEvent} event */
  function point(event) {
    const at = within(frame.at("focus1"), event);
    const thread = at ? threadAt(data.threads, at.x, at.y) : -1;
    if (thread >= 0) return update({ thread });
    const on = within(frame.at("needle"), event);
    if (!on || on.y < 0 || on.y > data.axis.bottom || on.x < data.axis.x) return;
    const step = Math.floor((on.x - data.axis.x) / data.axis.wide);
    if (step <= last) go(step);
  }

  frame.svg.addEventListener("pointerdown", point);
  frame.svg.addEventListener("pointermove", (event) => { if (event.buttons) point(event); });
  for (const key of "wasd") {
    frame.key(key, () => update({ thread: beside(data, state.thread, key) }));
  }
  frame.key("v", () => {
    if (watches.length) update({ watch: ((state.watch + 2) % (watches.length + 1)) - 1 });
  });
  return { show, state: () => state };
};
