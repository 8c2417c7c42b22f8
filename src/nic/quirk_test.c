/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nic/quirk.h"

#include <string.h>

#include "tap.h"

static void test_rows(void)
{
	unsigned count;
	const struct nic_quirk *rows = nic_quirks(&count);

	for (unsigned i = 0; i < count; i++) {
		const char *name = rows[i].drivers[0];

		tap_ok(rows[i].source && rows[i].notes[0], "%s has a source and something to say", name);
		for (unsigned j = 0; j < NIC_QUIRK_DRIVERS_MAX && rows[i].drivers[j]; j++) {
			tap_ok(nic_quirk_find(rows[i].drivers[j]) == &rows[i], "%s has one row", rows[i].drivers[j]);
		}
		for (unsigned j = 0; j < NIC_QUIRK_CODES_MAX && rows[i].codes[j].name; j++) {
			const struct nic_range *range = &rows[i].codes[j].range;

			tap_ok(range->from_ns > 0 && range->from_ns < range->to_ns, "%s: code %u is a range", name,
			       rows[i].codes[j].value);
		}
	}
	tap_ok(nic_quirk_find("") == NULL && nic_quirk_find("ixgb") == NULL,
	       "no row for a driver that is none of them");
}

static void test_codes(void)
{
	const struct nic_quirk *e1000e = nic_quirk_find("e1000e"), *ixgbevf = nic_quirk_find("ixgbevf");
	static const uint32_t codes[] = { 1, 3, 4 };

	for (unsigned i = 0; i < 3; i++) {
		tap_ok(nic_quirk_code(e1000e, codes[i]) != NULL, "e1000e: %u is a mode", codes[i]);
	}
	tap_ok(!nic_quirk_code(e1000e, 0) && !nic_quirk_code(e1000e, 10), "e1000e: 0 and 10 are times");
	tap_is(nic_quirk_code(e1000e, 3)->range.to_ns, 976 * 256, "the slowest of e1000e is 976 units of 256 ns");
	tap_ok(strstr(nic_quirk_code(ixgbevf, 1)->name, "adaptive") != NULL, "ixgbevf: 1 is adaptive");
	tap_ok(!nic_quirk_code(nic_quirk_find("tg3"), 1), "where nothing is known 1 is 1us");
}

static void range_is(const char *driver, const char *words, bool is_tx, int64_t from_ns, int64_t to_ns)
{
	struct coalesce settings;
	struct err err;

	coalesce_parse_text(&settings, words, &err);
	const struct nic_range range = nic_adaptive_range(nic_quirk_find(driver), &settings, is_tx);
	tap_is(range.from_ns, from_ns, "%s %s, %s: from", driver, words, is_tx ? "tx" : "rx");
	tap_is(range.to_ns, to_ns, "%s %s, %s: to", driver, words, is_tx ? "tx" : "rx");
}

static void test_ranges(void)
{
	range_is("ena", "adaptive-rx on rx-usecs 20", false, 1000, 256000);
	range_is("mlx5_core", "adaptive-rx on cqe-mode-rx off", false, 1000, 256000);
	range_is("mlx5_core", "adaptive-rx on cqe-mode-rx on", false, 2000, 64000);
	range_is("mlx5_core", "adaptive-tx on cqe-mode-rx on", true, 1000, 128000);
	range_is("ice", "adaptive-tx on", true, 2000, 256000);
	range_is("i40e", "adaptive-rx on rx-usecs-high 40", false, 2000, 126000);
	range_is("mlx4_en", "adaptive-rx on rx-usecs-low 4 rx-usecs-high 128", false, 4000, 128000);
	range_is("be2net", "adaptive-rx on rx-usecs-low 8 rx-usecs-high 40", false, 8000, 40000);
	range_is("be2net", "adaptive-rx on rx-usecs-low 0 rx-usecs-high 0", false, 0, 96000);
}

int main(void)
{
	test_rows();
	test_codes();
	test_ranges();
	return tap_done();
}
