"use strict";
// Typesets the formulas that the pages carry as \(...\) and \[...\].
// A page with many of them (the status of all claims) typesets a formula when it comes near the screen.
(() => {
  const MANY = 600;

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

  window.typesetFormulas = (root) =>
    root.querySelectorAll(".math:not(.typeset)").forEach(typeset);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
