/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the settings matter at all, and in which regime a workload is. */
#include <string.h>

#include "base/wide.h"
#include "tune/tuning_private.h"

#define MARGIN_PERCENT 5
#define MARGIN_LEAST_THOUSANDTHS 1000 /* 1 us of latency, one percentage point */
#define MASKED_THOUSANDTHS 90000      /* percent: what Lunn's "the interrupt will be left disabled" is taken for */
#define BUSY_THOUSANDTHS 90000        /* percent of a CPU, without which nothing polls all the time */
#define EACH_THOUSANDTHS 1100         /* frames for each interrupt */
#define BUDGET_THOUSANDTHS 64000      /* NAPI's: more frames for each interrupt are several full polls in a row */

/* Time for each frame is less than that in itself. */
static int64_t margin(const struct figure *figure, int64_t least)
{
	const int64_t share = tuning_percent_of(least, MARGIN_PERCENT);
	const bool is_latency = strcmp(figure->unit, "us") == 0 && !strstr(figure->name, "-per-frame");
	const bool has_floor = is_latency || strcmp(figure->unit, "%") == 0;

	return has_floor && share < MARGIN_LEAST_THOUSANDTHS ? MARGIN_LEAST_THOUSANDTHS : share;
}

/* Rule 4. */
enum tuning_matter tuning_judge_axis(const struct tuning *tuning, unsigned axis)
{
	const struct front_value *least = NULL, *most = NULL;
	int64_t lowest = 0, highest = 0;

	for (unsigned i = 0; i < tuning->grid.count; i++) {
		const struct front_value *const value = &tuning->point[i].axis[axis];

		if (!value->is_known) {
			continue;
		}
		lowest = !least || tuning_low(value) < lowest ? tuning_low(value) : lowest;
		highest = !most || tuning_high(value) > highest ? tuning_high(value) : highest;
		least = !least || value->value.median < least->value.median ? value : least;
		most = !most || value->value.median > most->value.median ? value : most;
	}
	if (!least) {
		return TUNING_NOT_KNOWN;
	}
	const int64_t allowed = margin(tuning->grid.figure[axis], least->value.median);

	if (most->value.median - least->value.median > allowed && tuning_high(least) < tuning_low(most)) {
		return TUNING_MATTERS;
	}
	return highest - lowest <= allowed ? TUNING_MATTERS_NOT : TUNING_CANNOT_TELL;
}

/* ---- regimes ---- */

static bool is_at_least(const struct front_point *point, unsigned axis, int64_t bound)
{
	return point->axis[axis].is_known && point->axis[axis].value.median >= bound;
}

/*
 * A real NIC does not say how long its interrupt was masked. Then many frames for each interrupt may also be a burst that
 * one interrupt found waiting: only on a CPU that is busy all the time are they polling without end.
 */
static bool is_polling(const struct front_point *point)
{
	if (point->axis[TUNING_IRQ_MASKED].is_known) {
		return is_at_least(point, TUNING_IRQ_MASKED, MASKED_THOUSANDTHS);
	}
	return is_at_least(point, TUNING_FRAMES_PER_IRQ, BUDGET_THOUSANDTHS) &&
	       is_at_least(point, TUNING_BUSY, BUSY_THOUSANDTHS);
}

/* Thousandths of a frame; false when it is not known. */
static bool find_frames_per_irq(const struct tuning *tuning, const struct front_point *point, int64_t *frames)
{
	const struct front_value *const irqs = &point->axis[TUNING_IRQ_RATE], *const sent =
										      &point->axis[TUNING_TX_RATE];

	if (!tuning->is_sent) {
		*frames = point->axis[TUNING_FRAMES_PER_IRQ].value.median;
		return point->axis[TUNING_FRAMES_PER_IRQ].is_known;
	}
	if (!irqs->is_known || !sent->is_known || irqs->value.median <= 0) {
		return false;
	}
	*frames = (int64_t)wide_scale_to_nearest((uint64_t)sent->value.median, 1000, (uint64_t)irqs->value.median);
	return true;
}

enum tuning_regime tuning_regime_of(const struct tuning *tuning, uint32_t cell)
{
	const struct front_point *const point = &tuning->point[cell];
	int64_t frames;

	if (is_polling(point)) {
		return TUNING_POLLING;
	}
	if (!find_frames_per_irq(tuning, point, &frames)) {
		return TUNING_REGIME_NOT_KNOWN;
	}
	return frames > EACH_THOUSANDTHS ? TUNING_BETWEEN : TUNING_EACH_FRAME;
}

enum tuning_regime tuning_find_regime(const struct tuning *tuning)
{
	enum tuning_regime regime = TUNING_REGIME_NOT_KNOWN;

	for (uint32_t i = 0; i < tuning->grid.count; i++) {
		const enum tuning_regime own = tuning_regime_of(tuning, i);

		if (own != TUNING_REGIME_NOT_KNOWN && regime != TUNING_REGIME_NOT_KNOWN && own != regime) {
			return TUNING_BETWEEN;
		}
		regime = own != TUNING_REGIME_NOT_KNOWN ? own : regime;
	}
	return regime;
}
