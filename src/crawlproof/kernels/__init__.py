"""The small functions that stable formulas are written in, for three kinds of numbers.

``float64`` works on numpy arrays, ``multiprecision`` on mpmath numbers at the caller's
precision, ``balls`` on python-flint's ``arb``. The same names mean the same functions:

=====================  ==================================================================
psi(x)                 x - 1 + exp(-x)
phi1(x)                (1 - exp(-x))/x
chi(x)                 psi(x)/x = 1 - phi1(x)
psi2(x)                psi(x)/x**2
price_at_age(v)        1 - (1 + v) exp(-v)
age_at_price(k)        the v > 0 with price_at_age(v) = k, that is -1 - W_{-1}((k - 1)/e)
exp_moment(n, x)       the integral of u**n exp(-u x) for u from 0 to 1; n a small integer
gamma_chi(a, x)        1 - (a/(a - 1)) (1 - (1 + x/a)**(1 - a))/x, the mean of chi(x Z) for a
                       gamma distributed Z of mean 1 and shape a
gamma_price(a, x)      x**2 times the derivative of gamma_chi in x: the mean of price_at_age(x Z)/Z
mean_excess(m, k, mu)  m - k/mu
relative_excess(m, k, mu)  1 - k/(m mu)
=====================  ==================================================================

Nothing here imports sympy.
"""
