// @ts-check
// What the pointer is at in the grid view: a thread or a cell.

import { within } from "./place.js";

/** @typedef {import("./cells.js").Sheet} Sheet */
/** @typedef {import("./threads.js").Plan} Plan */
/** @typedef {{block: number, thread: number, cell: {array: number, cell: number} | null}} State */

/**
 * A thread that is pointed at has the focus; a cell, as long as it is pointed at.
 * @param {import("./frame.js").Frame} frame
 * @param {Plan} plan
 * @param {Map<number, Sheet>} sheets
 * @param {() => State} now
 * @param {(change: Partial<State>) => void} choose
 */
export function followPointer(frame, plan, sheets, now, choose) {
  /** @param {PointerEvent} event */
  function find(event) {
    const state = now();
    const at = within(frame.at("threads-focus"), event);
    const thread = at && plan.threadAt(at.x, at.y, state.thread);
    if (thread) return { ...thread, cell: null };
    for (const [array, sheet] of sheets) {
      const point = within(frame.at(`a${array}-mine`), event);
      const cell = point ? sheet.cellAt(point.x, point.y) : -1;
      if (cell >= 0) return { ...state, cell: { array, cell } };
    }
    return { ...state, cell: null };
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const found = find(event);
    const state = now();
    const same = found.cell?.array === state.cell?.array && found.cell?.cell === state.cell?.cell;
    if (found.block !== state.block || found.thread !== state.thread || !same) choose(found);
  }

  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("pointerdown", follow);
  frame.svg.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && now().cell) choose({ ...now(), cell: null });
  });
}
