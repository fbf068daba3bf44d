// @ts-check
// A scene in a page: its controls, keys and pointer, and the picture at the page's width.

import { addButton, addChoice, added, addSlider } from "./controls.js";
import { followAddress, keepAddress, surround } from "./frame.js";
import { unpacked } from "./drawing.js";
// @ts-ignore: translated from Python.
import { code_rows, grid_of, mark_of, parts_of, sentences, spoken, track_at, waves_at } from "./render.js";
// @ts-ignore
import { index_of, last_at, numbers } from "./render.js";

/** @typedef {Record<string, number>} State */
/** @typedef {any} Part */

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
    const [left, wide, high] = track_at(scene, mark, room);
    const bottom = 18 + high * mark.names.length + 12;
    const axis = scene.axes.find((/** @type {any} */ each) => each.name === mark.axis);
    const at = Math.floor((x - left) / wide);
    return y >= 0 && y <= bottom && at >= 0 && at < axis.count ? at : -1;
  }
  if (mark.is === "Code") {
    const lines = code_rows(scene, mark, room);
    if (x < 0 || x > room) return -1;
    return lines.y.findIndex((/** @type {number} */ top, /** @type {number} */ at) =>
      y >= top - 15 && y < top - 15 + 21 * lines.high[at]);
  }
  if (mark.is === "Waves") {
    const [fit, blocks, shown, w, h] = waves_at(mark, state, room);
    const row = Math.floor((y - 60) / 106);
    const [sm, level] = [Math.floor(x / w), fit - 1 - Math.floor((y - 60 - row * 106) / h)];
    const block = (shown[row] * fit + level) * mark.sms + sm;
    return sm >= 0 && sm < mark.sms && level >= 0 && block < blocks ? block : -1;
  }
  if (mark.is !== "Cells") return -1;
  const grid = grid_of(scene, mark, state, room);
  return grid.items.find((/** @type {number} */ item) => {
    const [left, top] = grid.place(item) ?? [Infinity, 0];
    return x >= left && x < left + grid.w && y >= top && y < top + grid.h;
  }) ?? -1;
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
  let at = last_at(go, item, state[go.axis]) + 1;
  if (at === 0 || go.key[at] !== item) at = last_at(go, item - 1, Infinity) + 1;
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

/**
 * Make a list of elements those of a part: what is equal stays where it is.
 * @param {Element} group
 * @param {string[]} old One element each, as texts.
 * @param {string[]} now
 * @param {string} prefix Of ids, for which texts have "@id-".
 */
function patch(group, old, now, prefix) {
  const places = new Map(old.map((text, at) => [text, at]));
  const nodes = [...group.children];
  let last = -1;
  const kept = now.map((text) => {
    const at = places.get(text) ?? -1;
    return at > last ? nodes[(last = at)] : null;
  });
  const made = document.createElementNS("http://www.w3.org/2000/svg", "g");
  made.innerHTML = now.filter((_, at) => !kept[at]).join("").replaceAll("@id-", prefix);
  const [fresh, known] = [[...made.children], new Set(kept)];
  for (const node of nodes) if (!known.has(node)) node.remove();
  let before = group.firstChild;
  for (const node of kept) {
    if (node) before = node.nextSibling;
    else group.insertBefore(/** @type {Element} */ (fresh.shift()), before);
  }
}

/**
 * Make the figure within `root` move: its controls, keys, pointer and address.
 * @param {HTMLElement} root
 * @returns {Promise<import("./frame.js").View>}
 */
