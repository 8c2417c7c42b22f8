/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff boards: what there is to choose from. Limits and defaults are not written down anywhere: they are asked of
 * the driver models, as explain would.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/explanation_text.h"
#include "report/json_writer.h"
#include "report/run_json.h"

#define LABEL_WIDTH 11

enum { OPTION_DRIVERS, OPTION_HOSTS, OPTION_JSON };

static const struct cmd_option boards_options[] = {
	[OPTION_DRIVERS] = { "drivers", NULL, "the driver variants and their rules", false },
	[OPTION_HOSTS] = { "hosts", NULL, "the host profiles and where their costs are from", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document: holdoff.boards/1, .board/1, .drivers/1 or .hosts/1",
			  false },
};

static const struct cmd_usage boards_usage = {
	.name = "boards",
	.synopsis = "[NAME | --drivers | --hosts] [--json]",
	.about = "Lists the boards with driver, clock, limits and defaults, or tells all of one\n"
		 "board. NAME may be a file of your own (a name with a / or .ini).\n",
	.options = boards_options,
	.option_count = sizeof(boards_options) / sizeof(boards_options[0]),
	.words = "boards",
};

/* A board and what its driver model answers. */
struct board_facts {
	struct board board;
	const struct driver_variant *variant;
	struct driver driver; /* up, nothing requested */
	int get_error;
	struct coalesce defaults;
	bool has_limit;
	uint32_t rx_usecs_max; /* the highest that is honestly accepted */
};

static bool accepts(const struct driver *driver, uint32_t rx_usecs)
{
	struct driver copy = *driver;
	struct driver_result result;
	struct coalesce request = { 0 };

	coalesce_put(&request, COALESCE_RX_USECS, rx_usecs);
	driver_set(&copy, &request, &result);
	return result.error == 0;
}

/*
 * The end of the first stretch of accepted values: doubling finds a refused one, halving the border. What a 32-bit
 * wrap lets in again far above is no limit to advertise.
 */
static void find_limit(struct board_facts *facts)
{
	uint32_t accepted = 16, refused = 32;

	if (facts->get_error || !accepts(&facts->driver, accepted)) {
		return;
	}
	while (accepts(&facts->driver, refused)) {
		if (refused > UINT32_MAX / 2) {
			return;
		}
		accepted = refused;
		refused *= 2;
	}
	while (refused - accepted > 1) {
		const uint32_t middle = accepted + (refused - accepted) / 2;

		if (accepts(&facts->driver, middle)) {
			accepted = middle;
		} else {
			refused = middle;
		}
	}
	facts->has_limit = true;
	facts->rx_usecs_max = accepted;
}

static int find_facts(struct board_facts *facts, const char *name, struct err *err)
{
	struct driver_config config;
	struct driver_result result;
	int ret = board_load(&facts->board, name, err);

	if (ret < 0) {
		return ret;
	}
	facts->variant = driver_variant_find(facts->board.driver);
	board_driver_config(&facts->board, &config);
	ret = driver_init(&facts->driver, facts->variant, &config, err);
	if (ret < 0) {
		return ret;
	}
	driver_open(&facts->driver, &result);
	driver_link(&facts->driver, facts->board.speed_mbps, &result);
	facts->get_error = driver_get(&facts->driver, &facts->defaults);
	find_limit(facts);
	return 0;
}

static char *clock_text(uint32_t hz, char buffer[24])
{
	if (hz == 0) {
		snprintf(buffer, 24, "-");
	} else {
		const uint32_t hundredths = hz / 10000 + (hz % 10000 >= 5000);

		snprintf(buffer, 24, "%" PRIu32 ".%02" PRIu32 " MHz", hundredths / 100, hundredths % 100);
	}
	return buffer;
}

/* "rx 1000/200 tx 1000/200", without frames where the driver has none. */
static char *defaults_text(const struct coalesce *defaults, char buffer[64])
{
	static const struct {
		const char *name;
		enum coalesce_field usecs, frames;
	} directions[] = { { "rx", COALESCE_RX_USECS, COALESCE_RX_FRAMES },
			   { "tx", COALESCE_TX_USECS, COALESCE_TX_FRAMES } };
	size_t length = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
		if (!coalesce_has(defaults, directions[i].usecs)) {
			continue;
		}
		length += (size_t)snprintf(buffer + length, 64 - length, "%s%s %" PRIu32, length ? " " : "",
					   directions[i].name, defaults->value[directions[i].usecs]);
		if (coalesce_has(defaults, directions[i].frames)) {
			length += (size_t)snprintf(buffer + length, 64 - length, "/%" PRIu32,
						   defaults->value[directions[i].frames]);
		}
	}
	return buffer;
}

