/* SPDX-License-Identifier: GPL-2.0-or-later */
/* holdoff measure: one experiment on a real interface at its present setting, printed as simulate prints. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/measure_trace.h"
#include "cmd/storing.h"
#include "live/measure.h"
#include "live/pin.h"
#include "live/traffic.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "trace/sums.h"

#define DURATION_DEFAULT_NS (2 * NS_PER_S)
#define WARMUP_DEFAULT_NS (500 * NS_PER_MS)
#define DURATION_MAX_NS (86400 * NS_PER_S)
#define BUDGET_REPEATS 30

enum {
	OPTION_PEER_HOST,
	OPTION_PEER,
	OPTION_WORKLOAD,
	OPTION_DURATION,
	OPTION_WARMUP,
	OPTION_REPEAT,
	OPTION_BOTH,
	OPTION_PIN,
	OPTION_TRACE,
	OPTION_SOAK,
	OPTION_NETNS,
	OPTION_SEED,
	OPTION_STORE,
	OPTION_LABEL,
	OPTION_JSON
};

static const struct cmd_option measure_options[] = {
	[OPTION_PEER_HOST] = { "peer-host", "ADDRESS", "the other end, a name or an address", false },
	[OPTION_PEER] = { "peer", "COMMAND", "starts holdoff peer there; not needed for ping", false },
	[OPTION_WORKLOAD] = { "workload", "TEXT", "what traffic: \"udp rate=20k size=64\" (ping interval=0)", false },
	[OPTION_DURATION] = { "duration", "TIME", "of each repeat (2s)", false },
	[OPTION_WARMUP] = { "warmup", "TIME", "of the same traffic before, not counted (500ms)", false },
	[OPTION_REPEAT] = { "repeat", "N|auto", "how often; auto: until the median is known to 5 % (auto)", false },
	[OPTION_BOTH] = { "both", NULL, "udp, voip, tcp: both ways at once", false },
	[OPTION_PIN] = { "pin", "CPU|any", "stay on that CPU, at a real-time priority, out of deep idle states",
			 false },
	[OPTION_TRACE] = { "trace", NULL, "the stages of packets' ways too (root); it costs some time", false },
	[OPTION_SOAK] = { "soak", NULL, "idle time by programs that soak it up; no CPU sleeps then", false },
	[OPTION_NETNS] = { "netns", "NAME|PATH", "in this network namespace", false },
	[OPTION_SEED] = { "seed", "N", "of random gaps (1)", false },
	[OPTION_STORE] = STORING_OPTION,
	[OPTION_LABEL] = STORING_LABEL_OPTION,
	[OPTION_JSON] = { "json", NULL, "one JSON document, schema holdoff.run/1", false },
};

static const struct cmd_usage measure_usage = {
	.name = "measure",
	.synopsis = "DEV --peer-host ADDRESS [--peer COMMAND] [--workload TEXT] [OPTIONS]",
	.about = "Measures what an interface does at its present setting: latency, throughput and loss of a\n"
		 "workload, interrupts, NAPI polls and CPU time meanwhile, repeated until the median is\n"
		 "known. What was so around it is recorded, and what moved meanwhile taints the result.\n",
	.options = measure_options,
	.option_count = sizeof(measure_options) / sizeof(measure_options[0]),
	.words = "devices",
	.more = cmd_print_workloads,
};

struct measure_command {
	const char *device, *peer, *workload, *duration, *warmup, *repeat, *pin, *netns, *seed, *store, *label;
	bool json, trace, soak;
	struct traffic traffic;
	struct remote remote;
	struct measure_request request;
	int pin_cpu;
	struct sums *sums;
	struct storing storing;
};

/* ---- the command line ---- */

