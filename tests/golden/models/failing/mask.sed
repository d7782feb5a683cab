# Numbers that differ from machine to machine: values after a name, counts of steps.
s/([a-z]'* = |step |stays |rate |round-off is )-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/\1N/g
