"""What a script sees of a run: its status, and how far the points go that were kept."""

import json
import sys

result = json.load(sys.stdin)
if result["status"] == "invalid":
    print("invalid:", result["message"])
    sys.exit()
t, values = result["t"], result["values"]
assert all(len(column) == len(t) for column in values.values())
assert result["message"]
print(f"{result['status']}: {'no' if not t else 'some' if len(t) < 10 else 'many'} points", end="")
print(f" from t = {t[0]:.3g} to {t[-1]:.3g}" if t else "")
