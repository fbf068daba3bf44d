// @ts-check
// A live view within a notebook's widget: its state is the kernel's too. Must not know
// views.

import { open } from "./frame.js";

/**
 * @typedef {object} Model What the widget's front end gives: fields shared with the kernel.
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 * @property {(event: string, act: () => void) => void} off
 */

/** @param {import("./frame.js").Attach} attach */
export function widgetOf(attach) {
  /** @param {{model: Model, el: HTMLElement}} place */
  async function render({ model, el }) {
    el.innerHTML = model.get("part");
    const root = /** @type {HTMLElement} */ (el.querySelector(".mt-live"));
    const view = await open(root, attach, tell);
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
  return { render };
}