static void print_row(const struct board_facts *facts)
{
	char clock[24], limit[16] = "-", defaults[64] = "no coalescing settings";

	if (facts->has_limit) {
		snprintf(limit, sizeof(limit), "%" PRIu32, facts->rx_usecs_max);
	}
	if (facts->get_error == 0) {
		defaults_text(&facts->defaults, defaults);
	}
	printf("%-11s  %-10s  %10s  %5u  %12s  %s\n", facts->board.name, facts->board.driver,
	       clock_text(facts->board.driver_clock_hz, clock), facts->board.speed_mbps, limit, defaults);
}

static int list_boards(void)
{
	struct err err = { "" };

	printf("%-11s  %-10s  %10s  %5s  %12s  %s\n", "board", "driver", "clock", "Mb/s", "max rx-usecs",
	       "default usecs/frames");
	for (const struct board_text *text = embedded_boards; text->name; text++) {
		struct board_facts facts = { 0 };
		int ret = find_facts(&facts, text->name, &err);

		if (ret < 0) {
			return cmd_fail(ret, &err);
		}
		print_row(&facts);
	}
	return CMD_FINE;
}

static void put_facts(struct json_writer *writer, const struct board_facts *facts)
{
	const struct board *board = &facts->board;

	json_put_string(writer, "name", board->name);
	json_put_string(writer, "title", board->title);
	json_put_string(writer, "source", board->source);
	json_put_string(writer, "chip", chip_family_name(board->family));
	json_put_string(writer, "driver", board->driver);
	json_put_string(writer, "host", board->host);
	json_put_unsigned(writer, "speed_mbps", board->speed_mbps);
	json_put_unsigned(writer, "max_speed_mbps", board->max_speed_mbps);
	json_put_unsigned(writer, "queues", board->queues);
	if (board->driver_clock_hz) {
		json_put_unsigned(writer, "driver_clock_hz", board->driver_clock_hz);
	}
	if (facts->has_limit) {
		json_put_unsigned(writer, "max_rx_usecs", facts->rx_usecs_max);
	}
	if (facts->get_error == 0) {
		run_json_put_settings(writer, "defaults", &facts->defaults);
	}
}

static void json_start(struct json_writer *writer, const char *schema)
{
	json_begin(writer, stdout);
	json_begin_object(writer, NULL);
	json_put_string(writer, "schema", schema);
	json_put_string(writer, "version", HOLDOFF_VERSION);
}

/* A failed write shows in main, where stdout is closed. */
static void json_finish(struct json_writer *writer)
{
	json_end_object(writer);
	json_end(writer);
}

static int list_boards_json(void)
{
	struct json_writer writer;
	struct err err = { "" };

	json_start(&writer, "holdoff.boards/1");
	json_begin_array(&writer, "boards");
	for (const struct board_text *text = embedded_boards; text->name; text++) {
		struct board_facts facts = { 0 };
		int ret = find_facts(&facts, text->name, &err);

		if (ret < 0) {
			return cmd_fail(ret, &err);
		}
		json_begin_object(&writer, NULL);
		put_facts(&writer, &facts);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_finish(&writer);
	return CMD_FINE;
}

static void print_rules(const struct driver_variant *variant)
{
	cmd_print_labelled(stdout, LABEL_WIDTH, "  set", "%s", variant->set_rule);
	cmd_print_labelled(stdout, LABEL_WIDTH, "  default", "%s", variant->default_rule);
	cmd_print_labelled(stdout, LABEL_WIDTH, "  poll", "%s", variant->poll_rule);
}

/* Model choices are named after the chips that they are about. */
static bool concerns(const struct assume_info *info, enum chip_family family)
{
	const char *chip = family == CHIP_RTL8169 || family == CHIP_RTL8168 ? "r8169" : chip_family_name(family);
	const size_t length = strlen(chip);

	return strncmp(info->name, chip, length) == 0 && info->name[length] == '-';
}

static void print_choices(const struct board *board)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		const struct assume_info *info = &assume_infos[i];

		if (!concerns(info, board->family)) {
			continue;
		}
		printf("\nassume %s=%" PRId64, info->name, board->assume.value[i]);
		if (board->assume.value[i] != info->initial) {
			printf(" (other boards %" PRId64 ")", info->initial);
		}
		printf("\n");
		cmd_print_labelled(stdout, LABEL_WIDTH, "  meaning", "%s", info->meaning);
		cmd_print_labelled(stdout, LABEL_WIDTH, "  range", "%" PRId64 " to %" PRId64, info->min, info->max);
		cmd_print_labelled(stdout, LABEL_WIDTH, "  why", "%s", info->source);
	}
}

