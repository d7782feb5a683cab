#!/usr/bin/env python3
"""Sensitivity indices of Sobol: which share of the variance of a result each input has, alone and with others.

    sobol_indices.py members N NAME=a..b…       a table for 'vessiot ensemble --members': N (k + 2) members
    sobol_indices.py indices RESULT.csv COLUMN  what came out of it

Members are three kinds of points in the box: A, B, and A with coordinate i of B. With f of them:

    S_i  = mean(f_B (f_ABi - f_A)) / V        alone                      [Saltelli et al. 2010, table 2 (b)]
    ST_i = mean((f_A - f_ABi)^2) / (2 V)      with all others            [Jansen 1999]
"""

import csv
import random
import sys


def members(n, ranges):
    """Rows of A, B, AB1, …, ABk, one after another for each of n pairs of points."""
    source = random.Random(1)
    for _ in range(n):
        a, b = ([low + (high - low) * source.random() for low, high in ranges] for _ in range(2))
        yield a
        yield b
        for i in range(len(ranges)):
            yield a[:i] + [b[i]] + a[i + 1 :]


def write_members(n, texts):
    names = [text.split("=")[0] for text in texts]
    ranges = [tuple(float(x) for x in text.split("=")[1].split("..")) for text in texts]
    out = csv.writer(sys.stdout)
    out.writerow(names)
    out.writerows([repr(x) for x in row] for row in members(int(n), ranges))


def indices(path, column):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0])[1 : list(rows[0]).index("status")]
    k = len(names)
    f = [float(row[column]) if row["status"] == "success" else None for row in rows]
    groups = [f[j : j + k + 2] for j in range(0, len(f), k + 2)]
    groups = [g for g in groups if None not in g]  # a member that failed takes its group with it
    both = [x for g in groups for x in g[:2]]
    mean = sum(both) / len(both)
    variance = sum((x - mean) ** 2 for x in both) / (len(both) - 1)
    print(f"{column}: {len(groups)} groups of members, mean {mean:.4g}, variance {variance:.4g}")
    for i, name in enumerate(names):
        alone = sum((g[1] - mean) * (g[2 + i] - g[0]) for g in groups) / len(groups) / variance
        total = sum((g[0] - g[2 + i]) ** 2 for g in groups) / len(groups) / (2 * variance)
        print(f"  {name:8} alone {alone:6.3f}   with others {total:6.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "members":
        write_members(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 4 and sys.argv[1] == "indices":
        indices(*sys.argv[2:])
    else:
        sys.exit(__doc__)
