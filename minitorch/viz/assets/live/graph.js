// @ts-check
// Owns how the graph view moves: one node, its lines, its sentence.
// Must not know how boxes are drawn.

import { within } from "./place.js";
import { ring } from "./svg.js";

/** @typedef {{node: number}} GraphState */

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {[number, number][]} */
  const corners = data.corners;
  /** @type {GraphState} */
  let state = { node: 0 };

  /** @param {Partial<GraphState>} change */
  function show(change) {
    const node = change.node ?? state.node;
    if (!corners[node]) return;
    state = { node };
    const [x, y] = corners[node];
    frame.at("lines").setAttribute("d", data.lines[node]);
    frame.at("focus").innerHTML = ring(x, y, data.wide, data.high, false);
    frame.say(data.answers[node], data.detail);
  }

  /** @param {number | undefined} node */
  function choose(node) {
    if (node === undefined || node === state.node) return;
    show({ node });
    frame.changed(state);
  }

  /**
   * The next node of the same layer, forth or back.
   * @param {number} by
   */
  function beside(by) {
    const along = data.down ? 0 : 1;
    const layer = data.layers[state.node];
    const same = [...corners.keys()].filter((each) => data.layers[each] === layer);
    same.sort((one, other) => corners[one][along] - corners[other][along]);
    choose(same[same.indexOf(state.node) + by]);
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const at = within(frame.at("focus"), event);
    if (!at) return;
    const { x, y } = at;
    const inside = (/** @type {[number, number]} */ [left, top]) =>
      x >= left && x < left + data.wide && y >= top && y < top + data.high;
    const node = corners.findIndex(inside);
    if (node >= 0) choose(node);
  }

  const [back, forth, before, after] = data.down ? "wsad" : "adws";
  frame.key(back, () => choose(data.inputs[state.node][0]));
  frame.key(forth, () => choose(data.users[state.node][0]));
  frame.key(before, () => beside(-1));
  frame.key(after, () => beside(1));
  frame.key("Home", () => choose(0));
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("pointerdown", follow);
  return { show, state: () => state };
};
