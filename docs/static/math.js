"use strict";
// Typesets the formulas that the pages carry as \(...\) and \[...\].
// A page with many of them (the status of all claims) typesets a formula when it comes near the screen.
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
    const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (linked) window.settleAt(linked);
  });

  window.typesetFormulas = (root) =>
    root.querySelectorAll(".math:not(.typeset)").forEach(typeset);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
