// @ts-check
// How a picture follows its state: tables say what is where, and controls, keys and the
// pointer lead from row to row.

import { compiled } from "./formula.js";
import { within } from "./place.js";
import { Rows } from "./rows.js";

/** @typedef {import("./formula.js").Value} Value */
/** @typedef {import("./frame.js").State} State */
/** @typedef {import("./frame.js").Frame} Frame */
/** @typedef {import("./rows.js").Axis} Axis */
/** @typedef {(at: number) => any} Packed */

/** @typedef {{axis: string, by?: number, to?: number[], last?: {by: string, rows: number[]}}} Go */
/**
 * @typedef {object} Table
 * @property {string} at The element, or "answer" and "detail" for the words on top.
 * @property {string} set "text", "content", or an attribute.
 * @property {string[]} by Axes that it follows.
 * @property {any} [of] Values, packed.
 * @property {any} [is] Or a formula.
 */

/** @param {unknown} value */
const spelled = (value) =>
  typeof value === "number" ? String(Number(value.toFixed(2))) : String(value);

/**
 * Values as Python packed them: as such, by number, or as texts of few forms.
 * @param {any} packed
 * @returns {Packed}
 */
export function unpacked(packed) {
  if (Array.isArray(packed)) return (at) => packed[at];
  const { values, at: places, forms, texts } = packed;
  if (places) return (at) => values[places[at]];
  return (at) => {
    const [form, parts] = texts[at];
    return forms[form]
      .map((/** @type {string} */ part, /** @type {number} */ i) => part + (parts[i] ?? ""))
      .join("");
  };
}

/** The picture: what is set where, for each choice of rows. */
class Picture {
  /** @param {Frame} frame @param {any} data @param {Record<string, Rows>} axes */
  constructor(frame, data, axes) {
    this.frame = frame;
    this.axes = axes;
    this.column = data.columns;
    /** @type {Record<string, string>} */
    this.said = {};
    this.tables = data.tables.map((/** @type {Table} */ table) => ({
      ...table,
      value: table.of ? unpacked(table.of) : compiled(table.is),
      drawn: NaN,
    }));
  }

  /**
   * Where a table has the value for these rows.
   * @param {string[]} by
   * @param {Record<string, number>} row
   */
  place(by, row) {
    return by.reduce((at, name) => at * this.axes[name].count + row[name], 0);
  }

  /**
   * What formulas compute from.
   * @param {Record<string, number>} row
   * @param {object} [pointer]
   */
  given(row, pointer = {}) {
    return { row, column: this.column, ...pointer };
  }

  /** @param {Record<string, number>} row */
  draw(row) {
    let says = false;
    for (const table of this.tables) {
      const at = this.place(table.by, row);
      if (at === table.drawn) continue;
      table.drawn = at;
      const value = table.value(table.of ? at : this.given(row));
      if (table.set === "says") {
        this.said[table.at] = value;
        says = true;
      } else this.set(this.frame.at(table.at), table.set, value);
    }
    if (says) this.frame.say(this.said.answer, this.said.detail);
  }

  /** @param {SVGElement} element @param {string} name @param {any} value */
  set(element, name, value) {
    if (name === "text") element.textContent = value;
    else if (name === "content") {
      element.innerHTML = value.replaceAll("@id-", `${this.frame.svg.id}-`);
    } else if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, spelled(value));
  }
}

/**
 * The controls above the picture, each set to a state when called.
 * @param {Frame} frame
 * @param {any} data
 * @param {Record<string, Rows>} axes
 * @param {{state: () => State, row: () => Record<string, number>}} now
 * @param {{update: (change: State) => void, go: (to: Go) => void}} act
 * @returns {((state: State, row: Record<string, number>) => void)[]}
 */
function addControls(frame, data, axes, now, act) {
  /** @type {((state: State, row: Record<string, number>) => void)[]} */
  const setters = [];
  for (const each of data.controls) {
    const { kind, label, axis, name } = each;
    if (kind === "button") frame.button({ label, key: each.key, act: () => act.go(each.go) });
    if (kind === "choice") {
      const change = (/** @type {any} */ value) => act.update({ [name]: value });
      const { options } = each;
      const { set } = frame.choice({ label, options, value: now.state()[name], change });
      setters.push((state) => set(state[name]));
    }
    if (kind !== "slider") continue;
    const words = each.of ? unpacked(each.of) : null;
    const formula = words ? null : compiled(each.is);
    const { set } = frame.slider({
      label,
      count: axes[axis].count,
      value: now.row()[axis],
      marks: each.marks,
      text: (row) => (words ? words(row) : formula?.({ row: { [axis]: row } })),
      change: (row) => act.update(axes[axis].state(row)),
    });
    setters.push((_, row) => set(row[axis]));
  }
  return setters;
}

