// @ts-check
// Owns how the overview moves: its focus and the order of its bars.
// Must not know how it is drawn at first.

import { within } from "./place.js";
import { number, strong } from "./svg.js";

const [LEFT, CELL, CELLS_TOP, LANES] = [30, 11.6, 30, 32];

/** @param {number} value */
const short = (value) => value.toFixed(1);


/**
 * The threads of a block, a path for each strength of grey.
 * @param {any} data
 * @param {number} block
 */
function cells(data, block) {
  const side = short(CELL - 1.2);
  const paths = Array(data.levels).fill("");
  for (let own = 0; own < data.warps; own++) {
    const warp = block * data.warps + own;
    for (let lane = 0; lane < data.present[warp]; lane++) {
      const part = data.most ? (data.levels * data.lanes[warp][lane]) / data.most : 0;
      const level = Math.min(Math.floor(part), data.levels - 1);
      const [x, y] = [LEFT + lane * CELL + 0.6, CELLS_TOP + own * CELL + 0.6];
      paths[level] += `M${short(x)} ${short(y)}h${side}v${side}h-${side}z`;
    }
  }
  return paths;
}

/**
 * Bars of lanes, each as high as `high` says.
 * @param {number} count
 * @param {number} base
 * @param {(lane: number) => number} high
 */
function lanesAsBars(count, base, high) {
  let d = "";
  for (let lane = 0; lane < count; lane++) {
    const [x, h] = [LEFT + lane * CELL + 1, high(lane)];
    d += `M${short(x)} ${short(base - h)}h${short(CELL - 2)}v${short(h)}h${short(2 - CELL)}z`;
  }
  return d;
}

/**
 * What one thread did, in a sentence.
 * @param {any} data
 * @param {number} warp
 * @param {number} lane
 */