async function open(root) {
  root.dataset.attached = "";
  const data = JSON.parse(root.querySelector('script[type="application/json"]')?.textContent ?? "{}");
  const scene = await unpacked(data.packed);
  const { svg, moves: buttons, controls, keys, say } = surround(root, data);
  const prefix = `${svg.id}-`;
  const axis = Object.fromEntries(scene.axes.map((/** @type {any} */ each) => [each.name, each]));
  /** @type {State} */
  let state = data.state;
  /** @type {Part[]} */
  let parts = [];
  let [width, measured, timer] = [0, 0, 0];
  /** @type {number[]} */
  let heights = [];
  const over = added("div", root, { className: "mt-feet" });
  svg.before(over);
  /** @type {HTMLElement[]} */
  const feet = scene.panels.map(() => added("div", over, { className: "mt-controls" }));
  for (const child of [...svg.children]) if (!/^(defs|style|title)$/.test(child.tagName)) child.remove();
  svg.style.touchAction = "pan-y";
  /** @type {Map<any, {group: Element, elements: string[]}>} */
  const groups = new Map();

  /**
   * Set attributes that differ: each makes the browser lay out the picture.
   * @param {Element} element
   * @param {Record<string, string>} wanted
   */
  function set(element, wanted) {
    for (const name in wanted) {
      if (element.getAttribute(name) !== wanted[name]) element.setAttribute(name, wanted[name]);
    }
  }

  /**
   * Lay the slider, of a knob of 16 pixels, along the track above which it stands.
   * @param {Part} part
   */
  function lay({ mark, room, x }) {
    const [left, wide] = track_at(scene, mark, room);
    root.style.setProperty("--from", `${MARGIN + x + left + wide / 2 - 8}px`);
    root.style.setProperty("--wide", `${(axis[mark.axis].count - 1) * wide + 16}px`);
  }

  /** Draw the state, and of it only the elements that differ. */
  function render() {
    let [drawn, bottom, below] = parts_of(scene, state, width, heights);
    if (measured !== width) {
      measured = width;
      feet.forEach((box) => (box.style.maxWidth = `${width}px`));
      heights = feet.map((box) => box.offsetHeight);
      [drawn, bottom, below] = parts_of(scene, state, width, heights);
    }
    feet.forEach((box, at) => { // below a panel beside another one they end at the edge
      box.style.left = below[at][0] ? "" : `${MARGIN}px`;
      box.style.right = below[at][0] ? `${MARGIN}px` : "";
      box.style.top = `${below[at][1]}px`;
    });
    parts = drawn;
    for (const { slot, x, y, drawing } of parts) {
      let own = groups.get(slot);
      if (!own) {
        own = { group: document.createElementNS("http://www.w3.org/2000/svg", "g"), elements: [] };
        groups.set(slot, own);
        svg.append(own.group);
      }
      set(own.group, { transform: `translate(${x + MARGIN} ${y})` });
      patch(own.group, own.elements, drawing.parts, prefix);
      own.elements = drawing.parts;
    }
    parts.filter(({ mark }) => mark.is === "Track").forEach(lay);
    const [wide, high] = [width + 2 * MARGIN, bottom + MARGIN / 2].map(String);
    set(svg, { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high });
    const [answer, detail] = sentences(scene, state);
    say(answer, detail);
  }

  const tracks = scene.panels.flatMap((/** @type {any} */ each) => each.marks)
    .flatMap((/** @type {any} */ mark) => mark.marks ?? [mark])
    .filter((/** @type {any} */ mark) => mark.is === "Track");
  let choices = 0; // without keys of their own
  const setters = scene.axes.map(control);

  /**
   * The control of an axis and its keys; returns what sets it to a value.
   * @param {any} each
   */
  function control({ name, label, count, control: kind, marks, moves, words, panel }) {
    const parent = feet[panel] ?? controls;
    const nothing = () => {};
    if (count < 2) return nothing;
    /** @param {number} wanted */
    const go = (wanted) => {
      const value = Math.max(0, Math.min(wanted, count - 1));
      if (value !== state[name]) update({ [name]: value });
    };
    for (const [names, , to] of moves) {
      names.toLowerCase().split(" ").forEach((/** @type {string} */ key, /** @type {number} */ at) =>
        keys.set(key, () => go(to[at * count + state[name]])));
    }
    if (kind === "choice") {
      const own = moves.length ? "" : "vbn"[choices++];
      if (own) keys.set(own, () => go((state[name] + 1) % count));
      return addChoice(parent, label, words, go);
    }
    if (!kind) return nothing;
    const { row, set } = addSlider(parent, {
      label, marks, last: count - 1, short: kind === "range", change: go,
      text: (at) => spoken(scene, words, { ...state, [name]: at }),
    });
    if (kind === "range") return set;
    if (tracks.some((/** @type {any} */ mark) => mark.axis === name)) {
      row.classList.add("mt-along");
      svg.before(row);
    }
    /** @type {Record<string, () => void>} */
    const acts = {
      "ArrowLeft": () => go(state[name] - 1),
      "ArrowRight": () => go(state[name] + 1),
      "Shift+ArrowLeft": () => go(marks.filter((/** @type {number} */ at) => at < state[name]).pop() ?? 0),
      "Shift+ArrowRight": () => go(marks.find((/** @type {number} */ at) => at > state[name]) ?? count - 1),
      "Home": () => go(0),
      "End": () => go(count - 1),
      " ": play,
    };
    for (const key in acts) keys.set(key, acts[key]);
    if (marks.length) addButton(buttons, "|◀ mark", acts["Shift+ArrowLeft"]);
    addButton(buttons, "◀", acts.ArrowLeft);
    addButton(buttons, "▶", acts.ArrowRight);
    if (marks.length) addButton(buttons, "mark ▶|", acts["Shift+ArrowRight"]);
    const button = addButton(buttons, "Play", play, "Key: Space");
    function play() {
      if (timer) clearInterval(timer);
      timer = timer ? 0 : window.setInterval(() => {
        if (state[name] >= count - 1) play();
        else acts.ArrowRight();
      }, PLAY);
      button.textContent = timer ? "Pause" : "Play";
    }
    return set;
  }

  /** @param {State} wanted As people count; beyond what there is, the last one. */
  function show(wanted) {
    const next = { ...state };
    for (const [name, value] of Object.entries(wanted)) {
      if (!axis[name] || !Number.isFinite(value)) {
        throw new RangeError(`[live] got ${JSON.stringify(wanted)}, which is not here: no ${name} ${value}`);
      }
      next[name] = Math.max(0, Math.min(Math.round(value) - axis[name].start, axis[name].count - 1));
    }
    for (const { name, limit } of scene.axes) {
      if (!limit) continue;
      const last = numbers(limit, next, [0])[0] - 1;
      next[name] = Math.min(next[name], last);
      root.classList.toggle("mt-single", last < 1);
    }
    state = next;
    setters.forEach((/** @type {any} */ setter, /** @type {number} */ at) => setter(state[scene.axes[at].name]));
    render(); // after the words beside controls, which may need another line
  }

  const shown = () => Object.fromEntries(scene.axes.map((/** @type {any} */ each) =>
    [each.name, state[each.name] + each.start]));

  /** @param {State} change */
  function update(change) {
    state = { ...state, ...change };
    show({});
    keepAddress(shown());
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
    .map((/** @type {any} */ mark) => mark_of(mark, state))
    .find((/** @type {any} */ mark) => mark.go?.is === "Index");
  /** @type {Record<string, [number, number]>} */
  const ways = groundNow() ? { w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1] } : {};
  for (const [key, [down, right]] of Object.entries(ways)) {
    keys.set(key, () => {
      const ground = groundNow();
      const now = index_of(ground.go, state);
      const next = (ground.slots ? ground.slots[now] : now) + down * ground.columns + right;
      const item = ground.slots ? ground.slots.indexOf(next) : next;
      if (item >= 0 && item < ground.count) update(apart(ground.go, item));
    });
  }
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointermove", hover);
  const room = () => Math.max((svg.parentElement?.clientWidth ?? 0) - 2 * MARGIN, 280);
  new ResizeObserver(() => {
    if (room() === width) return;
    width = room();
    render();
  }).observe(root);
  width = room();
  show({});
  if (!controls.childElementCount) controls.remove();
  const view = { show, state: shown };
  followAddress(view);
  return Object.assign(root, { view }).view;
}

/**
 * Open every copy of a figure on this page that is not open yet.
 * @param {string} name
 */
export function start(name) {
  /** @type {NodeListOf<HTMLElement>} */
  const copies = document.querySelectorAll(`[data-live="${name}"]:not([data-attached])`);
  for (const root of copies) void open(root);
}
