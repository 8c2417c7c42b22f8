/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What commands share that measure on a real interface: signals, the peer's command, the namespace, holding CPUs awake, counting in the
 * kernel; from measuring_begin to measuring_end any number of experiments.
 */
#ifndef HOLDOFF_CMD_MEASURING_H
#define HOLDOFF_CMD_MEASURING_H

#include <stdatomic.h>

#include "base/err.h"
#include "live/measure.h"
#include "live/pin.h"
#include "live/remote.h"
#include "live/traffic.h"
#include "nic/nic.h"
#include "run/run.h"

#define MEASURING_DURATION_MAX_NS (86400 * NS_PER_S)

struct sums;
struct soak;

/* As the user gives it; borrowed until the end. NULL: not given. */
struct measuring_options {
	const char *device, *peer_host, *peer, *netns;
	const char *pin; /* "any" or a CPU's number */
	bool soak;       /* idle time is soaked up by threads */
};

struct measuring {
	struct measuring_options options;
	struct nic nic;
	struct traffic traffic;         /* workload and `both` are the caller's */
	struct measure_request request; /* duration, warm-up, repeats, budget, seed and progress are */
	struct remote remote;
	struct sample_irq_clock clock;
	struct sums *sums; /* or NULL: CPU time is then coarser, which a run says */
	struct soak *soak;
	struct pin pin;
	int pin_cpu;
	bool is_pinned, has_remote, has_nic;
};

/* A time as an option has it: at least so long, at most a day. */
int measuring_read_span(const char *text, const char *what, int64_t least_ns, int64_t *span_ns, struct err *err);

/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT end what runs in order from here on, for the rest of the program; measuring_is_interrupted says that one came.
 * On failure nothing is left. The peer's command runs where the user is, also when the interface is in another namespace.
 */
int measuring_begin(struct measuring *measuring, const struct measuring_options *options, struct err *err);
void measuring_end(struct measuring *measuring);
bool measuring_is_interrupted(void);

/* Whether the workload can be had from this peer; then it is the next one. -EINVAL, -EOPNOTSUPP. */
int measuring_take_workload(struct measuring *measuring, const struct workload *workload, struct err *err);

/* measure(), into a run that is made anew, with all that it cost. */
int measuring_run(struct measuring *measuring, struct run *run, struct err *err);

#endif
