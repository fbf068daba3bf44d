// @ts-check
// The step from a picture as an image to a picture in the page, which follows the
// page's theme and can be moved.

/**
 * The SVG within `root`, put there in place of an image of it.
 * @param {Element} root
 */
export function inlined(root) {
  const image = /** @type {HTMLImageElement | null} */ (root.querySelector("img"));
  if (image) {
    const bytes = atob(image.src.slice(image.src.indexOf(",") + 1));
    const codes = Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
    image.outerHTML = new TextDecoder().decode(codes);
  }
  return /** @type {SVGSVGElement} */ (root.querySelector("svg"));
}

/**
 * Put the picture itself into every copy of a still figure on this page.
 * @param {string} name
 */
export function start(name) {
  for (const root of document.querySelectorAll(`[data-still="${name}"]`)) inlined(root);
}
