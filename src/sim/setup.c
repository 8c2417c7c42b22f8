/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From text to a setup: the table of keys, and for each what its value has to be. What depends on several keys is in config.c.
 */
#include "sim/setup.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "driver/driver.h"

#define NAMES_MAX 64
#define DAYS_MAX 30
#define SPAN_MAX_NS (DAYS_MAX * 24 * 3600 * NS_PER_S)

static int put_text(char *member, size_t size, const char *what, const char *value, struct err *err)
{
	const size_t length = strlen(value);

	if (length == 0 || length >= size) {
		return err_set(err, -EINVAL, "%s: a name of 1 to %zu characters is expected", what, size - 1);
	}
	memcpy(member, value, length + 1);
	return 0;
}

static int put_number(uint32_t *member, const char *what, int64_t min, int64_t max, const char *value, struct err *err)
{
	int64_t number;
	const int ret = text_parse_i64(value, what, min, max, &number, err);

	if (ret == 0) {
		*member = (uint32_t)number;
	}
	return ret;
}

static int put_board(struct setup *setup, const char *value, struct err *err)
{
	struct board board;
	const int ret = board_load(&board, value, err);

	return ret < 0 ? ret : put_text(setup->board, sizeof(setup->board), "board", value, err);
}

static int check_driver(const char *value, const char *what, struct err *err)
{
	const char *names[NAMES_MAX];
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	if (driver_variant_find(value)) {
		return 0;
	}
	count = count < NAMES_MAX ? count : NAMES_MAX;
	for (unsigned i = 0; i < count; i++) {
		names[i] = variants[i].name;
	}
	const char *nearest = text_nearest(value, names, count);

	return err_set(err, -EINVAL, "unknown %s \"%s\": %s%s%s", what, value,
		       nearest ? "did you mean " : "holdoff boards --drivers lists them", nearest ? nearest : "",
		       nearest ? "?" : "");
}

static int put_driver(struct setup *setup, const char *value, struct err *err)
{
	const int ret = check_driver(value, "driver", err);

	return ret < 0 ? ret : put_text(setup->driver, sizeof(setup->driver), "driver", value, err);
}

static int put_speed(struct setup *setup, const char *value, struct err *err)
{
	uint32_t speed = 0;
	const int ret = put_number(&speed, "speed", 1, 1000000, value, err);

	if (ret < 0) {
		return ret;
	}
	if (speed != 10 && speed != 100 && speed != 1000 && speed != 2500 && speed != 10000) {
		return err_set(err, -EINVAL, "speed %s is no link speed: 10, 100, 1000, 2500 or 10000 (Mb/s)", value);
	}
	setup->speed_mbps = speed;
	return 0;
}

static int put_peer(struct setup *setup, const char *value, struct err *err)
{
	struct world_config scratch;

	world_config_init(&scratch);
	const int ret = world_config_peer(&scratch, value, err);

	return ret < 0 ? ret : put_text(setup->peer, sizeof(setup->peer), "peer", value, err);
}

static int put_peer_driver(struct setup *setup, const char *value, struct err *err)
{
	const int ret = check_driver(value, "peer-driver", err);

	return ret < 0 ? ret : put_text(setup->peer_driver, sizeof(setup->peer_driver), "peer-driver", value, err);
}

static int merge_settings(struct coalesce *settings, const char *value, struct err *err)
{
	struct coalesce change;
	const int ret = coalesce_parse_text(&change, value, err);

	if (ret == 0) {
		*settings = coalesce_merge(settings, &change);
	}
	return ret;
}

static int put_peer_set(struct setup *setup, const char *value, struct err *err)
{
	const int ret = merge_settings(&setup->peer_request, value, err);

	return ret < 0 ? err_prefix(err, ret, "peer-set") : 0;
}

static int check_host(const char *value, struct err *err)
{
	struct profile profile;

	return board_load_host(&profile, value, err);
}

static int put_peer_host(struct setup *setup, const char *value, struct err *err)
{
	const int ret = check_host(value, err);

	return ret < 0 ? ret : put_text(setup->peer_host, sizeof(setup->peer_host), "peer-host", value, err);
}

static int put_peer_registers(struct setup *setup, const char *value, struct err *err)
{
	return put_text(setup->peer_registers, sizeof(setup->peer_registers), "peer-registers", value, err);
}

static int put_shared_host(struct setup *setup, const char *value, struct err *err)
{
	int shared;
	const int ret = text_parse_bool(value, "shared-host", &shared, err);

	setup->shared_host = ret == 0 ? shared : setup->shared_host;
	return ret;
}

static int put_hops(struct setup *setup, const char *value, struct err *err)
{
	return put_number(&setup->hops, "hops", 0, 16, value, err);
}

