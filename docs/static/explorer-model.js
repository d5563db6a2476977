"use strict";
// The numbers of the explorer, without its page: laws, policies and their cost over the generated formulas.
globalThis.explorerModel = (() => {
  const kernels = globalThis.crawlproofKernels, formulas = globalThis.crawlproofFormulas;
  const PHI = (1 + Math.sqrt(5)) / 2;

  // kappa = -ln E exp(-rate X), with mean access time 1.
  const minusLogPhi1 = (x) => (x < 1 ? -Math.log1p(-kernels.chi(x)) : -Math.log(kernels.phi1(x)));
  const LAWS = {
    constant: (rate) => rate,
    uniform: (rate) => minusLogPhi1(2 * rate),
    gamma4: (rate) => 4 * Math.log1p(rate / 4),
    exponential: (rate) => Math.log1p(rate),
  };

  function place(pages) {
    let power = 1;
    while (power / pages < 1) power *= PHI;
    return Math.min(power / pages, PHI);
  }
  const wave = (pages, relativeRate) => formulas.golden_ratio_ratio(place(pages), relativeRate);

  // The three gaps of a page under the golden ratio policy and their probabilities (CLW-G19).
  function gapLaw(frequency) {
    let power = PHI, first = 1, second = 1;
    while (frequency * power < 1) (power *= PHI), ([first, second] = [second, first + second]);
    const scaled = frequency * power;
    const weights = [scaled - 1, scaled - 1 / PHI, Math.max(PHI - scaled, 0)];
    return { gaps: [first, second, first + second], probabilities: weights.map((w) => w / scaled) };
  }

  // Share of time for which a page with these gaps is out of date: Lemma 3.1 over the mean cycle.
  function obsolescence({ gaps, probabilities }, rate, kappa) {
    let lost = 0, length = 0;
    gaps.forEach((gap, n) => {
      lost += probabilities[n] * formulas.expected_obsolescence(gap, rate, 1, -kappa);
      length += probabilities[n] * gap;
    });
    return lost / length;
  }
  const spaced = (distance, rate, kappa) => formulas.expected_obsolescence(distance, rate, 1, -kappa) / distance;

  // Cost over the lower bound for equal pages with a constant access time, exactly; q is the rate of all pages.
  function equalPages(pages, q) {
    const rate = q / pages;
    return obsolescence(gapLaw(1 / pages), rate, rate) / spaced(pages, rate, rate);
  }

  function goldenAccesses(frequencies, count) {
    const ends = [];
    frequencies.reduce((total, f, n) => (ends[n] = total + f), 0);
    return Array.from({ length: count }, (_, n) => {
      const point = (n / PHI) % 1;
      const page = ends.findIndex((end) => point < end);
      return page < 0 ? frequencies.length - 1 : page;
    });
  }
  // A fixed stream of numbers in (0, 1), so that the page shows the same schedule every time.
  function* numbers() {
    for (let state = 1; ; ) {
      state = (state * 48271) % 2147483647;
      yield state / 2147483647;
    }
  }
  function randomAccesses(frequencies, count) {
    const stream = numbers();
    return Array.from({ length: count }, () => {
      let point = stream.next().value, page = 0;
      while (page < frequencies.length - 1 && point >= frequencies[page]) (point -= frequencies[page]), (page += 1);
      return page;
    });
  }

  function crawl(rates, lawName, policy) {
    if (!rates.length || rates.some((rate) => !(rate > 0 && Number.isFinite(rate)))) {
      const bad = rates.find((rate) => !(rate > 0 && Number.isFinite(rate)));
      throw new RangeError(`change rates must be numbers > 0, got ${bad}`);
    }
    const law = LAWS[lawName], kappas = rates.map(law), total = kappas.reduce((a, b) => a + b, 0), size = rates.length;
    const best = kappas.map((kappa) => formulas.optimal_frequency(kappa, total));
    const frequencies = policy === "round-robin" ? rates.map(() => 1 / size) : best;
    const bounds = frequencies.map((f, i) => spaced(1 / Math.min(f, 1), rates[i], kappas[i]));
    const stale = frequencies.map((f, i) => {
      if (policy === "randomized") return formulas.randomized_obsolescence(f, rates[i], 1, -kappas[i]);
      return policy === "golden-ratio" ? obsolescence(gapLaw(Math.min(f, 1)), rates[i], kappas[i]) : spaced(size, rates[i], kappas[i]);
    });
    const cost = (values) => values.reduce((sum, value, i) => sum + rates[i] * value, 0);
    const least = cost(best.map((f, i) => spaced(1 / Math.min(f, 1), rates[i], kappas[i])));
    const first = 60;
    const accesses =
      policy === "golden-ratio" ? goldenAccesses(frequencies, first)
      : policy === "randomized" ? randomAccesses(frequencies, first)
      : Array.from({ length: first }, (_, n) => n % size);
    return { frequencies, bounds, stale, cost: cost(stale), bound: least, ratio: cost(stale) / least, accesses };
  }

  return { LAWS, PHI, place, wave, gapLaw, equalPages, crawl };
})();
