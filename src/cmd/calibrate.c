/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff calibrate: the model fitted to a live machine, by a few short measurements or by runs that were kept. */
#include "cmd/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/storing.h"
#include "cmd/whole_file.h"
#include "live/fit.h"

#define DURATION_DEFAULT_NS NS_PER_S
#define WARMUP_DEFAULT_NS (200 * NS_PER_MS)
#define REPEATS_DEFAULT 3
#define FIT_MEMORY_BYTES (32 << 20)

enum {
	OPTION_PEER_HOST,
	OPTION_PEER,
	OPTION_OUTPUT,
	OPTION_BOARD,
	OPTION_DRIVER,
	OPTION_SPEED,
	OPTION_HOST,
	OPTION_SHARED_HOST,
	OPTION_PEER_SET,
	OPTION_IRQ_CPU,
	OPTION_APP_CPU,
	OPTION_ASSUME,
	OPTION_WORKLOAD,
	OPTION_DURATION,
	OPTION_REPEAT,
	OPTION_FROM,
	OPTION_FILTER,
	OPTION_STORE,
	OPTION_LABEL,
	OPTION_PIN,
	OPTION_NETNS,
	OPTION_JSON,
	OPTIONS
};

static const struct cmd_option calibrate_options[OPTIONS] = {
	[OPTION_PEER_HOST] = { "peer-host", "ADDRESS", "the other end, a name or an address", false },
	[OPTION_PEER] = { "peer", "COMMAND", "starts holdoff peer there: then datagrams are measured too", false },
	[OPTION_OUTPUT] = { "output", "FILE", "the profile to write, FILE.ini", false },
	[OPTION_BOARD] = { "board", "NAME|FILE", "the model of this NIC: holdoff boards", false },
	[OPTION_DRIVER] = { "driver", "VARIANT", "its driver, where it is not the board's", false },
	[OPTION_SPEED] = { "speed", "MBPS", "of the link; default: the board's", false },
	[OPTION_HOST] = { "host", "PROFILE", "what costs are scaled from; default: the board's", false },
	[OPTION_SHARED_HOST] = { "shared-host", "yes|no", "the other end is a NIC of this machine, of the same kind",
				 false },
	[OPTION_PEER_SET] = { "peer-set", "WORDS", "shared-host: what the other end is set to, if not its default",
			      false },
	[OPTION_IRQ_CPU] = { "irq-cpu", "N", "of the model: which CPU takes the interrupts (0)", false },
	[OPTION_APP_CPU] = { "app-cpu", "N", "of the model: which CPU runs the application (the same)", false },
	[OPTION_ASSUME] = { "assume", "NAME=VALUE,...", "model choices of holdoff boards BOARD", false },
	[OPTION_WORKLOAD] = { "workload", "TEXT", "to measure in place of the usual ones", true },
	[OPTION_DURATION] = { "duration", "TIME", "of each repeat of each workload (1s)", false },
	[OPTION_REPEAT] = { "repeat", "N", "how often each is measured (3)", false },
	[OPTION_FROM] = { "from", "FILE", "fit measured runs of this store, and measure nothing", false },
	[OPTION_FILTER] = { "filter", "TEXT", "with --from: those that fit (holdoff-runs(1))", false },
	[OPTION_STORE] = { "store", "FILE", "keep the measured runs in that file (holdoff-runs(1))", false },
	[OPTION_LABEL] = STORING_LABEL_OPTION,
	[OPTION_PIN] = { "pin", "CPU|any", "stay on that CPU, at a real-time priority, out of deep idle states",
			 false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "the interface is in this network namespace", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.calibration/1", false },
};

static const char calibrate_letters[OPTIONS] = { [OPTION_OUTPUT] = 'o' };

static const struct cmd_usage calibrate_usage = {
	.name = "calibrate",
	.synopsis = "DEV --board NAME|FILE --peer-host ADDRESS [--peer COMMAND] --output FILE.ini\n"
		    "       holdoff calibrate --from STORE [--filter TEXT] --board NAME|FILE --output FILE.ini",
	.about = "Fits the model to a machine: measures some short workloads at the present setting, finds\n"
		 "the host's costs, the chip's times and the path with which the model does the same, says how\n"
		 "well each is known, and writes a profile. holdoff predict then tells what other settings would do.\n",
	.options = calibrate_options,
	.option_count = OPTIONS,
	.letters = calibrate_letters,
	.words = "devices",
	.more = cmd_print_workloads,
};

/* Pings alone need nobody at the other end. */
static const char *const usual[] = { "ping size=56 interval=10ms", "ping size=1400 interval=10ms",
				     "ping size=56 interval=0", "udp rate=2k size=64", "udp rate=20k size=64" };

#define USUAL (sizeof(usual) / sizeof(usual[0]))
#define USUAL_WITHOUT_PEER 3

struct command {
	const char *text[OPTIONS]; /* of those that do not repeat; "" for a switch */
	const char *device;
	const char *workload[CALIBRATE_POINTS_MAX];
	unsigned workload_count;
	int64_t duration_ns;
	uint32_t repeats;
	struct storing storing;
	struct calibrate_session session;
	struct run *run;
};

/* ---- the command line ---- */

static int take(struct command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments->status;
		}
		if (option == CMD_WORD && command->device) {
			return cmd_usage_error(&calibrate_usage, "one interface at a time, not also \"%s\"", value);
		}
		if (option == OPTION_WORKLOAD && command->workload_count == CALIBRATE_POINTS_MAX) {
			return cmd_usage_error(&calibrate_usage, "at most %d workloads", CALIBRATE_POINTS_MAX);
		}
		if (option == CMD_WORD) {
			command->device = value;
		} else if (option == OPTION_WORKLOAD) {
			command->workload[command->workload_count++] = value;
		} else {
			command->text[option] = value ? value : "";
		}
	}
	return -1;
}

