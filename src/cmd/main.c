/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff: measures, models and sets NIC interrupt coalescing on Linux. This file finds the command and, when it is
 * done, makes sure that what it printed has arrived.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "change/request.h"
#include "chip/assume.h"
#include "cmd/cmd.h"
#include "coalesce/field.h"
#include "driver/rules.h"
#include "guest/harness.h"
#include "host/profile.h"
#include "nic/nic.h"
#include "run/figure.h"
#include "store/filter.h"
#include "workload/workload.h"

#define DEVICES_MAX 256

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *purpose;
};

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct command commands[] = {
	{ "explain", cmd_explain, "what a setting becomes: registers, read-back, effect, or why it is refused" },
	{ "simulate", cmd_simulate, "one run of the model: latency, interrupts, CPU time, throughput" },
	{ "sweep", cmd_sweep, "a grid of settings and workloads, on the model or on a real interface, as a table" },
	{ "scenarios", cmd_scenarios, "experiments that people published, and what the model makes of them" },
	{ "validate", cmd_validate, "the model against a table of runs of a real kernel" },
	{ "show", cmd_show, "what interfaces of this machine are set to, and what that comes to" },
	{ "set", cmd_set, "changes settings of a real interface, with a way back" },
	{ "revert", cmd_revert, "puts back what holdoff has changed" },
	{ "confirm", cmd_confirm, "keeps what was set until confirmed" },
	{ "ping", cmd_ping, "round trips to any host: their distribution, and where frame sizes and gaps change them" },
	{ "infer", cmd_infer, "did a setting take effect? what a NIC really does, from single frames" },
	{ "measure", cmd_measure, "what an interface does at its present setting: latency, interrupts, CPU time" },
	{ "calibrate", cmd_calibrate, "the model fitted to a machine, from a few short measurements" },
	{ "predict", cmd_predict, "a sweep on the model as calibrate fitted it" },
	{ "load", cmd_load, "traffic in the model's patterns over a real network, counted at both ends" },
	{ "peer", cmd_peer, "the far end of load, which starts it" },
	{ "trace", cmd_trace, "where a packet's time goes, by the kernel's own events" },
	{ "runs", cmd_runs, "the runs that were kept (--store): list, show, delete, export, import, merge" },
	{ "compare", cmd_compare, "two sets of kept runs: what differs, and whether that can be told from chance" },
	{ "tune", cmd_tune, "which setting to take, for a goal, and whether it matters at all" },
	{ "report", cmd_report, "kept runs as one page: what settings cost and bring, with plots, to look at" },
	{ "emit", cmd_emit, "settings as a file of systemd, NetworkManager or udev, or as a command" },
	{ "lint", cmd_lint, "what such files ask for, and where that is not what they say" },
	{ "diagnose", cmd_diagnose, "what the output in a bug report says and means: ethtool, interrupts, ping" },
	{ "bench", cmd_bench, "scripts in a Linux guest with two network cards, in virtual time" },
	{ "boards", cmd_boards, "the boards, drivers and hosts that are known" },
	{ "help", cmd_help, "this text, or that of a command" },
	{ "version", cmd_version, "the version" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0) {
			return &commands[i];
		}
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS];

	for (size_t i = 0; i < COMMANDS; i++) {
		names[i] = commands[i].name;
	}
	const char *nearest = text_nearest(name, names, COMMANDS);
	struct err err = { "" };
	int ret;

	if (nearest) {
		ret = err_set(&err, -EINVAL, "unknown command \"%.60s\": did you mean %s? (holdoff help)", name,
			      nearest);
	} else {
		ret = err_set(&err, -EINVAL, "unknown command \"%.60s\" (holdoff help lists them)", name);
	}
	return cmd_fail(ret, &err);
}

static void print_overview(FILE *out)
{
	fputs("usage: holdoff COMMAND [OPTIONS] [WORDS]\n\n"
	      "Models what NIC interrupt coalescing does to latency, interrupts and CPU time.\n\ncommands:\n",
	      out);
	for (size_t i = 0; i < COMMANDS; i++) {
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].purpose);
	}
	fputs("\nholdoff COMMAND --help tells more, and so does man holdoff.\n", out);
}

