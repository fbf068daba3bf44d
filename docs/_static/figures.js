// Frames with live figures: their height, the page's light or dark, and the state of a
// figure in the page's address, such as lesson.html#mt123?step=62&thread=42.
"use strict";

const frames = [...document.querySelectorAll("iframe.figure")];
const theme = () => document.body.dataset.theme ?? "auto";
const follow = (frame) => frame.contentWindow.postMessage({ theme: theme() }, "*");
let [name, state] = location.hash.slice(1).split("?");
const named = frames.find((frame) => frame.id === name);

addEventListener("message", ({ source, data }) => {
  const frame = frames.find((other) => other.contentWindow === source);
  if (!frame) return;
  if (data.figureHeight) {
    frame.style.aspectRatio = "auto";
    frame.style.height = `${Math.ceil(data.figureHeight)}px`;
    follow(frame);
    if (frame === named && state) frame.src += `#${state}`; // loads nothing again
    if (frame === named) state = "";
  }
  if (data.figureState) history.replaceState(null, "", `#${frame.id}?${data.figureState}`);
});
new MutationObserver(() => frames.forEach(follow))
  .observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
if (named) addEventListener("load", () => named.scrollIntoView({ behavior: "instant" }));
