"""Solves as tasks of joblib: problems pickle, so that each worker compiles its own."""

import joblib
import numpy as np

import vessiot as vs


def end_of(problem: vs.Problem, g: float) -> float:
    return float(problem.solve((0, 2), params={"g": g})["x"][-1])


def main() -> None:
    problem = vs.gallery("pendulum").compile(method="dop853", rtol=1e-8)
    g = np.linspace(1, 20, 8)
    ends = joblib.Parallel(n_jobs=2)(joblib.delayed(end_of)(problem, v) for v in g)
    alone = problem.ensemble({"g": g}, (0, 2))["x"]
    print(f"{len(ends)} members, same bits: {np.array_equal(ends, alone)}")


if __name__ == "__main__":
    main()
