/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/setup.h"

#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static int put(struct setup *setup, const char *name, const char *value, struct err *err)
{
	const enum setup_key key = setup_find(name);

	return key == SETUP_KEYS ? -ENOENT : setup_put(setup, key, value, err);
}

static void test_config(void)
{
	struct setup setup;
	struct world_config config;
	struct err err = { "" };

	setup_init(&setup);
	tap_is(put(&setup, "board", "imx8mm", &err) | put(&setup, "peer", "imx6q", &err) |
		       put(&setup, "hops", "2", &err) | put(&setup, "cpus", "2", &err) |
		       put(&setup, "irq-cpu", "1", &err) | put(&setup, "duration", "7ms", &err) |
		       put(&setup, "assume", "fec-shared-poll=0,fec-event-delayed=0", &err) |
		       put(&setup, "seed", "9", &err) | put(&setup, "workload", "ping size=82 interval=0", &err) |
		       put(&setup, "set", "rx-usecs 7", &err),
	       0, "keys are put%s", err.text);
	tap_is(setup_config(&setup, &config, &err), 0, "a config is made of them%s", err.text);
	tap_is_text(config.end[0].board.name, "imx8mm", "the board");
	tap_is_text(config.end[1].board.name, "imx6q", "its peer");
	tap_ok(!config.end[1].ideal && config.end[1].profile.cpus > 0, "with a host");
	tap_is(config.end[0].cpus, 2, "the number of CPUs");
	tap_is(config.end[0].app_cpu, 1, "the application runs where the interrupts go");
	tap_is(config.end[0].board.assume.value[ASSUME_FEC_SHARED_POLL], 0, "a model choice of the board");
	tap_is(config.end[1].board.assume.value[ASSUME_FEC_EVENT_DELAYED], 0, "counts for the peer too");
	tap_is(config.duration_ns, 7 * NS_PER_MS, "the duration");
	tap_is((int64_t)config.seed, 9, "the seed");
	tap_is(config.hops, 2, "the switches");
	tap_is(config.speed_mbps, 1000, "the speed of the board");
	tap_is(config.workload.size, 82, "the workload");
	tap_is(config.end[0].request.value[COALESCE_RX_USECS], 7, "the settings");
}

static void test_slower_peer(void)
{
	struct setup setup;
	struct world_config config;

	setup_init(&setup);
	put(&setup, "board", "imx8mm", NULL);
	put(&setup, "peer", "imx6ul", NULL);
	put(&setup, "workload", "ping", NULL);
	tap_is(setup_config(&setup, &config, NULL), 0, "a peer that is slower");
	tap_is(config.speed_mbps, 100, "rules the speed of the link");
	put(&setup, "speed", "1000", NULL);
	tap_is(setup_config(&setup, &config, NULL), -EINVAL, "and cannot be made faster");
}

static void test_words(void)
{
	const char *const words[] = { "rx-usecs",        "5", "gro-flush-timeout", "20000",
				      "defer-hard-irqs", "2", "adaptive-rx",       "off" };
	struct setup setup;
	struct err err = { "" };

	setup_init(&setup);
	tap_is(setup_put_words(&setup, words, 8, &err), 0, "words of both kinds%s", err.text);
	tap_is(setup.request.value[COALESCE_RX_USECS], 5, "a coalescing setting");
	tap_ok(coalesce_has(&setup.request, COALESCE_ADAPTIVE_RX), "a switch that is off is given");
	tap_is(setup.gro_flush_timeout_ns, 20000, "the deferral timer in ns");
	tap_is(setup.defer_hard_irqs, 2, "the deferral count");
	tap_ok(setup_put_words(&setup, words, 1, &err) < 0, "a word without its value: %s", err.text);
	tap_ok(setup_put_words(&setup, words + 2, 1, &err) < 0, "also of a knob: %s", err.text);
}

