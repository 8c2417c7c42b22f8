/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performs a request on a driver and a chip that exist only here, and says what became of it. The driver opens the
 * interface, the link comes up, then the request is made as `ethtool -C` would; the register writes go to the chip,
 * and the chip says what it does with them.
 */
#include "explain/explanation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/*
 * How far to look for accepted values, one by one: beyond the period of every 32-bit wrap (fec at 132 MHz: 2082914
 * us, r8169@seed: 4294968 us), so that what is found is the nearest. Without a wrap there is one border, which
 * halving finds.
 */
#define NEAREST_REACH 4400000

const char *explanation_hold_kind(enum chip_hold_kind kind)
{
	static const char *const kinds[] = {
		[CHIP_HOLD_NONE] = "none",
		[CHIP_HOLD_OFF] = "hold-off",
		[CHIP_HOLD_RESTART] = "restarting hold-off",
		[CHIP_HOLD_THROTTLE] = "throttle",
	};

	return kinds[kind];
}

static void perform(struct chip *chip, const struct driver_result *result)
{
	for (unsigned i = 0; i < result->write_count; i++) {
		chip_write(chip, 0, result->writes[i].offset, result->writes[i].value);
	}
}

/* Keeps the last write to each register: open and link up write some of them twice. */
static void keep_last(struct explanation *explanation, const struct driver_result *result)
{
	for (unsigned i = 0; i < result->write_count; i++) {
		unsigned at = 0;

		while (at < explanation->write_count && explanation->writes[at].offset != result->writes[i].offset) {
			at++;
		}
		explanation->writes[at] = result->writes[i];
		if (at == explanation->write_count) {
			explanation->write_count++;
		}
	}
}

/* Brings driver and chip to where an interface is after open and link up. */
static int bring_up(struct explanation *explanation, struct driver *driver, struct chip *chip, struct err *err)
{
	struct driver_config driver_config;
	struct chip_config chip_config;
	struct driver_result result;

	board_driver_config(&explanation->board, &driver_config);
	board_chip_config(&explanation->board, explanation->variant, &chip_config);
	int ret = driver_init(driver, explanation->variant, &driver_config, err);
	if (ret < 0) {
		return ret;
	}
	chip_init(chip, &chip_config);
	driver_open(driver, &result);
	perform(chip, &result);
	keep_last(explanation, &result);
	/* What the defaults are; a request has warnings of its own. */
	explanation->result.warning_count = result.warning_count;
	memcpy(explanation->result.warnings, result.warnings, sizeof(result.warnings));
	chip_set_link(chip, 0, explanation->board.speed_mbps);
	driver_link(driver, explanation->board.speed_mbps, &result);
	perform(chip, &result);
	keep_last(explanation, &result);
	return 0;
}

static bool accepts(const struct driver *before, struct coalesce request, enum coalesce_field field, uint32_t value)
{
	struct driver driver = *before;
	struct driver_result result;

	request.value[field] = value;
	driver_set(&driver, &request, &result);
	return result.error == 0;
}

/* The border between what is set now and the refused value above it. */
static bool halve_below(const struct explanation *explanation, const struct driver *before, uint32_t *value)
{
	const enum coalesce_field field = explanation->result.field;
	struct coalesce now;
	uint32_t refused = explanation->requested.value[field];

	if (driver_get(before, &now) < 0 || now.value[field] >= refused ||
	    !accepts(before, explanation->requested, field, now.value[field])) {
		return false;
	}
	uint32_t accepted = now.value[field];
	while (refused - accepted > 1) {
		const uint32_t middle = accepted + (refused - accepted) / 2;

		if (accepts(before, explanation->requested, field, middle)) {
			accepted = middle;
		} else {
			refused = middle;
		}
	}
	*value = accepted;
	return true;
}

