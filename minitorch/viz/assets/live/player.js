// @ts-check
// Owns how a picture follows its state: tables say what is where, and controls, keys and the
// pointer lead from row to row. Must not know views: Python's `player` writes the tables.

import { compiled } from "./formula.js";
import { within } from "./place.js";

/** @typedef {import("./formula.js").Value} Value */
/** @typedef {import("./frame.js").State} State */
/** @typedef {import("./frame.js").Frame} Frame */
/** @typedef {(at: number) => any} Packed */

/**
 * What moves by itself. A state has values for its names; a row is one choice of these.
 * @typedef {object} Axis
 * @property {string} name
 * @property {string[]} names Fields of the state; none where it only follows another axis.
 * @property {number | any[]} rows How many, or the values of each.
 * @property {Record<string, number>} [else] The row for a value of the first name alone.
 * @property {{by: string, rows: number[][]}} [within] Rows that there are, by another axis.
 * @property {{by: string, rows: number[]}} [follows] Where it goes when another axis moves.
 * @property {boolean} [stays] Whether a state that is not here changes nothing.
 */
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

/** One axis: from values of a state to a row, and back. */
class Rows {
  /** @param {Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.count = typeof axis.rows === "number" ? axis.rows : axis.rows.length;
    /** @type {Map<string, number>} */
    this.places = new Map();
    for (let row = 0; row < this.count; row++) {
      this.places.set(JSON.stringify(this.values(row)), row);
    }
  }

  /**
   * @param {number} row
   * @returns {any[]}
   */
  values(row) {
    const { rows, names } = this.axis;
    if (typeof rows === "number") return [row];
    return names.length === 1 ? [rows[row]] : rows[row];
  }

  /** @param {number} row */
  state(row) {
    const values = this.values(row);
    if (!this.axis.names.length) return {};
    return Object.fromEntries(this.axis.names.map((name, at) => [name, values[at]]));
  }

  /**
   * The row of a state; -1 where it is not here.
   * @param {State} next
   * @param {State} change
   * @param {Record<string, number>} now Rows of the axes before this one.
   * @param {Record<string, number>} before
   */
  find(next, change, now, before) {
    const { name, names, within: inside, follows } = this.axis;
    if (follows && !names.length) return follows.rows[now[follows.by]];
    if (follows && now[follows.by] !== before[follows.by] && !(name in change)) {
      return follows.rows[now[follows.by]];
    }
    let row = this.places.get(JSON.stringify(names.map((each) => next[each]))) ?? -1;
    if (row < 0) row = this.axis.else?.[String(next[names[0]])] ?? -1;
    if (!inside) return row;
    const there = inside.rows[now[inside.by]];
    return there.includes(row) ? row : there[0];
  }
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
    for (const { at, axis, by, boxes, rows, row, more, names } of areas) {
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