/* What has to be there, and what does not go together. */
static int check_form(const struct command *command)
{
	static const int live_only[] = { OPTION_PEER_HOST, OPTION_PEER,  OPTION_DURATION, OPTION_REPEAT,
					 OPTION_STORE,     OPTION_LABEL, OPTION_PIN,      OPTION_NETNS };
	const bool is_kept = command->text[OPTION_FROM];

	for (size_t i = 0; is_kept && i < sizeof(live_only) / sizeof(live_only[0]); i++) {
		if (command->text[live_only[i]] || command->workload_count) {
			return cmd_usage_error(&calibrate_usage, "--from measures nothing: --%s is for an interface",
					       command->workload_count ? "workload"
								       : calibrate_options[live_only[i]].name);
		}
	}
	if (is_kept && command->device) {
		return cmd_usage_error(&calibrate_usage,
				       "either an interface or --from, not both: --filter device=%s chooses its runs",
				       command->device);
	}
	if (!is_kept && !command->device) {
		return cmd_usage_error(&calibrate_usage, "an interface is needed, or --from STORE with runs of one");
	}
	if (!is_kept && !command->text[OPTION_PEER_HOST]) {
		return cmd_usage_error(&calibrate_usage, "a host to measure against is needed: --peer-host ADDRESS");
	}
	if (!is_kept && command->text[OPTION_FILTER]) {
		return cmd_usage_error(&calibrate_usage, "--filter chooses runs of --from STORE");
	}
	if (!command->text[OPTION_BOARD]) {
		return cmd_usage_error(&calibrate_usage,
				       "which board models this NIC? --board NAME; holdoff boards lists them");
	}
	if (!command->text[OPTION_OUTPUT]) {
		return cmd_usage_error(&calibrate_usage, "where shall the profile go? --output FILE.ini");
	}
	return -1;
}

/* A profile is found again by a name that says that it is a file. */
static int check_output(const char *path, struct err *err)
{
	const size_t length = strlen(path);

	if (length < 4 || strcmp(path + length - 4, ".ini") != 0) {
		return err_set(err, -EINVAL, "--output %s: the name of a profile ends in .ini", path);
	}
	const char *const slash = strrchr(path, '/');
	const size_t name_length = strlen(slash ? slash + 1 : path) - 4;

	if (name_length == 0 || name_length >= sizeof(((struct profile *)0)->name)) {
		return err_set(err, -EINVAL, "--output %s: a profile's name has 1 to %zu characters before .ini", path,
			       sizeof(((struct profile *)0)->name) - 1);
	}
	return whole_file_check(path, NULL, err);
}

static int put_key(struct command *command, int option, enum setup_key key, struct err *err)
{
	struct calibrate_session *const session = &command->session;

	if (!command->text[option]) {
		return 0;
	}
	session->text[key] = command->text[option];
	return setup_put(&session->setup, key, command->text[option], err);
}

