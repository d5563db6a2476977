"use strict";
// The explorer's page: reads the controls, asks explorer-model.js, shows numbers and a plot.
(() => {
  const model = window.explorerModel, formulas = window.crawlproofFormulas;
  const by = (id) => document.getElementById(id);
  const digits = (value, count = 4) => Number(value).toPrecision(count);

  // ------------------------------------------------------------------ the wave
  const WIDTH = 720, HEIGHT = 280, LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 30, LOW = 1, HIGH = 1.125, MOST = 400;
  const across = (pages) => LEFT + ((Math.log(pages) - Math.log(2)) / Math.log(MOST / 2)) * (WIDTH - LEFT - RIGHT);
  const down = (ratio) => TOP + ((HIGH - ratio) / (HIGH - LOW)) * (HEIGHT - TOP - BOTTOM);
  const printed = formulas.golden_ratio_ratio(1, 0);
  const correct = formulas.golden_ratio_ratio(model.PHI ** 2 / 2, 0);
  by("wave-printed").textContent = `2φ²/5 = ${printed.toFixed(4)}`;
  by("wave-correct").textContent = `φ⁵/10 = ${correct.toFixed(4)}`;

  function drawWave() {
    const pages = Number(by("wave-pages").value), exponent = Number(by("wave-rate").value);
    const rate = 10 ** exponent;
    by("wave-pages-value").textContent = pages;
    by("wave-rate-value").textContent = digits(rate, 2);
    const points = [];
    for (let n = 2; n <= MOST; n *= 1.004) points.push(`${across(n).toFixed(1)} ${down(model.wave(n, rate)).toFixed(1)}`);
    const dots = [];
    for (let n = 2; n <= MOST; n += n < 60 ? 1 : n < 150 ? 2 : 4) dots.push(`<circle class="exact" cx="${across(n).toFixed(1)}" cy="${down(model.equalPages(n, rate)).toFixed(1)}" r="1.8"/>`);
    const ratio = model.equalPages(pages, rate);
    const grid = [1, 1.025, 1.05, 1.075, 1.1, 1.125].map((y) => `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(y)}" y2="${down(y)}"/><text x="${LEFT - 6}" y="${down(y) + 4}" text-anchor="end">${y.toFixed(3)}</text>`);
    const ticks = [2, 5, 10, 20, 50, 100, 200, 400].map((n) => `<text x="${across(n)}" y="${HEIGHT - 8}" text-anchor="${n === 400 ? "end" : "middle"}">${n}</text>`);
    by("wave-plot").innerHTML = `<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Cost over the lower bound against the number of equal pages; at ${pages} pages it is ${ratio.toFixed(4)}.">
      ${grid.join("")}${ticks.join("")}
      <line class="printed" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(printed)}" y2="${down(printed)}"/>
      <line class="correct" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(correct)}" y2="${down(correct)}"/>
      <path class="wave" d="M${points.join("L")}"/>${dots.join("")}
      <circle class="now" cx="${across(pages)}" cy="${down(ratio)}" r="6"/></svg>`;
    const above = ratio > printed ? "above" : "not above";
    by("wave-result").textContent = `${pages} equal pages cost ${ratio.toFixed(6)} times the lower bound, ${above} the printed ${printed.toFixed(4)}. For many pages at the same place of the wave the limit is ${model.wave(pages, rate).toFixed(6)}.`;
  }

  // ------------------------------------------------------------------ the crawl
  function chosenRates() {
    const kind = by("crawl-rates").value, load = Number(by("crawl-load").value), pages = Number(by("crawl-pages").value);
    let rates;
    if (kind === "own") {
      rates = by("crawl-own").value.trim().split(/[\s,;]+/).map((text) => {
        const value = Number(text);
        if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`change rates must be numbers > 0, got “${text}”`);
        return value;
      });
    } else {
      if (!Number.isInteger(pages) || pages < 1 || pages > 200) throw new RangeError(`pages must be a whole number from 1 to 200, got “${by("crawl-pages").value}”`);
      const shape = { equal: () => 1, zipf: (i) => 1 / (i + 1), geometric: (i) => 2 ** -i }[kind];
      rates = Array.from({ length: pages }, (_, i) => shape(i));
    }
    if (!(load > 0 && Number.isFinite(load))) throw new RangeError(`changes per mean access must be a number > 0, got “${by("crawl-load").value}”`);
    const sum = rates.reduce((a, b) => a + b, 0);
    return rates.map((rate) => (rate / sum) * load);
  }

  function drawCrawl() {
    by("crawl-own-label").hidden = by("crawl-rates").value !== "own";
    by("crawl-error").textContent = "";
    let rates, found;
    try {
      rates = chosenRates();
      found = model.crawl(rates, by("crawl-law").value, by("crawl-policy").value);
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      by("crawl-error").textContent = problem.message;
      by("crawl-result").textContent = "";
      return;
    }
    by("crawl-result").textContent = `Cost ${digits(found.cost, 6)}, lower bound ${digits(found.bound, 6)}: ratio ${found.ratio.toFixed(6)}.`;
    by("crawl-schedule").textContent = found.accesses.map((page) => page + 1).join(" ");
    by("crawl-table").querySelector("tbody").innerHTML = rates
      .map((rate, i) => `<tr><th scope="row">${i + 1}</th><td>${digits(rate)}</td><td>${digits(found.frequencies[i])}</td><td>${(100 * found.stale[i]).toFixed(3)} %</td><td>${(100 * found.bounds[i]).toFixed(3)} %</td><td>${(found.stale[i] / found.bounds[i]).toFixed(4)}</td></tr>`)
      .join("");
  }

  for (const id of ["wave-pages", "wave-rate"]) by(id).addEventListener("input", drawWave);
  for (const id of ["crawl-pages", "crawl-rates", "crawl-own", "crawl-load", "crawl-law", "crawl-policy"]) by(id).addEventListener("input", drawCrawl);
  drawWave();
  drawCrawl();
})();
