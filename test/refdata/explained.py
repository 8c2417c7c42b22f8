# SPDX-License-Identifier: GPL-2.0-or-later
"""What the model misses of the reference cells, and the mechanisms that explain it (the file misses beside this one)."""

import collections
import os
import re

MISSES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "misses")

# Relative band in percent, and the absolute error that always passes (a cell has one or two interrupts of its set-up;
# ping prints whole us). Lost datagrams are percent of those sent.
BANDS = {
    "latency_mean_ns": (10, 2000),
    "latency_p50_ns": (10, 2000),
    "latency_p99_ns": (20, 2000),
    "irq_count": (10, 4),
    "peer_irq_count": (10, 4),
    "cpu_busy_ns": (10, 0),
    "exchanges_per_s": (10, 0),
    "throughput_bps": (10, 0),
    "lost_count": (5, 4),
}

Rule = collections.namedtuple("Rule", "mechanism cells quantities text")


def read():
    """[Rule], and {quantity: least share within 10 %}."""
    rules, shares = [], {}
    with open(MISSES, encoding="ascii") as file:
        for line in file:
            fields = [field.strip().replace("\\|", "|") for field in re.split(r"(?<!\\)\|", line)]
            if fields[0] == "share":
                shares[fields[1]] = float(fields[2])
            elif len(fields) == 4 and not line.startswith("#"):
                rules.append(Rule(fields[0], re.compile(fields[1]), fields[2].split(), fields[3]))
    return rules, shares


def is_miss(quantity, value):
    percent, absolute = BANDS[quantity]
    return abs(value["error_percent"]) > percent and abs(value["modelled"] - value["measured"]) > absolute


def misses_of(document):
    """[(cell, quantity, value)] of repeatable cells."""
    return [(cell["name"], quantity, value) for cell in document["cells"] if cell["is_stable"]
            for quantity, value in cell["values"].items() if "error_percent" in value and is_miss(quantity, value)]


def explanation(rules, cell, quantity):
    """The index of the first rule that explains it, or None."""
    for index, rule in enumerate(rules):
        if rule.cells.fullmatch(cell) and quantity in rule.quantities:
            return index
    return None