static void print_kinds(void);

static const struct cmd_option help_options[] = {
	{ "list", "KIND", "names, one a line, for completion and scripts", false },
};

static const struct cmd_usage help_usage = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.about = "Says what holdoff, or one of its commands, does and takes.\n",
	.options = help_options,
	.option_count = 1,
	.words = "commands",
	.more = print_kinds,
};

static int cmd_help(int argc, char **argv)
{
	struct cmd_arguments arguments;
	const char *value, *command = NULL, *kind = NULL;
	int option;

	cmd_arguments_init(&arguments, &help_usage, argc, argv);
	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		if (option == 0) {
			kind = value;
		} else if (command) {
			return cmd_usage_error(&help_usage, "one command at a time, not also \"%s\"", value);
		} else {
			command = value;
		}
	}
	if (kind) {
		return cmd_list(kind);
	}
	if (!command) {
		print_overview(stdout);
		return CMD_FINE;
	}
	const struct command *found = find_command(command);
	if (!found) {
		return unknown_command(command);
	}
	char name[32], help[] = "--help";
	snprintf(name, sizeof(name), "%s", found->name);
	return found->run(2, (char *[]){ name, help, NULL });
}

static int cmd_version(int argc, char **argv)
{
	static const struct cmd_usage version_usage = {
		.name = "version",
		.synopsis = "",
		.about = "Prints the version.\n",
	};
	struct cmd_arguments arguments;
	const char *value;

	cmd_arguments_init(&arguments, &version_usage, argc, argv);
	if (cmd_next(&arguments, &value) == CMD_STOP) {
		return arguments.status;
	}
	printf("holdoff %s\n", HOLDOFF_VERSION);
	return CMD_FINE;
}

static void list_texts(const struct board_text *texts)
{
	for (; texts->name; texts++) {
		puts(texts->name);
	}
}

static void list_commands(void)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		puts(commands[i].name);
	}
}

static void list_boards(void)
{
	list_texts(embedded_boards);
}

static void list_hosts(void)
{
	list_texts(embedded_hosts);
}

static void list_scenarios(void)
{
	list_texts(embedded_scenarios);
}

static void list_plans(void)
{
	list_texts(embedded_plans);
}

static void list_drivers(void)
{
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	for (unsigned i = 0; i < count; i++) {
		puts(variants[i].name);
	}
}

/* Drivers whose rules alone are known. */
static void list_driver_rules(void)
{
	unsigned count;
	const struct driver_rules *rules = driver_rules_all(&count);

	for (unsigned i = 0; i < count; i++) {
		for (unsigned name = 0; name < RULES_DRIVERS_MAX && rules[i].drivers[name]; name++) {
			puts(rules[i].drivers[name]);
		}
	}
}

static void list_settings(void)
{
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		puts(coalesce_fields[i].name);
	}
}

static void list_assumptions(void)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		puts(assume_infos[i].name);
	}
}

static void list_workloads(void)
{
	for (unsigned i = 0; i < WORKLOAD_KINDS; i++) {
		puts(workload_kind_name((enum workload_kind)i));
	}
}

/* What a filter of runs may begin with. */
static void list_filters(void)
{
	unsigned count;
	const struct store_field *const field = store_filter_fields(&count);

	for (unsigned i = 0; i < count; i++) {
		printf("%s=\n", field[i].name);
	}
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		printf("%s=\n", coalesce_fields[i].name);
	}
}

static void list_figures(void)
{
	unsigned count;
	const struct figure *all = figures(&count);

	for (unsigned i = 0; i < count; i++) {
		puts(all[i].name);
	}
}

static void list_ini_keys(const struct ini_key *keys, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		puts(keys[i].name);
	}
}

static void list_host_keys(void)
{
	list_ini_keys(profile_base_keys, PROFILE_BASE_KEYS);
	list_ini_keys(profile_keys, profile_key_count);
}

