"""Compares what a program printed with what a document or an example says it prints.

Words and their order must be the same. Numbers may differ as they do between machines: a whole number by 5 %, so that
those below 20 are exact; another one by 0.1 % or two units of its last digit; and numbers below 1e-9, rounding errors,
only have to be so small again. Of lines that begin with the word `time` nothing else is compared.
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


def differences(shown, printed):
    """The lines that differ, one text each; none where all are the same."""
    a, b = shown.splitlines(), printed.splitlines()
    n = max(len(a), len(b))
    pairs = zip(a + [None] * (n - len(a)), b + [None] * (n - len(b)))
    return [f"line {k}\n  shown:   {x}\n  printed: {y}" for k, (x, y) in enumerate(pairs, 1)
            if x is None or y is None or not is_same_line(x, y)]
