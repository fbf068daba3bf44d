// @ts-check
// A scene in a page: its controls, keys and pointer, and the picture at the page's width.

import { gridOf } from "./cells.js";
import { linesOf } from "./code.js";
import { indexOf, lastAt, numbers, sentences, spoken } from "./lookup.js";
import { draw, markOf } from "./render.js";
import { trackAt } from "./track.js";
import { blockAt } from "./waves.js";

/** @typedef {import("./lookup.js").State} State */
/** @typedef {import("./render.js").Part} Part */

const PLAY = 450; // milliseconds a step
const MARGIN = 20;

/**
 * The item of a part at a point; -1: none.
 * @param {any} scene
 * @param {Part} part
 * @param {State} state
 * @param {number} x
 * @param {number} y
 */
function itemAt(scene, { mark, room }, state, x, y) {
  if (mark.is === "Track") {
    const { left, wide, high } = trackAt(scene, mark, room);
    const bottom = 18 + high * mark.names.length + 12;
    const axis = scene.axes.find((/** @type {any} */ each) => each.name === mark.axis);
    const at = Math.floor((x - left) / wide);
    return y >= 0 && y <= bottom && at >= 0 && at < axis.count ? at : -1;
  }
  if (mark.is === "Code") {
    const lines = linesOf(mark, room);
    if (x < 0 || x > room) return -1;
    return lines.y.findIndex((top, at) => y >= top - 15 && y < top - 15 + 21 * lines.rows[at].length);
  }
  if (mark.is === "Waves") return blockAt(mark, state, room, x, y);
  if (mark.is !== "Cells") return -1;
  const grid = gridOf(mark, state, room);
  const column = Math.floor((x - grid.left) / grid.w);
  let row = Math.floor((y - grid.top) / grid.h);
  if (grid.group) {
    const rows = grid.group / grid.wide;
    const group = Math.floor((y - grid.top) / (rows * grid.h + grid.gap));
    row = Math.floor((y - grid.top - group * grid.gap) / grid.h);
    if (row >= (group + 1) * rows) return -1;
  }
  if (column < 0 || column >= grid.columns || row < 0 || row >= grid.rows) return -1;
  if (grid.slots) return grid.slots.indexOf(grid.first + row * grid.wide + column);
  const item = grid.first + row * grid.wide + column;
  return item < grid.count ? item : -1;
}

/**
 * The axes of an `Index` whose sum is a number.
 * @param {{by: Record<string, number>}} index
 * @param {number} sum
 * @returns {State}
 */
function apart({ by }, sum) {
  let rest = sum;
  return Object.fromEntries(Object.entries(by).sort((a, b) => b[1] - a[1]).map(([axis, stride]) => {
    const at = Math.floor(rest / stride);
    rest -= at * stride;
    return [axis, at];
  }));
}

/**
 * Where a click on an item leads: the next use of it, the first one after the last.
 * @param {any} go
 * @param {number} item
 * @param {State} state
 * @returns {State}
 */
function visit(go, item, state) {
  if (go.is === "Index") return apart(go, item);
  if (go.is === "Owners") {
    const [owner] = numbers(go.owner, state, [item]);
    return owner < 0 ? {} : apart(go.at, owner);
  }
  let at = lastAt(go, item, state[go.axis]) + 1;
  if (at === 0 || go.key[at] !== item) at = lastAt(go, item - 1, Infinity) + 1;
  while (at < go.key.length && go.key[at] < item) at++;
  if (go.key[at] !== item) return {};
  const also = Object.entries(go.also).map(([axis, values]) => [axis, values[at]]);
  return { [go.axis]: go.index[at], ...Object.fromEntries(also) };
}

/**
 * A cell as people index it.
 * @param {[string, number[]]} tip
 * @param {number} cell
 */
