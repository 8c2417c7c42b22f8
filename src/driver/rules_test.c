/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drivers' rules, value by value: each expectation follows from the driver's source by hand (the file that the row
 * names), a few from reports, which are named.
 */
#include "driver/rules.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

static struct rules_state state;
static struct driver_result result;

/* A driver as after load, then set to these words ("" for none), which it has to take. */
static const struct driver_rules *load(const char *driver, const char *before)
{
	const struct driver_rules *const rules = driver_rules_find(driver);
	struct coalesce request;

	rules_state_init(&state, rules);
	if (before[0]) {
		coalesce_parse_text(&request, before, NULL);
		driver_rules_set(rules, &state, &request, &result);
		tap_is(result.error, 0, "%s takes %s", driver, before);
	}
	return rules;
}

static void set(const struct driver_rules *rules, const char *words)
{
	struct coalesce request;
	struct err err = { "" };

	if (coalesce_parse_text(&request, words, &err)) {
		tap_ok(false, "%s: %s", words, err.text);
	}
	driver_rules_set(rules, &state, &request, &result);
}

static void refuses(const char *driver, const char *before, const char *words, int error, const char *field)
{
	const struct driver_rules *const rules = load(driver, before);
	const struct coalesce reported = state.reported;

	set(rules, words);
	tap_is(result.error, error, "%s refuses %s", driver, words);
	tap_is(result.field, coalesce_field_find(field), "%s %s: for %s", driver, words, field);
	tap_ok(result.why[0] != '\0', "%s %s: it says why", driver, words);
	tap_is(coalesce_difference(&reported, &state.reported), 0, "%s %s: nothing has changed", driver, words);
}

/* Taken, then reported and held so; NEVER_AT_NS: until there are enough frames. */
static void takes(const char *driver, const char *before, const char *words, enum coalesce_field field,
		  uint32_t reported, int64_t hold_ns)
{
	const struct driver_rules *const rules = load(driver, before);
	const bool is_tx = strncmp(coalesce_fields[field].name, "tx-", 3) == 0;

	set(rules, words);
	const struct chip_hold hold = driver_rules_hold(rules, &state, is_tx ? CHIP_TX : CHIP_RX);

	tap_is(result.error, 0, "%s takes %s", driver, words);
	tap_is(state.reported.value[field], reported, "%s %s: reported", driver, words);
	tap_is(hold.hold_ns, hold_ns, "%s %s: held", driver, words);
}

static void test_intel(void)
{
	refuses("igb", "", "rx-usecs 2", -EINVAL, "rx-usecs");
	refuses("igb", "", "rx-usecs 9", -EINVAL, "rx-usecs");
	refuses("igb", "", "rx-usecs 10001", -EINVAL, "rx-usecs");
	refuses("igb", "", "rx-usecs 10 tx-usecs 20", -EINVAL, "tx-usecs");
	refuses("igb", "", "rx-frames 1", -EINVAL, "rx-frames");
	takes("igb", "", "rx-usecs 10", COALESCE_RX_USECS, 10, 10000);
	takes("igb", "", "rx-usecs 10000", COALESCE_RX_USECS, 10000, 1808000);
	takes("igc", "", "rx-usecs 10", COALESCE_TX_USECS, 10, 10000);
	refuses("igc", "", "rx-usecs 10 tx-usecs 20", -EINVAL, "tx-usecs");
	takes("ixgbe", "", "rx-usecs 5", COALESCE_RX_USECS, 5, 4000);
	refuses("ixgbe", "", "rx-usecs 1023", -EINVAL, "rx-usecs");
	refuses("ixgbevf", "", "tx-usecs 10", -EINVAL, "tx-usecs");
	refuses("i40e", "", "rx-usecs 50 tx-usecs 51", -EINVAL, "tx-usecs");
	/* LibreQoS issue 126. */
	takes("i40e", "", "adaptive-rx off adaptive-tx off rx-usecs 62 tx-usecs 122", COALESCE_TX_USECS, 122, 122000);
	takes("i40e", "adaptive-rx off", "rx-usecs 51", COALESCE_RX_USECS, 52, 52000);
	refuses("i40e", "adaptive-rx off", "rx-usecs 8161", -EINVAL, "rx-usecs");
	refuses("i40e", "", "rx-usecs-high 237", -EINVAL, "rx-usecs-high");
	refuses("i40e", "", "tx-usecs-high 40", -EINVAL, "tx-usecs-high");
	takes("i40e", "", "rx-usecs-high 43", COALESCE_TX_USECS_HIGH, 40, 50000);
	refuses("iavf", "adaptive-rx off", "rx-usecs 9000", -EINVAL, "rx-usecs");
	refuses("iavf", "", "rx-usecs 52", -EINVAL, "rx-usecs");
	/* intel-wired-lan, September 2021: rounded down, and reported as asked. */
	takes("ice", "adaptive-rx off", "rx-usecs 51", COALESCE_RX_USECS, 51, 50000);
	refuses("ice", "adaptive-rx off adaptive-tx off", "rx-usecs-high 3", -EINVAL, "rx-usecs-high");
	refuses("ice", "", "rx-usecs-high 40", -EINVAL, "rx-usecs-high");
}

