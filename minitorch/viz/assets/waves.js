// @ts-check
// Waves of blocks as SVG, as Python's `waves` draws them.

import { numbers } from "./lookup.js";
import { MUT, number, path, range, rect, ring, strong, tenth, text } from "./svg.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Drawn} Drawn */

const [TOP, HIGH, APART] = [60, 64, 106];

/**
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/**
 * How many blocks fit and run, the waves that are drawn, and the size of a place.
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 */
function layout({ sms, fit: fits, blocks: all }, state, room) {
  const [[fit], [blocks]] = [numbers(fits, state, [0]), numbers(all, state, [0])];
  const places = Math.max(fit * sms, 1);
  const waves = fit ? Math.ceil(blocks / places) : 0;
  const shown = [...range(Math.min(waves, 2)), ...(waves > 2 ? [waves - 1] : [])];
  const w = Math.max(Math.floor(Math.min(room / sms, 15) * 10) / 10, 1);
  return { sms, fit, blocks, places, waves, shown, w, h: tenth(Math.min(16, HIGH / Math.max(fit, 1))) };
}

/**
 * The block at a point; -1: none.
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @param {number} x
 * @param {number} y
 */
export function blockAt(mark, state, room, x, y) {
  const { sms, fit, blocks, places, shown, w, h } = layout(mark, state, room);
  const row = Math.floor((y - TOP) / APART);
  const [sm, level] = [Math.floor(x / w), fit - 1 - Math.floor((y - TOP - row * APART) / h)];
  const block = shown[row] * places + level * sms + sm;
  return sm >= 0 && sm < sms && level >= 0 && block < blocks ? block : -1;
}

/**
 * @param {any} _scene
 * @param {any} mark
 * @param {State} state
 * @param {number} room
 * @returns {Drawn}
 */
export function waves(_scene, mark, state, room) {
  const { sms, fit, blocks, places, waves: count, shown, w, h } = layout(mark, state, room);
  const block = state[mark.axis];
  let out = text(0, 14, `${counted(blocks, "block")} on ${sms} SMs: ${counted(count, "wave")}`, 13, { bold: true })
    + text(0, 30, "one column: one SM · one cell: room for one block", 11.5, MUT);
  let where = `block ${number(block)}: wave ${number(Math.floor(block / places) + 1)}, SM ${block % sms}`;
  const [wide, high] = [tenth(sms * w), tenth(fit * h)];
  shown.forEach((wave, row) => {
    const top = TOP + APART * row;
    const own = Math.min(places, blocks - wave * places);
    const [full, rest] = [Math.floor(own / sms), own % sms];
    out += rect(0, top, wide, high, { fill: "url(#@id-off)", stroke: "var(--line)" })
      + rect(0, tenth(top + (fit - full) * h), wide, tenth(full * h), { fill: strong(0) });
    if (rest) out += rect(0, tenth(top + (fit - full - 1) * h), tenth(rest * w), h, { fill: strong(0) });
    const down = range(sms - 1).map((at) => `M${tenth((at + 1) * w)} ${top}v${high}`);
    const across = range(fit - 1).map((at) => `M0 ${tenth(top + (at + 1) * h)}h${wide}`);
    out += path([...down, ...across].join(""), { stroke: "var(--bg)", "stroke-width": tenth(Math.min(w, h) / 7) });
    const empty = `${number(places - own)} of ${number(places)} places empty`;
    const taken = own === places ? "every place is taken" : empty;
    const words = `wave ${number(wave + 1)}: ${counted(own, "block")}, ${taken}`;
    out += text(0, tenth(top + fit * h + 15), words, 12, { bold: own < places });
    if (wave > 2) out += text(0, top - 8, `… and ${counted(wave - 2, "more wave")} like these`, 12, MUT);
    if (Math.floor(block / places) === wave && block < blocks) {
      const level = Math.floor((block % places) / sms);
      out += ring(tenth((block % sms) * w), tenth(top + (fit - 1 - level) * h), w, h, false);
    }
  });
  if (!fit || block >= blocks) where = fit ? `block ${number(block)} is not launched` : "no block fits";
  return { text: out + text(0, 48, where, 12), height: TOP + 2 * APART + 84 };
}
