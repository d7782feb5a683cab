"""Compares what a program printed with what a document or an example says it prints.

Words and their order must be the same. Numbers may differ as they do between machines: a whole number by 5 %, so that
those below 20 are exact; another one by 0.1 % or two units of its last digit; and numbers below 1e-9, rounding errors,
only have to be so small again. Of lines that begin with the word `time` nothing else is compared. A line `…` stands for
any lines.
"""

import re

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
ROUNDING_ERROR = 1e-9


def tolerance(text):
    mantissa, _, exponent = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    if not decimals and not exponent:
        return int(0.05 * abs(int(whole)))
    last_digit = 10.0 ** (int(exponent or 0) - len(decimals)) if decimals else 0
    return max(1e-3 * abs(float(text)), 2.001 * last_digit)


def is_same_number(shown, printed):
    a, b = float(shown), float(printed)
    if a != 0 and abs(a) < ROUNDING_ERROR and "e" in shown:
        return abs(b) < ROUNDING_ERROR
    return abs(a - b) <= tolerance(shown)


def is_same_line(shown, printed):
    if shown.split()[:1] == ["time"]:
        return printed.split()[:1] == ["time"]
    if [w.split() for w in NUMBER.split(shown)] != [w.split() for w in NUMBER.split(printed)]:
        return False
    return all(map(is_same_number, NUMBER.findall(shown), NUMBER.findall(printed)))


def without_left_out(shown, printed):
    """The lines printed, with `…` in place of those that a `…` of the lines shown stands for, as few as possible."""
    result, rest = [], printed
    for k, line in enumerate(shown):
        if line != "…":
            result += rest[:1]
            rest = rest[1:]
            continue
        following = shown[k + 1:]
        block = following[:following.index("…")] if "…" in following else following
        is_last = len(block) == len(following)
        first = len(rest) - len(block) if is_last else next(
            (j for j in range(len(rest)) if len(rest) - j >= len(block) and all(map(is_same_line, block, rest[j:]))), 0)
        result.append(line)
        rest = rest[max(first, 0):]
    return result + rest


def differences(shown, printed):
    """The lines that differ, one text each; none where all are the same."""
    a = shown.splitlines()
    b = without_left_out(a, printed.splitlines())
    n = max(len(a), len(b))
    pairs = zip(a + [None] * (n - len(a)), b + [None] * (n - len(b)))
    return [f"line {k}\n  shown:   {x}\n  printed: {y}" for k, (x, y) in enumerate(pairs, 1)
            if x is None or y is None or not is_same_line(x, y)]
