/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/sampling.h"

#include "base/wide.h"

#define WINDOWS_TOO_DEAR 3 /* one may have been a burst's */
#define LOW_SHARE 3        /* below a third of what it may cost, twice as many are followed */

void sampling_init(struct sampling *sampling, uint64_t max_ppm)
{
	*sampling = (struct sampling){ .max_ppm = max_ppm, .every = 1, .most = 1 };
}

/* At least twice as many are passed over, and as many more as it is too dear. */
static unsigned fewer(const struct sampling *sampling, uint64_t cost_ppm)
{
	const uint64_t times = (cost_ppm + sampling->max_ppm - 1) / sampling->max_ppm;
	const uint64_t every = sampling->every * (times > 2 ? times : 2);

	return every < SAMPLING_EVERY_MAX ? (unsigned)every : SAMPLING_EVERY_MAX;
}

bool sampling_take(struct sampling *sampling, int64_t run_ns, int64_t window_ns)
{
	if (!sampling->max_ppm || window_ns <= 0 || run_ns < 0) {
		return true;
	}
	const uint64_t cost_ppm = wide_scale((uint64_t)run_ns, 1000000, (uint64_t)window_ns);

	if (cost_ppm <= sampling->max_ppm) {
		sampling->too_dear = 0;
		sampling->every /= sampling->every > 1 && cost_ppm < sampling->max_ppm / LOW_SHARE ? 2 : 1;
		return true;
	}
	sampling->too_dear += sampling->every == SAMPLING_EVERY_MAX;
	sampling->every = fewer(sampling, cost_ppm);
	sampling->most = sampling->every > sampling->most ? sampling->every : sampling->most;
	return sampling->too_dear < WINDOWS_TOO_DEAR;
}