static int take(struct measure_command *command, struct cmd_arguments *arguments)
{
	const char *value;
	int option;

	while ((option = cmd_next(arguments, &value)) != CMD_END) {
		const char **const texts[] = {
			[OPTION_PEER_HOST] = &command->traffic.load.host,
			[OPTION_PEER] = &command->peer,
			[OPTION_WORKLOAD] = &command->workload,
			[OPTION_DURATION] = &command->duration,
			[OPTION_WARMUP] = &command->warmup,
			[OPTION_REPEAT] = &command->repeat,
			[OPTION_PIN] = &command->pin,
			[OPTION_NETNS] = &command->netns,
			[OPTION_SEED] = &command->seed,
			[OPTION_STORE] = &command->store,
			[OPTION_LABEL] = &command->label,
			[OPTION_JSON] = NULL,
		};

		if (option == CMD_STOP) {
			return arguments->status;
		}
		if (option == CMD_WORD) {
			if (command->device) {
				return cmd_usage_error(&measure_usage, "one interface at a time, not also \"%s\"",
						       value);
			}
			command->device = value;
		} else if (option == OPTION_JSON) {
			command->json = true;
		} else if (option == OPTION_TRACE) {
			command->trace = true;
		} else if (option == OPTION_SOAK) {
			command->soak = true;
		} else if (option == OPTION_BOTH) {
			command->traffic.load.both = true;
		} else {
			*texts[option] = value;
		}
	}
	return -1;
}

static int read_span(const char *text, const char *what, int64_t least_ns, int64_t *span_ns, struct err *err)
{
	const int ret = text ? text_parse_duration(text, what, span_ns, err) : 0;

	if (ret == 0 && (*span_ns < least_ns || *span_ns > DURATION_MAX_NS)) {
		return err_set(err, -ERANGE, "%s: %s is out of range, expected %s and at most a day", what, text,
			       least_ns ? "more than 0" : "0 or more");
	}
	return ret;
}

static int read_repeat(const char *text, unsigned *repeats, struct err *err)
{
	uint32_t number = 0;

	*repeats = 0;
	if (!text || strcmp(text, "auto") == 0) {
		return 0;
	}
	const int ret = text_parse_u32(text, "repeat", &number, err);

	if (ret == 0 && (number == 0 || number > MEASURE_REPEATS_MAX)) {
		return err_set(err, -ERANGE, "repeat: %s is out of range, expected auto or 1 to %d", text,
			       MEASURE_REPEATS_MAX);
	}
	*repeats = number;
	return ret;
}

static int read_pin(const char *text, int *cpu, struct err *err)
{
	uint32_t number = 0;
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	*cpu = -1;
	if (!text || strcmp(text, "any") == 0) {
		return 0;
	}
	const int ret = text_parse_u32(text, "pin", &number, err);

	if (ret == 0 && (long)number >= cpus) {
		return err_set(err, -ERANGE, "pin: there is no CPU %s, expected any or 0 to %ld", text, cpus - 1);
	}
	*cpu = (int)number;
	return ret;
}

static int read_values(struct measure_command *command, struct err *err)
{
	struct measure_request *const request = &command->request;
	struct load_request *const load = &command->traffic.load;
	int ret = workload_parse(&load->workload, command->workload ? command->workload : "ping interval=0", err);

	request->duration_ns = DURATION_DEFAULT_NS;
	request->warmup_ns = WARMUP_DEFAULT_NS;
	request->seed = 1;
	load->means = command->peer ? FIT_PEER : FIT_ECHO;
	ret = ret ? ret : read_span(command->duration, "duration", 1, &request->duration_ns, err);
	ret = ret ? ret : read_span(command->warmup, "warmup", 0, &request->warmup_ns, err);
	ret = ret ? ret : read_repeat(command->repeat, &request->repeats, err);
	ret = ret ? ret : read_pin(command->pin, &command->pin_cpu, err);
	if (ret == 0 && command->seed) {
		ret = text_parse_u64(command->seed, "seed", &request->seed, err);
	}
	request->budget_ns = BUDGET_REPEATS * request->duration_ns;
	if (ret == 0 && load->workload.kind != WORKLOAD_PING) {
		ret = fit_check(&load->workload, load->both, load->means, err);
	}
	return ret;
}