static void test_others(void)
{
	refuses("fsl_enetc", "", "rx-frames 1", -EOPNOTSUPP, "rx-frames");
	takes("fsl_enetc", "", "adaptive-rx off rx-usecs 100", COALESCE_RX_USECS, 100, 100000);
	takes("mvneta", "", "tx-frames 16", COALESCE_TX_FRAMES, 16, NEVER_AT_NS);
	refuses("mvneta", "", "tx-usecs 10", -EINVAL, "tx-usecs");
	/* 100 us are 13 units of 8.192 us. */
	takes("bcmgenet", "", "rx-usecs 100 rx-frames 32", COALESCE_RX_USECS, 106, 106496);
	refuses("bcmgenet", "", "rx-usecs 0 rx-frames 0", -EINVAL, "rx-usecs");
	refuses("bcmgenet", "", "tx-frames 0", -EINVAL, "tx-frames");
	refuses("bcmgenet", "", "rx-usecs 524282", -EINVAL, "rx-usecs");
	takes("bcmgenet", "", "tx-frames 16", COALESCE_TX_FRAMES, 16, 0);
	refuses("virtio_net", "", "rx-usecs 100", -EOPNOTSUPP, "rx-usecs");
	refuses("virtio_net", "", "rx-frames 32", -EINVAL, "rx-frames");
	refuses("virtio_net", "", "tx-frames 2", -EINVAL, "tx-frames");
	refuses("virtio_net", "", "tx-frames 0", -EBUSY, "tx-frames");
	takes("ena", "", "rx-usecs 256 adaptive-rx off", COALESCE_RX_USECS, 256, 256000);
	refuses("mlx5_core", "", "rx-usecs 4096", -ERANGE, "rx-usecs");
	refuses("mlx5_core", "", "tx-frames 65536", -ERANGE, "tx-frames");
	takes("mlx5_core", "", "rx-usecs 4095", COALESCE_RX_USECS, 4095, 4095000);
	/* Who writes 100 gets a tenth of a microsecond, in steps of 8 ns. */
	takes("r8152", "", "rx-usecs 100", COALESCE_RX_USECS, 100, 96);
	tap_ok(result.warning_count > 0, "r8152 is warned of");
	takes("r8152", "", "tx-usecs 100", COALESCE_TX_USECS, 0, 0);
	refuses("r8152", "", "rx-usecs 524281", -EINVAL, "rx-usecs");
	refuses("r8125", "", "rx-usecs 10", -EOPNOTSUPP, "none");
}

static void nearest_is(const char *driver, const char *words, const char *field, int64_t below, int64_t above)
{
	const struct driver_rules *const rules = load(driver, "");
	struct coalesce request;
	uint32_t value;

	coalesce_parse_text(&request, words, NULL);
	const bool has_below = driver_rules_nearest(rules, &state, &request, coalesce_field_find(field), false, &value);
	tap_is(has_below ? (int64_t)value : -1, below, "%s %s: nearest below", driver, words);
	const bool has_above = driver_rules_nearest(rules, &state, &request, coalesce_field_find(field), true, &value);
	tap_is(has_above ? (int64_t)value : -1, above, "%s %s: nearest above", driver, words);
}

static void test_nearest(void)
{
	nearest_is("igb", "rx-usecs 5", "rx-usecs", 3, 10);
	nearest_is("igb", "rx-usecs 20000", "rx-usecs", 10000, -1);
	nearest_is("ice", "rx-usecs-high 2 adaptive-rx off", "rx-usecs-high", 0, 4);
	nearest_is("fsl_enetc", "rx-frames 100", "rx-frames", -1, 256);
	nearest_is("bcmgenet", "tx-frames 0", "tx-frames", -1, 1);
}

/* Of every row: names once, defaults that it would take, the least delay that it says it can have. */
static void test_rows(void)
{
	unsigned count;
	const struct driver_rules *const rows = driver_rules_all(&count);

	for (unsigned i = 0; i < count; i++) {
		const struct driver_rules *const row = &rows[i];
		const char *const name = row->drivers[0];

		for (unsigned k = 0; k < RULES_DRIVERS_MAX && row->drivers[k]; k++) {
			tap_ok(driver_rules_find(row->drivers[k]) == row, "%s has one row", row->drivers[k]);
		}
		tap_ok(row->source[0] && row->kernels[0], "%s has a source", name);
		rules_state_init(&state, row);
		tap_is(state.reported.present & ~row->supported, 0, "%s: its defaults are fields that it has", name);
		tap_is(state.reported.present, row->supported, "%s: all of them", name);
		for (unsigned k = 0; k < row->field_count; k++) {
			tap_ok(row->supported & COALESCE_BIT(row->fields[k].field), "%s: %s is one that it has", name,
			       coalesce_fields[row->fields[k].field].name);
		}
		if (row->has_none) {
			continue;
		}
		set(row, row->lowest);
		tap_is(result.error, 0, "%s takes what is said to be the least", name);
		tap_is(driver_rules_hold(row, &state, CHIP_RX).kind, CHIP_HOLD_NONE, "%s: and holds nothing then",
		       name);
	}
	tap_ok(driver_rules_find("igbx") == NULL, "no rules for a driver that is none of them");
}

int main(void)
{
	test_rows();
	test_intel();
	test_others();
	test_nearest();
	return tap_done();
}
