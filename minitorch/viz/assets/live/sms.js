// @ts-check
// Owns how the view of multiprocessors moves: the block in focus, on every card.
// Must not know how it is drawn at first.

import { within } from "./place.js";
import { number } from "./svg.js";

const TOP = 26;

/**
 * @typedef {object} Waves
 * @property {number} sms
 * @property {number} fit
 * @property {number} wide
 * @property {number} high
 * @property {number[]} shown
 * @property {number[]} tops
 */

/**
 * @param {import("./frame.js").Frame} frame
 * @param {Waves} waves
 * @param {number} block
 * @param {number} card
 */
function drawBlock(frame, waves, block, card) {
  if (!waves.fit) return;
  const places = waves.sms * waves.fit;
  const [wave, at] = [Math.floor(block / places), block % places];
  const [sm, row] = [at % waves.sms, Math.floor(at / waves.sms)];
  const slot = waves.shown.indexOf(wave);
  const ring = frame.at(`ring${card}`);
  const x = slot < 0 ? 0 : sm * waves.wide;
  const y = slot < 0 ? TOP : waves.tops[slot] + (waves.fit - 1 - row) * waves.high;
  ring.setAttribute("x", (x - 1).toFixed(2));
  ring.setAttribute("y", String(y - 1));
  ring.setAttribute("visibility", slot < 0 ? "hidden" : "visible");
  const words = `block ${number(block)}: wave ${number(wave + 1)}, SM ${sm}`;
  frame.at(`at${card}`).textContent = words;
}

/**
 * The block whose place is at a point of a card's waves; -1 for none.
 * @param {Waves} waves
 * @param {number} x
 * @param {number} y
 */
function blockAt(waves, x, y) {
  const tall = waves.fit * waves.high;
  const slot = waves.tops.findIndex((top) => y >= top && y < top + tall);
  const sm = Math.floor(x / waves.wide);
  if (slot < 0 || sm < 0 || sm >= waves.sms) return -1;
  const row = waves.fit - 1 - Math.floor((y - waves.tops[slot]) / waves.high);
  return waves.shown[slot] * waves.sms * waves.fit + row * waves.sms + sm;
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {Waves[]} */
  const cards = data.cards;
  let state = { ...data.first };
  const slider = frame.slider({
    label: "Block",
    count: data.blocks,
    value: state.block,
    marks: data.marks,
    text: (block) => `block ${number(block)}`,
    change: (block) => update({ block }),
  });
  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    cards.forEach((waves, card) => drawBlock(frame, waves, state.block, card));
    slider.set(state.block);
  }
  /** @param {{block: number}} change */
  function update(change) {
    if (change.block === state.block) return;
    show(change);
    frame.changed(state);
  }
  /** @param {MouseEvent} event */
  function follow(event) {
    for (const [card, waves] of cards.entries()) {
      const at = within(frame.at(`at${card}`), event);
      if (!at) continue;
      const block = blockAt(waves, at.x, at.y);
      if (block >= 0 && block < data.blocks) update({ block });
    }
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("click", follow);
  return { show, state: () => state };
};
