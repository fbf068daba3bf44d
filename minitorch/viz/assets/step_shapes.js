// @ts-check
// Lengths and paths of the step view, spelled as Python's `step_layout` does.

/** @param {number} value */
export function tenth(value) {
  return Math.floor(value * 10 + 0.5) / 10;
}

/**
 * A rectangle as a part of a path, with round corners.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} [r]
 */
export function box(x, y, w, h, r = 0) {
  const [left, top, wide, high] = [tenth(x), tenth(y), tenth(w), tenth(h)];
  if (!r) return `M${left} ${top}h${wide}v${high}h${-wide}z`;
  const across = tenth(wide - 2 * r);
  const down = tenth(high - 2 * r);
  const turn = `a${r} ${r} 0 0 1 `;
  return (
    `M${tenth(left + r)} ${top}h${across}${turn}${r} ${r}v${down}${turn}${-r} ${r}` +
    `h-${across}${turn}${-r} ${-r}v-${down}${turn}${r} ${-r}z`
  );
}

/**
 * Give an element attributes; undefined takes one away.
 * @param {SVGElement} element
 * @param {Record<string, string | number | undefined>} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const words = String(value);
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== words) element.setAttribute(name, words);
  }
}

/**
 * @param {SVGElement} element
 * @param {string} words
 */
export function say(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/**
 * A value in so many letters, as Python's `fitted`.
 * @param {string} words
 * @param {number} most
 */
export function fitted(words, most) {
  if (words.length <= most) return words;
  const found = /^(-?[\d,]+)\.(\d+)(e.*)?$/.exec(words);
  if (found) {
    const power = found[3] ?? "";
    const digits = found[2].slice(0, Math.max(most - found[1].length - 1 - power.length, 0));
    const short = digits ? `${found[1]}.${digits}${power}` : found[1] + power;
    if (short.length <= most) return /[1-9]/.test(short) ? short : "≈0";
  }
  return `${words.slice(0, most - 1)}…`;
}

/**
 * A long name with its middle left out, as Python's `shortened`.
 * @param {string} words
 * @param {number} most
 */
export function shortened(words, most) {
  if (words.length <= most) return words;
  const head = Math.floor(most / 2);
  return `${words.slice(0, head)}…${words.slice(words.length - (most - 1 - head))}`;
}