/* What the request would come to with another value of the refused field. */
static struct chip_hold hold_with(const struct explanation *explanation, const struct driver *before,
				  const struct chip *chip, uint32_t value)
{
	const enum coalesce_field field = explanation->result.field;
	const bool is_tx = strncmp(coalesce_fields[field].name, "tx-", 3) == 0;
	struct driver driver = *before;
	struct chip there = *chip;
	struct coalesce request = explanation->requested;
	struct driver_result result;

	request.value[field] = value;
	driver_set(&driver, &request, &result);
	perform(&there, &result);
	return board_hold(&there, &driver, explanation->queue, is_tx ? CHIP_TX : CHIP_RX);
}

static void find_nearest(struct explanation *explanation, const struct driver *before, const struct chip *chip)
{
	const struct driver_result *result = &explanation->result;

	if (result->error == 0 || result->core_refused || result->error == -EOPNOTSUPP ||
	    result->field == COALESCE_FIELDS) {
		return;
	}
	explanation->has_below = driver_nearest_below(before, &explanation->requested, result->field, NEAREST_REACH,
						      &explanation->below) ||
				 halve_below(explanation, before, &explanation->below);
	explanation->has_above = driver_nearest_above(before, &explanation->requested, result->field, NEAREST_REACH,
						      &explanation->above);
	explanation->below_hold = hold_with(explanation, before, chip, explanation->below);
	explanation->above_hold = hold_with(explanation, before, chip, explanation->above);
}

static void perform_request(struct explanation *explanation, struct driver *driver, struct chip *chip)
{
	const struct driver before = *driver;

	if (explanation->of_queue) {
		driver_set_queue(driver, explanation->queue, &explanation->requested, &explanation->result);
	} else {
		driver_set(driver, &explanation->requested, &explanation->result);
	}
	find_nearest(explanation, &before, chip);
	perform(chip, &explanation->result);
	explanation->write_count = explanation->result.write_count;
	memcpy(explanation->writes, explanation->result.writes,
	       explanation->write_count * sizeof(explanation->writes[0]));
}

static int unknown_register(enum chip_family family, const char *name, struct err *err)
{
	const char *names[64];
	unsigned count;
	const struct chip_register *registers = chip_registers(family, &count);

	count = count < 64 ? count : 64;
	for (unsigned i = 0; i < count; i++) {
		names[i] = registers[i].name;
	}
	const char *nearest = text_nearest(name, names, count);
	return err_set(err, -EINVAL, "chip %s has no register \"%.40s\"%s%s%s", chip_family_name(family), name,
		       nearest ? ": did you mean " : "", nearest ? nearest : "", nearest ? "?" : " that is modelled");
}

static int decode_register(struct explanation *explanation, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char name[64];
	uint32_t value;

	if (!equals || equals == text) {
		return err_set(err, -EINVAL, "registers: NAME=VALUE[,NAME=VALUE...] is expected, not \"%.60s\"", text);
	}
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	const struct chip_register *reg = chip_register_named(explanation->board.family, name);
	if (!reg) {
		return unknown_register(explanation->board.family, name, err);
	}
	int ret = text_parse_u32(equals + 1, reg->name, &value, err);
	if (ret < 0) {
		return ret;
	}
	if (reg->width_bits < 32 && value >> reg->width_bits) {
		return err_set(err, -ERANGE, "%s has %u bits, 0x%x does not fit", reg->name, reg->width_bits, value);
	}
	for (unsigned i = 0; i < explanation->write_count; i++) {
		if (explanation->writes[i].offset == reg->offset) {
			return err_set(err, -EINVAL, "register %s is given twice", reg->name);
		}
	}
	if (explanation->write_count == EXPLANATION_WRITES_MAX) {
		return err_set(err, -EINVAL, "too many registers: at most %d", EXPLANATION_WRITES_MAX);
	}
	explanation->writes[explanation->write_count++] = (struct driver_write){ reg->offset, value };
	return 0;
}

static int decode(struct explanation *explanation, const char *text, struct driver *driver, struct chip *chip,
		  struct err *err)
{
	char copy[1024];

