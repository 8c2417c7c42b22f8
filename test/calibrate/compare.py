#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Predictions beside measurements, a line for each figure, and in the end the median error and the share within 10 %.

usage: compare.py MEASURED.csv PREDICTED.csv

Both are what `holdoff runs export --csv` writes; runs of one label and workload belong together. Figures are those that do not depend
on how long a run took; CPU time only where the CPU was busy for more than a fifth, for the rest is the machine's own.
"""

import csv
import statistics
import sys

FIGURES = ["rtt-p50 us", "frames-per-irq frames", "cpu-per-frame us"]


def cells(path):
    with open(path, newline="") as file:
        return {(row["label"], row["workload"]): row for row in csv.DictReader(file)}


def main(measured_path, predicted_path):
    measured, predicted = cells(measured_path), cells(predicted_path)
    errors = {}
    for cell, row in measured.items():
        for figure in FIGURES:
            if not row[figure] or (figure.startswith("cpu") and float(row["cpu-busy %"]) < 20):
                continue
            got = predicted.get(cell, {}).get(figure)
            if not got:
                print("missing:", *cell, figure)
                errors.setdefault(figure, []).append(1.0)
                continue
            error = float(got) / float(row[figure]) - 1
            errors.setdefault(figure, []).append(abs(error))
            print(f"{cell[0]}, {cell[1]}: {figure} measured {row[figure]}, predicted {got}, {100 * error:+.1f} %")
    for figure in [*errors, "all"]:
        some = errors.get(figure) or [error for figures in errors.values() for error in figures]
        within = sum(error <= 0.1 for error in some)
        print(f"{figure}: {len(some)} figures, median error {100 * statistics.median(some):.1f} %, "
              f"{100 * within / len(some):.0f} % within 10 %, worst {100 * max(some):.0f} %")


main(*sys.argv[1:])