/**
 * Call back with the state that the pointer leads to.
 * @param {Frame} frame
 * @param {any} data
 * @param {Picture} picture
 * @param {() => Record<string, number>} now
 * @param {(change: State) => void} update
 */
function followPointer(frame, data, picture, now, update) {
  const areas = data.areas.map((/** @type {any} */ each) => ({
    ...each,
    boxes: each.of && unpacked(each.of),
    row: each.is && compiled(each.is),
    more: Object.entries(each.also).map(([name, formula]) => [name, compiled(formula)]),
    names: each.on.length ? new RegExp(`^(?:${each.on.join("|")})(\\d*)$`) : null,
  }));
  /** @param {MouseEvent} event */
  function follow(event) {
    const target = /** @type {Element} */ (event.target).getAttribute("data-at") ?? "";
    for (const { at, axis, by, boxes, rows, row, more, names, pressed } of areas) {
      if (pressed && event.type === "pointermove") continue;
      const name = names ? names.exec(target) : [];
      const place = name && within(frame.at(at), event);
      if (!place) continue;
      const { x, y } = place;
      const given = picture.given(now(), { x, y, part: Number(name[1]) });
      const found = boxes
        ? boxes(picture.place(by, now())).findIndex(
            (/** @type {number[]} */ [left, top, w, h]) =>
              x >= left && x < left + w && y >= top && y < top + h,
          )
        : row(given);
      const to = rows ? rows[found] : found;
      if (found < 0 || to >= picture.axes[axis].count) continue;
      const change = picture.axes[axis].state(to);
      for (const [field, value] of more) change[field] = value(given);
      return update(change);
    }
  }
  frame.svg.addEventListener("pointermove", follow);
  frame.svg.addEventListener(data.press ? "pointerdown" : "click", follow);
}

/** @type {import("./frame.js").Attach} */
export const attach = (frame, data) => {
  /** @type {Rows[]} */
  const order = data.axes.map((/** @type {Axis} */ axis) => new Rows(axis));
  const axes = Object.fromEntries(order.map((each) => [each.axis.name, each]));
  /** @type {State} */
  let state = { ...data.first };
  let row = rowsOf(state, state, {}) ?? {};
  const picture = new Picture(frame, data, axes);
  const now = { state: () => state, row: () => row };
  const setters = addControls(frame, data, axes, now, { update, go });
  for (const [key, to] of Object.entries(data.keys)) {
    frame.key(key, () => go(/** @type {Go} */ (to)));
  }
  followPointer(frame, data, picture, now.row, update);

  /**
   * The rows of a state, and the state that has them; null where it stays.
   * @param {State} next Gets the values of its rows.
   * @param {State} change
   * @param {Record<string, number>} before
   */
  function rowsOf(next, change, before) {
    /** @type {Record<string, number>} */
    const found = {};
    for (const each of order) {
      const at = each.find(next, change, found, before);
      if (at < 0 && each.axis.stays) return null;
      if (at < 0) throw new Error(`no such ${each.axis.names.join(" and ")}`);
      found[each.axis.name] = at;
      Object.assign(next, each.state(at));
    }
    return found;
  }

  /** @param {State} change */
  function show(change) {
    const next = { ...state, ...change };
    const found = rowsOf(next, change, row);
    if (!found) return;
    [state, row] = [next, found];
    picture.draw(row);
    for (const set of setters) set(state, row);
  }

  /** @param {State} change */
  function update(change) {
    const found = rowsOf({ ...state, ...change }, change, row);
    if (!found || Object.keys(found).every((name) => found[name] === row[name])) return;
    show(change);
    frame.changed(state);
  }

  /** @param {string} axis @param {number} to */
  function reach(axis, to) {
    update(axes[axis].state(to));
  }

  /** @param {Go} to */
  function go({ axis, by = 0, to, last }) {
    const end = last ? last.rows[row[last.by]] : axes[axis].count - 1;
    const next = to ? to[row[axis]] : Math.max(0, Math.min(end, row[axis] + by));
    if (next >= 0) reach(axis, next);
  }

  return { show, state: () => state };
};