/* 100 us are 20 km of fibre; so the frames on all segments together stay far below what the ring of a wire holds. */
static int put_propagation(struct setup *setup, const char *value, struct err *err)
{
	int64_t propagation_ns;
	const int ret = text_parse_duration(value, "propagation", &propagation_ns, err);

	if (ret == 0 && propagation_ns > 100 * NS_PER_US) {
		return err_set(err, -ERANGE, "propagation %s is too long: at most 100us", value);
	}
	setup->propagation_ns = ret == 0 ? propagation_ns : setup->propagation_ns;
	return ret;
}

static int put_host(struct setup *setup, const char *value, struct err *err)
{
	const int ret = check_host(value, err);

	return ret < 0 ? ret : put_text(setup->host, sizeof(setup->host), "host", value, err);
}

static int put_cpus(struct setup *setup, const char *value, struct err *err)
{
	return put_number(&setup->cpus, "cpus", 1, RUN_CPUS_MAX, value, err);
}

static int put_irq_cpu(struct setup *setup, const char *value, struct err *err)
{
	return put_number(&setup->irq_cpu, "irq-cpu", 0, RUN_CPUS_MAX - 1, value, err);
}

static int put_app_cpu(struct setup *setup, const char *value, struct err *err)
{
	return put_number(&setup->app_cpu, "app-cpu", 0, RUN_CPUS_MAX - 1, value, err);
}

/* A bare number in ns, as sysfs has it. */
static int put_gro_flush_timeout(struct setup *setup, const char *value, struct err *err)
{
	return text_parse_i64(value, "gro-flush-timeout", 0, 100 * NS_PER_S, &setup->gro_flush_timeout_ns, err);
}

static int put_defer_hard_irqs(struct setup *setup, const char *value, struct err *err)
{
	return put_number(&setup->defer_hard_irqs, "defer-hard-irqs", 0, INT32_MAX, value, err);
}

static int put_set(struct setup *setup, const char *value, struct err *err)
{
	return merge_settings(&setup->request, value, err);
}

/* Which registers there are depends on the board, so names are looked up when the config is made. */
static int put_registers(struct setup *setup, const char *value, struct err *err)
{
	return put_text(setup->registers, sizeof(setup->registers), "registers", value, err);
}

static int put_one_assume(struct setup *setup, char *item, struct err *err)
{
	char *equals = strchr(item, '=');

	if (!equals || equals == item) {
		return err_set(err, -EINVAL, "assume: \"%s\" is not NAME=VALUE", item);
	}
	*equals = '\0';
	struct board scratch = { .assume = setup->assume };
	const int ret = board_set_assume(&scratch, item, equals + 1, err);

	if (ret == 0) {
		setup->assume = scratch.assume;
		setup->assume_given |= 1u << assume_find(item);
	}
	return ret;
}

static int put_assume(struct setup *setup, const char *value, struct err *err)
{
	char copy[512], *rest = copy, *item;
	int ret = put_text(copy, sizeof(copy), "assume", value, err);

	while (ret == 0 && (item = strtok_r(rest, " \t,", &rest))) {
		ret = put_one_assume(setup, item, err);
	}
	return ret;
}

static int put_workload(struct setup *setup, const char *value, struct err *err)
{
	return workload_parse(&setup->workload, value, err);
}

static int put_span(int64_t *member, const char *what, int64_t min_ns, const char *value, struct err *err)
{
	int64_t span_ns;
	const int ret = text_parse_duration(value, what, &span_ns, err);

	if (ret < 0) {
		return ret;
	}
	if (span_ns < min_ns) {
		return err_set(err, -EINVAL, "%s %s is too short: it must be more than 0", what, value);
	}
	if (span_ns > SPAN_MAX_NS) {
		return err_set(err, -ERANGE, "%s %s is too long: at most %d days", what, value, DAYS_MAX);
	}
	*member = span_ns;
	return 0;
}

static int put_duration(struct setup *setup, const char *value, struct err *err)
{
	return put_span(&setup->duration_ns, "duration", 1, value, err);
}

static int put_warmup(struct setup *setup, const char *value, struct err *err)
{
	return put_span(&setup->warmup_ns, "warmup", 0, value, err);
}

static int put_seed(struct setup *setup, const char *value, struct err *err)
{
	return text_parse_u64(value, "seed", &setup->seed, err);
}