static void list_board_keys(void)
{
	list_ini_keys(board_keys, board_key_count);
}

/* Also lo, which can be named. */
static void list_devices(void)
{
	char names[DEVICES_MAX][IFNAMSIZ];
	const int found = nic_list(names, DEVICES_MAX, NULL);

	for (int i = 0; i < found && i < DEVICES_MAX; i++) {
		puts(names[i]);
	}
}

/* What may stand behind holdoff set. */
static void list_changes(void)
{
	list_devices();
	list_settings();
	puts("queue\nnapi");
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		puts(change_napi_fields[i].name);
	}
}

/* None where there is no harness. */
static void list_nics(void)
{
	char program[PATH_MAX], harness[PATH_MAX], names[256], *rest = names;

	if (harness_find(program, harness, NULL) < 0 || harness_nics(harness, names, sizeof(names)) < 0) {
		return;
	}
	for (const char *name = strsep(&rest, " "); name; name = strsep(&rest, " ")) {
		puts(name);
	}
}

static void list_kinds(void);

static const struct {
	const char *kind;
	void (*print)(void);
} lists[] = {
	{ "assumptions", list_assumptions },
	{ "board-keys", list_board_keys },
	{ "boards", list_boards },
	{ "commands", list_commands },
	{ "devices", list_devices },
	{ "changes", list_changes },
	{ "driver-rules", list_driver_rules },
	{ "drivers", list_drivers },
	{ "figures", list_figures },
	{ "filters", list_filters },
	{ "host-keys", list_host_keys },
	{ "hosts", list_hosts },
	{ "kinds", list_kinds },
	{ "nics", list_nics },
	{ "plans", list_plans },
	{ "scenarios", list_scenarios },
	{ "settings", list_settings },
	{ "workloads", list_workloads },
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

static void list_kinds(void)
{
	for (size_t i = 0; i < LISTS; i++) {
		puts(lists[i].kind);
	}
}

static void print_kinds(void)
{
	fputs("\nkinds of names:\n ", stdout);
	for (size_t i = 0; i < LISTS; i++) {
		printf(" %s", lists[i].kind);
	}
	putchar('\n');
}

int cmd_list(const char *kind)
{
	const char *kinds[LISTS];

	for (size_t i = 0; i < LISTS; i++) {
		if (strcmp(lists[i].kind, kind) == 0) {
			lists[i].print();
			return CMD_FINE;
		}
		kinds[i] = lists[i].kind;
	}
	const char *nearest = text_nearest(kind, kinds, LISTS);

	return nearest ? cmd_usage_error(&help_usage, "there is no list of \"%.60s\": did you mean %s?", kind, nearest)
		       : cmd_usage_error(&help_usage, "there is no list of \"%.60s\"", kind);
}

/*
 * A standard descriptor that came closed would be given to the first file that we open, and results would be written
 * into it. The null device, opened the wrong way round, takes the place: writing fails as it should.
 */
static void occupy_standard_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) {
			_exit(CMD_USAGE);
		}
	}
}

/* What was printed has to arrive: a full disk shows when the buffer is flushed, on network file systems at closing. */
static int finish_output(int status)
{
	const int failed_before = ferror(stdout);

	if (failed_before) {
		/* Why is no longer known, but it will fail once more. */
		clearerr(stdout);
		putchar('\n');
	}
	errno = 0;
	if (fclose(stdout) == 0 && !failed_before) {
		return status;
	}
	fprintf(stderr, "holdoff: cannot write the result to standard output: %s\n",
		errno ? strerror(errno) : "a write failed");
	return CMD_USAGE;
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_overview(stderr);
		return CMD_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		return cmd_version(1, argv);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		return cmd_help(1, argv);
	}
	if (argv[1][0] == '-') {
		struct err err = { "" };

		return cmd_fail(
			err_set(&err, -EINVAL, "the command comes first, not \"%.60s\" (holdoff help)", argv[1]), &err);
	}
	const struct command *command = find_command(argv[1]);
	return command ? command->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	occupy_standard_descriptors();
	return finish_output(run(argc, argv));
}
