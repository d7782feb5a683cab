"""Time of a whole warm call from Python at equal achieved error, ours beside other packages (those that are installed).

    python bench.py [--errors 1e-6,1e-8] [--problems lorenz,…] [--peers scipy,…] [--json FILE]

Each is run at tolerances 1e-4 … 1e-11; the error is that at the end, relative to the largest value, against runs at
1e-12 of two methods of ours which must agree. The table has the least time of some calls at the errors asked for, by
interpolation, and the smallest error that was reached. Before it: the time of a warm call that does next to nothing,
and of importing the package.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
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


def overhead():
    """Seconds of a warm call of a solve that ends where it begins and of one step; of the import, by the processor."""
    import vessiot as vs

    problem = vs.gallery("pendulum").compile(method="dop853", rtol=1e-6, dense_output=False)
    steps = {"no step": (0, 0), "one step": (0, 1e-3)}
    found = {what: call_time(lambda _: problem.solve(span), None, 0.3)[0] for what, span in steps.items()}
    code = "import time; a = time.process_time(); import vessiot; print(time.process_time() - a)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return {**found, "import": min(float(r.stdout) for r in runs)}


def shown(seconds):
    if seconds is None:
        return f"{'-':>12}"
    return f"{1e6 * seconds:9.0f} us" if seconds < 0.01 else f"{1e3 * seconds:9.1f} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--errors", default="1e-6,1e-8")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--peers", default="")
    parser.add_argument("--budget", type=float, default=0.6, help="seconds for one entry of the table")
    parser.add_argument("--json")
    options = parser.parse_args()
    wanted = [float(e) for e in options.errors.split(",")]
    rows, table = {}, {}
    calls = overhead()
    print(f"a warm call: {shown(calls['no step'])} without a step, {shown(calls['one step'])} with one; "
          f"import: {1e3 * calls['import']:.0f} ms", flush=True)
    for name in options.problems.split(","):
        p = PROBLEMS[name]
        exact = reference(p, name)
        print(f"    {'':28}" + "".join(f"{e:12.0e}" for e in wanted) + f"{'smallest':>12}", flush=True)
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
                seconds = [at_error(points, e) for e in wanted]
                least = min((q["error"] for q in points if "error" in q), default=np.nan)
                print(f"    {package + ' ' + method:28}" + "".join(map(shown, seconds)) + f"{least:12.1e}", flush=True)
                table.setdefault(name, {})[f"{package} {method}"] = seconds
    if options.json:
        with open(options.json, "w") as file:
            json.dump(dict(errors=wanted, calls=calls, seconds=table, points=rows), file, indent=1)


if __name__ == "__main__":
    main()