const struct setup_key_info setup_keys[SETUP_KEYS] = {
	[SETUP_BOARD] = { "board", "NAME|FILE", "the board under test", true, put_board },
	[SETUP_DRIVER] = { "driver", "VARIANT", "its driver; default: the board's", true, put_driver },
	[SETUP_SPEED] = { "speed", "10|100|1000|2500|10000", "link speed in Mb/s; default: the board's", true,
			  put_speed },
	[SETUP_PEER] = { "peer", "BOARD|ideal:DELAY", "the other end; default: answers at once, costs nothing", true,
			 put_peer },
	[SETUP_PEER_DRIVER] = { "peer-driver", "VARIANT", "driver of a peer that is a board", true, put_peer_driver },
	[SETUP_PEER_SET] = { "peer-set", "WORDS", "coalescing settings of the peer", false, put_peer_set },
	[SETUP_PEER_HOST] = { "peer-host", "PROFILE", "host profile of a peer that is a board", true, put_peer_host },
	[SETUP_PEER_REGISTERS] = { "peer-registers", "NAME=VALUE,...",
				   "registers of a peer's chip written past its driver", false, put_peer_registers },
	[SETUP_SHARED_HOST] = { "shared-host", "yes|no", "the peer is a second NIC of the board's host; default: no",
				true, put_shared_host },
	[SETUP_HOPS] = { "hops", "N", "store-and-forward switches between the ends; default: 0", true, put_hops },
	[SETUP_PROPAGATION] = { "propagation", "TIME", "on each segment of the wire, 5ns a metre; default: 0ns", true,
				put_propagation },
	[SETUP_HOST] = { "host", "PROFILE", "host profile; default: the board's", true, put_host },
	[SETUP_CPUS] = { "cpus", "N", "CPUs of the board's host; default: its profile's", true, put_cpus },
	[SETUP_IRQ_CPU] = { "irq-cpu", "N", "the CPU that takes the interrupts; default: 0", true, put_irq_cpu },
	[SETUP_APP_CPU] = { "app-cpu", "N", "the CPU that runs the application; default: that of the interrupts", true,
			    put_app_cpu },
	[SETUP_GRO_FLUSH_TIMEOUT] = { "gro-flush-timeout", "NS", "deferral timer of NAPI in ns; default: the driver's",
				      true, put_gro_flush_timeout },
	[SETUP_DEFER_HARD_IRQS] = { "defer-hard-irqs", "N",
				    "empty polls before the interrupt is unmasked; default: the driver's", true,
				    put_defer_hard_irqs },
	[SETUP_SET] = { "set", "WORDS", "coalescing settings of the board in one argument, like words", false,
			put_set },
	[SETUP_REGISTERS] = { "registers", "NAME=VALUE,...", "registers of the board's chip written past the driver",
			      false, put_registers },
	[SETUP_ASSUME] = { "assume", "NAME=VALUE", "another model choice where silicon is undocumented", false,
			   put_assume },
	[SETUP_WORKLOAD] = { "workload", "\"NAME key=value ...\"", "the traffic, see below", false, put_workload },
	[SETUP_DURATION] = { "duration", "TIME", "how long to count, such as 500ms; default: 3s", true, put_duration },
	[SETUP_WARMUP] = { "warmup", "TIME", "how long to run before counting; default: 0s", true, put_warmup },
	[SETUP_SEED] = { "seed", "N", "of the random numbers; default: 1", true, put_seed },
};

void setup_init(struct setup *setup)
{
	memset(setup, 0, sizeof(*setup));
}

enum setup_key setup_find(const char *name)
{
	enum setup_key key = 0;

	while (key < SETUP_KEYS && strcmp(setup_keys[key].name, name) != 0) {
		key++;
	}
	return key;
}

int setup_put(struct setup *setup, enum setup_key key, const char *value, struct err *err)
{
	const int ret = setup_keys[key].put(setup, value, err);

	if (ret == 0) {
		setup->given |= 1u << key;
	}
	return ret;
}

static bool is_deferral(const char *name)
{
	const enum setup_key key = setup_find(name);

	return key == SETUP_GRO_FLUSH_TIMEOUT || key == SETUP_DEFER_HARD_IRQS;
}

bool setup_is_word(const char *name)
{
	return is_deferral(name) || coalesce_field_find(name) != COALESCE_FIELDS;
}

int setup_put_words(struct setup *setup, const char *const *words, unsigned count, struct err *err)
{
	const char *settings[2 * COALESCE_FIELDS + 2];
	unsigned settings_count = 0;

	for (unsigned i = 0; i < count; i += 2) {
		if (i + 1 < count && is_deferral(words[i])) {
			const int ret = setup_put(setup, setup_find(words[i]), words[i + 1], err);

			if (ret < 0) {
				return ret;
			}
			continue;
		}
		if (settings_count + 2 > sizeof(settings) / sizeof(settings[0])) {
			return err_set(err, -EINVAL, "too many words: there are %d settings", COALESCE_FIELDS);
		}
		settings[settings_count++] = words[i];
		if (i + 1 < count) {
			settings[settings_count++] = words[i + 1];
		}
	}
	struct coalesce change;
	const int ret = coalesce_parse(&change, settings, settings_count, err);

	if (ret == 0) {
		setup->request = coalesce_merge(&setup->request, &change);
		setup->given |= settings_count ? 1u << SETUP_SET : 0;
	}
	return ret;
}

void setup_put_assumes(struct setup *setup, const struct setup *from)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		if (from->assume_given & (1u << i)) {
			setup->assume.value[i] = from->assume.value[i];
		}
	}
	setup->assume_given |= from->assume_given;
}
