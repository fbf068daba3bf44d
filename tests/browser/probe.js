// @ts-check
// The simplest live view: a bar that a slider moves. For tests of the frame.

/** @type {import("../../minitorch/viz/assets/frame.js").Attach} */
export const attach = (frame, data) => {
  let state = { step: data.first, unit: "line", presses: 0 };
  const slider = frame.slider({
    label: "Step",
    count: data.names.length,
    value: state.step,
    marks: data.marks,
    text: (value) => `step ${value} of ${data.names.length - 1}, ${data.names[value]}`,
    change: (step) => update({ step }),
  });
  const unit = frame.choice({
    label: "Unit",
    options: [{ value: "line", label: "lines" }, { value: "all", label: "all" }],
    change: (value) => update({ unit: value }),
  });
  frame.button({ label: "Press", key: "p", act: () => update({ presses: state.presses + 1 }) });
  frame.key(" ", () => update({ presses: state.presses + 100 }));
  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    if (!(state.step in data.names)) throw new Error("no such step");
    frame.svg.querySelector('[data-at="bar"]')?.setAttribute("width", String(10 * state.step));
    const name = frame.svg.querySelector('[data-at="name"]');
    if (name) name.textContent = data.names[state.step];
    frame.say(`Step ${state.step} is ${data.names[state.step]}.`, state.unit);
    slider.set(state.step);
    unit.set(state.unit);
  }
  /** @param {object} change */
  function update(change) {
    show(change);
    frame.changed(state);
  }
  return { show, state: () => state };
};
