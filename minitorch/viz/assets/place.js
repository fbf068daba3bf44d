// @ts-check
// Where the pointer is within the picture.

/**
 * Where the pointer is, in the units of the group that holds an element; null where the
 * element is not shown.
 * @param {Element} element
 * @param {MouseEvent} event
 */
export function within(element, event) {
  const matrix = /** @type {SVGGraphicsElement} */ (element).getScreenCTM();
  return matrix && new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
}
