// @ts-check
// Owns how the counters view moves: the number behind each line, and the line in focus.
// Must not know what is counted: words, bars and depths come ready.

import { within } from "./place.js";

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} label
 * @property {string} answer
 * @property {string} detail
 * @property {string} foot
 * @property {string[]} words
 * @property {number[]} wide
 * @property {string[]} grey
 * @property {boolean[]} main
 */

/**
 * @param {import("./frame.js").Frame} frame
 * @param {number[]} lines
 * @param {Column} column
 */
function drawBars(frame, lines, column) {
  lines.forEach((line, row) => {
    const bar = frame.at(`bar${line}`);
    bar.setAttribute("width", String(column.wide[row]));
    bar.setAttribute("fill", column.grey[row]);
    frame.at(`num${line}`).textContent = column.words[row];
    const ground = column.main[row] ? "var(--panel)" : "none";
    frame.at(`row${line}`).setAttribute("fill", ground);
  });
  frame.at("foot").textContent = column.foot;
  frame.say(column.answer, column.detail);
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {number} line
 * @param {string[]} own
 */
function drawLine(frame, line, own) {
  frame.at("focus").setAttribute("y", String(frame.at(`row${line}`).getAttribute("y")));
  frame.at("line").textContent = `line ${line}`;
  own.forEach((words, at) => (frame.at(`own${at}`).textContent = words));
}

/**
 * Call back with the line that is pointed at.
 * @param {import("./frame.js").Frame} frame
 * @param {number[]} lines
 * @param {(line: number) => void} choose
 */
function followPointer(frame, lines, choose) {
  const ring = /** @type {SVGGraphicsElement} */ (/** @type {unknown} */ (frame.at("focus")));
  const [wide, high] = ["width", "height"].map((name) => Number(ring.getAttribute(name)));
  /** @param {MouseEvent} event */
  function follow(event) {
    const at = within(ring, event);
    if (!at) return;
    const { x, y } = at;
    const found = lines.find((line) => {
      const top = Number(frame.at(`row${line}`).getAttribute("y"));
      return x >= 0 && x < wide && y >= top && y < top + high;
    });
    if (found !== undefined) choose(found);
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("click", follow);
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {Column[]} */
  const metrics = data.metrics;
  /** @type {number[]} */
  const lines = data.lines;
  let state = { ...data.first };
  const choice = frame.choice({
    label: "Number behind each line",
    options: metrics.map((each) => ({ value: each.name, label: each.label })),
    value: state.metric,
    change: (metric) => update({ metric }),
  });
  const slider = lines.length
    ? frame.slider({
        label: "Line",
        count: lines.length,
        value: lines.indexOf(state.line),
        text: (at) => `line ${lines[at]}`,
        change: (at) => update({ line: lines[at] }),
      })
    : null;
  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    const column = metrics.find((each) => each.name === state.metric);
    if (column) drawBars(frame, lines, column);
    choice.set(state.metric);
    const at = lines.indexOf(state.line);
    if (at < 0) return;
    drawLine(frame, state.line, data.own[at]);
    slider?.set(at);
  }
  /** @param {object} change */
  function update(change) {
    show(change);
    frame.changed(state);
  }
  if (lines.length) {
    followPointer(frame, lines, (line) => line !== state.line && update({ line }));
  }
  frame.key("c", () => {
    const now = metrics.findIndex((each) => each.name === state.metric);
    update({ metric: metrics[(now + 1) % metrics.length].name });
  });
  return { show, state: () => state };
};
