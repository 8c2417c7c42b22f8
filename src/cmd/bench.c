/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff bench: a guest with NICs back to back, and scripts in it, in virtual time. The work is done by the harness, the
 * shell scripts of qemu/; most options are its own and handed on as they are. This sees to it that the harness is
 * found, that nothing is left of it afterwards, and that what happened is told apart from what the script's status says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "guest/harness.h"
#include "guest/keeper.h"
#include "guest/outcome.h"
#include "report/json_writer.h"

/* Ours and the harness's own come before those of the user. */
#define FIXED_ARGUMENTS 8
#define ARGUMENTS_MAX 256

enum {
	OPTION_NIC,
	OPTION_COUNT,
	OPTION_LINK,
	OPTION_SCRIPT,
	OPTION_SHELL,
	OPTION_SERIES,
	OPTION_KERNEL,
	OPTION_MODULES,
	OPTION_MODULE,
	OPTION_ADD,
	OPTION_TOOL,
	OPTION_APPEND,
	OPTION_LAPIC,
	OPTION_TIMEOUT,
	OPTION_GUEST_TIMEOUT,
	OPTION_ASSUME,
	OPTION_AHB_HZ,
	OPTION_EVENTS,
	OPTION_CONSOLE,
	OPTION_CACHED,
	OPTION_JSON,
	OPTIONS
};

