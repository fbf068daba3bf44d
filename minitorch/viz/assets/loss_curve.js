// Owns the view "does the network learn": loss of every step and accuracy of every epoch.
// Data: loss (one number a step), accuracy (one a epoch, 0 to 1), steps_per_epoch.
"use strict";
function drawLossCurve(id, data) {
  const { loss, accuracy, steps_per_epoch: perEpoch } = data;
  const parts = frame(id, "Does the network learn?");
  const width = 720, height = 260, left = 46, bottom = 34, top = 14, right = 44;
  const highest = Math.max(...loss);
  const x = (step) => left + (width - left - right) * step / (loss.length - 1 || 1);
  const y = (value) => top + (height - top - bottom) * (1 - value / highest);
  const yAccuracy = (value) => top + (height - top - bottom) * (1 - value);
  const view = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  for (let tick = 0; tick <= 4; tick++) {
    const value = highest * tick / 4;
    view.append(
      svg("path", { d: `M${left} ${y(value)}H${width - right}`, stroke: "var(--line)" }),
      text(left - 6, y(value) + 4, value.toFixed(2),
        { "text-anchor": "end", "font-size": 10.5, class: "mut mono" }),
      text(width - right + 6, yAccuracy(tick / 4) + 4, `${25 * tick} %`,
        { "font-size": 10.5, class: "mut mono" }));
  }
  for (let epoch = 0; epoch <= accuracy.length; epoch += Math.ceil(accuracy.length / 8))
    view.append(text(x(Math.min(epoch * perEpoch, loss.length - 1)), height - 12, epoch,
      { "text-anchor": "middle", "font-size": 10.5, class: "mut mono" }));
  view.append(text(left, height - 0.5, "epoch", { "font-size": 10.5, class: "mut" }));
  view.append(svg("path", {
    d: loss.map((value, step) => `${step ? "L" : "M"}${x(step).toFixed(1)} ` +
      y(value).toFixed(1)).join(""),
    fill: "none", stroke: strong(0), "stroke-width": 1.4 }));
  accuracy.forEach((value, epoch) => view.append(svg("circle", {
    cx: x(Math.min((epoch + 1) * perEpoch, loss.length) - 1), cy: yAccuracy(value), r: 3.4,
    fill: "var(--bg)", stroke: strong(1), "stroke-width": 2 })));
  const last = accuracy[accuracy.length - 1];
  const answer = `After ${accuracy.length} epochs the network reads ` +
    `${(100 * last).toFixed(1)} % of the unseen digits correctly.`;
  const detail = `The loss fell from ${loss[0].toFixed(2)} to ` +
    `${loss[loss.length - 1].toFixed(3)} in ${number(loss.length)} steps.`;
  sentence(parts, answer, detail);
  view.setAttribute("aria-label", answer + " " + detail);
  parts.picture.append(view);
  legend(parts,
    [svg("path", { d: "M1 8H15", stroke: strong(0), "stroke-width": 2 }),
     "loss of one step (left scale)"],
    [svg("circle", { cx: 8, cy: 8, r: 4, fill: "none", stroke: strong(1),
                     "stroke-width": 2 }),
     "accuracy on the test images after an epoch (right scale)"]);
}
