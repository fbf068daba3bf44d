// @ts-check
// Owns how the divergence view moves: its focus, one stretch of a warp's way.
// Must not know how it is drawn at first.

import { within } from "./place.js";

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  let state = { ...data.first };
  const ring = frame.at("focus");
  const count = data.left.length;
  const slider = frame.slider({
    label: "Stretch",
    count,
    value: state.stretch,
    marks: data.marks,
    text: (stretch) => `${stretch + 1} of ${count}`,
    change: (stretch) => update({ stretch }),
  });
  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    const at = state.stretch;
    ring.setAttribute("x", String(data.left[at]));
    ring.setAttribute("width", String(data.wide[at]));
    [frame.at("moment").textContent, frame.at("why").textContent] = data.moments[at];
    frame.at("lines").setAttribute("d", data.lines[at]);
    slider.set(at);
  }
  /** @param {{stretch: number}} change */
  function update(change) {
    if (change.stretch === state.stretch) return;
    show(change);
    frame.changed(state);
  }
  /** @param {MouseEvent} event */
  function follow(event) {
    const place = within(ring, event);
    if (!place) return;
    const { x, y } = place;
    const top = Number(ring.getAttribute("y"));
    const inside = y >= top && y <= top + Number(ring.getAttribute("height"));
    if (!inside || x < data.left[0] || x > data.end) return;
    const at = data.left.findLastIndex((/** @type {number} */ left) => left + 1 <= x);
    update({ stretch: Math.max(at, 0) });
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("click", follow);
  return { show, state: () => state };
};