static const struct cmd_option bench_options[OPTIONS] = {
	[OPTION_NIC] = { "nic", "NIC", "which card (holdoff help --list nics); default: e1000e", false },
	[OPTION_COUNT] = { "count", "N", "how many, in pairs: eth0 eth1, eth2 eth3...; default: 2", false },
	[OPTION_LINK] = { "link", "MBPS", "the speed they come up with, for cards that have several", false },
	[OPTION_SCRIPT] = { "script", "FILE", "for the guest's sh; again for more, one after the other", true },
	[OPTION_SHELL] = { "shell", NULL, "a shell in the guest, after the scripts", false },
	[OPTION_SERIES] = { "series", "NUMBER", "Debian's kernel of that series, out of the backports: 6.12", false },
	[OPTION_KERNEL] = { "kernel", "FILE", "bzImage or vmlinux; default: Debian's linux-image-amd64", false },
	[OPTION_MODULES] = { "modules", "DIR", "its modules (make modules_install INSTALL_MOD_PATH=DIR)", false },
	[OPTION_MODULE] = { "module", "NAME|FILE.ko", "in place of the kernel's, or one more; again for more", true },
	[OPTION_ADD] = { "add", "FILE[:PATH]", "into the guest, as /test/FILE or PATH; again for more", true },
	[OPTION_TOOL] = { "tool", "NAME:PACKAGE", "a program of this machine or of the Debian package; again for more",
			  true },
	[OPTION_APPEND] = { "append", "WORDS", "more words for the kernel's command line", true },
	[OPTION_LAPIC] = { "lapic", NULL, "the timer of the local APIC in place of the HPET; boots slower", false },
	[OPTION_TIMEOUT] = { "timeout", "S", "limit in s of this machine's CPU time; default: 120", false },
	[OPTION_GUEST_TIMEOUT] = { "guest-timeout", "S", "limit in s of the guest's time; default: 600", false },
	[OPTION_ASSUME] = { "assume", "NAME=VALUE",
			    "a model choice of the card, as in holdoff simulate; again for more", true },
	[OPTION_AHB_HZ] = { "ahb-hz", "HZ", "for fec: the clock that the driver converts with, as of another SoC",
			    false },
	[OPTION_EVENTS] = { "events", "FILE",
			    "register writes, interrupts and frames, with their time; own devices only", false },
	[OPTION_CONSOLE] = { "console", "FILE", "what the guest's kernel says, and stderr of the scripts", false },
	[OPTION_CACHED] = { "cached", NULL, "download nothing: what is not in the cache cannot be had", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.bench/1", false },
};

static const struct cmd_usage bench_usage = {
	.name = "bench",
	.synopsis = "[--nic NIC] [OPTIONS] --script FILE|--shell",
	.about = "Boots Linux in QEMU with two network cards back to back and runs scripts in it, in\n"
		 "virtual time: the same figures on every machine, each time. eth0 is 10.0.0.1, eth1 is\n"
		 "10.0.0.2 in the network namespace peer. What a kernel needs is downloaded once and\n"
		 "kept, not installed. The exit status is that of the first script that failed.\n",
	.options = bench_options,
	.option_count = OPTIONS,
};

struct bench {
	const char *nic, *count, *link, *console, *events;
	bool is_shell, is_json;
	const char *scripts[OUTCOME_SCRIPTS_MAX];
	unsigned script_count;
	const char *passed_on[ARGUMENTS_MAX];
	unsigned passed_on_count;

	char program[PATH_MAX], harness[PATH_MAX];
	struct keeper keeper;
	struct outcome outcome;
	int signal; /* that ended it, or 0 */
};

/* ---- the command line ---- */

static void remember(struct bench *bench, int option, const char *value)
{
	switch (option) {
	case OPTION_NIC:
		bench->nic = value;
		break;
	case OPTION_COUNT:
		bench->count = value;
		break;
	case OPTION_LINK:
		bench->link = value;
		break;
	case OPTION_EVENTS:
		bench->events = value;
		break;
	case OPTION_CONSOLE:
		bench->console = value;
		break;
	case OPTION_SHELL:
		bench->is_shell = true;
		break;
	default:
		break;
	}
}

/* The harness has an option of the same name, and knows what is wrong with a value. */
static int pass_on(struct bench *bench, int option, const char *value)
{
	static char names[OPTIONS][32];

	if (bench->passed_on_count + 2 > ARGUMENTS_MAX) {
		return cmd_usage_error(&bench_usage, "too many options");
	}
	snprintf(names[option], sizeof(names[option]), "--%s", bench_options[option].name);
	bench->passed_on[bench->passed_on_count++] = names[option];
	if (value) {
		bench->passed_on[bench->passed_on_count++] = value;
	}
	remember(bench, option, value);
	return -1;
}

static int take_script(struct bench *bench, const char *file)
{
	if (bench->script_count == OUTCOME_SCRIPTS_MAX) {
		return cmd_usage_error(&bench_usage, "too many scripts: at most %d", OUTCOME_SCRIPTS_MAX);
	}
	bench->scripts[bench->script_count++] = file;
	return -1;
}

/* -1, or the exit status to leave with. */
static int take(struct bench *bench, struct cmd_arguments *arguments)
{
	const char *value;
	int option, status = -1;

	while (status < 0 && (option = cmd_next(arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			status = arguments->status;
		} else if (option == OPTION_JSON) {
			bench->is_json = true;
		} else if (option == OPTION_SCRIPT) {
			status = take_script(bench, value);
		} else {
			status = pass_on(bench, option, value);
		}
	}
	if (status < 0 && bench->script_count == 0 && !bench->is_shell) {
		return cmd_usage_error(&bench_usage, "nothing to do in the guest: --script FILE, or --shell");
	}
	if (status < 0 && bench->is_shell && bench->is_json) {
		return cmd_usage_error(&bench_usage, "--shell and --json exclude one another");
	}
	return status;
}

/* ---- the run ---- */

static char *file_of(const struct bench *bench, const char *name, char path[PATH_MAX + 16])
{
	snprintf(path, PATH_MAX + 16, "%s/%s", bench->keeper.folder, name);
	return path;
}

/* What scripts print goes where ours goes, or in a file to be put into the document. */
static int open_output(const struct bench *bench, struct err *err)
{
	char path[PATH_MAX + 16];

	if (!bench->is_json) {
		return -1;
	}
	const int fd = open(file_of(bench, "printed", path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? err_set(err, -errno, "\"%s\" cannot be written: %s", path, strerror(errno)) : fd;
}

static void read_outcome(struct bench *bench, int run_status)
{
	char path[PATH_MAX + 16];
	FILE *const report = fopen(file_of(bench, "report", path), "re");

	outcome_read(&bench->outcome, report, run_status);
	if (report) {
		fclose(report);
	}
	if (bench->signal) {
		bench->outcome.kind = OUTCOME_INTERRUPTED;
		snprintf(bench->outcome.why, sizeof(bench->outcome.why), "ended by signal %d: %s", bench->signal,
			 strsignal(bench->signal));
	}
}

static int run_harness(struct bench *bench, const char *const arguments[], struct err *err)
{
	struct keeper_command command = { .arguments = arguments, .is_interactive = bench->is_shell };

	command.output_fd = open_output(bench, err);
	if (command.output_fd < -1) {
		return command.output_fd;
	}
	const int ret = keeper_run(&bench->keeper, &command, &bench->signal, err);

	if (command.output_fd >= 0) {
		close(command.output_fd);
	}
	if (ret < 0) {
		return ret;
	}
	read_outcome(bench, ret);
	return 0;
}

static int run(struct bench *bench, struct err *err)
{
	char run[PATH_MAX + 16], folder[PATH_MAX + 16], report[PATH_MAX + 16];
	const char *arguments[FIXED_ARGUMENTS + ARGUMENTS_MAX + OUTCOME_SCRIPTS_MAX + 1] = {
		run,
		"--report",
		file_of(bench, "report", report),
		"--folder",
		file_of(bench, "boot", folder),
		"--holdoff",
		bench->program,
	};
	unsigned count = FIXED_ARGUMENTS - 1;

	snprintf(run, sizeof(run), "%s/run", bench->harness);
	for (unsigned i = 0; i < bench->passed_on_count; i++) {
		arguments[count++] = bench->passed_on[i];
	}
	arguments[count++] = "--";
	for (unsigned i = 0; i < bench->script_count; i++) {
		arguments[count++] = bench->scripts[i];
	}
	return run_harness(bench, arguments, err);
}

/* ---- what is said about it ---- */

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text && text[0]) {
		json_put_string(writer, key, text);
	}
}

/* The harness has found these to be numbers. */
static void put_number(struct json_writer *writer, const char *key, const char *text)
{
	if (text) {
		json_put_unsigned(writer, key, strtoul(text, NULL, 10));
	}
}

static void put_times(struct json_writer *writer, const struct outcome *outcome)
{
	if (outcome->ready_at_ns == OUTCOME_UNKNOWN_NS) {
		return;
	}
	json_put_integer(writer, "boot_virtual_ns", outcome->ready_at_ns);
	if (outcome->over_at_ns >= outcome->ready_at_ns) {
		json_put_integer(writer, "scripts_virtual_ns", outcome->over_at_ns - outcome->ready_at_ns);
	}
}

static void put_scripts(struct json_writer *writer, const struct bench *bench)
{
	json_begin_array(writer, "scripts");
	for (unsigned i = 0; i < bench->script_count; i++) {
		json_begin_object(writer, NULL);
		json_put_string(writer, "file", bench->scripts[i]);
		if (i < bench->outcome.script_count) {
			json_put_integer(writer, "status", bench->outcome.script_status[i]);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* A file of the keeper's folder as one string. */
static void put_printed(struct json_writer *writer, const struct bench *bench)
{
	char path[PATH_MAX + 16], *text = NULL;
	size_t size = 0;
	FILE *const printed = fopen(file_of(bench, "printed", path), "re");

	if (printed && getdelim(&text, &size, '\0', printed) > 0) {
		json_put_string(writer, "output", text);
	}
	free(text);
	if (printed) {
		fclose(printed);
	}
}

static void print_json(const struct bench *bench, int status)
{
	const struct outcome *const outcome = &bench->outcome;
	struct json_writer writer;

	json_begin(&writer, stdout);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.bench/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "nic", bench->nic);
	put_number(&writer, "count", bench->count);
	put_number(&writer, "link_mbps", bench->link);
	put_text(&writer, "kernel", outcome->kernel);
	put_text(&writer, "driver", outcome->driver);
	put_text(&writer, "qemu", outcome->qemu);
	json_put_string(&writer, "outcome", outcome_kind_name(outcome->kind));
	put_text(&writer, "why", outcome->why);
	json_put_integer(&writer, "exit_status", status);
	put_times(&writer, outcome);
	put_scripts(&writer, bench);
	put_text(&writer, "console_file", bench->console);
	put_text(&writer, "events_file", bench->events);
	put_printed(&writer, bench);
	json_end_object(&writer);
	json_end(&writer);
}

/* The harness has said why already, but for what it does not know of. */
static int finish(const struct bench *bench)
{
	const struct outcome *const outcome = &bench->outcome;
	const int status = bench->signal ? 128 + bench->signal : outcome_status(outcome);

	if (outcome->kind == OUTCOME_INTERRUPTED || !outcome->is_said) {
		fprintf(stderr, "holdoff: %s\n", outcome->why);
	}
	/* Wrong usage has no document, as with the other commands. */
	if (bench->is_json && outcome->kind != OUTCOME_REFUSED) {
		print_json(bench, status);
	}
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct cmd_arguments arguments;
	static struct bench bench = { .nic = "e1000e", .count = "2" };
	struct err err = { "" };

	cmd_arguments_init(&arguments, &bench_usage, argc, argv);
	int status = take(&bench, &arguments);
	if (status >= 0) {
		return status;
	}
	int ret = harness_find(bench.program, bench.harness, &err);
	if (ret < 0) {
		fprintf(stderr, "holdoff: %s\n", err.text);
		return CMD_UNSUPPORTED;
	}
	ret = keeper_start(&bench.keeper, &err);
	if (ret < 0) {
		return cmd_fail(ret, &err);
	}
	ret = run(&bench, &err);
	status = ret < 0 ? cmd_fail(ret, &err) : finish(&bench);
	keeper_end(&bench.keeper);
	return status;
}
