// @ts-check
// Owns how the counters view moves: which number stands behind each line.
// Must not know what is counted: words, bars and depths come ready.

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

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {Column[]} */
  const metrics = data.metrics;
  /** @type {number[]} */
  const lines = data.lines;
  let at = data.at;

  /** @param {string} name */
  function draw(name) {
    const column = metrics.find((each) => each.name === name);
    if (!column) return;
    at = name;
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

  /** @param {string} name */
  function choose(name) {
    draw(name);
    frame.changed({ metric: at });
  }

  const options = metrics.map((each) => ({ value: each.name, label: each.label }));
  const label = "Number behind each line";
  const choice = frame.choice({ label, options, value: at, change: choose });
  frame.key("c", () => {
    const now = metrics.findIndex((each) => each.name === at);
    const next = metrics[(now + 1) % metrics.length].name;
    choice.set(next);
    choose(next);
  });
  return {
    show(state) {
      choice.set(state.metric);
      draw(state.metric);
    },
    state: () => ({ metric: at }),
  };
};