static void test_bad_values(void)
{
	static const struct {
		const char *name, *value;
		int ret;
	} cases[] = {
		{ "board", "imx8mn", -ENODEV },
		{ "board", "", -ENODEV },
		{ "board", "/no/such.ini", -ENOENT },
		{ "host", "cortex-a54", -ENODEV },
		{ "driver", "fec@6.13", -EINVAL },
		{ "speed", "99", -EINVAL },
		{ "speed", "1e3", -EINVAL },
		{ "speed", "-100", -EINVAL },
		{ "peer", "ideal:", -EINVAL },
		{ "peer", "ideal:5", -EINVAL },
		{ "peer", "nobody", -ENODEV },
		{ "peer-set", "rx-usec 1", -EINVAL },
		{ "hops", "17", -ERANGE },
		{ "cpus", "0", -ERANGE },
		{ "irq-cpu", "8", -ERANGE },
		{ "gro-flush-timeout", "20us", -EINVAL },
		{ "set", "rx-usecs", -EINVAL },
		{ "set", "rx-usecs 4294967296", -ERANGE },
		{ "assume", "x=1", -EINVAL },
		{ "assume", "fec-shared-poll", -EINVAL },
		{ "assume", "fec-shared-poll=2", -ERANGE },
		{ "workload", "pong", -EINVAL },
		{ "duration", "0", -EINVAL },
		{ "duration", "3", -EINVAL },
		{ "duration", "-3s", -EINVAL },
		{ "duration", "1000d", -ERANGE },
		{ "duration", "99999999999999999999s", -ERANGE },
		{ "warmup", "1x", -EINVAL },
		{ "seed", "x", -EINVAL },
		{ "seed", "18446744073709551616", -ERANGE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setup setup;
		struct err err = { "" };

		setup_init(&setup);
		const int ret = put(&setup, cases[i].name, cases[i].value, &err);

		tap_ok(ret < 0 && err.text[0] && !strchr(err.text, '\n'), "%s = %s: %s", cases[i].name, cases[i].value,
		       err.text);
		tap_ok(ret == cases[i].ret || (cases[i].ret != -ENODEV && ret != -ENODEV), "%s = %s: the kind of error",
		       cases[i].name, cases[i].value);
		tap_is(setup.given, 0, "and nothing is given");
	}
}

static void refuse(const char *name, const char *value, const char *more, const char *more_value)
{
	struct setup setup;
	struct world_config config;
	struct err err = { "" };

	setup_init(&setup);
	put(&setup, "board", "imx8mm", NULL);
	put(&setup, "workload", "ping", NULL);
	tap_is(put(&setup, name, value, &err), 0, "%s = %s may be said", name, value);
	if (more) {
		put(&setup, more, more_value, NULL);
	}
	tap_is(setup_config(&setup, &config, &err), -EINVAL, "but does not fit: %s", err.text);
}

static void test_misfits(void)
{
	struct setup setup;
	struct world_config config;

	refuse("driver", "r8169@6.12", NULL, NULL);
	refuse("speed", "2500", NULL, NULL);
	refuse("peer-set", "rx-usecs 1", "peer", "ideal:1us");
	refuse("irq-cpu", "4", "cpus", "4");
	setup_init(&setup);
	tap_is(setup_config(&setup, &config, NULL), -EINVAL, "nothing at all is no config");
}

static int try_settings(const char *board, const char *settings, bool *unsupported, struct err *err)
{
	struct setup setup;
	struct world_config config;

	setup_init(&setup);
	put(&setup, "board", board, NULL);
	put(&setup, "workload", "ping", NULL);
	put(&setup, "set", settings, NULL);
	const int ret = setup_config(&setup, &config, err);

	return ret < 0 ? ret : setup_try_request(&config, unsupported, err);
}

static void test_refusals(void)
{
	struct err err = { "" };
	bool unsupported = true;

	tap_is(try_settings("imx8mm", "rx-usecs 100", &unsupported, &err), 0, "a driver takes what it can");
	tap_is(try_settings("imx8mm", "rx-usecs 100000", &unsupported, &err), -EINVAL, "and refuses what it cannot: %s",
	       err.text);
	tap_ok(!unsupported, "which is a matter of the value");
	tap_ok(try_settings("imx8mm", "adaptive-rx on", &unsupported, &err) < 0 && unsupported,
	       "the core lets nothing through: %s", err.text);
	tap_is(try_settings("macb", "rx-usecs 100", &unsupported, &err), -EOPNOTSUPP, "or does not support: %s",
	       err.text);
	tap_ok(unsupported, "which is not");
}

int main(void)
{
	test_config();
	test_slower_peer();
	test_words();
	test_bad_values();
	test_misfits();
	test_refusals();
	return tap_done();
}
