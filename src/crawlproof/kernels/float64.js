// Kernels in float64 for a browser: the counterpart of float64.py, number by number.
// The switch points, series and limits are explained there; a test compares the two.
"use strict";
globalThis.crawlproofKernels = (() => {
  const PSI_SWITCH = 0.8125, PHI1_SWITCH = 1.125, CHI_SWITCH = 1.125, PSI2_SWITCH = 1.5;
  const PRICE_SERIES_END = 1.0, PRICE_CLOSED_FROM = 1.6875, TINY = 2 ** -400, EXP_END = 64, JENSEN_SLACK = 2 ** -50;
  const LESS_LOG1P_SWITCH = 1, GAMMA_SWITCH = 1.5;

  const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
  const series = (terms, term) => Array.from({ length: terms }, (_, n) => term(n));
  const PSI_TAIL = series(22, (n) => 1 / factorial(n + 3));
  const PRICE_TAIL = series(22, (n) => (n + 2) / factorial(n + 3));
  const EXP_TAIL = series(24, (n) => 1 / factorial(n + 2));
  const RISE = series(24, (n) => (n === 0 ? 0 : 1 / factorial(n + 1)));
  const ATANH_TAIL = series(28, (n) => 1 / (2 * n + 3));

  const alternating = (coefficients, x) => coefficients.reduceRight((total, c) => c - x * total, 0);
  const horner = (coefficients, x) => coefficients.reduceRight((total, c) => c + x * total, 0);

  function point(kernel, name, x, positive = false) {
    if (typeof x !== "number" || !(positive ? x > 0 : x >= 0)) {
      throw new RangeError(`${kernel}: ${name} must be ${positive ? "> 0" : ">= 0"}, got ${x}`);
    }
    return x;
  }

  function twoProduct(a, b) {
    const split = (x) => {
      const t = (2 ** 27 + 1) * x, high = t - (t - x);
      return [high, x - high];
    };
    const p = a * b, [ah, al] = split(a), [bh, bl] = split(b);
    return [p, ah * bh - p + ah * bl + al * bh + al * bl];
  }
  function twoSum(a, b) {
    const s = a + b, t = s - a;
    return [s, a - (s - t) + (b - t)];
  }
  function halfSquareLess(x, tail) {
    const [square, residual] = twoProduct(x, x);
    return 0.5 * square - (square * (x * tail) - 0.5 * residual);
  }
  const expMinus = (x) => Math.exp(-Math.min(x, EXP_END));

  function psi(x) {
    point("psi", "x", x);
    if (x < TINY) return 0.5 * x * x;
    return x < PSI_SWITCH ? halfSquareLess(x, alternating(PSI_TAIL, x)) : x - 1 + expMinus(x);
  }
  function phi1(x) {
    point("phi1", "x", x);
    if (x >= PHI1_SWITCH) return (1 - expMinus(x)) / x;
    const head = 1 - 0.5 * x, lost = 1 - head - 0.5 * x;
    return head + (x * x * alternating(PSI_TAIL, x) + lost);
  }
  function chi(x) {
    point("chi", "x", x);
    if (x < CHI_SWITCH) return 0.5 * x - x * x * alternating(PSI_TAIL, x);
    const large = Math.min(x, 2 ** 60);
    const [head, lost] = twoSum(large - 1, expMinus(large));
    return head / large + lost / large;
  }
  function psi2(x) {
    point("psi2", "x", x);
    return x < PSI2_SWITCH ? 0.5 - x * alternating(PSI_TAIL, x) : chi(x) / x;
  }
  function price_at_age(v) {
    point("price_at_age", "v", v);
    if (v < TINY) return 0.5 * v * v;
    if (v < PRICE_SERIES_END) return halfSquareLess(v, alternating(PRICE_TAIL, v));
    if (v < PRICE_CLOSED_FROM) return v * v * horner(EXP_TAIL, v) * Math.exp(-v);
    const large = Math.min(v, EXP_END);
    return 1 - (1 + large) * Math.exp(-large);
  }
  function lessLog1p(v) {
    if (v >= 2) return v - Math.log1p(v);
    const s = v / (2 + v), square = s * s;
    return s * (v - 2 * square * horner(ATANH_TAIL, square));
  }
  function age_at_price(k) {
    point("age_at_price", "k", k, true);
    if (k >= 1) throw new RangeError(`age_at_price: k must be < 1, got ${k}`);
    const target = -Math.log1p(-k), w = Math.sqrt(2 * target);
    if (target < 2 ** -64) return w + (w * w) / 3;
    const far = (t) => t + Math.log1p(t + Math.log1p(t + Math.log1p(t)));
    let v = w < 2 ? w * (1 + w * (1 / 3 + w * (1 / 36 - w / 270))) : far(target);
    for (let step = 0; step < 3; step += 1) {
      const error = lessLog1p(v) - target;
      v -= error / (v / (1 + v) - (0.5 * error) / (v * (1 + v)));
    }
    return v;
  }
  function exp_moment(n, x) {
    if (!Number.isInteger(n) || n < 0) throw new RangeError(`exp_moment: n must be an integer >= 0, got ${n}`);
    if (n === 0) return phi1(x);
    point("exp_moment", "x", x);
    if (x < n + 2) {
      let total = 1;
      for (let k = 24 + 6 * n; k > 0; k -= 1) total = 1 + (x * total) / (n + 1 + k);
      return (Math.exp(-x) * total) / (n + 1);
    }
    const decay = Math.exp(-x);
    let moment = (1 - decay) / x;
    for (let k = 1; k <= n; k += 1) moment = (k * moment - decay) / x;
    return moment;
  }

  // Gamma mixtures, written as in kernels/float64.py: no difference of nearby numbers is left.
  function restLog1p(v) {
    if (v >= LESS_LOG1P_SWITCH) return 1 - Math.log1p(v) / v;
    const s = v / (2 + v);
    return s * (1 - (2 * s * horner(ATANH_TAIL, s * s)) / (2 + v));
  }
  const clippedShape = (a) => Math.min(Math.max(a, 2 ** -60), 2 ** 60);
  function divided(coefficients, x, y) {
    let value = coefficients[coefficients.length - 1], difference = 0;
    for (let n = coefficients.length - 2; n >= 0; n -= 1) {
      difference = value + y * difference;
      value = coefficients[n] + x * value;
    }
    return difference;
  }
  function gamma_chi(shape, x) {
    point("gamma_chi", "a", shape, true);
    point("gamma_chi", "x", x);
    const a = clippedShape(shape), u = x / a, rest = restLog1p(u), w = Math.log1p(u);
    if (a >= 1) return rest + (1 - rest) * chi((a - 1) * w);
    const b = 1 - a;
    if (w < GAMMA_SWITCH) return a * (1 - rest) * w * divided(RISE, w, b * w);
    return a * w * ((1 + 1 / u) * phi1(a * w) - (Math.exp(b * w) / u) * phi1(b * w));
  }
  function gamma_price(shape, x) {
    point("gamma_price", "a", shape, true);
    point("gamma_price", "x", x);
    const a = clippedShape(shape), u = x / a;
    if (a >= 1) {
      const p = (a - 1) / a, age = u < 2 ** -60 ? x : a * Math.log1p(u), flat = phi1(age / a);
      const level = age * (chi(age / a) + flat * restLog1p(p * age * flat));
      return level * phi1(p * level);
    }
    const b = 1 - a, w = Math.log1p(u);
    if (w < 1) {
      return a * a * w * w * (b * horner(EXP_TAIL, b * w) + a * alternating(EXP_TAIL, a * w));
    }
    return a * a * w * (Math.exp(b * w) * phi1(b * w) - phi1(a * w));
  }

  // x as mantissa times 2**exponent, the mantissa in [1/2, 1).
  function frexp(x) {
    if (x === 0) return [0, 0];
    let exponent = Math.max(-1022, Math.floor(Math.log2(x)) + 1);
    // In two steps: 2**-exponent alone may overflow.
    let mantissa = x * 2 ** -Math.trunc(exponent / 2) * 2 ** -(exponent - Math.trunc(exponent / 2));
    while (mantissa < 0.5) (mantissa *= 2), (exponent -= 1);
    while (mantissa >= 1) (mantissa /= 2), (exponent += 1);
    return [mantissa, exponent];
  }
  const ldexp = (x, exponent) => x * 2 ** Math.trunc(exponent / 2) * 2 ** (exponent - Math.trunc(exponent / 2));

  function scaledExcess(kernel, mean, kappa, mu) {
    point(kernel, "mean", mean, true);
    point(kernel, "kappa", kappa);
    point(kernel, "mu", mu, true);
    for (const [name, value] of Object.entries({ mean, kappa, mu })) {
      if (value === Infinity) throw new RangeError(`${kernel}: ${name} must be finite, got Infinity`);
    }
    const [m, meanExponent] = frexp(mean), [k, kappaExponent] = frexp(kappa), [u, muExponent] = frexp(mu);
    const [product, residual] = twoProduct(m, u);
    const shift = Math.min(1000, Math.max(-1080, kappaExponent - meanExponent - muExponent));
    const [head, lost] = twoSum(product, -ldexp(k, shift));
    return { difference: head + (lost + residual), product, residual, mu: u, exponent: meanExponent };
  }
  function mean_excess(mean, kappa, mu) {
    const found = scaledExcess("mean_excess", mean, kappa, mu);
    return ldexp(found.difference / found.mu, found.exponent);
  }
  function relative_excess(mean, kappa, mu) {
    const { difference, product, residual } = scaledExcess("relative_excess", mean, kappa, mu);
    const ratio = difference / product;
    return ratio - ratio * (residual / product);
  }

  // What every generated function does around its formula, as kernels/domain.py does.
  const COMPARISONS = { ">": (x, b) => x > b, ">=": (x, b) => x >= b, "<": (x, b) => x < b, "<=": (x, b) => x <= b };
  const RULES = {
    jensen: {
      text: "-log_laplace <= change_rate*mean_access_time (Jensen)",
      needs: ["change_rate", "mean_access_time", "log_laplace"],
      excess: (rate, mean, log) => relative_excess(mean, -log, rate),
    },
  };
  function checked(name, domain, { rules, nonnegative }, formula) {
    const words = Object.keys(domain);
    return (...values) => {
      const given = Object.fromEntries(words.map((word, n) => [word, values[n]]));
      for (const word of words) {
        const value = given[word];
        const inside = Number.isFinite(value) && domain[word].split(" and ").every((part) => {
          const [sign, bound] = part.trim().split(" ");
          return COMPARISONS[sign](value, Number(bound));
        });
        if (!inside) throw new RangeError(`${name}: ${word} must be finite and ${domain[word]}, got ${value}`);
      }
      for (const key of rules) {
        const rule = RULES[key], involved = rule.needs.map((word) => given[word]);
        if (rule.excess(...involved) < -JENSEN_SLACK) {
          const listed = rule.needs.map((word, n) => `${word} = ${involved[n]}`).join(", ");
          throw new RangeError(`${name}: needs ${rule.text}, got ${listed}`);
        }
      }
      const result = formula(...values);
      if (!Number.isFinite(result)) {
        throw new RangeError(`${name}: no finite value at ${words.map((word) => `${word} = ${given[word]}`).join(", ")}`);
      }
      return nonnegative ? Math.max(result, 0) : result;
    };
  }

  return { psi, phi1, chi, psi2, price_at_age, age_at_price, exp_moment, gamma_chi, gamma_price, mean_excess, relative_excess, checked };
})();
