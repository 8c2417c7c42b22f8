/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff infer: did the setting take effect? The command line, and what is looked up before anything is sent. */
#include "cmd/infer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"

#define ROUNDS_DEFAULT 6
#define ROUNDS_MAX 30
#define VALUES_MAX (FIT_SETTINGS_MAX - 1)

enum {
	OPTION_PEER_HOST,
	OPTION_RX,
	OPTION_TX,
	OPTION_VALUES,
	OPTION_NO_SET,
	OPTION_LONGEST,
	OPTION_ROUNDS,
	OPTION_NETNS,
	OPTION_SEED,
	OPTION_JSON
};

static const struct cmd_option infer_options[] = {
	[OPTION_PEER_HOST] = { "peer-host", "ADDRESS", "who answers the probes: any host on the same link", false },
	[OPTION_RX] = { "rx", NULL, "receive only", false },
	[OPTION_TX] = { "tx", NULL, "transmit only", false },
	[OPTION_VALUES] = { "values", "N,N,...", "usecs to try, three or more", false },
	[OPTION_NO_SET] = { "no-set", NULL, "set nothing: what the NIC does as it is", false },
	[OPTION_LONGEST] = { "longest", "TIME", "no hold-off is longer (the largest value, or 2ms)", false },
	[OPTION_ROUNDS] = { "rounds", "N", "through all values (6)", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[OPTION_SEED] = { "seed", "N", "of gaps and order (1)", false },
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.infer/1", false },
};

static const struct cmd_usage infer_usage = {
	.name = "infer",
	.synopsis = "DEV --peer-host ADDRESS [--rx|--tx] [OPTIONS]",
	.about = "Finds out what a NIC's coalescing settings come to: tries some, each put back in the end,\n"
		 "probes with single frames and pairs, and says per direction what is requested, reported and\n"
		 "effective, what kind of moderation it is, and whether the setting took effect.\n",
	.options = infer_options,
	.option_count = sizeof(infer_options) / sizeof(infer_options[0]),
	.words = "devices",
};

/* ---- the command line ---- */

struct texts {
	const char *longest, *rounds, *seed;
};

static int take_option(struct infer_command *command, struct texts *texts, int option, const char *value)
{
	switch (option) {
	case OPTION_PEER_HOST:
		command->peer_host = value;
		break;
	case OPTION_RX:
		command->wants_rx = true;
		break;
	case OPTION_TX:
		command->wants_tx = true;
		break;
	case OPTION_VALUES:
		command->values = value;
		break;
	case OPTION_NO_SET:
		command->no_set = true;
		break;
	case OPTION_LONGEST:
		texts->longest = value;
		break;
	case OPTION_ROUNDS:
		texts->rounds = value;
		break;
	case OPTION_NETNS:
		command->netns = value;
		break;
	case OPTION_SEED:
		texts->seed = value;
		break;
	case OPTION_JSON:
		command->json = true;
		break;
	default:
		if (command->device) {
			return cmd_usage_error(&infer_usage, "one interface at a time, not also \"%s\"", value);
		}
		command->device = value;
		break;
	}
	return -1;
}

static int read_texts(struct infer_command *command, const struct texts *texts, struct err *err)
{
	int64_t rounds = ROUNDS_DEFAULT;
	int ret = texts->longest ? text_parse_duration(texts->longest, "longest", &command->longest_ns, err) : 0;

	if (ret == 0 && (command->longest_ns < 0 || command->longest_ns > NS_PER_S)) {
		ret = err_set(err, -EINVAL, "longest: at most 1s");
	}
	if (ret == 0 && texts->rounds) {
		ret = text_parse_i64(texts->rounds, "rounds", 2, ROUNDS_MAX, &rounds, err);
	}
	command->rounds = (unsigned)rounds;
	command->seed = 1;
	return ret == 0 && texts->seed ? text_parse_u64(texts->seed, "seed", &command->seed, err) : ret;
}

/* -1 when all is well, else the exit status. */
static int take_arguments(struct infer_command *command, int argc, char **argv)
{
	struct cmd_arguments arguments;
	struct texts texts = { 0 };
	struct err err = { "" };
	const char *value;
	int option;

	cmd_arguments_init(&arguments, &infer_usage, argc, argv);
	while ((option = cmd_next(&arguments, &value)) != CMD_END) {
		if (option == CMD_STOP) {
			return arguments.status;
		}
		const int status = take_option(command, &texts, option, value);

		if (status >= 0) {
			return status;
		}
	}
	if (!command->device) {
		return cmd_usage_error(&infer_usage, "which interface?");
	}
	if (!command->peer_host) {
		return cmd_usage_error(&infer_usage, "which host answers? --peer-host ADDRESS");
	}
	if (command->no_set && command->values) {
		return cmd_usage_error(&infer_usage, "--no-set sets no values");
	}
	if (!command->wants_rx && !command->wants_tx) {
		command->wants_rx = command->wants_tx = true;
	}
	return read_texts(command, &texts, &err) < 0 ? cmd_usage_error(&infer_usage, "%s", err.text) : -1;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* "0,100,1000": ascending then, each once. Returns how many, or a negative errno. */
static int read_values(const char *text, uint32_t values[VALUES_MAX], struct err *err)
{
	char copy[512], *rest = copy, *item;
	unsigned count = 0, kept = 0;

	if (!text) {
		return 0;
	}
	if (strlen(text) >= sizeof(copy)) {
		return err_set(err, -EINVAL, "values: at most %d of them", VALUES_MAX);
	}
	strcpy(copy, text);
	while ((item = strtok_r(rest, ",", &rest))) {
		if (count == VALUES_MAX) {
			return err_set(err, -EINVAL, "values: at most %d of them", VALUES_MAX);
		}
		const int ret = text_parse_u32(item, "values", &values[count++], err);

		if (ret < 0) {
			return ret;
		}
	}
	qsort(values, count, sizeof(*values), compare);
	for (unsigned i = 0; i < count; i++) {
		if (i == 0 || values[i] != values[i - 1]) {
			values[kept++] = values[i];
		}
	}
	return kept < 3 ? err_set(err, -EINVAL, "values: at least three different ones, such as 0,100,1000")
			: (int)kept;
}

/* ---- what is looked up ---- */

static int open_stop(int *stop_fd, struct err *err)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	*stop_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return *stop_fd < 0 ? err_set(err, -errno, "no descriptor for signals: %s", strerror(errno)) : 0;
}

/* What NAPI puts off in software, which pairs show as well. */
static void look_at_napi(struct infer_session *session)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;

	if (nic_napi_list(&session->nic, napis, NIC_NAPIS_MAX, &count, NULL) < 0) {
		return;
	}
	for (unsigned i = 0; i < count && i < NIC_NAPIS_MAX; i++) {
		const uint32_t needed = NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT;

		if ((napis[i].present & needed) == needed && napis[i].gro_flush_timeout_ns &&
		    napis[i].defer_hard_irqs > session->defer_hard_irqs) {
			session->defer_hard_irqs = napis[i].defer_hard_irqs;
			session->gro_flush_timeout_ns = napis[i].gro_flush_timeout_ns;
		}
	}
}

