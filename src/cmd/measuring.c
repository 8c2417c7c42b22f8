/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/measuring.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "live/fit.h"
#include "live/soak.h"
#include "trace/sums.h"

int measuring_read_span(const char *text, const char *what, int64_t least_ns, int64_t *span_ns, struct err *err)
{
	const int ret = text ? text_parse_duration(text, what, span_ns, err) : 0;

	if (ret == 0 && (*span_ns < least_ns || *span_ns > MEASURING_DURATION_MAX_NS)) {
		return err_set(err, -ERANGE, "%s: %s is out of range, expected %s and at most a day", what, text,
			       least_ns ? "more than 0" : "0 or more");
	}
	return ret;
}

/* ---- signals ---- */

static _Atomic bool is_interrupted;
static int interrupt_fd = -1;

bool measuring_is_interrupted(void)
{
	return is_interrupted;
}

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

/* What nohup has made deaf stays so; a shell's background job can still be interrupted. */
static void catch_signal(int signal)
{
	const struct sigaction action = { .sa_handler = interrupt };
	struct sigaction before;

	if (signal != SIGHUP || (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)) {
		sigaction(signal, &action, NULL);
	}
}

static int catch_signals(struct err *err)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (interrupt_fd < 0) {
		return err_set(err, -errno, "no event descriptor: %s", strerror(errno));
	}
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		catch_signal(ending[i]);
	}
	signal(SIGPIPE, SIG_IGN);
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

static void open_sums(struct measuring *measuring)
{
	struct err why = { "" };

	if (sums_open(&measuring->sums, measuring->nic.ifindex, &why) == 0) {
		measuring->clock = (struct sample_irq_clock){ .context = measuring->sums, .read = read_sums };
		measuring->request.irq_clock = &measuring->clock;
	}
}

/* ---- beginning and end ---- */

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

static int start_peer(struct measuring *measuring, struct err *err)
{
	struct load_request *const load = &measuring->traffic.load;

	load->means = measuring->options.peer ? FIT_PEER : FIT_ECHO;
	if (!measuring->options.peer) {
		return 0;
	}
	const int ret =
		remote_start(&measuring->remote, measuring->options.peer, HOLDOFF_VERSION, &is_interrupted, err);

	measuring->has_remote = ret == 0;
	load->remote = &measuring->remote;
	return ret;
}

static int open_nic(struct measuring *measuring, struct err *err)
{
	const int ret = nic_open(&measuring->nic, measuring->options.device, err);

	measuring->has_nic = ret == 0;
	measuring->traffic.nic = &measuring->nic;
	measuring->request.nic = &measuring->nic;
	measuring->request.traffic = (struct measure_traffic){ traffic_run, &measuring->traffic };
	if (ret == 0) {
		open_sums(measuring);
	}
	return ret;
}

/* Before this process is pinned: all CPUs are soaked. */
static int start_soak(struct measuring *measuring, struct err *err)
{
	const int ret = measuring->options.soak ? soak_start(&measuring->soak, err) : 0;

	measuring->request.soak = measuring->soak;
	return ret;
}

static int hold_pin(struct measuring *measuring, struct err *err)
{
	const int ret = measuring->options.pin ? pin_hold(&measuring->pin, measuring->pin_cpu, err) : 0;

	measuring->is_pinned = measuring->options.pin && ret == 0;
	return ret;
}

int measuring_begin(struct measuring *measuring, const struct measuring_options *options, struct err *err)
{
	memset(measuring, 0, sizeof(*measuring));
	measuring->options = *options;
	measuring->traffic.load.host = options->peer_host;
	measuring->traffic.load.stop = &is_interrupted;
	int ret = read_pin(options->pin, &measuring->pin_cpu, err);

	ret = ret ? ret : catch_signals(err);
	measuring->traffic.stop_fd = interrupt_fd;
	ret = ret ? ret : start_peer(measuring, err);
	if (ret == 0 && options->netns) {
		ret = nic_enter_netns(options->netns, err);
	}
	ret = ret ? ret : start_soak(measuring, err);
	ret = ret ? ret : hold_pin(measuring, err);
	ret = ret ? ret : open_nic(measuring, err);
	if (ret) {
		measuring_end(measuring);
	}
	return ret;
}

void measuring_end(struct measuring *measuring)
{
	sums_close(measuring->sums);
	if (measuring->has_nic) {
		nic_close(&measuring->nic);
	}
	if (measuring->is_pinned) {
		pin_release(&measuring->pin);
	}
	soak_stop(measuring->soak);
	if (measuring->has_remote) {
		remote_end(&measuring->remote);
	}
	measuring->sums = NULL;
	measuring->soak = NULL;
	measuring->has_nic = measuring->is_pinned = measuring->has_remote = false;
}

/* ---- experiments ---- */

int measuring_take_workload(struct measuring *measuring, const struct workload *workload, struct err *err)
{
	struct load_request *const load = &measuring->traffic.load;
	const enum fit_means means = measuring->options.peer ? FIT_PEER : FIT_ECHO;

	load->workload = *workload;
	return workload->kind == WORKLOAD_PING ? 0 : fit_check(workload, load->both, means, err);
}

static void read_cost(const struct measuring *measuring, uint64_t *hits, int64_t *hits_ns)
{
	*hits = 0;
	*hits_ns = 0;
	if (measuring->sums) {
		sums_cost(measuring->sums, hits, hits_ns, NULL);
	}
}

static void describe(const struct measuring *measuring, struct run_measured *measured)
{
	const struct measuring_options *const options = &measuring->options;

	snprintf(measured->peer_host, sizeof(measured->peer_host), "%s", options->peer_host);
	snprintf(measured->netns, sizeof(measured->netns), "%s", options->netns ? options->netns : "");
}

int measuring_run(struct measuring *measuring, struct run *run, struct err *err)
{
	struct run_measured *const measured = &run->conditions.measured;
	uint64_t hits_before;
	int64_t hits_ns_before;

	run_init(run);
	run->conditions.workload = measuring->traffic.load.workload;
	read_cost(measuring, &hits_before, &hits_ns_before);
	const int ret = measure(&measuring->request, run, err);

	read_cost(measuring, &measured->kernel_hits, &measured->kernel_hits_ns);
	measured->kernel_hits -= hits_before;
	measured->kernel_hits_ns -= hits_ns_before;
	describe(measuring, measured);
	return ret;
}