function laneWords(data, warp, lane) {
  const [count, steps] = [data.lanes[warp][lane], data.steps[warp]];
  const thread = (warp % data.warps) * LANES + lane;
  const longest = count === Math.max(...data.lanes[warp]);
  const more = longest ? ", the most" : `, off for ${number(steps - count)}`;
  return `lane ${lane} (thread ${number(thread)}): ${number(count)} of ` +
    `${number(steps)} instructions${more}`;
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {string} order
 */
function drawBars(frame, data, order) {
  const most = Math.max(...data.bars.map((/** @type {any[]} */ bar) => bar[0]));
  data.orders[order].forEach((/** @type {number} */ at, /** @type {number} */ slot) => {
    const [steps, share, hue] = data.bars[at];
    const long = most ? (data.wide * steps) / most : 0;
    frame.at(`b${slot}`).setAttribute("width", String(long));
    frame.at(`s${slot}`).setAttribute("width", String(long * share));
    frame.at(`s${slot}`).setAttribute("fill", hue);
  });
  data.heads[order].forEach((/** @type {string} */ words, /** @type {number} */ group) => {
    frame.at(`h${group}`).textContent = words;
  });
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {number} warp
 * @param {string} order
 */
function drawFocus(frame, data, warp, order) {
  const slot = data.orders[order].indexOf(data.barOf[warp]);
  const bar = frame.at(`b${slot}`);
  const [x, y, w] = ["x", "y", "width"].map((name) => Number(bar.getAttribute(name)));
  const ring = frame.at("bar");
  ring.setAttribute("x", String(x - 2.5));
  ring.setAttribute("y", String(y - 2));
  ring.setAttribute("width", String(w + 5));
  const own = warp % data.warps;
  frame.at("row").setAttribute("transform", `translate(0 ${short(own * CELL)})`);
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {number} warp
 */
function drawWarp(frame, data, warp) {
  const block = Math.floor(warp / data.warps);
  const [steps, present] = [data.steps[warp], data.present[warp]];
  const [base, unit] = [data.top + data.high, data.high / Math.max(steps, 1)];
  frame.at("block-name").textContent = `Block ${number(data.blocks[block])}`;
  cells(data, block).forEach((d, level) => frame.at(`depth${level}`).setAttribute("d", d));
  frame.at("warp-name").textContent = `Warp ${warp % data.warps}`;
  const runs = `one bar: one thread · runs ${number(steps)} instructions`;
  frame.at("warp-steps").textContent = runs;
  frame.at("steps").textContent = number(steps);
  frame.at("off").setAttribute("d", lanesAsBars(present, base, () => data.high));
  const high = (/** @type {number} */ lane) => Math.max(data.lanes[warp][lane] * unit, 1);
  frame.at("on").setAttribute("d", lanesAsBars(present, base, high));
  frame.at("on").setAttribute("fill", strong(warp % data.warps));
  const mean = data.active[warp] / Math.max(present, 1);
  frame.at("mean").setAttribute("transform", `translate(0 ${short(base - mean * unit)})`);
  frame.at("mean-words").textContent = data.means[warp];
}

/**
 * @param {import("./frame.js").Frame} frame
 * @param {any} data
 * @param {number} warp
 * @param {number} lane
 */
function drawLane(frame, data, warp, lane) {
  const unit = data.high / Math.max(data.steps[warp], 1);
  const high = Math.max(data.lanes[warp][lane] * unit, 1);
  const ring = frame.at("lane");
  ring.setAttribute("x", String(LEFT + lane * CELL - 0.5));
  ring.setAttribute("y", String(data.top + data.high - high - 1.5));
  ring.setAttribute("height", String(high + 3));
  frame.at("lane-words").textContent = laneWords(data, warp, lane);
}

/**
 * What the pointer is at, as a part of the state.
 * @param {any} data
 * @param {{warp: number, lane: number, order: string}} state
 * @param {PointerEvent | MouseEvent} event
 */
function pointed(data, state, event) {
  const target = /** @type {SVGGraphicsElement} */ (event.target);
  const name = target.getAttribute("data-at") ?? "";
  const slot = /^[bs](\d+)$/.exec(name);
  if (slot) {
    const bar = data.orders[state.order][Number(slot[1])];
    return bar === data.barOf[state.warp] ? {} : { warp: data.bars[bar][3] };
  }
  const at = within(target, event);
  if (!at || !/^(depth\d+|on|off)$/.test(name)) return {};
  const { x, y } = at;
  const lane = Math.floor((x - LEFT) / CELL);
  const first = state.warp - (state.warp % data.warps);
  const warp = name.startsWith("depth")
    ? first + Math.floor((y - CELLS_TOP) / CELL)
    : state.warp;
  return { warp, lane };
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  data.most = Math.max(...data.lanes.flat());
  let state = { ...data.first };
  let ordered = state.order;
  const count = data.steps.length;
  const slider = frame.slider({
    label: "Warp",
    count,
    value: state.warp,
    marks: data.blocks.map((/** @type {number} */ _, /** @type {number} */ at) => at * data.warps),
    text: (warp) => data.names[warp],
    change: (warp) => update({ warp }),
  });
  const order = frame.choice({
    label: "Order",
    options: [{ value: "block", label: "by block" }, { value: "worst", label: "worst first" }],
    value: state.order,
    change: (value) => update({ order: value }),
  });
  /** @param {any} change */
  function show(change) {
    const before = state;
    state = { ...state, ...change };
    if (state.warp !== before.warp && change.lane === undefined) {
      state.lane = data.lanes[state.warp].indexOf(Math.max(...data.lanes[state.warp]));
    }
    if (state.order !== ordered) drawBars(frame, data, state.order);
    ordered = state.order;
    drawFocus(frame, data, state.warp, state.order);
    drawWarp(frame, data, state.warp);
    drawLane(frame, data, state.warp, state.lane);
    frame.say(data.answers[state.warp], data.details[state.warp]);
    slider.set(state.warp);
    order.set(state.order);
  }
  /** @param {any} change */
  function update(change) {
    const next = { ...state, ...change };
    if (["warp", "lane", "order"].every((name) => next[name] === state[name])) return;
    show(change);
    frame.changed(state);
  }
  /** @param {number} by */
  const toWarp = (by) => update({ warp: Math.max(0, Math.min(count - 1, state.warp + by)) });
  /** @param {number} by */
  const toLane = (by) => {
    const last = data.present[state.warp] - 1;
    update({ lane: Math.max(0, Math.min(last, state.lane + by)) });
  };
  frame.key("w", () => toWarp(-1));
  frame.key("s", () => toWarp(1));
  frame.key("a", () => toLane(-1));
  frame.key("d", () => toLane(1));
  frame.key("o", () => update({ order: state.order === "block" ? "worst" : "block" }));
  for (const kind of /** @type {const} */ (["pointermove", "click"])) {
    frame.svg.addEventListener(kind, (event) => update(pointed(data, state, event)));
  }
  return { show, state: () => state };
};
