"use strict";
// The status page: filters, search, and links to single claims.
(() => {
  const FIELDS = ["paper", "section", "verdict", "evidence", "full"];
  const control = (name) => document.getElementById(`filter-${name}`);
  const claims = [...document.querySelectorAll("details.claim")].map((element) => ({
    element,
    text: `${element.id} ${element.querySelector("summary").textContent}`.toLowerCase(),
  }));

  function matches({ element, text }) {
    for (const field of FIELDS) {
      const wanted = control(field).value;
      if (wanted && !element.dataset[field].split(" ").includes(wanted)) return false;
    }
    return control("text").value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  function filter() {
    let shown = 0;
    for (const claim of claims) {
      claim.element.hidden = !matches(claim);
      if (!claim.element.hidden) shown += 1;
    }
    document.getElementById("count").textContent =
      shown === claims.length ? `${shown} claims` : `${shown} of ${claims.length} claims`;
  }

  function openLinked() {
    const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!linked || !linked.matches("details.claim")) return;
    if (linked.hidden) {
      document.getElementById("filters").reset();
      filter();
    }
    linked.open = true;
    window.typesetFormulas(linked);
    window.settleAt(linked);
    linked.querySelector("summary").focus({ preventScroll: true });
  }

  document.getElementById("filters").addEventListener("input", filter);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("filters").addEventListener("reset", () => setTimeout(filter));
  for (const button of document.querySelectorAll(".tally button")) {
    button.addEventListener("click", () => {
      document.getElementById("filters").reset();
      control("verdict").value = button.dataset.verdict;
      control("paper").value = button.dataset.paper;
      filter();
      document.getElementById("filters").scrollIntoView({ block: "start" });
    });
  }
  window.addEventListener("hashchange", openLinked);
  filter(); // a browser may have kept what was chosen before a reload
  window.addEventListener("load", openLinked);
})();