function spelled([name, shape], cell) {
  const parts = [];
  let rest = cell;
  for (const size of shape.slice(1).reverse()) {
    parts.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return shape.length ? `${name}[${[rest, ...parts].join(", ")}]` : name;
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, { scene, state: first }) => {
  const { svg } = frame;
  const prefix = `${svg.id}-`;
  const axis = Object.fromEntries(scene.axes.map((/** @type {any} */ each) => [each.name, each]));
  /** @type {State} */
  let state = first;
  /** @type {Part[]} */
  let parts = [];
  let width = 0;
  let timer = 0;
  for (const child of [...svg.children]) if (!/^(defs|style|title)$/.test(child.tagName)) child.remove();
  svg.style.touchAction = "pan-y";
  /** @type {Map<any, {group: Element, text: string}>} */
  const groups = new Map();

  /** Draw the state, and of it only the parts that differ. */
  function render() {
    const drawn = draw(scene, state, width);
    parts = drawn.parts;
    for (const { slot, x, y, text } of parts) {
      const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
      const own = groups.get(slot) ?? { group, text: "" };
      if (own.group === group) {
        groups.set(slot, own);
        svg.append(group);
      }
      own.group.setAttribute("transform", `translate(${x + MARGIN} ${y})`);
      if (own.text !== text) own.group.innerHTML = text.replaceAll("@id-", prefix);
      own.text = text;
    }
    const [wide, high] = [width + 2 * MARGIN, drawn.height + MARGIN];
    svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    svg.setAttribute("width", String(wide));
    svg.setAttribute("height", String(high));
    const [answer, detail] = sentences(scene, state);
    frame.say(answer, detail);
  }

  const setters = scene.axes.map(control);

  /** @param {any} each */
  function control(each) {
    const { name, label, count } = each;
    /** @param {number} by */
    const move = (by) => {
      const next = state[name] + by;
      if (next >= 0 && next < count) update({ [name]: next });
    };
    if (count < 2) return { set: () => {} };
    for (const [keys, , to] of each.moves) {
      keys.toLowerCase().split(" ").forEach((/** @type {string} */ key, /** @type {number} */ at) =>
        frame.key(key, () => update({ [name]: to[at * count + state[name]] })));
    }
    if (each.control === "slider" || each.control === "range") {
      const setter = frame.slider({
        label, count, value: state[name], marks: each.marks, short: each.control === "range",
        text: (at) => spoken(scene, each.words, { ...state, [name]: at }),
        change: (at) => update({ [name]: at }),
      });
      if (each.control === "range") return setter;
      const before = () => each.marks.filter((/** @type {number} */ at) => at < state[name]).pop() ?? 0;
      const after = () => each.marks.find((/** @type {number} */ at) => at > state[name]) ?? count - 1;
      const marked = each.marks.length > 0;
      if (marked) frame.button({ label: "|◀ mark", act: () => update({ [name]: before() }) });
      frame.button({ label: "◀", act: () => move(-1) });
      frame.button({ label: "▶", act: () => move(1) });
      if (marked) frame.button({ label: "mark ▶|", act: () => update({ [name]: after() }) });
      const button = frame.button({ label: "Play", key: " ", act: play });
      function play() {
        if (timer) clearInterval(timer);
        timer = timer ? 0 : window.setInterval(() => {
          if (state[name] >= count - 1) play();
          else move(1);
        }, PLAY);
        button.textContent = timer ? "Pause" : "Play";
      }
      return setter;
    }
    if (!each.control) return { set: () => {} };
    const choices = scene.axes.filter((/** @type {any} */ other) =>
      other.control === "choice" && other.count > 1 && !other.moves.length);
    const own = "vbn"[choices.indexOf(each)];
    if (own) frame.key(own, () => update({ [name]: (state[name] + 1) % count }));
    /** @type {{value: number, label: string}[]} */
    const options = [...each.words].map((words, value) => ({ value, label: words }));
    return frame.choice({ label, options, value: state[name], change: (at) => update({ [name]: at }) });
  }

  /** @param {State} wanted As people count; beyond what there is, the last one. */
  function show(wanted) {
    const next = { ...state };
    for (const [name, value] of Object.entries(wanted)) {
      if (!axis[name] || !Number.isFinite(value)) throw new RangeError(`no ${name} ${value}`);
      next[name] = Math.max(0, Math.min(Math.round(value) - axis[name].start, axis[name].count - 1));
    }
    for (const { name, limit } of scene.axes) {
      if (limit) next[name] = Math.min(next[name], numbers(limit, next, [0])[0] - 1);
    }
    state = next;
    render();
    setters.forEach((/** @type {any} */ setter, /** @type {number} */ at) => setter.set(state[scene.axes[at].name]));
  }

  const shown = () => Object.fromEntries(scene.axes.map((/** @type {any} */ each) =>
    [each.name, state[each.name] + each.start]));

  /** @param {State} change */
  function update(change) {
    state = { ...state, ...change };
    show({});
    frame.changed(shown());
  }

  /**
   * What is under the pointer.
   * @param {PointerEvent} event
   */
  function under(event) {
    const box = svg.getBoundingClientRect();
    const scale = (width + 2 * MARGIN) / box.width;
    const [x, y] = [(event.clientX - box.left) * scale - MARGIN, (event.clientY - box.top) * scale];
    for (const part of parts) {
      const item = itemAt(scene, part, state, x - part.x, y - part.y);
      if (item >= 0) return { mark: part.mark, item };
    }
    return null;
  }

  /**
   * What an element of a drawing leads to, or says: the attribute of the innermost one.
   * @param {PointerEvent} event
   * @param {string} name
   */
  const tagged = (event, name) =>
    /** @type {Element} */ (event.target).closest(`[${name}]`)?.getAttribute(name) ?? "";

  /** @type {{mark: any, item: number} | null} */
  let pressed = null;

  /**
   * A drag across items of a mark: the index whose width is closest.
   * @param {{mark: any, item: number}} to
   */
  function stretch({ mark, item }) {
    const [name, widths] = mark.stretch;
    const from = pressed?.item ?? item;
    const rows = Math.abs(Math.floor(item / mark.columns) - Math.floor(from / mark.columns));
    const wide = Math.max(rows, Math.abs((item % mark.columns) - (from % mark.columns))) + 1;
    const apart = widths.map((/** @type {number} */ each) => Math.abs(each - wide));
    const at = apart.indexOf(Math.min(...apart));
    if (wide > 1 && at !== state[name]) update({ [name]: at });
  }

  /** @param {PointerEvent} event */
  function point(event) {
    const go = tagged(event, "data-go");
    if (go) {
      const pairs = go.split(" ").map((each) => each.split("="));
      return update(Object.fromEntries(pairs.map(([name, at]) => [name, Number(at)])));
    }
    const at = under(event);
    if (event.type === "pointerdown") pressed = at;
    if (!at) return;
    const { mark, item } = at;
    if (mark.axis) update({ [mark.axis]: item });
    else if (mark.go) update(visit(mark.go, item, state));
  }

  const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
  svg.append(tip);

  /** @param {PointerEvent} event */
  function hover(event) {
    const at = under(event);
    const mark = at?.mark;
    svg.style.cursor = mark && (mark.go || mark.axis) || tagged(event, "data-go") ? "pointer" : "";
    tip.textContent = tagged(event, "data-tip");
    if (at?.mark.tip) tip.textContent = spelled(at.mark.tip, at.item);
    if (at?.mark.said) tip.textContent += scene.words[numbers(at.mark.said, state, [at.item])[0]] ?? "";
    if (event.buttons && mark?.stretch && mark === pressed?.mark) stretch(/** @type {any} */ (at));
    else if (event.buttons && mark && (mark.axis || mark.go?.is === "Index")) point(event);
  }

  // W A S D go to the item above, to the left, below, to the right.
  const groundNow = () => scene.panels.flatMap((/** @type {any} */ each) => each.marks)
    .map((/** @type {any} */ mark) => markOf(mark, state))
    .find((/** @type {any} */ mark) => mark.go?.is === "Index");
  /** @type {Record<string, [number, number]>} */
  const ways = groundNow() ? { w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1] } : {};
  for (const [key, [down, right]] of Object.entries(ways)) {
    frame.key(key, () => {
      const ground = groundNow();
      const now = indexOf(ground.go, state);
      const next = (ground.slots ? ground.slots[now] : now) + down * ground.columns + right;
      const item = ground.slots ? ground.slots.indexOf(next) : next;
      if (item >= 0 && item < ground.count) update(apart(ground.go, item));
    });
  }
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointermove", hover);
  new ResizeObserver(() => {
    const now = Math.max((svg.parentElement?.clientWidth ?? 0) - 2 * MARGIN, 280);
    if (now === width) return;
    width = now;
    render();
  }).observe(/** @type {Element} */ (svg.parentElement));
  width = Math.max((svg.parentElement?.clientWidth ?? 0) - 2 * MARGIN, 280);
  render();
  return { show, state: shown };
};
