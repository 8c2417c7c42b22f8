/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many packets are passed over; and what becomes of those that are, by the rules of the kernel's side. */
#include "trace/sampling.h"

#include <string.h>

#include "base/random.h"
#include "tap.h"
#include "trace/path_sampling.h"

#define WINDOW_NS 100000000

/* Not histograms, but how often and the last. */
struct path_recorder {
	unsigned count[PATH_STAGES];
	__u64 last_ns[PATH_STAGES];
};

void path_record(struct path_recorder *recorder, __u32 stage, __u64 span_ns)
{
	recorder->count[stage]++;
	recorder->last_ns[stage] = span_ns;
}

/* A machine where each event costs something and each packet that is followed costs more. */
static int64_t cost_of(const struct sampling *sampling, int64_t fixed_ns, int64_t followed_ns)
{
	return fixed_ns + followed_ns / sampling->every;
}

static void test_control(void)
{
	struct sampling sampling;
	bool is_possible = true;
	unsigned steps = 0;

	sampling_init(&sampling, 20000); /* 2 % */
	tap_ok(sampling_take(&sampling, WINDOW_NS / 100, WINDOW_NS) && sampling.every == 1,
	       "1%% of 2%%: all are followed");
	while (cost_of(&sampling, 500000, 40000000) > 2000000 && steps < 20) {
		is_possible = is_possible && sampling_take(&sampling, cost_of(&sampling, 500000, 40000000), WINDOW_NS);
		steps++;
	}
	tap_ok(is_possible && steps <= 4, "40%% comes down to 2%% in %u windows, by one packet in %u", steps,
	       sampling.every);
	tap_is(sampling.most, sampling.every, "which is the most so far");
	for (unsigned window = 0; window < 12; window++) {
		sampling_take(&sampling, cost_of(&sampling, 100000, 500000), WINDOW_NS);
	}
	tap_ok(sampling.every == 1 && sampling.most > 1,
	       "with less traffic all are followed again, and what was is known");
	for (steps = 0; sampling_take(&sampling, cost_of(&sampling, 3000000, 40000000), WINDOW_NS); steps++) {
	}
	tap_ok(steps >= 3 && sampling.every == SAMPLING_EVERY_MAX,
	       "what each event costs cannot be had for less: it ends");
	sampling_init(&sampling, 0);
	tap_ok(sampling_take(&sampling, WINDOW_NS, WINDOW_NS) && sampling.every == 1,
	       "without a limit all are followed");
}

static void test_draw(void)
{
	struct random random;
	uint32_t countdown = 0, gaps[16] = { 0 }, gap = 0;
	unsigned followed = 0, missing = 0;

	random_init(&random, 1, 0);
	for (unsigned packet = 0; packet < 80000; packet++) {
		gap++;
		if (!path_is_passed_over(&countdown, 8)) {
			path_draw_next(&countdown, 8, (uint32_t)random_below(&random, UINT32_MAX));
			followed++;
			gaps[gap < 16 ? gap : 0]++;
			gap = 0;
		}
	}
	for (unsigned i = 1; i < 16; i++) {
		missing += gaps[i] == 0;
	}
	tap_ok(followed > 9700 && followed < 10300, "one in 8 of 80000 is followed: %u", followed);
	tap_ok(missing == 0 && gaps[0] == 0, "after any number of others from 1 to 15");
	countdown = 2000;
	path_is_passed_over(&countdown, 2);
	tap_ok(countdown < 4, "what was drawn before more were followed does not count");
}

static void test_unfollowed(void)
{
	static struct path_recorder recorder;
	static struct path_cpu cpu;
	static struct path_packet packet;

	path_queued_unfollowed(&cpu, &packet, 7);
	tap_ok(packet.key == 7 && packet.state == PATH_UNFOLLOWED, "a queued packet that is passed over is marked");
	path_xmit_unfollowed(&cpu, &packet, 7);
	tap_ok(packet.key == 0 && cpu.sums.sent_unfollowed == 1 && cpu.sums.sent == 0,
	       "and only counted when it is sent");
	path_xmit_ended(&recorder, &cpu, &packet, 7, 100, 0);
	tap_is((int64_t)cpu.sums.sent, 0, "the end of its xmit is nobody's");

	path_xmit_started(&recorder, &cpu, &packet, 9, 100, 60, 0, 0);
	path_xmit_ended(&recorder, &cpu, &packet, 9, 110, 0);
	path_xmit_unfollowed(&cpu, &packet, 9);
	tap_ok(cpu.sums.reused == 1 && packet.key == 0, "one that takes a followed one's address is not taken for it");
	path_xmit_started(&recorder, &cpu, &packet, 9, 200, 60, 0, 0);
	path_xmit_ended(&recorder, &cpu, &packet, 9, 210, 0);
	path_received_unfollowed(&cpu, &packet, 9, 0);
	tap_ok(cpu.sums.handed_on == 1 && packet.key == 0, "a followed one that is received unfollowed was handed on");

	path_softirq_entered(&recorder, &cpu, 300, 1);
	path_received(&recorder, &cpu, &packet, 11, 310, 60, 1, 1, 5);
	path_may_answer(&recorder, &cpu, 315, 5);
	path_xmit_unfollowed(&cpu, &packet, 12);
	tap_is((int64_t)recorder.last_ns[PATH_ECHO], 5, "an answer that is passed over answers nevertheless");
	path_received_unfollowed(&cpu, &packet, 13, 320);
	tap_is((int64_t)cpu.rx_key, 0, "whoever is woken now is not the reader of the frame before");
	path_received(&recorder, &cpu, &packet, 15, 350, 60, 1, 1, 6);
	tap_is((int64_t)cpu.request[6 % PATH_REQUESTS].gap_ns, 30, "the gap goes from a frame that was passed over");
	path_received_unfollowed(&cpu, &packet, 17, 0);
	tap_ok(cpu.rx_key == 15 && cpu.rx_frames > 1,
	       "of frames one after the other it is not known whose reader is woken");
	path_polled(&cpu, 360, 3, 64);
	tap_is((int64_t)cpu.sums.received_unfollowed, 3, "frames that were passed over are counted");
}

int main(void)
{
	test_control();
	test_draw();
	test_unfollowed();
	return tap_done();
}
