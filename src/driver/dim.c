/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invariants: level is 0 to 4, tired 0 to 10, and steps are counted only while it walks.
 *
 * From a cold start the first measurement with traffic is better than nothing, and the level goes from 1 to 0: the
 * first direction out of parking is left. On traffic of steady rates it walks to an edge or to where a turn makes it a top,
 * and parks there until a rate differs by more than a tenth.
 */
#include "driver/dim.h"

#include "base/time.h"

#define EVENTS_PER_MEASUREMENT 64
#define TIRED_MAX 10
#define FIRST_LEVEL 1

enum tuning { PARKING_ON_TOP, PARKING_TIRED, GOING_RIGHT, GOING_LEFT };
enum comparison { WORSE, SAME, BETTER };
enum step { STEPPED, TOO_TIRED, ON_EDGE };

const struct dim_level dim_levels[DIM_PROFILES][DIM_LEVELS] = {
	[DIM_RX_EQE] = { { 1, 256 }, { 8, 256 }, { 64, 256 }, { 128, 256 }, { 256, 256 } },
	[DIM_RX_CQE] = { { 2, 256 }, { 8, 128 }, { 16, 64 }, { 32, 64 }, { 64, 64 } },
	[DIM_TX_EQE] = { { 1, 128 }, { 8, 128 }, { 32, 128 }, { 64, 128 }, { 128, 128 } },
	[DIM_TX_CQE] = { { 5, 128 }, { 8, 64 }, { 16, 32 }, { 32, 32 }, { 64, 32 } },
};

void dim_init(struct dim *dim)
{
	*dim = (struct dim){ .level = FIRST_LEVEL, .tuning = PARKING_ON_TOP };
}

/* ---- judging ---- */

/* By more than a tenth, in whole percents. */
static bool is_significant(uint32_t now, uint32_t before)
{
	const uint64_t distance = now > before ? now - before : before - now;

	return before != 0 && 100 * distance / before > 10;
}

static enum comparison compare(const struct dim_rates *now, const struct dim_rates *before)
{
	if (before->bytes == 0) {
		return now->bytes ? BETTER : SAME;
	}
	if (is_significant(now->bytes, before->bytes)) {
		return now->bytes > before->bytes ? BETTER : WORSE;
	}
	if (before->frames == 0) {
		return now->frames ? BETTER : SAME;
	}
	if (is_significant(now->frames, before->frames)) {
		return now->frames > before->frames ? BETTER : WORSE;
	}
	if (is_significant(now->events, before->events)) {
		return now->events < before->events ? BETTER : WORSE;
	}
	return SAME;
}

/* ---- walking ---- */

static bool is_on_top(const struct dim *dim)
{
	switch (dim->tuning) {
	case GOING_RIGHT:
		return dim->steps_left > 1 && dim->steps_right == 1;
	case GOING_LEFT:
		return dim->steps_right > 1 && dim->steps_left == 1;
	default:
		return true;
	}
}

static void turn(struct dim *dim)
{
	if (dim->tuning == GOING_RIGHT) {
		dim->tuning = GOING_LEFT;
		dim->steps_left = 0;
	} else {
		dim->tuning = GOING_RIGHT;
		dim->steps_right = 0;
	}
}

static enum step step(struct dim *dim)
{
	if (dim->tired == TIRED_MAX) {
		return TOO_TIRED;
	}
	if (dim->tuning == GOING_RIGHT) {
		if (dim->level == DIM_LEVELS - 1) {
			return ON_EDGE;
		}
		dim->level++;
		dim->steps_right++;
	} else {
		if (dim->level == 0) {
			return ON_EDGE;
		}
		dim->level--;
		dim->steps_left++;
	}
	dim->tired++;
	return STEPPED;
}

static void park(struct dim *dim, enum tuning where)
{
	dim->tuning = (uint8_t)where;
	dim->steps_left = dim->steps_right = 0;
	dim->tired = where == PARKING_ON_TOP ? 0 : dim->tired;
}

static void leave_parking(struct dim *dim)
{
	dim->tuning = dim->level ? GOING_LEFT : GOING_RIGHT;
	step(dim);
}

static void walk(struct dim *dim, enum comparison comparison)
{
	if (comparison != BETTER) {
		turn(dim);
	}
	if (is_on_top(dim)) {
		park(dim, PARKING_ON_TOP);
		return;
	}
	switch (step(dim)) {
	case ON_EDGE:
		park(dim, PARKING_ON_TOP);
		break;
	case TOO_TIRED:
		park(dim, PARKING_TIRED);
		break;
	case STEPPED:
		break;
	}
}

static bool decide(struct dim *dim, const struct dim_rates *rates)
{
	const enum comparison comparison = compare(rates, &dim->before);
	const uint8_t level = dim->level, tuning = dim->tuning;

	switch (dim->tuning) {
	case PARKING_ON_TOP:
		if (comparison != SAME) {
			leave_parking(dim);
		}
		break;
	case PARKING_TIRED:
		dim->tired--;
		if (dim->tired == 0) {
			leave_parking(dim);
		}
		break;
	default:
		walk(dim, comparison);
		break;
	}
	if (tuning != PARKING_ON_TOP || dim->tuning != PARKING_ON_TOP) {
		dim->before = *rates;
	}
	return dim->level != level;
}

/* ---- measuring ---- */

static uint32_t per_ms(uint64_t count, uint64_t us)
{
	return (uint32_t)((count * 1000 + us - 1) / us);
}

bool dim_look(struct dim *dim, const struct dim_sample *now)
{
	const uint64_t us = (uint64_t)((now->at_ns - dim->start.at_ns) / NS_PER_US);

	if (!dim->measures) {
		dim->measures = 1;
		dim->start = *now;
		return false;
	}
	if ((uint16_t)(now->events - dim->start.events) < EVENTS_PER_MEASUREMENT || us == 0) {
		return false;
	}
	const struct dim_rates rates = {
		.frames = per_ms(now->frames - dim->start.frames, us),
		.bytes = per_ms(now->bytes - dim->start.bytes, us),
		.events = per_ms(EVENTS_PER_MEASUREMENT, us),
	};
	const bool changed = decide(dim, &rates);

	/* After a change the driver's work programs the level before the next poll looks; the next measurement begins then. */
	dim->start = *now;
	dim->measures = !changed;
	return changed;
}
