/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On this kernel: datagrams over the loopback of a namespace made for the test. lo has no NAPI instance of its own
 * (the kernel's backlog has, without a device), so polls are counted in the guest, where there is a real driver.
 */
#include "trace/sums.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "tap.h"

#define CPUS_MAX 512
#define DATAGRAMS 2000

static int64_t sum_of(const struct sums_cpu *cpus, unsigned count, int64_t *softirq_net_ns)
{
	int64_t softirq_ns = 0;

	*softirq_net_ns = 0;
	for (unsigned i = 0; i < count; i++) {
		softirq_ns += cpus[i].softirq_ns;
		*softirq_net_ns += cpus[i].softirq_net_ns;
	}
	return softirq_ns;
}

/* To ourselves. */
static bool send_datagrams(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool sent = fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 &&
		    getsockname(fd, (struct sockaddr *)&address, &size) == 0;

	for (unsigned i = 0; sent && i < DATAGRAMS; i++) {
		char byte = 0;

		sent = sendto(fd, &byte, 1, 0, (struct sockaddr *)&address, size) == 1 && recv(fd, &byte, 1, 0) == 1;
	}
	if (fd >= 0) {
		close(fd);
	}
	return sent;
}

static void test_counts(struct sums *sums)
{
	static struct sums_cpu before[CPUS_MAX], after[CPUS_MAX];
	struct sums_polls polls;
	unsigned count;
	uint64_t runs_before = 0, runs = 0;
	int64_t run_ns = 0, net_before_ns, net_ns;
	struct err err = { "" };

	tap_is(sums_read(sums, before, CPUS_MAX, &count, &polls, &err), 0, "sums can be read%s", err.text);
	const int64_t before_ns = sum_of(before, count, &net_before_ns);

	sums_cost(sums, &runs_before, &run_ns, &err);
	tap_ok(send_datagrams(), "%d datagrams to ourselves", DATAGRAMS);
	tap_is(sums_read(sums, after, CPUS_MAX, &count, &polls, &err), 0, "sums can be read again%s", err.text);
	const int64_t softirq_ns = sum_of(after, count, &net_ns) - before_ns;

	net_ns -= net_before_ns;
	tap_ok(net_ns > DATAGRAMS * INT64_C(100), "each took more than 100 ns of softirq");
	tap_ok(net_ns < DATAGRAMS * INT64_C(100000), "and less than 100 us");
	tap_ok(softirq_ns >= net_ns, "NET_RX is a part of all");
	tap_is((int64_t)polls.polls, 0, "another interface's polls are not counted");
	tap_is(sums_cost(sums, &runs, &run_ns, &err), 0, "the cost can be read%s", err.text);
	tap_ok(runs - runs_before >= 2 * DATAGRAMS, "two programs ran for each datagram's softirq");
	tap_ok(run_ns > 0, "and took time");
}

int main(void)
{
	struct sums *sums;
	struct err err = { "" };
	const int ret = sums_open(&sums, 1, &err);

	if (ret == -EPERM || ret == -EOPNOTSUPP) {
		tap_skip(err.text, "counting in the kernel");
	} else if (tap_is(ret, 0, "the kernel counts: %s", err.text)) {
		test_counts(sums);
		sums_close(sums);
	}
	return tap_done();
}
