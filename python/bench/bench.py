"""Time of a whole warm call from Python at equal achieved error, ours beside other packages (those that are installed).

    python bench.py [--error 1e-6] [--problems lorenz,…] [--json FILE]

Each is run at tolerances 1e-4 … 1e-11; the error is that at the end, relative to the largest value, against runs at
1e-13 of two methods of ours which must agree. The table has the time at the error asked for, by interpolation.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import peers
from problems import PROBLEMS

TOLERANCES = 10.0 ** -np.arange(4, 12)


def call_time(solve, rtol, budget):
    best, spent, n = np.inf, 0.0, 0
    while (spent < budget and n < 200) or n < 2:
        begin = time.perf_counter()
        values = solve(rtol)
        took = time.perf_counter() - begin
        best, spent, n = min(best, took), spent + took, n + 1
        if took > 20:
            break
    return best, values


def reference(p, name):
    methods = ("radau9", "radau5") if p["stiff"] else ("dop853", "taylor")
    a, b = (peers.vessiot(p, name, m)(t) for m, t in zip(methods, (1e-12, 1e-12)))
    print(f"{name}: the two references differ by {np.abs(a - b).max() / np.abs(a).max():.1e}", flush=True)
    return a


def measure(make, p, name, method, exact, budget):
    solve = make(p, name, method)
    if solve is None:
        return None
    points = []
    for rtol in TOLERANCES:
        try:
            solve(rtol)  # compiled, and warm
            seconds, values = call_time(solve, rtol, budget)
        except Exception as error:
            points.append(dict(rtol=rtol, problem=f"{type(error).__name__}: {error}"[:200]))
            continue
        points.append(dict(rtol=rtol, seconds=seconds, error=float(np.abs(values - exact).max() / np.abs(exact).max())))
        if seconds > 10:
            break
    return points


def at_error(points, wanted):
    """The least time at which the error is that or smaller, between the points of the work-precision curve."""
    good = sorted((q["error"], q["seconds"]) for q in points if "seconds" in q and q["error"] > 0)
    for (e0, s0), (e1, s1) in zip(good, good[1:]):
        if e0 <= wanted <= e1:
            part = (np.log(wanted) - np.log(e0)) / (np.log(e1) - np.log(e0)) if e1 > e0 else 0
            return float(np.exp(np.log(s0) + part * (np.log(s1) - np.log(s0))))
    below = [s for e, s in good if e <= wanted]
    return min(below) if below else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--error", type=float, default=1e-6)
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--peers", default="")
    parser.add_argument("--budget", type=float, default=0.6, help="seconds for one entry of the table")
    parser.add_argument("--json")
    options = parser.parse_args()
    rows, table = {}, {}
    for name in options.problems.split(","):
        p = PROBLEMS[name]
        exact = reference(p, name)
        for package, make, smooth, stiff in peers.PEERS:
            if options.peers and package not in options.peers.split(","):
                continue
            for method in stiff if p["stiff"] else smooth:
                try:
                    points = measure(make, p, name, method, exact, options.budget)
                except Exception as error:
                    print(f"    {package + ' ' + method:28} left out: {type(error).__name__}: {str(error)[:100]}", flush=True)
                    continue
                if points is None:
                    continue
                rows[f"{name} / {package} {method}"] = points
                seconds = at_error(points, options.error)
                shown = "-" if seconds is None else f"{1e6 * seconds:10.0f} us"
                print(f"    {package + ' ' + method:28} {shown}", flush=True)
                table.setdefault(name, {})[f"{package} {method}"] = seconds
    if options.json:
        with open(options.json, "w") as file:
            json.dump(dict(error=options.error, seconds=table, points=rows), file, indent=1)


if __name__ == "__main__":
    main()