/* ---- signals ---- */

static _Atomic bool is_interrupted;
static int interrupt_fd = -1;

static void interrupt(int signal)
{
	const int error = errno;
	const uint64_t one = 1;

	(void)signal;
	is_interrupted = true;
	if (write(interrupt_fd, &one, sizeof(one)) < 0) {
		/* It can be read already. */
	}
	errno = error;
}

static int catch_signals(struct measure_command *command, struct err *err)
{
	const struct sigaction action = { .sa_handler = interrupt };

	interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (interrupt_fd < 0) {
		return err_set(err, -errno, "no event descriptor: %s", strerror(errno));
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	command->traffic.load.stop = &is_interrupted;
	command->traffic.stop_fd = interrupt_fd;
	return 0;
}

/* ---- counting in the kernel ---- */

static int read_sums(void *context, struct sample_irq_time *time)
{
	static struct sums_cpu cpus[PROC_CPUS_MAX];
	struct sums_polls polls;
	const int ret = sums_read(context, cpus, PROC_CPUS_MAX, &time->cpus, &polls, NULL);

	for (unsigned i = 0; ret == 0 && i < time->cpus; i++) {
		time->cpu[i].hardirq_ns = cpus[i].hardirq_ns;
		time->cpu[i].softirq_ns = cpus[i].softirq_ns;
	}
	time->polls = polls.polls;
	time->poll_work = polls.work;
	time->polls_exhausted = polls.exhausted;
	time->polls_empty = polls.batch[0];
	return ret;
}

static void take_kernel_cost(const struct measure_command *command, struct run *run)
{
	struct run_measured *const measured = &run->conditions.measured;

	if (command->sums) {
		sums_cost(command->sums, &measured->kernel_hits, &measured->kernel_hits_ns, NULL);
	}
}

/* ---- progress ---- */

/* One line on a terminal that writes over itself. */
static void tell(void *context, const struct measure_progress *progress)
{
	char median[TEXT_DURATION_MAX], low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	(void)context;
	fprintf(stderr, "\r\033[K%u", progress->done);
	if (progress->of) {
		fprintf(stderr, " of %u", progress->of);
	}
	fputs(progress->done == 1 ? " run" : " runs", stderr);
	if (progress->high_ns) {
		fprintf(stderr, ", median %s (%s to %s)", text_print_duration(progress->median_ns, median),
			text_print_duration(progress->low_ns, low), text_print_duration(progress->high_ns, high));
	}
	fflush(stderr);
}

/* ---- the experiment ---- */

static int measure_device(struct measure_command *command, struct run *run, struct err *err)
{
	struct nic nic;
	struct sample_irq_clock clock = { .read = read_sums };
	struct probes *probes = NULL;
	struct err why = { "" };
	int ret = nic_open(&nic, command->device, err);

	if (ret) {
		return ret;
	}
	/* Without it CPU time is coarser, which the result says. */
	if (sums_open(&command->sums, nic.ifindex, &why) == 0) {
		clock.context = command->sums;
		command->request.irq_clock = &clock;
	}
	command->traffic.nic = &nic;
	command->request.nic = &nic;
	command->request.traffic = (struct measure_traffic){ traffic_run, &command->traffic };
	run->conditions.workload = command->traffic.load.workload;
	if (isatty(STDERR_FILENO)) {
		command->request.progress = tell;
	}
	ret = command->trace ? measure_trace_begin(&probes, &nic, err) : 0;
	ret = ret ? ret : measure(&command->request, run, err);
	measure_trace_end(probes, run);
	if (command->request.progress) {
		fputs("\r\033[K", stderr);
	}
	take_kernel_cost(command, run);
	sums_close(command->sums);
	nic_close(&nic);
	return ret;
}

static int measure_pinned(struct measure_command *command, struct run *run, struct err *err)
{
	struct pin pin;
	int ret = command->pin ? pin_hold(&pin, command->pin_cpu, err) : 0;

	if (ret) {
		return ret;
	}
	ret = measure_device(command, run, err);
	if (command->pin) {
		pin_release(&pin);
	}
	return ret;
}

/* Before this process is pinned: all CPUs are soaked. */
static int measure_soaked(struct measure_command *command, struct run *run, struct err *err)
{
	struct soak *soak = NULL;
	int ret = command->soak ? soak_start(&soak, err) : 0;

	command->request.soak = soak;
	ret = ret ? ret : measure_pinned(command, run, err);
	soak_stop(soak);
	return ret;
}

/* The peer's command runs where the user is, also when the interface is in another namespace. */
static int measure_to_peer(struct measure_command *command, struct run *run, struct err *err)
{
	int ret = catch_signals(command, err);

	if (ret == 0 && command->peer) {
		ret = remote_start(&command->remote, command->peer, HOLDOFF_VERSION, &is_interrupted, err);
		command->traffic.load.remote = &command->remote;
	}
	if (ret) {
		return ret;
	}
	ret = command->netns ? nic_enter_netns(command->netns, err) : 0;
	ret = ret ? ret : measure_soaked(command, run, err);
	if (command->peer) {
		remote_end(&command->remote);
	}
	return ret;
}

static void print(const struct measure_command *command, const struct run *run)
{
	if (command->json) {
		run_json_write(run, stdout); /* main looks after failed writes */
		return;
	}
	run_text_write(run, stdout);
	if (command->storing.number) {
		printf("kept as run %lld in %s\n", (long long)command->storing.number, command->storing.file);
	}
}

/* What was measured is shown also where it cannot be kept. */
static int show(struct measure_command *command, struct run *run, int ret, struct err *err)
{
	struct run_measured *const measured = &run->conditions.measured;

	if (ret && !(ret == -EINTR && measured->repeats)) {
		return ret == -EINTR ? (cmd_fail(ret, err), CMD_INSUFFICIENT) : cmd_fail(ret, err);
	}
	snprintf(measured->peer_host, sizeof(measured->peer_host), "%s", command->traffic.load.host);
	snprintf(measured->netns, sizeof(measured->netns), "%s", command->netns ? command->netns : "");
	const int kept = storing_put(&command->storing, run, err);

	print(command, run);
	if (kept) {
		return cmd_fail(kept, err);
	}
	return ret || measured->taint_count ? CMD_INSUFFICIENT : CMD_FINE;
}

static int measure_and_show(struct measure_command *command, struct run *run)
{
	struct err err = { "" };

	run_init(run);
	const int ret = measure_to_peer(command, run, &err);

	return show(command, run, ret, &err);
}

int cmd_measure(int argc, char **argv)
{
	struct measure_command command = { .traffic = { .stop_fd = -1 } };
	struct cmd_arguments arguments;
	struct err err = { "" };

	cmd_arguments_init(&arguments, &measure_usage, argc, argv);
	const int status = take(&command, &arguments);

	if (status >= 0) {
		return status;
	}
	if (!command.device) {
		return cmd_usage_error(&measure_usage,
				       "an interface is needed: holdoff measure DEV --peer-host ADDRESS");
	}
	if (!command.traffic.load.host) {
		return cmd_usage_error(&measure_usage, "a host to measure against is needed: --peer-host ADDRESS");
	}
	int ret = read_values(&command, &err);

	if (ret == 0) {
		ret = storing_begin(&command.storing, command.store, command.label, argc, argv, &err);
	}
	if (ret) {
		return cmd_fail(ret, &err);
	}
	struct run *const run = malloc(sizeof(*run));
	const int result = run ? measure_and_show(&command, run)
			       : cmd_fail(err_set(&err, -ENOMEM, "no memory for a run"), &err);

	storing_end(&command.storing);
	free(run);
	return result;
}
