"""An ensemble over the processes of `concurrent.futures`."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np

import vessiot as vs


def main() -> None:
    problem = vs.gallery("pendulum").compile(method="dop853", rtol=1e-8)
    g = np.linspace(1, 20, 40)
    with ProcessPoolExecutor(2) as pool:
        spread = problem.ensemble({"g": g}, (0, 2), executor=pool)
    alone = problem.ensemble({"g": g}, (0, 2))
    print(f"{len(spread)} members, same bits: {np.array_equal(spread.values, alone.values)}")


if __name__ == "__main__":
    main()