static void print_board(const struct board_facts *facts)
{
	const struct board *board = &facts->board;
	const struct driver_variant *variant = facts->variant;
	char clock[24], defaults[COALESCE_TEXT_MAX];

	cmd_print_labelled(stdout, LABEL_WIDTH, "board", "%s: %s", board->name, board->title);
	cmd_print_labelled(stdout, LABEL_WIDTH, "source", "%s", board->source);
	cmd_print_labelled(stdout, LABEL_WIDTH, "chip", "%s, %u queue%s", chip_family_name(board->family),
			   board->queues, board->queues == 1 ? "" : "s");
	cmd_print_labelled(stdout, LABEL_WIDTH, "link", "%u Mb/s, at most %u Mb/s", board->speed_mbps,
			   board->max_speed_mbps);
	if (board->driver_clock_hz) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "clock", "%s", clock_text(board->driver_clock_hz, clock));
	}
	cmd_print_labelled(stdout, LABEL_WIDTH, "host", "%s", board->host);
	cmd_print_labelled(stdout, LABEL_WIDTH, "driver", "%s: Linux %s", variant->name, variant->kernels);
	print_rules(variant);
	cmd_print_labelled(stdout, LABEL_WIDTH, "defaults", "%s",
			   facts->get_error ? "no coalescing settings" : coalesce_print(&facts->defaults, defaults));
	if (facts->has_limit) {
		cmd_print_labelled(stdout, LABEL_WIDTH, "limit", "rx-usecs %" PRIu32, facts->rx_usecs_max);
	}
	print_choices(board);
}

static void print_board_json(const struct board_facts *facts)
{
	struct json_writer writer;

	json_start(&writer, "holdoff.board/1");
	put_facts(&writer, facts);
	json_begin_array(&writer, "assumptions");
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		const struct assume_info *info = &assume_infos[i];

		if (!concerns(info, facts->board.family)) {
			continue;
		}
		json_begin_object(&writer, NULL);
		json_put_string(&writer, "name", info->name);
		json_put_integer(&writer, "value", facts->board.assume.value[i]);
		json_put_integer(&writer, "initial", info->initial);
		json_put_integer(&writer, "min", info->min);
		json_put_integer(&writer, "max", info->max);
		json_put_string(&writer, "meaning", info->meaning);
		json_put_string(&writer, "source", info->source);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_finish(&writer);
}

static int tell_board(const char *name, bool json)
{
	struct board_facts facts = { 0 };
	struct err err = { "" };
	int ret = find_facts(&facts, name, &err);

	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	if (json) {
		print_board_json(&facts);
	} else {
		print_board(&facts);
	}
	return CMD_FINE;
}

static void list_drivers(void)
{
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	for (unsigned i = 0; i < count; i++) {
		const struct driver_variant *variant = &variants[i];
		const char *second =
			variant->families[1] != variant->families[0] ? chip_family_name(variant->families[1]) : NULL;

		printf("%s%s\n", i ? "\n" : "", variant->name);
		cmd_print_labelled(stdout, LABEL_WIDTH, "  chip", "%s%s%s", chip_family_name(variant->families[0]),
				   second ? " " : "", second ? second : "");
		cmd_print_labelled(stdout, LABEL_WIDTH, "  kernels", "%s", variant->kernels);
		print_rules(variant);
		cmd_print_labelled(stdout, LABEL_WIDTH, "  rings", "rx %u, tx %u%s%s", variant->rx_ring,
				   variant->tx_ring, variant->uses_bql ? ", byte queue limits" : "",
				   variant->per_queue ? ", settings of single queues" : "");
	}
}

