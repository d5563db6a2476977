"use strict";
// What every page does. It typesets the formulas that it carries as \(...\) and \[...\] (where there are many,
// a formula is typeset when it comes near the screen), lands where a link says, and lets the keyboard scroll
// whatever is wider than its place.
(() => {
  const MANY = 300;

  function typeset(element) {
    const text = element.textContent.trim();
    const display = text.startsWith("\\[");
    if (!display && !text.startsWith("\\(")) return;
    let source = text.slice(2, -2).trim();
    // Sphinx and notebooks may wrap what is an environment or in dollars already.
    source = source.replace(/^\$+|\$+$/g, "").trim();
    katex.render(source, element, {
      displayMode: display,
      throwOnError: false,
      strict: false,
      macros: { "\\bm": "\\boldsymbol{#1}" },
    });
    element.classList.add("typeset");
  }

  function start() {
    const waiting = [...document.querySelectorAll(".math")].filter((e) => !e.classList.contains("typeset"));
    if (waiting.length <= MANY) {
      waiting.forEach(typeset);
    } else {
      const observer = new IntersectionObserver(
        (entries) => {
          for (const entry of entries) {
            if (entry.isIntersecting) {
              observer.unobserve(entry.target);
              typeset(entry.target);
            }
          }
        },
        { rootMargin: "800px" },
      );
      waiting.forEach((element) => observer.observe(element));
      window.addEventListener("beforeprint", () => waiting.forEach((e) => e.classList.contains("typeset") || typeset(e)));
    }
  }

  function letKeyboardScroll() {
    for (const element of document.querySelectorAll("pre, div.math, .table-wrapper")) {
      if (element.scrollWidth > element.clientWidth + 1) element.tabIndex = 0;
    }
  }

  // Formulas and pictures change the height of what is above a linked place: go there again until it stays,
  // but never against a reader who has begun to scroll.
  window.settleAt = (element) => {
    let frames = 40, moved = false;
    for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"]) {
      window.addEventListener(kind, () => (moved = true), { once: true, passive: true });
    }
    const again = () => {
      if (moved || frames-- === 0) return;
      element.scrollIntoView({ block: "start" });
      requestAnimationFrame(again);
    };
    again();
  };
  window.addEventListener("load", () => {
    letKeyboardScroll();
    const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (linked) window.settleAt(linked);
  });

  window.typesetFormulas = (root) =>
    root.querySelectorAll(".math:not(.typeset)").forEach(typeset);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
