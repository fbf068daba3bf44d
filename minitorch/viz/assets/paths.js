// @ts-check
// Paths of many equal marks, spelled as Python's `paths` spells them. Must not know what
// they stand for.

/** @param {number} value */
const short = (value) => value.toFixed(1);

/**
 * Squares of one kind.
 * @param {string} kinds A letter for each place, row by row.
 * @param {string} kind
 * @param {number} across Places in a row.
 * @param {number} left
 * @param {number} top
 * @param {number} pitch
 * @param {number} side
 */
export function tiles(kinds, kind, across, left, top, pitch, side) {
  const shape = `h${short(side)}v${short(side)}h-${short(side)}z`;
  let d = "";
  for (let at = 0; at < kinds.length; at++) {
    if (kinds[at] !== kind) continue;
    const x = left + (at % across) * pitch;
    d += `M${short(x)} ${short(top + Math.floor(at / across) * pitch)}${shape}`;
  }
  return d;
}

/**
 * Bars that stand on a line, at least a pixel high.
 * @param {number[]} values
 * @param {number} unit Pixels for a value of one.
 * @param {number} left
 * @param {number} base
 * @param {number} pitch
 * @param {number} wide
 */
export function bars(values, unit, left, base, pitch, wide) {
  let d = "";
  values.forEach((value, at) => {
    const high = Math.max(value * unit, 1);
    const x = short(left + at * pitch);
    d += `M${x} ${short(base - high)}h${short(wide)}v${short(high)}h${short(-wide)}z`;
  });
  return d;
}

/**
 * Squares of one kind, in planes that stand beside each other.
 * @param {any} kinds Something for each place, row by row, plane by plane.
 * @param {any} kind
 * @param {number} across Places in a row.
 * @param {number} down Rows in a plane.
 * @param {number} beside Planes in a line.
 * @param {number} gap
 * @param {number} left
 * @param {number} top
 * @param {number} pitch
 * @param {number} side
 */
export function planes(kinds, kind, across, down, beside, gap, left, top, pitch, side) {
  const shape = `h${short(side)}v${short(side)}h-${short(side)}z`;
  const [wide, high] = [across * pitch + gap, down * pitch + gap];
  let d = "";
  for (let at = 0; at < kinds.length; at++) {
    if (kinds[at] !== kind) continue;
    const plane = Math.floor(at / (across * down));
    const place = at - plane * across * down;
    const x = left + (plane % beside) * wide + (place % across) * pitch;
    const y = top + Math.floor(plane / beside) * high + Math.floor(place / across) * pitch;
    d += `M${short(x)} ${short(y)}${shape}`;
  }
  return d;
}