	if (strlen(text) >= sizeof(copy)) {
		return err_set(err, -EINVAL, "registers: too long: at most %zu characters", sizeof(copy) - 1);
	}
	strcpy(copy, text);
	explanation->write_count = 0;
	for (char *next = copy; next;) {
		char *one = strsep(&next, ",");
		int ret = decode_register(explanation, one, err);

		if (ret < 0) {
			return ret;
		}
	}
	for (unsigned i = 0; i < explanation->write_count; i++) {
		chip_write(chip, 0, explanation->writes[i].offset, explanation->writes[i].value);
		driver_adopt_register(driver, explanation->writes[i].offset, explanation->writes[i].value);
	}
	return 0;
}

static bool same_hold(const struct chip_hold *a, const struct chip_hold *b)
{
	return a->kind == b->kind && a->hold_ns == b->hold_ns && a->limit_ns == b->limit_ns &&
	       a->throttle_ns == b->throttle_ns && a->frames == b->frames &&
	       a->bypass_below_bytes == b->bypass_below_bytes;
}

static void find_holds(const struct chip *chip, const struct driver *driver, unsigned queue,
		       struct chip_hold hold[CHIP_DIRECTIONS])
{
	hold[CHIP_RX] = board_hold(chip, driver, queue, CHIP_RX);
	hold[CHIP_TX] = board_hold(chip, driver, queue, CHIP_TX);
}

static void find_effects(struct explanation *explanation, const struct driver *driver, const struct chip *chip)
{
	static const unsigned speeds[] = { 10, 100, 1000, 2500, 10000 };

	explanation->get_error = explanation->of_queue
					 ? driver_get_queue(driver, explanation->queue, &explanation->reported)
					 : driver_get(driver, &explanation->reported);
	find_holds(chip, driver, explanation->queue, explanation->hold);
	for (unsigned i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		struct explanation_speed *other = &explanation->speeds[explanation->speed_count];
		struct chip there = *chip;

		if (speeds[i] == explanation->board.speed_mbps || speeds[i] > explanation->board.max_speed_mbps) {
			continue;
		}
		chip_set_link(&there, 0, speeds[i]);
		other->mbps = speeds[i];
		find_holds(&there, driver, explanation->queue, other->hold);
		if (!same_hold(&other->hold[CHIP_RX], &explanation->hold[CHIP_RX]) ||
		    !same_hold(&other->hold[CHIP_TX], &explanation->hold[CHIP_TX])) {
			explanation->speed_count++;
		}
	}
}

int explanation_make(struct explanation *explanation, const struct explanation_request *request, struct err *err)
{
	struct driver driver;
	struct chip chip;

	memset(explanation, 0, sizeof(*explanation));
	explanation->subject = request->registers          ? EXPLAIN_REGISTERS
			       : request->settings.present ? EXPLAIN_REQUEST
							   : EXPLAIN_DEFAULTS;
	explanation->board = request->board;
	explanation->variant = driver_variant_find(request->board.driver);
	explanation->of_queue = request->of_queue;
	explanation->queue = request->queue;
	explanation->requested = request->settings;
	int ret = bring_up(explanation, &driver, &chip, err);
	if (ret < 0) {
		return ret;
	}
	if (explanation->of_queue && explanation->queue >= explanation->board.queues) {
		return err_set(err, -EINVAL, "board %s has no queue %u: its queues are 0 to %u",
			       explanation->board.name, explanation->queue, explanation->board.queues - 1);
	}
	if (explanation->subject == EXPLAIN_REGISTERS) {
		ret = decode(explanation, request->registers, &driver, &chip, err);
	} else if (explanation->subject == EXPLAIN_REQUEST) {
		perform_request(explanation, &driver, &chip);
	}
	if (ret == 0) {
		find_effects(explanation, &driver, &chip);
	}
	return ret;
}