static int read_ends(struct command *command, struct err *err)
{
	static const struct {
		int option;
		enum setup_key key;
	} keys[] = { { OPTION_BOARD, SETUP_BOARD },      { OPTION_DRIVER, SETUP_DRIVER },
		     { OPTION_SPEED, SETUP_SPEED },      { OPTION_HOST, SETUP_HOST },
		     { OPTION_IRQ_CPU, SETUP_IRQ_CPU },  { OPTION_APP_CPU, SETUP_APP_CPU },
		     { OPTION_ASSUME, SETUP_ASSUME },    { OPTION_SHARED_HOST, SETUP_SHARED_HOST },
		     { OPTION_PEER_SET, SETUP_PEER_SET } };
	struct calibrate_session *const session = &command->session;
	int ret = 0;

	setup_init(&session->setup);
	for (size_t i = 0; ret == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		ret = put_key(command, keys[i].option, keys[i].key, err);
	}
	if (ret == 0 && command->text[OPTION_PEER_SET] && !session->setup.shared_host) {
		return err_set(err, -EINVAL,
			       "--peer-set needs --shared-host yes: another machine's setting is part of the path");
	}
	if (ret == 0 && session->setup.shared_host) {
		session->text[SETUP_PEER] = command->text[OPTION_BOARD];
		ret = setup_put(&session->setup, SETUP_PEER, command->text[OPTION_BOARD], err);
	}
	/* A first guess: one switch, and a host that answers. */
	return ret || session->setup.shared_host ? ret : setup_put(&session->setup, SETUP_PEER, "ideal:20us", err);
}

static int check_workloads(const struct command *command, struct err *err)
{
	struct workload workload;
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < command->workload_count; i++) {
		ret = workload_parse(&workload, command->workload[i], err);
		if (ret == 0 && workload.kind != WORKLOAD_PING && !command->text[OPTION_PEER]) {
			ret = err_set(err, -EINVAL, "\"%s\" needs holdoff peer at the other end: --peer COMMAND",
				      command->workload[i]);
		} else if (ret == 0 && workload.kind != WORKLOAD_PING) {
			ret = fit_check(&workload, false, FIT_PEER, err);
		}
	}
	return ret;
}

static int read_values(struct command *command, struct err *err)
{
	struct world_config config;
	int ret = check_output(command->text[OPTION_OUTPUT], err);

	command->duration_ns = DURATION_DEFAULT_NS;
	command->repeats = REPEATS_DEFAULT;
	ret = ret ? ret
		  : measuring_read_span(command->text[OPTION_DURATION], "duration", 1, &command->duration_ns, err);
	ret = ret ? ret
		  : cmd_read_count(command->text[OPTION_REPEAT], "repeat", MEASURE_REPEATS_MAX, &command->repeats, err);
	if (!command->text[OPTION_FROM] && command->workload_count == 0) {
		command->workload_count = command->text[OPTION_PEER] ? USUAL : USUAL_WITHOUT_PEER;
		memcpy(command->workload, usual, command->workload_count * sizeof(usual[0]));
	}
	ret = ret ? ret : check_workloads(command, err);
	ret = ret ? ret : read_ends(command, err);
	if (ret) {
		return ret;
	}
	/* Before anything is measured. */
	struct setup setup = command->session.setup;

	ret = setup_put(&setup, SETUP_WORKLOAD, usual[0], err);
	return ret ? ret : setup_config(&setup, &config, err);
}

/* ---- the runs ---- */

static void note_subject(struct command *command, const struct run *run, const char *machine)
{
	char *const subject = command->session.subject;

	if (!subject[0]) {
		snprintf(command->session.driver, sizeof(command->session.driver), "%s", run->conditions.driver);
		snprintf(subject, CALIBRATE_SUBJECT_MAX, "%s (%.24s)%s%.40s", run->conditions.measured.device,
			 run->conditions.driver, machine[0] ? " of " : "", machine);
	}
}

static int take_kept(struct command *command, struct store_cursor *cursor, struct err *err)
{
	struct store_entry entry;
	int ret;

	while ((ret = store_next(cursor, &entry, command->run, err)) > 0) {
		if (command->run->conditions.source != RUN_MEASURED || entry.role == STORE_WARM_UP ||
		    command->run->conditions.measured.is_incomplete) {
			continue;
		}
		note_subject(command, command->run, entry.machine);
		ret = calibrate_add_run(&command->session, command->run, err);
		if (ret) {
			return err_prefix(err, ret, "run %" PRId64, entry.number);
		}
	}
	return ret;
}

static int read_store(struct command *command, struct err *err)
{
	struct store_filter filter = { 0 };
	struct store_cursor *cursor = NULL;
	struct store *store = NULL;
	int ret = command->text[OPTION_FILTER] ? store_filter_parse(&filter, command->text[OPTION_FILTER], err) : 0;

	ret = ret ? ret : store_open(&store, command->text[OPTION_FROM], STORE_READ, err);
	ret = ret ? ret : store_find(store, &filter, &cursor, err);
	ret = ret ? ret : take_kept(command, cursor, err);
	store_cursor_end(cursor);
	store_close(store);
	if (ret == 0 && command->session.count == 0) {
		return err_set(err, -ENODATA, "%s has no complete measured run%s", command->text[OPTION_FROM],
			       command->text[OPTION_FILTER] ? " that fits the filter" : "");
	}
	return ret;
}

