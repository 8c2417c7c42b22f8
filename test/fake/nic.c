/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A NIC and the host behind it, for tests: the user-space end of a TAP device. It answers ARP, neighbour discovery
 * and ICMP echo, and holds received frames back as its words say, which makes it a peer whose coalescing is known:
 *
 *	ip tuntap add dev t0 mode tap; ip addr add 10.2.0.1/24 dev t0; ip link set t0 up
 *	build/test/fake/nic t0 holdoff=240us bypass=128 &
 *	ping 10.2.0.2
 *
 * Moderation (test/fake/moderation.h): holdoff=TIME, restart=TIME, throttle=TIME, tick=TIME, frames=N, bypass=BYTES
 * (frames below are not held; with FCS), budget=N (no more at a time). It waits in ppoll and, for the last part, in a
 * loop that reads the clock: deadlines are kept within some us on a machine that is not overloaded.
 *
 * Faults, each in every Nth echo request (the same requests each time): lose=N, duplicate=N, corrupt=N (payload,
 * checksum right), damage=N (checksum wrong), swap=N (after the next reply), late=N (delay=TIME, 300ms), longer=N,
 * cut=N (a reply of 4 bytes in place of the right one: garbage), error=N (unreachable), toobig=N (mtu=BYTES), each in
 * place of the reply; and beside the right one: elsewhere=N (from another address), identifier=N, ahead=N (a sequence
 * that was not sent), storm=N (100 copies more).
 *
 * SIGTERM ends it; it then prints "requests 1000 lose 10 ..." with how often each fault was done. delay, mtu and
 * moderation have no counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "fake/answer.h"
#include "fake/moderation.h"

#define HELD_MAX 4096
#define SPIN_NS (150 * NS_PER_US)
#define STORM 100
#define LONGER 100
#define CUT 4
#define FRAME_LEAST 64
#define FCS_BYTES 4

enum fault {
	FAULT_LOSE,
	FAULT_DUPLICATE,
	FAULT_CORRUPT,
	FAULT_DAMAGE,
	FAULT_SWAP,
	FAULT_LATE,
	FAULT_LONGER,
	FAULT_CUT,
	FAULT_ERROR,
	FAULT_TOOBIG,
	FAULT_ELSEWHERE,
	FAULT_IDENTIFIER,
	FAULT_AHEAD,
	FAULT_STORM,
	FAULTS
};

static const char *const fault_names[FAULTS] = {
	"lose", "duplicate", "corrupt", "damage",    "swap",       "late",  "longer",
	"cut",  "error",     "toobig",  "elsewhere", "identifier", "ahead", "storm",
};

/* A frame that waits to be sent. */
struct held {
	int64_t at_ns;
	struct frame *frame;
};

struct fake {
	int tap;
	struct moderation moderation;
	struct frame *received[HELD_MAX]; /* behind the moderation */
	unsigned received_count;
	struct held late[HELD_MAX]; /* in order of time */
	unsigned late_count;
	struct frame *swapped; /* goes after the next reply */
	uint64_t every[FAULTS], done[FAULTS], requests;
	int64_t delay_ns;
	unsigned mtu;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "fake nic: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *must(void *memory)
{
	if (!memory) {
		die("no memory");
	}
	return memory;
}

static struct frame *keep(const struct frame *frame)
{
	struct frame *const kept = must(malloc(offsetof(struct frame, data) + frame->bytes));

