// @ts-check
// Owns how the memory view moves: its instructions, and the lane in focus.
// Must not know how they are drawn at first.

import { within } from "./place.js";
import { path, ring } from "./svg.js";

const [LEFT, TOP, CELL, LANES] = [34, 46, 15.3, 32];

/**
 * The rings around a lane and what it uses, and the arrow between them.
 * @param {string} id Of the picture, whose arrow heads have names that begin so.
 * @param {number} lane
 * @param {[number[], string, boolean, string]} use
 */
function focus(id, lane, [word, arrow, reads]) {
  let drawn = ring(LEFT + lane * CELL, TOP, CELL, 18);
  if (word.length) drawn += ring(word[0], word[1], word[2], 18);
  const head = reads ? { "marker-start": `url(#${id}-in)` } : { "marker-end": `url(#${id}-out)` };
  const look = { stroke: "var(--ink)", "stroke-linejoin": "round", ...head };
  return arrow ? drawn + path(arrow, { "stroke-width": reads ? 1.6 : 2.4, ...look }) : drawn;
}

/**
 * The lane whose word or place is at a point of a panel; -1 for none.
 * @param {number} x
 * @param {number} y
 * @param {number[][][]} places For each lane its rectangles.
 */
function laneAt(x, y, places) {
  return places.findIndex((own) =>
    own.some(([left, top, w, h]) => x >= left && x < left + w && y >= top && y < top + h),
  );
}

/**
 * Rectangles of each lane in a panel of global memory.
 * @param {[number[], string, boolean, string][]} lanes
 */
function placesOf(lanes) {
  return lanes.map(([word], lane) => [
    [LEFT + lane * CELL, TOP, CELL, 18],
    ...(word.length ? [[...word, 18]] : []),
  ]);
}

/**
 * Where lanes are, in each panel.
 * @param {any} data
 * @param {{away: number, near: number, lane: number}} state
 */
function panelsOf(data, state) {
  const panels = [];
  if (data.fixed) panels.push({ at: "request0", places: placesOf(data.fixed) });
  const last = data.fixed ? 1 : 0;
  if (state.away >= 0) {
    panels.push({ at: `request${last}`, places: placesOf(data.away[state.away].lanes) });
  }
  const near = state.near >= 0 ? data.near[state.near].lanes : [];
  near.forEach((/** @type {any[]} */ lanes, /** @type {number} */ at) => {
    panels.push({ at: `shelf${at}`, places: lanes.map(([rings]) => rings.slice(1)) });
  });
  return panels;
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  let state = { ...data.first };
  let drawn = { ...state };
  const id = frame.svg.id;
  const last = data.fixed ? 1 : 0;
  const slider = frame.slider({
    label: "Lane",
    count: LANES,
    value: state.lane,
    text: (lane) => `lane ${lane}`,
    change: (lane) => update({ lane }),
  });
  const away = choice("Global memory", "away", data.awayNames, ["w", "s"]);
  const near = choice("Shared memory", "near", data.nearNames, ["[", "]"]);

  /**
   * @param {string} label
   * @param {"away" | "near"} name
   * @param {string[]} words
   * @param {string[]} keys
   */
  function choice(label, name, words, keys) {
    if (words.length < 2) return { set: () => {} };
    keys.forEach((key, at) => {
      const by = at ? 1 : -1;
      frame.key(key, () => {
        update({ [name]: Math.max(0, Math.min(words.length - 1, state[name] + by)) });
      });
    });
    return frame.choice({
      label,
      options: words.map((each, value) => ({ value, label: each })),
      value: state[name],
      change: (value) => update({ [name]: value }),
    });
  }

  function drawAway() {
    const chosen = data.away[state.away];
    if (state.away !== drawn.away) frame.at(`request${last}`).innerHTML = chosen.panel;
    const shown = data.fixed ? [data.fixed, chosen.lanes] : [chosen.lanes];
    shown.forEach((lanes, at) => {
      const use = lanes[state.lane];
      frame.at(`focus${at}`).innerHTML = focus(id, state.lane, use);
      frame.at(`way${at}`).textContent = use[3];
    });
  }

  function drawNear() {
    const { panels, lanes } = data.near[state.near];
    for (const at of [0, 1]) {
      const panel = panels[at] ?? "";
      if (state.near !== drawn.near) {
        frame.at(`shelf${at}`).innerHTML = panel.replaceAll("@id-", `${id}-`);
      }
      const [rings, words] = lanes[at]?.[state.lane] ?? [[], ""];
      frame.at(`bank${at}`).innerHTML = rings
        .map((/** @type {number[]} */ [x, y, w, h]) => ring(x, y, w, h, false))
        .join("");
      frame.at(`word${at}`).textContent = words;
    }
    if (state.away >= 0) frame.at("shared").textContent = data.sharedAnswers[state.near];
  }

  /** @param {object} change */
  function show(change) {
    state = { ...state, ...change };
    if (state.away >= 0) drawAway();
    if (state.near >= 0) drawNear();
    drawn = { ...state };
    const words = state.away >= 0 ? data.answers[state.away] : data.sharedAnswers[state.near];
    frame.say(words, data.detail);
    slider.set(state.lane);
    away.set(state.away);
    near.set(state.near);
  }

  /** @param {any} change */
  function update(change) {
    const next = { ...state, ...change };
    if (Object.keys(next).every((name) => next[name] === state[name])) return;
    show(change);
    frame.changed(state);
  }

  /** @param {MouseEvent} event */
  function follow(event) {
    for (const { at, places } of panelsOf(data, state)) {
      const place = within(frame.at(at), event);
      const lane = place ? laneAt(place.x, place.y, places) : -1;
      if (lane >= 0) return update({ lane });
    }
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener("click", follow);
  return { show, state: () => state };
};
