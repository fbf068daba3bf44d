// @ts-check
// Owns how the comparison moves: the counter behind the lines, and the card of the roof.
// Must not know what is counted: words, bars and roofs come ready.

/**
 * @typedef {[string, number, number, string, string, boolean]} Bar
 * @typedef {{name: string, label: string, titles: string[], bars: Bar[]}} Column
 */

/**
 * @param {import("./frame.js").Frame} frame
 * @param {Column} column
 */
function drawBars(frame, column) {
  for (const [side, line, wide, grey, words, main] of column.bars) {
    const bar = frame.at(`${side}bar${line}`);
    bar.setAttribute("width", String(wide));
    bar.setAttribute("fill", grey);
    frame.at(`${side}num${line}`).textContent = words;
    const ground = main ? "var(--panel)" : "none";
    frame.at(`${side}row${line}`).setAttribute("fill", ground);
  }
  ["one-title", "two-title"].forEach((name, at) => {
    const total = /** @type {Element} */ (frame.at(name).lastElementChild);
    total.textContent = column.titles[at];
  });
}

/**
 * @template Item
 * @param {Item[]} items
 * @param {Item} now
 */
function after(items, now) {
  return items[(items.indexOf(now) + 1) % items.length];
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {Column[]} */
  const metrics = data.metrics;
  const names = metrics.map((each) => each.name);
  const cards = Object.keys(data.cards);
  let state = { ...data.first };
  const metric = frame.choice({
    label: "Number behind each line",
    options: metrics.map((each) => ({ value: each.name, label: each.label })),
    value: state.metric,
    change: (value) => update({ metric: value }),
  });
  const card = frame.choice({
    label: "GPU of the speed limit",
    options: cards.map((value) => ({ value, label: value })),
    value: state.card,
    change: (value) => update({ card: value }),
  });
  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    const column = metrics.find((each) => each.name === state.metric);
    if (column) drawBars(frame, column);
    frame.at("limits").innerHTML = data.cards[state.card];
    metric.set(state.metric);
    card.set(state.card);
  }
  /** @param {object} change */
  function update(change) {
    show(change);
    frame.changed(state);
  }
  frame.key("c", () => update({ metric: after(names, state.metric) }));
  frame.key("g", () => update({ card: after(cards, state.card) }));
  return { show, state: () => state };
};