static int look_up(struct infer_session *session, struct err *err)
{
	const struct infer_command *const command = &session->command;
	int ret = command->netns ? nic_enter_netns(command->netns, err) : 0;

	ret = ret ? ret : nic_open(&session->nic, command->device, err);
	if (ret) {
		return ret;
	}
	ret = nic_identify(&session->nic, &session->identity, err);
	ret = ret ? ret : host_find(command->peer_host, HOST_ANY, session->nic.ifindex, &session->host, err);
	ret = ret ? ret : route_find(&session->host, session->nic.ifindex, &session->route, err);
	if (ret == 0 && !route_is_on_link(&session->route)) {
		ret = err_set(err, -EINVAL, "%s is behind a router: what a NIC holds drowns in such a path",
			      session->host.text);
	}
	if (ret) {
		return ret;
	}
	session->has_settings = nic_coalesce_get(&session->nic, &session->present, err) == 0;
	if (!session->has_settings && !command->no_set) {
		return err_set(err, -EOPNOTSUPP,
			       "%s has no coalescing settings; --no-set tells what it does all the same",
			       session->nic.name);
	}
	look_at_napi(session);
	return 0;
}

/* ---- all of it ---- */

/* Of both directions: no effect at all before what cannot be told. */
static int status_of(const struct infer_session *session)
{
	int status = CMD_FINE;

	for (unsigned d = 0; d < 2; d++) {
		const struct infer_direction *const of = &session->directions[d];

		if (of->has_verdict && of->verdict.kind == VERDICT_INERT) {
			return CMD_NEGATIVE;
		}
		if (of->is_done &&
		    (of->has_verdict ? of->verdict.kind == VERDICT_CANNOT_TELL : !of->plan.fit.has_kind)) {
			status = CMD_INSUFFICIENT;
		}
	}
	return session->directions[0].is_done || session->directions[1].is_done ? status : CMD_UNSUPPORTED;
}

static int fail(int error, const struct err *err)
{
	if (error == -EUCLEAN) {
		fprintf(stderr, "holdoff: %s\n", err->text);
		return CMD_REVERT_FAILED;
	}
	if (error == -EINTR) {
		fprintf(stderr, "holdoff: stopped before there was anything to tell; settings are as they were\n");
		return CMD_INSUFFICIENT;
	}
	return cmd_fail(error, err);
}

static int run(struct infer_session *session)
{
	uint32_t values[VALUES_MAX];
	struct err err = { "" };
	const int count = read_values(session->command.values, values, &err);

	if (count < 0) {
		return cmd_usage_error(&infer_usage, "%s", err.text);
	}
	int ret = open_stop(&session->stop_fd, &err);

	ret = ret ? ret : look_up(session, &err);
	ret = ret ? ret : infer_run(session, values, (unsigned)count, &err);
	if (ret) {
		return fail(ret, &err);
	}
	if (!session->command.json) {
		infer_print_text(session, stdout);
	} else if ((ret = infer_print_json(session, stdout)) < 0) {
		return cmd_fail(ret, &(struct err){ "the document could not be written" });
	}
	return status_of(session);
}

int cmd_infer(int argc, char **argv)
{
	struct infer_session *const session = calloc(1, sizeof(*session));

	if (!session) {
		return cmd_fail(-ENOMEM, &(struct err){ "no memory for an inference" });
	}
	session->stop_fd = -1;
	session->nic.ioctl_fd = -1;
	int status = take_arguments(&session->command, argc, argv);

	if (status < 0) {
		status = run(session);
	}
	trains_close(session->trains);
	if (session->nic.ifindex) {
		nic_close(&session->nic);
	}
	if (session->stop_fd >= 0) {
		close(session->stop_fd);
	}
	free(session);
	return status;
}
