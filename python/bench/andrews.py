"""Andrews' squeezing mechanism as a right side of order one: M q'' + G^T lambda = f, G q'' = -(G' q') solved for q''.

For packages that take y' = f(t, y): the 13 x 13 system is solved at every evaluation, by the solver of the package.
Names as in gallery/andrews.ves.
"""

from __future__ import annotations

import numpy as np

m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
xb, yb, xc, yc = -0.03635, 0.03273, 0.014, 0.072
c0, l0, mom = 4530, 0.07785, 0.033
d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
ss, sa, sb, sc, sd, ta, tb = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
u, ua, ub, zf, zt, fa = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
START = [-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.48736497954384254, -0.2226683901658859,
         1.2305474445498212, 0, 0, 0, 0, 0, 0, 0]
NAMES = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"]
VALUES = NAMES + [n + "'" for n in NAMES]


def system(y, sin, cos, sqrt):
    """Rows of the matrix and the right side of the system for (q'', lambda)."""
    be, th, ga, ph, de, om, ep, bp, thp, gp, php, dp, omp, epp = [y[k] for k in range(14)]
    sth, cth, sga, cga, sph, cph = sin(th), cos(th), sin(ga), cos(ga), sin(ph), cos(ph)
    sde, cde, som, com, sep, cep = sin(de), cos(de), sin(om), cos(om), sin(ep), cos(ep)
    sbe, cbe, sbt, cbt = sin(be), cos(be), sin(be + th), cos(be + th)
    spd, cpd, soe, coe = sin(ph + de), cos(ph + de), sin(om + ep), cos(om + ep)
    M = {(0, 0): m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * cth + da**2) + I1 + I2, (1, 0): m2 * (da**2 - da * rr * cth) + I2,
         (1, 1): m2 * da**2 + I2, (2, 2): m3 * (sa**2 + sb**2) + I3, (3, 3): m4 * (e - ea) ** 2 + I4,
         (4, 3): m4 * ((e - ea) ** 2 + zt * (e - ea) * sph) + I4,
         (4, 4): m4 * (zt**2 + 2 * zt * (e - ea) * sph + (e - ea) ** 2) + m5 * (ta**2 + tb**2) + I4 + I5,
         (5, 5): m6 * (zf - fa) ** 2 + I6, (6, 5): m6 * ((zf - fa) ** 2 - u * (zf - fa) * som) + I6,
         (6, 6): m6 * ((zf - fa) ** 2 - 2 * u * (zf - fa) * som + u**2) + m7 * (ua**2 + ub**2) + I6 + I7}
    A = {(0, 0): -rr * sbe + d * sbt, (0, 1): d * sbt, (0, 2): -ss * cga, (1, 0): rr * cbe - d * cbt, (1, 1): -d * cbt,
         (1, 2): -ss * sga, (2, 0): -rr * sbe + d * sbt, (2, 1): d * sbt, (2, 3): -e * cpd, (2, 4): -e * cpd + zt * sde,
         (3, 0): rr * cbe - d * cbt, (3, 1): -d * cbt, (3, 3): -e * spd, (3, 4): -e * spd - zt * cde,
         (4, 0): -rr * sbe + d * sbt, (4, 1): d * sbt, (4, 5): zf * soe, (4, 6): zf * soe - u * cep,
         (5, 0): rr * cbe - d * cbt, (5, 1): -d * cbt, (5, 5): -zf * coe, (5, 6): -zf * coe - u * sep}
    K = [[0.0] * 13 for _ in range(13)]
    for (i, j), x in M.items():
        K[i][j] = K[j][i] = x
    for (i, j), x in A.items():
        K[7 + i][j] = K[j][7 + i] = x
    xd, yd = sd * cga + sc * sga + xb, sd * sga - sc * cga + yb
    length = sqrt((xd - xc) ** 2 + (yd - yc) ** 2)
    force = -c0 * (length - l0) / length
    fx, fy = force * (xd - xc), force * (yd - yc)
    r = [mom - m2 * da * rr * thp * (thp + 2 * bp) * sth, m2 * da * rr * bp**2 * sth,
         fx * (sc * cga - sd * sga) + fy * (sd * cga + sc * sga), m4 * zt * (e - ea) * dp**2 * cph,
         -m4 * zt * (e - ea) * php * (php + 2 * dp) * cph, -m6 * u * (zf - fa) * epp**2 * com,
         m6 * u * (zf - fa) * omp * (omp + 2 * epp) * com]
    x = rr * cbe * bp**2 - d * cbt * (bp + thp) ** 2
    z = rr * sbe * bp**2 - d * sbt * (bp + thp) ** 2
    r += [x - ss * sga * gp**2, z + ss * cga * gp**2,
          x - e * spd * (php + dp) ** 2 - zt * cde * dp**2, z + e * cpd * (php + dp) ** 2 - zt * sde * dp**2,
          x - zf * coe * (omp + epp) ** 2 - u * sep * epp**2, z - zf * soe * (omp + epp) ** 2 + u * cep * epp**2]
    return K, r


def numbers(t, y):
    import math

    K, r = system(y, math.sin, math.cos, math.sqrt)
    return np.concatenate([y[7:], np.linalg.solve(np.array(K), np.array(r))[:7]])


def of_casadi(y):
    import casadi as ca

    K, r = system([y[k] for k in range(14)], ca.sin, ca.cos, ca.sqrt)
    matrix = ca.vertcat(*[ca.horzcat(*row) for row in K])
    return ca.vertcat(y[7:], ca.solve(matrix, ca.vertcat(*r))[:7])


def of_jax(y):
    import jax.numpy as jnp

    K, r = system(y, jnp.sin, jnp.cos, jnp.sqrt)
    return jnp.concatenate([y[7:], jnp.linalg.solve(jnp.array(K), jnp.array(r))[:7]])
