// @ts-check
// What moves in a picture: its axes, and which row of each a state is at.
//

/** @typedef {import("./frame.js").State} State */

/**
 * What moves by itself. A state has values for its names; a row is one choice of these.
 * @typedef {object} Axis
 * @property {string} name
 * @property {string[]} names Fields of the state; none where it only follows another axis.
 * @property {number | any[]} rows How many, or the values of each.
 * @property {Record<string, number>} [else] The row for a value of the first name alone.
 * @property {{by: string, rows: number[][]}} [within] Rows that there are, by another axis.
 * @property {{by: string, rows: number[]}} [most] How many rows there are, by another axis.
 * @property {{by: string, rows: number[]}} [follows] Where it goes when another axis moves.
 * @property {boolean} [stays] Whether a state that is not here changes nothing.
 */

/** One axis: from values of a state to a row, and back. */
export class Rows {
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
    const { name, names, within: inside, follows, most } = this.axis;
    if (follows && !names.length) return follows.rows[now[follows.by]];
    if (follows && now[follows.by] !== before[follows.by] && !(name in change)) {
      return follows.rows[now[follows.by]];
    }
    let row = this.places.get(JSON.stringify(names.map((each) => next[each]))) ?? -1;
    if (row < 0) row = this.axis.else?.[String(next[names[0]])] ?? -1;
    if (most) row = Math.min(row, most.rows[now[most.by]] - 1);
    if (!inside) return row;
    const there = inside.rows[now[inside.by]];
    return there.includes(row) ? row : there[0];
  }
}
