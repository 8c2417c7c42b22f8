/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind tuning.h share. */
#ifndef HOLDOFF_TUNE_TUNING_PRIVATE_H
#define HOLDOFF_TUNE_TUNING_PRIVATE_H

#include "tune/tuning.h"

/* Ends of the interval, of a value that has none the median. */
int64_t tuning_low(const struct front_value *value);
int64_t tuning_high(const struct front_value *value);
/* Whether their intervals overlap; without intervals, whether they are within 1 % of the second. */
bool tuning_are_alike(const struct front_value *value, const struct front_value *other);
int64_t tuning_percent_of(int64_t value, unsigned percent);

/* matter.c: rules 4 and 6. */
enum tuning_matter tuning_judge_axis(const struct tuning *tuning, unsigned axis);
enum tuning_regime tuning_find_regime(const struct tuning *tuning);

/* pick.c: verdict, pick, nearest, equals and what stands beside the pick. */
void tuning_find_pick(struct tuning *tuning);

#endif
