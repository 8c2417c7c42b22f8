/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paced sender over a pair of local sockets: what leaves, in which order, and what it says of it. Not when: that depends on this machine. */
#include "pace.c"

#include <sys/socket.h>
#include <unistd.h>

#include "live/worker.h"
#include "tap.h"

#define SIZE 100

struct reader {
	int fd;
	uint64_t count, out_of_order, wrong_size;
};

static struct reader reader;
static struct way way;

static void write_number(void *context, uint8_t *message, uint64_t sequence, uint32_t stamp_ns)
{
	(void)context;
	(void)stamp_ns;
	memcpy(message, &sequence, sizeof(sequence));
}

/* Until the other end is closed, which an empty message stands for. */
static int read_all(void *context, struct err *err)
{
	struct reader *const its = context;
	uint8_t message[SIZE + 1];
	uint64_t sequence;

	(void)err;
	for (ssize_t got; (got = recv(its->fd, message, sizeof(message), 0)) > 0; its->count++) {
		memcpy(&sequence, message, sizeof(sequence));
		its->out_of_order += sequence != its->count;
		its->wrong_size += got != SIZE;
	}
	return 0;
}

/* Sends by this workload for so long; asked 0: without a limit. Returns what pace_run does. */
static int send_for(const char *text, int64_t duration_ns, uint64_t asked_for, bool is_stopped)
{
	const _Atomic uint64_t limit = asked_for;
	const _Atomic bool stop = is_stopped;
	struct pace_request request = { .duration_ns = duration_ns,
					.seed = 1,
					.size = SIZE,
					.header_bytes = 20,
					.write = write_number,
					.asked = asked_for ? &limit : NULL,
					.stop = &stop };
	struct workload workload;
	struct worker worker;
	int fds[2];

	way_init(&way);
	if (workload_parse(&workload, text, NULL) || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds)) {
		return -EINVAL;
	}
	reader = (struct reader){ .fd = fds[1] };
	request.fd = fds[0];
	request.workload = &workload;
	int ret = worker_start(&worker, read_all, &reader, NULL);

	if (ret == 0) {
		ret = pace_run(&request, &way, NULL);
		(void)!send(fds[0], "", 0, 0);
		worker_join(&worker, NULL);
	}
	close(fds[0]);
	close(fds[1]);
	return ret;
}

static void check(const char *text, uint64_t asked_for, int64_t sent, int64_t due)
{
	const int64_t least = asked_for ? sent : sent / 2;
	int ret;

	/* Others may have the CPU for so long that the 20 ms are over: then some stay behind, which is said, and it is tried again. */
	for (unsigned tries = 1; (ret = send_for(text, 20 * NS_PER_MS, asked_for, false)) == 0 && tries < 50; tries++) {
		if ((int64_t)way.count[WAY_SENT] >= least) {
			break;
		}
		printf("# %s: once more, only %d left\n", text, (int)way.count[WAY_SENT]);
	}
	tap_is(ret, 0, "%s: sends", text);
	tap_is((int64_t)way.count[WAY_SCHEDULED], due, "%s: so many are due in 20 ms", text);
	tap_within((int64_t)way.count[WAY_SENT], least, sent, "%s: so many leave", text);
	tap_is((int64_t)reader.count, (int64_t)way.count[WAY_SENT], "%s: and arrive", text);
	tap_is((int64_t)(reader.out_of_order + reader.wrong_size), 0, "%s: in order, and whole", text);
	tap_is((int64_t)way.count[WAY_SENT_BYTES], (int64_t)reader.count * 80, "%s: headers are not counted as payload",
	       text);
	tap_is((int64_t)way.span[WAY_LATENESS].count, (int64_t)reader.count, "%s: each was on time or late", text);
	tap_ok(way.method[0] != '\0', "%s: %s", text, way.method);
}

static void test_closed(void)
{
	const _Atomic bool stop = false;
	struct pace_request request = {
		.duration_ns = NS_PER_S, .seed = 1, .size = SIZE, .write = write_number, .stop = &stop
	};
	struct workload workload;
	struct err err = { "" };
	int fds[2];

	way_init(&way);
	workload_parse(&workload, "udp rate=1k", NULL);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds)) {
		tap_ok(false, "a pair of sockets");
		return;
	}
	close(fds[1]);
	request.fd = fds[0];
	request.workload = &workload;
	tap_is(pace_run(&request, &way, &err), -ECONNREFUSED, "when nobody listens any more it ends: %s", err.text);
	tap_ok(way_has(&way, WAY_SENT) && way.count[WAY_SENT] == 0, "and says that nothing left");
	close(fds[0]);
}

int main(void)
{
	check("udp rate=10k", 0, 200, 200);
	check("udp rate=3333", 0, 67, 67);
	check("udp pattern=burst count=8 every=5ms", 0, 32, 32);
	check("udp rate=10k", 15, 15, 200);
	check("udp pattern=burst count=8 every=5ms", 13, 13, 32);
	tap_is(send_for("udp rate=max", 200 * NS_PER_MS, 1000, false), 0, "as fast as it goes: sends");
	tap_within((int64_t)reader.count, 1, 1000, "as fast as it goes: no more than was asked for");
	tap_ok(!way_has(&way, WAY_SCHEDULED) && !way_has_span(&way, WAY_GAP_ERROR),
	       "and there is no schedule to be off");
	tap_is(send_for("udp rate=10k", NS_PER_S, 0, true), 0, "stopped: ends");
	tap_is((int64_t)reader.count, 0, "with nothing sent");
	test_closed();
	return tap_done();
}
