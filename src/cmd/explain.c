/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff explain: performs a request on a driver and a chip that exist only here, and says what became of it. The
 * driver opens the interface, the link comes up, then the request is made as `ethtool -C` would; the register writes
 * go to the chip, and the chip says what it does with them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/explanation.h"

#define WORDS_MAX 64

/*
 * How far to look for accepted values, one by one: beyond the period of every 32-bit wrap (fec at 132 MHz: 2082914
 * us, r8169@seed: 4294968 us), so that what is found is the nearest. Without a wrap there is one border, which
 * halving finds.
 */
#define NEAREST_REACH 4400000

enum { OPTION_BOARD, OPTION_DRIVER, OPTION_SPEED, OPTION_ASSUME, OPTION_QUEUE, OPTION_REGISTERS, OPTION_JSON };

static const struct cmd_option explain_options[] = {
	[OPTION_BOARD] = { "board", "NAME|FILE", "a name of holdoff boards, or a file of your own", false },
	[OPTION_DRIVER] = { "driver", "VARIANT", "a variant of holdoff boards --drivers", false },
	[OPTION_SPEED] = { "speed", "10|100|1000|2500", "link speed in Mb/s; default: the board's", false },
	[OPTION_ASSUME] = { "assume", "NAME=VALUE", "a model choice of holdoff boards BOARD", true },
	[OPTION_QUEUE] = { "queue", "N", "the settings of queue N alone", false },
	[OPTION_REGISTERS] = { "registers", "NAME=VALUE,...", "decode what somebody read out", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.explain/1", false },
};

static const struct cmd_usage explain_usage = {
	.name = "explain",
	.synopsis = "--board BOARD [OPTIONS] [WORD VALUE ...]",
	.about = "Says what a coalescing setting becomes, without any hardware: the registers that\n"
		 "the driver writes, what it reports afterwards and what the chip does then; or why\n"
		 "the driver refuses it and which values it takes. Words are ethtool's: rx-usecs 100\n"
		 "rx-frames 4. Without words the driver's defaults are explained.\n",
	.options = explain_options,
	.option_count = sizeof(explain_options) / sizeof(explain_options[0]),
	.words = "settings",
};

/* The command line as given. */
struct explain_request {
	const char *board, *driver, *speed, *queue, *registers;
	const char *assumes[ASSUME_COUNT * 2];
	unsigned assume_count;
	const char *words[WORDS_MAX];
	unsigned word_count;
	bool json;
};

static int take(struct explain_request *request, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		switch (option) {
		case OPTION_BOARD:
			request->board = value;
			break;
		case OPTION_DRIVER:
			request->driver = value;
			break;
		case OPTION_SPEED:
			request->speed = value;
			break;
		case OPTION_ASSUME:
			if (request->assume_count == sizeof(request->assumes) / sizeof(request->assumes[0])) {
				return cmd_usage_error(&explain_usage, "too many times --assume");
			}
			request->assumes[request->assume_count++] = value;
			break;
		case OPTION_QUEUE:
			request->queue = value;
			break;
		case OPTION_REGISTERS:
			request->registers = value;
			break;
		case OPTION_JSON:
			request->json = true;
			break;
		case CMD_WORD:
			if (request->word_count == WORDS_MAX) {
				return cmd_usage_error(&explain_usage, "too many words: at most %d", WORDS_MAX);
			}
			request->words[request->word_count++] = value;
			break;
		default:
			return arguments->status;
		}
	}
	if (!request->board) {
		return cmd_usage_error(&explain_usage, "explain needs --board BOARD; holdoff boards lists them");
	}
	if (request->registers && request->word_count) {
		return cmd_usage_error(&explain_usage, "--registers decodes registers: no words like \"%s\" with it",
				       request->words[0]);
	}
	return -1;
}

static int choose_board(struct explanation *explanation, const struct explain_request *request, struct err *err)
{
	struct board *board = &explanation->board;
	int ret = board_load(board, request->board, err);

	if (ret == 0 && request->driver) {
		ret = board_set_driver(board, request->driver, err);
	}
	if (ret == 0 && request->speed) {
		ret = board_set_speed(board, request->speed, err);
	}
	for (unsigned i = 0; ret == 0 && i < request->assume_count; i++) {
		ret = cmd_assume(board, request->assumes[i], err);
	}
	if (ret == 0 && request->queue) {
		explanation->of_queue = true;
		ret = text_parse_u32(request->queue, "queue", &explanation->queue, err);
	}
	if (ret == 0) {
		explanation->variant = driver_variant_find(board->driver);
	}
	return ret;
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
		return err_set(err, -EINVAL, "--registers takes NAME=VALUE[,NAME=VALUE...], not \"%.60s\"", text);
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
		return err_set(err, -EINVAL, "--registers is too long: at most %zu characters", sizeof(copy) - 1);
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
	static const unsigned speeds[] = { 10, 100, 1000, 2500 };

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

static int explain(struct explanation *explanation, const struct explain_request *request, struct err *err)
{
	struct driver driver;
	struct chip chip;
	int ret = choose_board(explanation, request, err);

	if (ret == 0) {
		ret = coalesce_parse(&explanation->requested, request->words, request->word_count, err);
	}
	if (ret == 0) {
		ret = bring_up(explanation, &driver, &chip, err);
	}
	if (ret < 0) {
		return ret;
	}
	if (explanation->of_queue && explanation->queue >= explanation->board.queues) {
		return err_set(err, -EINVAL, "board %s has no queue %u: its queues are 0 to %u",
			       explanation->board.name, explanation->queue, explanation->board.queues - 1);
	}
	if (request->registers) {
		explanation->subject = EXPLAIN_REGISTERS;
		ret = decode(explanation, request->registers, &driver, &chip, err);
	} else if (request->word_count) {
		explanation->subject = EXPLAIN_REQUEST;
		perform_request(explanation, &driver, &chip);
	}
	if (ret == 0) {
		find_effects(explanation, &driver, &chip);
	}
	return ret;
}

static int verdict(const struct explanation *explanation)
{
	const struct driver_result *result = &explanation->result;

	if (explanation->subject == EXPLAIN_REQUEST && result->error) {
		return result->core_refused || result->error == -EOPNOTSUPP ? CMD_UNSUPPORTED : CMD_NEGATIVE;
	}
	return explanation->of_queue && explanation->get_error == -EOPNOTSUPP ? CMD_UNSUPPORTED : CMD_FINE;
}

int cmd_explain(int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct explain_request request = { 0 };
	struct explanation explanation = { 0 };
	struct err err = { "" };

	cmd_arguments_init(&arguments, &explain_usage, argc, argv);
	const int status = take(&request, &arguments);
	if (status >= 0) {
		return status;
	}
	const int ret = explain(&explanation, &request, &err);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	if (request.json) {
		explanation_print_json(&explanation, stdout);
	} else {
		explanation_print(&explanation, stdout);
	}
	return verdict(&explanation);
}