static void put_supported(struct json_writer *writer, uint32_t supported)
{
	json_begin_array(writer, "supported");
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		if (supported & COALESCE_BIT(i)) {
			json_put_string(writer, NULL, coalesce_fields[i].name);
		}
	}
	json_end_array(writer);
}

static void list_drivers_json(void)
{
	struct json_writer writer;
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	json_start(&writer, "holdoff.drivers/1");
	json_begin_array(&writer, "drivers");
	for (unsigned i = 0; i < count; i++) {
		const struct driver_variant *variant = &variants[i];

		json_begin_object(&writer, NULL);
		json_put_string(&writer, "name", variant->name);
		json_begin_array(&writer, "chips");
		json_put_string(&writer, NULL, chip_family_name(variant->families[0]));
		if (variant->families[1] != variant->families[0]) {
			json_put_string(&writer, NULL, chip_family_name(variant->families[1]));
		}
		json_end_array(&writer);
		json_put_string(&writer, "kernels", variant->kernels);
		json_put_string(&writer, "set_rule", variant->set_rule);
		json_put_string(&writer, "default_rule", variant->default_rule);
		json_put_string(&writer, "poll_rule", variant->poll_rule);
		put_supported(&writer, variant->supported);
		json_put_boolean(&writer, "per_queue", variant->per_queue);
		json_put_unsigned(&writer, "rx_ring_descriptors", variant->rx_ring);
		json_put_unsigned(&writer, "tx_ring_descriptors", variant->tx_ring);
		json_put_boolean(&writer, "byte_queue_limits", variant->uses_bql);
		json_put_boolean(&writer, "obeys_napi_complete", variant->obeys_napi_complete);
		json_put_boolean(&writer, "defers_by_default", variant->defers_by_default);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_finish(&writer);
}

static int list_hosts(bool json)
{
	struct json_writer writer;
	struct err err = { "" };

	if (json) {
		json_start(&writer, "holdoff.hosts/1");
		json_begin_array(&writer, "hosts");
	}
	for (const struct board_text *text = embedded_hosts; text->name; text++) {
		struct profile profile;
		int ret = board_load_host(&profile, text->name, &err);

		if (ret < 0) {
			return cmd_fail(ret, &err);
		}
		if (!json) {
			char label[48];

			snprintf(label, sizeof(label), "%-16s  %u CPU%s", profile.name, profile.cpus,
				 profile.cpus == 1 ? "" : "s");
			cmd_print_labelled(stdout, 26, label, "%s", profile.source);
			continue;
		}
		json_begin_object(&writer, NULL);
		json_put_string(&writer, "name", profile.name);
		json_put_string(&writer, "source", profile.source);
		json_put_unsigned(&writer, "cpus", profile.cpus);
		json_put_unsigned(&writer, "idle_states", profile.idle_states);
		json_end_object(&writer);
	}
	if (json) {
		json_end_array(&writer);
		json_finish(&writer);
	}
	return CMD_FINE;
}

int cmd_boards(int argc, char **argv)
{
	struct cmd_arguments arguments;
	const char *value, *name = NULL;
	bool given[sizeof(boards_options) / sizeof(boards_options[0])] = { false };
	int option;

	cmd_arguments_init(&arguments, &boards_usage, argc, argv);
	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		if (option != CMD_WORD) {
			given[option] = true;
		} else if (name) {
			return cmd_usage_error(&boards_usage, "one board at a time, not also \"%s\"", value);
		} else {
			name = value;
		}
	}
	if ((name != NULL) + given[OPTION_DRIVERS] + given[OPTION_HOSTS] > 1) {
		return cmd_usage_error(&boards_usage, "NAME, --drivers and --hosts exclude one another");
	}
	if (name) {
		return tell_board(name, given[OPTION_JSON]);
	}
	if (given[OPTION_HOSTS]) {
		return list_hosts(given[OPTION_JSON]);
	}
	if (!given[OPTION_DRIVERS]) {
		return given[OPTION_JSON] ? list_boards_json() : list_boards();
	}
	if (given[OPTION_JSON]) {
		list_drivers_json();
	} else {
		list_drivers();
	}
	return CMD_FINE;
}
