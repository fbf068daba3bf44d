// @ts-check
// A figure within a notebook's widget: its state is the kernel's too.

import { open } from "./scene.js";

/**
 * @typedef {object} Model What the widget's front end gives: fields shared with the kernel.
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 * @property {(event: string, act: () => void) => void} off
 */

/** @param {{model: Model, el: HTMLElement}} place */
export async function render({ model, el }) {
  el.innerHTML = model.get("part");
  const view = await open(/** @type {HTMLElement} */ (el.querySelector(".mt-live")), tell);
  follow();
  model.on("change:state", follow);
  return () => model.off("change:state", follow);

  function tell() {
    model.set("state", view.state());
    model.save_changes();
  }

  // Another view of the figure, or the kernel: it may name a part of the state.
  function follow() {
    const wanted = model.get("state");
    if (JSON.stringify(wanted) === JSON.stringify(view.state())) return;
    try {
      if (Object.keys(wanted).length) view.show(wanted);
    } catch (error) {
      console.error(error);
    }
    if (JSON.stringify(wanted) !== JSON.stringify(view.state())) tell();
  }
}
