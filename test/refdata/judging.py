# SPDX-License-Identifier: GPL-2.0-or-later
"""What comparisons of cells share: bands, the list of known misses, summaries, TAP lines.

A cell is a row of a CSV file with the columns "cell" (its name) and "use": "fit" if the host profile was fitted on it,
"predict" if it was not; cells of another use are only reported. A result is (cell, rows), a row (quantity, expected, got).
Bands are a dict of quantity: (relative, absolute); the larger one of the two passes.

A file of misses has lines "CELL QUANTITY ERROR [REASON]". What is out of its band must be in it, and what is in it must
be out of its band, so that the list stays true.
"""

import os
import statistics

JUDGED = ("fit", "predict")


def within(bands, quantity, got, expected):
    relative, absolute = bands[quantity]
    return abs(got - expected) <= max(relative * expected, absolute)


def read_misses(path):
    """{(cell, quantity): reason}"""
    misses = {}
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    cell, quantity, _, *reason = line.split(None, 3)
                    misses[cell, quantity] = reason[0].strip() if reason else ""
    return misses


def write_misses(path, by_whom, bands, results):
    """Reasons are kept."""
    reasons = read_misses(path)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# What the model misses: cell, quantity, error. Rewritten by {by_whom} --update-misses.\n")
        for cell, rows in results:
            for quantity, expected, got in rows:
                if cell["use"] in JUDGED and not within(bands, quantity, got, expected):
                    error = percent(got, expected, 0)
                    line = f"{cell['cell']} {quantity} {error} {reasons.get((cell['cell'], quantity), '')}"
                    file.write(line.rstrip() + "\n")


def percent(got, expected, digits):
    return f"{100 * (got / expected - 1):+.{digits}f}%" if expected else f"{got:+.4g}"


def print_row(bands, cell, rows, width, more=""):
    fields = []
    for quantity, expected, got in rows:
        mark = "" if within(bands, quantity, got, expected) else "!"
        fields.append(f"{quantity} {got:.4g}/{expected:.4g} {percent(got, expected, 1)}{mark}")
    print(f"# {cell['cell']:{width}} {cell['use']:9} {'  '.join(fields)}  {more}".rstrip(), flush=True)


def print_summary(bands, results, use):
    for quantity in bands:
        errors = sorted(abs(got / expected - 1) for cell, rows in results for name, expected, got in rows
                        if name == quantity and cell["use"] == use and expected)
        if errors:
            p90 = errors[min(len(errors) - 1, len(errors) * 9 // 10)]
            print(f"# {use:9} {quantity:8} {len(errors):4} cells: median {statistics.median(errors):.1%}, "
                  f"p90 {p90:.1%}, worst {errors[-1]:.1%}")


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def report(self, passed, text):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {text}", flush=True)

    def done(self):
        print(f"1..{self.count}")
        return self.failed == 0


def judge(tap, bands, results, misses_path, is_record=True):
    """One TAP line per use and quantity: which cells miss that should not, and, where the list was made from the same
    figures, the other way round."""
    known = read_misses(misses_path)
    for use in JUDGED:
        for quantity in bands:
            rows = [(cell["cell"], within(bands, name, got, expected)) for cell, rows in results if cell["use"] == use
                    for name, expected, got in rows if name == quantity]
            new = [cell for cell, good in rows if not good and (cell, quantity) not in known]
            stale = [cell for cell, good in rows if is_record and good and (cell, quantity) in known]
            expected = sum((cell, quantity) in known for cell, _ in rows)
            if not rows:
                continue
            tap.report(not new and not stale, f"{use}: {quantity} of {len(rows)} cells within {bands[quantity][0]:.0%}, "
                       f"{expected} known misses")
            for cell in new:
                print(f"# out of band: {cell}")
            for cell in stale:
                print(f"# in {misses_path}, but within its band: {cell}")
