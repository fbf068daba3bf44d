// @ts-check
// Owns how the race view moves: which race, which of its cells, which order.
// Must not know how it is drawn at first.

import { within } from "./place.js";
import { ring } from "./svg.js";

/** @typedef {{race: number, cell: number, order: string}} State */

const ORDERS = [
  { value: "either", label: "either order" },
  { value: "writer", label: "writer first" },
  { value: "other", label: "the other first" },
  { value: "barrier", label: "barrier added" },
];

/**
 * One of many texts of few forms.
 * @param {{forms: string[][], texts: [number, string[]][]}} varying
 * @param {number} at
 */
function spelled({ forms, texts }, at) {
  const [form, values] = texts[at];
  return forms[form].map((part, i) => part + (values[i] ?? "")).join("");
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {State} */
  let state = { ...data.first };
  const id = frame.svg.id;
  const has = data.races.some((/** @type {any} */ each) => each.cells.length > 1);
  const known = ORDERS.filter(({ value }) =>
    data.races.some((/** @type {any} */ each) => each.orders.includes(value)),
  );
  const race = data.races.length < 2 ? { set: () => {} } : frame.choice({
    label: "Race",
    options: data.races.map((/** @type {any} */ each, /** @type {number} */ value) => (
      { value, label: each.name }
    )),
    value: state.race,
    change: (value) => update({ race: value }),
  });
  const order = frame.choice({
    label: "Order",
    options: known,
    value: state.order,
    change: (value) => update({ order: value }),
  });
  if (has) {
    frame.button({ label: "previous cell", key: "ArrowLeft", act: () => move(-1) });
    frame.button({ label: "next cell", key: "ArrowRight", act: () => move(1) });
  }
  frame.key("o", () => update({ order: state.order === "other" ? "writer" : "other" }));
  frame.key("b", () => update({ order: state.order === "barrier" ? "either" : "barrier" }));

  /** @param {string} name @param {string} drawn */
  const put = (name, drawn) => {
    frame.at(name).innerHTML = drawn.replaceAll("@id-", `${id}-`);
  };

  /**
   * A state that the chosen race has: its own first cell, an order that it allows.
   * @param {any} change
   * @returns {State}
   */
  function allowed(change) {
    const next = { ...state, ...change };
    const { cells, first, orders } = data.races[next.race];
    if (!cells.includes(next.cell)) next.cell = first;
    if (!orders.includes(next.order)) next.order = "either";
    return next;
  }

  /** @param {any} change */
  function show(change) {
    state = allowed(change);
    const shown = data.races[state.race];
    const at = shown.cells.indexOf(state.cell);
    put("code", spelled(shown.code, at));
    put("panels", spelled(shown.panels, at));
    put("row", shown.rows[state.order]);
    frame.at("row").setAttribute("transform", `translate(0 ${shown.row})`);
    frame.at("frame").setAttribute("x", String(shown.frames[state.order][at]));
    if (data.strips) {
      put("strip", shown.strip);
      const [x, y, w, h] = shown.rings[at];
      put("cell", x === undefined ? "" : ring(x, y, w, h, false));
    }
    if (data.results) put("results", shown.results);
    if (data.ran) put("trace", spelled(shown.trace, at));
    frame.say(shown.answers[at], shown.details[state.order][at]);
    race.set(state.race);
    order.set(state.order);
  }

  /** @param {any} change */
  function update(change) {
    const { race: number, cell, order: way } = allowed(change);
    if (number === state.race && cell === state.cell && way === state.order) return;
    show(change);
    frame.changed(state);
  }

  /** @param {number} by */
  function move(by) {
    const { cells } = data.races[state.race];
    const at = cells.indexOf(state.cell) + by;
    update({ cell: cells[Math.max(0, Math.min(cells.length - 1, at))] });
  }

  /** @param {MouseEvent} event */
  function follow(event) {
    if (!data.strips) return;
    const place = within(frame.at("strip"), event);
    if (!place) return;
    const { x, y } = place;
    const { cells, rings } = data.races[state.race];
    const at = rings.findIndex((/** @type {number[]} */ [left, top, w, h]) =>
      x >= left && x < left + w && y >= top && y < top + h,
    );
    if (at >= 0) update({ cell: cells[at] });
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("click", follow);
  return { show, state: () => state };
};