static int measure_one(struct command *command, struct measuring *measuring, const char *text, struct err *err)
{
	struct workload workload;
	int ret = workload_parse(&workload, text, err);

	ret = ret ? ret : measuring_take_workload(measuring, &workload, err);
	ret = ret ? ret : measuring_run(measuring, command->run, err);
	ret = ret ? ret : storing_put(&command->storing, command->run, err);
	if (ret) {
		return ret;
	}
	char machine[STORE_MACHINE_MAX] = "";

	gethostname(machine, sizeof(machine) - 1);
	note_subject(command, command->run, machine);
	return calibrate_add_run(&command->session, command->run, err);
}

static int measure_all(struct command *command, struct err *err)
{
	const struct measuring_options options = { .device = command->device,
						   .peer_host = command->text[OPTION_PEER_HOST],
						   .peer = command->text[OPTION_PEER],
						   .netns = command->text[OPTION_NETNS],
						   .pin = command->text[OPTION_PIN] };
	struct measuring measuring;
	int ret = measuring_begin(&measuring, &options, err);

	if (ret) {
		return ret;
	}
	measuring.request.duration_ns = command->duration_ns;
	measuring.request.warmup_ns = WARMUP_DEFAULT_NS;
	measuring.request.repeats = command->repeats;
	measuring.request.seed = 1;
	for (unsigned i = 0; ret == 0 && i < command->workload_count; i++) {
		if (isatty(STDERR_FILENO)) {
			fprintf(stderr, "\r\033[K%u of %u: %s", i + 1, command->workload_count, command->workload[i]);
		}
		ret = measure_one(command, &measuring, command->workload[i], err);
	}
	measuring_end(&measuring);
	if (isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
	}
	return ret;
}

/* ---- the command ---- */

static void note_date(struct calibrate_session *session)
{
	const time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(session->date, sizeof(session->date), "%Y-%m-%d", &utc);
}

static int calibrate(struct command *command)
{
	struct calibrate_session *const session = &command->session;
	const char *const path = command->text[OPTION_OUTPUT];
	struct err err = { "" };
	int ret = command->text[OPTION_FROM] ? read_store(command, &err) : measure_all(command, &err);

	note_date(session);
	/* A thousand simulations with some MB each: the kernel need not hand out the pages of each anew. */
	mallopt(M_MMAP_THRESHOLD, FIT_MEMORY_BYTES);
	mallopt(M_TRIM_THRESHOLD, FIT_MEMORY_BYTES);
	ret = ret ? ret : calibrate_fit(&session->calibration, session->points, session->count, UINT32_MAX, &err);
	ret = ret ? ret : calibrate_write_profile(session, path, &err);
	if (ret) {
		return ret == -EINTR ? (cmd_fail(ret, &err), CMD_INSUFFICIENT) : cmd_fail(ret, &err);
	}
	if (command->text[OPTION_JSON]) {
		calibrate_print_json(session, path, stdout); /* main looks after failed writes */
	} else {
		calibrate_print_text(session, path, stdout);
	}
	return session->calibration.spread > CALIBRATE_SPREAD_MAX ? CMD_INSUFFICIENT : CMD_FINE;
}

static int calibrate_arguments(struct command *command, int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct err err = { "" };

	cmd_arguments_init(&arguments, &calibrate_usage, argc, argv);
	int status = take(command, &arguments);

	status = status >= 0 ? status : check_form(command);
	if (status >= 0) {
		return status;
	}
	int ret = read_values(command, &err);

	if (ret == 0 && !command->text[OPTION_FROM]) {
		ret = storing_begin(&command->storing, command->text[OPTION_STORE], command->text[OPTION_LABEL], argc,
				    argv, &err);
	}
	if (ret) {
		return cmd_fail(ret, &err);
	}
	status = calibrate(command);
	storing_end(&command->storing);
	return status;
}

int cmd_calibrate(int argc, char **argv)
{
	struct command *const command = calloc(1, sizeof(*command));
	struct err err = { "" };
	int status;

	if (command) {
		command->run = malloc(sizeof(*command->run));
		command->session.points = calloc(CALIBRATE_POINTS_MAX, sizeof(*command->session.points));
	}
	if (command && command->run && command->session.points) {
		status = calibrate_arguments(command, argc, argv);
	} else {
		status = cmd_fail(err_set(&err, -ENOMEM, "no memory for a calibration"), &err);
	}
	if (command) {
		free(command->run);
		free(command->session.points);
	}
	free(command);
	return status;
}