	kept->bytes = frame->bytes;
	memcpy(kept->data, frame->data, frame->bytes);
	return kept;
}

/* ---- sending ---- */

static void send_frame(const struct fake *fake, const struct frame *frame)
{
	/* An interface that is down, or being removed, takes nothing. */
	while (write(fake->tap, frame->data, frame->bytes) < 0 && (errno == EINTR || errno == EAGAIN)) {
	}
}

static void send_reply(struct fake *fake, const struct frame *reply)
{
	struct frame *const swapped = fake->swapped;

	send_frame(fake, reply);
	if (swapped) {
		fake->swapped = NULL;
		send_frame(fake, swapped);
		free(swapped);
	}
}

static void send_late(struct fake *fake, const struct frame *reply)
{
	if (fake->late_count < HELD_MAX) {
		fake->late[fake->late_count++] = (struct held){ now_ns() + fake->delay_ns, keep(reply) };
	}
}

/* ---- faults ---- */

static bool is_due(struct fake *fake, enum fault fault)
{
	const bool is = fake->every[fault] && fake->requests % fake->every[fault] == 0;

	fake->done[fault] += is;
	return is;
}

/* What stands in place of the reply; false: the reply itself does. */
static bool replace(struct fake *fake, const struct frame *request, struct frame *reply)
{
	if (is_due(fake, FAULT_LOSE)) {
		return true;
	}
	if (is_due(fake, FAULT_ERROR)) {
		answer_error(request, reply, 0);
	} else if (is_due(fake, FAULT_TOOBIG)) {
		answer_error(request, reply, fake->mtu);
	} else if (is_due(fake, FAULT_CORRUPT)) {
		answer_corrupt(reply, false);
	} else if (is_due(fake, FAULT_DAMAGE)) {
		answer_corrupt(reply, true);
	} else if (is_due(fake, FAULT_LONGER)) {
		answer_longer(reply, LONGER);
	} else if (is_due(fake, FAULT_CUT)) {
		answer_cut(reply, CUT);
	} else if (is_due(fake, FAULT_LATE)) {
		send_late(fake, reply);
		return true;
	} else if (!fake->swapped && is_due(fake, FAULT_SWAP)) {
		fake->swapped = keep(reply);
		return true;
	} else {
		return false;
	}
	send_reply(fake, reply);
	return true;
}

/* What comes beside the reply, before it. */
static void add_noise(struct fake *fake, const struct frame *request)
{
	static void (*const change[])(struct frame *) = {
		[FAULT_ELSEWHERE] = answer_from_elsewhere,
		[FAULT_IDENTIFIER] = answer_other_identifier,
		[FAULT_AHEAD] = answer_never_asked,
	};
	static struct frame other;

	for (enum fault fault = FAULT_ELSEWHERE; fault <= FAULT_AHEAD; fault++) {
		if (is_due(fake, fault)) {
			answer_echo(request, &other);
			change[fault](&other);
			send_frame(fake, &other);
		}
	}
}

static void answer(struct fake *fake, const struct frame *request)
{
	static struct frame reply;

	fake->requests++;
	answer_echo(request, &reply);
	add_noise(fake, request);
	if (replace(fake, request, &reply)) {
		return;
	}
	send_reply(fake, &reply);
	if (is_due(fake, FAULT_DUPLICATE)) {
		send_frame(fake, &reply);
	}
	for (unsigned i = is_due(fake, FAULT_STORM) ? STORM : 0; i > 0; i--) {
		send_frame(fake, &reply);
	}
}

/* ---- the loop ---- */

static void fire(struct fake *fake, int64_t now_at_ns)
{
	const unsigned going = moderation_fire(&fake->moderation, now_at_ns);

	for (unsigned i = 0; i < going; i++) {
		answer(fake, fake->received[i]);
		free(fake->received[i]);
	}
	fake->received_count -= going;
	memmove(fake->received, fake->received + going, fake->received_count * sizeof(fake->received[0]));
}

static void take_frame(struct fake *fake, const struct frame *frame)
{
	static struct frame reply;
	const size_t bytes = frame->bytes + FCS_BYTES;

	if (answer_neighbour(frame, &reply)) {
		send_frame(fake, &reply);
	} else if (answer_is_echo(frame) && fake->received_count < HELD_MAX) {
		fake->received[fake->received_count++] = keep(frame);
		moderation_frame(&fake->moderation, now_ns(), (unsigned)(bytes > FRAME_LEAST ? bytes : FRAME_LEAST));
	}
}

/* True when there was one. */
static bool receive(struct fake *fake)
{
	static struct frame frame;
	const ssize_t bytes = read(fake->tap, frame.data, sizeof(frame.data));

	if (bytes <= 0) {
		return false;
	}
	frame.bytes = (size_t)bytes;
	take_frame(fake, &frame);
	return true;
}

static void send_what_is_late(struct fake *fake, int64_t now_at_ns)
{
	unsigned sent = 0;

	while (sent < fake->late_count && fake->late[sent].at_ns <= now_at_ns) {
		send_reply(fake, fake->late[sent].frame);
		free(fake->late[sent++].frame);
	}
	memmove(fake->late, fake->late + sent, (fake->late_count - sent) * sizeof(fake->late[0]));
	fake->late_count -= sent;
}

static void wait(const struct fake *fake, int64_t deadline_at_ns)
{
	const int64_t left_ns = deadline_at_ns == INT64_MAX ? NS_PER_S / 10 : deadline_at_ns - now_ns() - SPIN_NS;
	const struct timespec timeout = { left_ns / NS_PER_S, left_ns % NS_PER_S };
	struct pollfd pollfd = { .fd = fake->tap, .events = POLLIN };

	if (left_ns > 0) {
		ppoll(&pollfd, 1, &timeout, NULL);
	}
}

static void run(struct fake *fake)
{
	while (!stopped) {
		while (receive(fake)) {
		}
		const int64_t fires_at_ns = moderation_deadline(&fake->moderation), now_at_ns = now_ns();
		const int64_t late_at_ns = fake->late_count ? fake->late[0].at_ns : INT64_MAX;

		if (now_at_ns >= fires_at_ns) {
			fire(fake, now_at_ns);
		} else if (now_at_ns >= late_at_ns) {
			send_what_is_late(fake, now_at_ns);
		} else {
			wait(fake, time_min(fires_at_ns, late_at_ns));
		}
	}
}

/* ---- words ---- */

static bool take_time(const char *name, const char *value, const char *wanted, int64_t *time_ns)
{
	struct err err;

	if (strcmp(name, wanted) != 0) {
		return false;
	}
	if (text_parse_duration(value, name, time_ns, &err) < 0) {
		fprintf(stderr, "fake nic: %s\n", err.text);
		exit(2);
	}
	return true;
}

static bool take_number(const char *name, const char *value, const char *wanted, uint64_t *number)
{
	struct err err;

	if (strcmp(name, wanted) != 0) {
		return false;
	}
	if (text_parse_u64(value, name, number, &err) < 0) {
		fprintf(stderr, "fake nic: %s\n", err.text);
		exit(2);
	}
	return true;
}

static bool take_parameter(struct fake *fake, const char *name, const char *value)
{
	struct moderation *const moderation = &fake->moderation;
	uint64_t number = 0;

	if (take_time(name, value, "holdoff", &moderation->holdoff_ns) ||
	    take_time(name, value, "restart", &moderation->restart_ns) ||
	    take_time(name, value, "throttle", &moderation->throttle_ns) ||
	    take_time(name, value, "tick", &moderation->tick_ns) || take_time(name, value, "delay", &fake->delay_ns)) {
		return true;
	}
	if (take_number(name, value, "frames", &number)) {
		moderation->frames = (unsigned)number;
		return true;
	}
	if (take_number(name, value, "budget", &number)) {
		moderation->budget = (unsigned)number;
		return true;
	}
	if (take_number(name, value, "bypass", &number)) {
		moderation->bypass_below = (unsigned)number;
		return true;
	}
	if (take_number(name, value, "mtu", &number)) {
		fake->mtu = (unsigned)number;
		return true;
	}
	for (enum fault fault = 0; fault < FAULTS; fault++) {
		if (take_number(name, value, fault_names[fault], &fake->every[fault])) {
			return true;
		}
	}
	return false;
}

static void take_word(struct fake *fake, char *word)
{
	char *const equals = strchr(word, '=');

	if (equals) {
		*equals = '\0';
	}
	if (!equals || !take_parameter(fake, word, equals + 1)) {
		fprintf(stderr, "fake nic: a word that is not known: %s\n", word);
		exit(2);
	}
}

static void open_tap(struct fake *fake, const char *name)
{
	struct ifreq ifreq = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	fake->tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fake->tap < 0) {
		die("/dev/net/tun");
	}
	snprintf(ifreq.ifr_name, sizeof(ifreq.ifr_name), "%s", name);
	if (ioctl(fake->tap, TUNSETIFF, &ifreq) < 0) {
		die(name);
	}
}

int main(int argc, char **argv)
{
	struct fake *const fake = must(calloc(1, sizeof(*fake)));
	const struct sigaction action = { .sa_handler = stop };

	if (argc < 2) {
		fprintf(stderr, "usage: nic TAP [holdoff=TIME] [bypass=BYTES] ... (see the source)\n");
		return 2;
	}
	moderation_init(&fake->moderation);
	fake->delay_ns = 300 * NS_PER_MS;
	fake->mtu = 1400;
	for (int i = 2; i < argc; i++) {
		take_word(fake, argv[i]);
	}
	open_tap(fake, argv[1]);
	sigaction(SIGTERM, &action, NULL);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	run(fake);
	printf("requests %llu", (unsigned long long)fake->requests);
	for (enum fault fault = 0; fault < FAULTS; fault++) {
		printf(" %s %llu", fault_names[fault], (unsigned long long)fake->done[fault]);
	}
	putchar('\n');
	return 0;
}
