/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading host profiles. A file has one section [host] with the keys of profile_keys, and for each idle state,
 * lightest first, a section [idle NAME] with exit and residency. A profile may build on another one (base,
 * scale-percent). Costs have no defaults: a profile that forgets one is refused, since a silent 0 would look like a
 * fast host. Defaults exist for what is not a cost of this host: constants of the kernel (Linux 6.1: HZ 250 as Debian
 * builds it, net.core.netdev_budget 300, rmem_default and wmem_default 212992, a scheduler slice of 3 ms), and for
 * the two terms that most profiles leave out, jitter and cold.
 */
#include "host/profile.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/time.h"
#include "base/wide.h"

#define COST_MAX_NS (NS_PER_S - 1)
#define PER_BYTE_MAX_PS INT64_C(1000000)
#define BUFFER_MAX_BYTES (INT64_C(1) << 30)

#define MEMBER(member) offsetof(struct profile, member), sizeof(((struct profile *)0)->member)
#define COST(name, member, help)                                               \
	{                                                                      \
		name, INI_DURATION, MEMBER(member), 0, COST_MAX_NS, true, help \
	}
#define COST_OR_NONE(name, member, help)                                        \
	{                                                                       \
		name, INI_DURATION, MEMBER(member), 0, COST_MAX_NS, false, help \
	}
#define PER_BYTE(name, member, help)                                          \
	{                                                                     \
		name, INI_I64, MEMBER(member), 0, PER_BYTE_MAX_PS, true, help \
	}

const struct ini_key profile_keys[] = {
	{ "source", INI_TEXT, MEMBER(source), 0, 0, true, "where the costs are from" },
	{ "fit", INI_TEXT, MEMBER(fit), 0, 0, false, "the same in a few words; the beginning of source if not given" },
	{ "cpus", INI_U32, MEMBER(cpus), 1, 8, true, "CPUs of the host" },

	COST("irq-entry-idle", irq_entry_idle_ns, "interrupt line up to the handler, CPU idle in its lightest state"),
	COST("irq-entry-busy", irq_entry_busy_ns, "the same, CPU running"),
	COST_OR_NONE("irq-jitter", irq_jitter_ns, "mean of an exponential addition to each entry"),
	COST("irq-handler", irq_handler_ns, "the driver's handler"),
	COST("irq-exit", irq_exit_ns, "return from interrupt"),
	{ "irq-drains", INI_BOOL, MEMBER(irq_drains), 0, 0, false,
	  "all interrupts that wait are handled before a softirq begins (GICv2)" },
	COST("softirq-entry", softirq_entry_ns, "hard irq exit to the poll"),
	COST("timer-irq", timer_irq_ns, "a whole timer interrupt"),

	COST("poll", poll_ns, "a poll round without frames"),
	COST("poll-complete", poll_complete_ns, "napi_complete_done and unmasking"),
	COST_OR_NONE("poll-exit", poll_exit_ns, "from unmasking to the next poll or the end of the softirq"),
	COST("rx-driver", rx_driver_ns, "a frame from the ring to the stack"),
	COST_OR_NONE("rx-refill", rx_refill_ns, "new buffers for the NIC, with every rx-refill-every-th frame"),
	{ "rx-refill-every", INI_U32, MEMBER(rx_refill_every), 1, 4096, false, "frames between two refills" },
	COST("rx-stack", rx_stack_ns, "a packet through the stack to the socket, without wake-up"),
	COST("rx-merge", rx_merge_ns, "a further segment that GRO merges, in place of rx-stack"),
	COST("wake", wake_ns, "waking a blocked reader, in the softirq that queues its data"),
	PER_BYTE("rx-byte-ps", rx_byte_ps, "per byte of frame in driver and stack, in ps"),
	COST("tx-clean", tx_clean_ns, "freeing a transmitted frame"),
	COST("gro-timer-poll", gro_timer_poll_ns, "extra of a poll that the deferral timer started"),

	COST("xmit", xmit_ns, "the driver's xmit, to the doorbell"),
	COST("send", send_ns, "send call to the driver's xmit"),
	COST("send-exit", send_exit_ns, "driver's xmit to the return in user space"),
	PER_BYTE("send-byte-ps", send_byte_ps, "per byte of payload sent, in ps"),
	COST("echo", echo_ns, "ICMP request to the reply at the driver's xmit, beyond rx-stack"),
	{ "echo-byte-ps", INI_I64, MEMBER(echo_byte_ps), 0, PER_BYTE_MAX_PS, false, "and per byte of payload, in ps" },
	COST_OR_NONE("echo-exit", echo_exit_ns, "the reply's xmit until the poll goes on"),
	COST("ack", ack_ns, "building a TCP acknowledgement"),
	COST("ack-rx", ack_rx_ns, "a received acknowledgement through the stack, in place of rx-stack"),
	COST("segment", segment_ns, "a TCP segment from the write queue to the driver's xmit"),

	COST("wakeup", wakeup_ns, "interrupt return to a blocked task inside its system call"),
	COST("remote-wakeup", remote_wakeup_ns, "added when the task sleeps on another CPU"),
	COST("recv", recv_ns, "receive call with data queued"),
	PER_BYTE("recv-byte-ps", recv_byte_ps, "per byte copied to the user, in ps"),
	COST("think", think_ns, "the application between receive and send"),
	COST("block", block_ns, "a receive call without data until the task sleeps"),
	COST_OR_NONE("switch", switch_ns, "the task switch that follows"),
	COST("ping", ping_ns, "what ping does with a reply beyond receiving it"),
	{ "ping-byte-ps", INI_I64, MEMBER(ping_byte_ps), 0, PER_BYTE_MAX_PS, false, "and per byte of payload, in ps" },
	COST_OR_NONE("ping-line", ping_line_ns, "and, unless it floods, for a line about it and the sleep after it"),
	COST_OR_NONE("tftp", tftp_ns,
		     "what a TFTP client or server does with a block: the timer of its retry, the file"),
	COST_OR_NONE("ping-send", ping_send_ns, "sending an echo request, beyond send"),
	COST_OR_NONE("ping-jiffy", ping_jiffy_ns, "and once more when none was sent in this jiffy"),

	COST_OR_NONE("cold-max", cold_max_ns, "what a long gap since the last packet adds to the next one"),
	COST_OR_NONE("cold-half", cold_half_ns, "gap at which half of cold-max is added"),

	COST("dma-latency", dma_latency_ns, "doorbell to first bit, and last bit to written descriptor, each"),
	PER_BYTE("dma-byte-ps", dma_byte_ps, "store and forward between memory and MAC, each way, in ps"),

	{ "hz", INI_U32, MEMBER(hz), 24, 10000, false, "CONFIG_HZ" },
	{ "gro-list", INI_U32, MEMBER(gro_list), 1, 8, false,
	  "packets that go up the stack together (gro_normal_batch)" },
	{ "netdev-budget", INI_U32, MEMBER(netdev_budget), 1, 1000000, false, "net.core.netdev_budget" },
	COST_OR_NONE("netdev-budget-time", netdev_budget_ns, "net.core.netdev_budget_usecs; 2 jiffies if not given"),
	{ "ksoftirqd-takes-all", INI_BOOL, MEMBER(ksoftirqd_takes_all), 0, 0, false,
	  "softirqs are left to a running ksoftirqd" },
	COST_OR_NONE("slice", slice_ns, "how long ksoftirqd and a task run in turn"),
	{ "rcvbuf", INI_BYTES, MEMBER(rcvbuf_bytes), 1, BUFFER_MAX_BYTES, false, "net.core.rmem_default" },
	{ "sndbuf", INI_BYTES, MEMBER(sndbuf_bytes), 1, BUFFER_MAX_BYTES, false, "net.core.wmem_default" },
};

const unsigned profile_key_count = sizeof(profile_keys) / sizeof(profile_keys[0]);
static_assert(sizeof(profile_keys) / sizeof(profile_keys[0]) <= 64, "ini_store has a bit for 64 keys");

#define IDLE_MEMBER(member) \
	offsetof(struct profile_idle_state, member), sizeof(((struct profile_idle_state *)0)->member)

static const struct ini_key idle_keys[] = {
	{ "exit", INI_DURATION, IDLE_MEMBER(exit_ns), 0, COST_MAX_NS, true,
	  "added before the first instruction of the interrupt" },
	{ "residency", INI_DURATION, IDLE_MEMBER(residency_ns), 0, COST_MAX_NS, true,
	  "entered after so long an idle time" },
};

#define IDLE_KEYS (sizeof(idle_keys) / sizeof(idle_keys[0]))

/* Not CPU time of this host: a slower clock does not stretch them. */
static const size_t unscaled[] = {
	offsetof(struct profile, cold_half_ns), offsetof(struct profile, dma_latency_ns),
	offsetof(struct profile, dma_byte_ps),  offsetof(struct profile, netdev_budget_ns),
	offsetof(struct profile, slice_ns),
};

#define BASES_MAX 3

/* What stands before the costs of a profile that builds on another. */
struct profile_base {
	char name[32];
	uint32_t percent;
};

#define BASE_MEMBER(member) offsetof(struct profile_base, member), sizeof(((struct profile_base *)0)->member)

const struct ini_key profile_base_keys[PROFILE_BASE_KEYS] = {
	{ "base", INI_TEXT, BASE_MEMBER(name), 0, 0, true, "the profile whose costs are taken over" },
	{ "scale-percent", INI_U32, BASE_MEMBER(percent), 1, 100000, true, "how many percent of them" },
};

struct reading {
	struct profile *profile;
	profile_base_fn *find_base;
	unsigned depth;
	struct profile_base base;
	uint64_t seen, idle_seen, base_seen;
	uint64_t inherited;    /* keys that the base has given */
	char idle_section[64]; /* of the idle state being read, */
	unsigned idle_line;    /* and its line; 0: none yet */
};

static void profile_defaults(struct profile *profile)
{
	*profile = (struct profile){
		.hz = 250,
		.netdev_budget = 300,
		.gro_list = 8,
		.rx_refill_every = 1,
		.slice_ns = 3 * NS_PER_MS,
		.rcvbuf_bytes = 212992,
		.sndbuf_bytes = 212992,
	};
}

static int idle_finish(const struct reading *reading, struct err *err)
{
	const struct profile *profile = reading->profile;

	if (profile->idle_states == 0) {
		return 0;
	}
	int ret = ini_required(idle_keys, IDLE_KEYS, reading->idle_seen, reading->idle_section, err);
	if (ret < 0) {
		return ret;
	}
	const struct profile_idle_state *last = &profile->idle[profile->idle_states - 1];
	if (profile->idle_states > 1 && last->residency_ns <= last[-1].residency_ns) {
		return err_set(
			err, -EINVAL,
			"[%s] does not have a longer residency than the idle state before it: list the lightest first",
			reading->idle_section);
	}
	return 0;
}

static int idle_begin(struct reading *reading, const char *section, unsigned line, struct err *err)
{
	int ret = idle_finish(reading, err);

	if (ret < 0) {
		return ret;
	}
	if (strlen(section) >= sizeof(reading->idle_section)) {
		return err_set(err, -EINVAL, "the name of section [%s] is too long", section);
	}
	if (reading->profile->idle_states == PROFILE_IDLE_STATES_MAX) {
		return err_set(err, -EINVAL, "[%s] is one idle state too many: at most %d", section,
			       PROFILE_IDLE_STATES_MAX);
	}
	strcpy(reading->idle_section, section);
	reading->idle_line = line;
	reading->idle_seen = 0;
	reading->profile->idle_states++;
	return 0;
}

static int parse(struct profile *profile, const char *text, const char *name, profile_base_fn *find_base,
		 unsigned depth, struct err *err);

/* Takes the base over, scaled; cpus, source and idle states are each profile's own. */
static int take_base(struct reading *reading, struct err *err)
{
	struct profile base;

	if (reading->depth + 1 >= BASES_MAX) {
		return err_set(err, -EINVAL, "base = %s: at most %d profiles build on one another", reading->base.name,
			       BASES_MAX);
	}
	const char *text = reading->find_base(reading->base.name, err);
	if (!text) {
		return -EINVAL;
	}
	const int ret = parse(&base, text, reading->base.name, reading->find_base, reading->depth + 1, err);
	if (ret < 0) {
		return ret;
	}
	profile_scale(&base, reading->base.percent, 100);
	memcpy(base.name, reading->profile->name, sizeof(base.name));
	base.fit[0] = '\0';
	base.idle_states = 0;
	if (base.netdev_budget_ns == 2 * NS_PER_S / base.hz) {
		base.netdev_budget_ns = 0; /* not given: two jiffies of this profile's own */
	}
	*reading->profile = base;
	for (unsigned i = 0; i < profile_key_count; i++) {
		const bool is_own = strcmp(profile_keys[i].name, "source") == 0 ||
				    strcmp(profile_keys[i].name, "fit") == 0 ||
				    strcmp(profile_keys[i].name, "cpus") == 0;

		reading->inherited |= is_own ? 0 : UINT64_C(1) << i;
	}
	return 0;
}

/* True when the entry is one of the two base keys; *ret is what became of it. */
static bool is_base_entry(struct reading *reading, const struct ini_entry *entry, int *ret, struct err *err)
{
	if (strcmp(entry->key, "base") != 0 && strcmp(entry->key, "scale-percent") != 0) {
		return false;
	}
	if (reading->seen) {
		*ret = err_set(err, -EINVAL, "%s has to stand before the other keys of [host]", entry->key);
		return true;
	}
	*ret = ini_store(profile_base_keys, PROFILE_BASE_KEYS, &reading->base, &reading->base_seen, entry, err);
	if (*ret == 0 && reading->base_seen == (1u << PROFILE_BASE_KEYS) - 1) {
		*ret = take_base(reading, err);
	}
	return true;
}

static int profile_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct reading *reading = context;
	struct profile *profile = reading->profile;

	int base_ret;

	if (strcmp(entry->section, "host") == 0) {
		if (is_base_entry(reading, entry, &base_ret, err)) {
			return base_ret;
		}
		return ini_store(profile_keys, profile_key_count, profile, &reading->seen, entry, err);
	}
	if (strcmp(entry->section, PROFILE_MODEL_SECTION) == 0) {
		return 0; /* for plan_load_profile */
	}
	if (strncmp(entry->section, "idle ", 5) != 0) {
		return err_set(err, -EINVAL, "unknown section [%s]: a host profile has [host] and [idle NAME]",
			       entry->section);
	}
	if (entry->section_line != reading->idle_line) {
		int ret = idle_begin(reading, entry->section, entry->section_line, err);

		if (ret < 0) {
			return ret;
		}
	}
	return ini_store(idle_keys, IDLE_KEYS, &profile->idle[profile->idle_states - 1], &reading->idle_seen, entry,
			 err);
}

/* "profiles/hosts/x.ini" is called x. */
static int profile_name(struct profile *profile, const char *name, struct err *err)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	size_t length = strlen(base);

	if (length > 4 && strcmp(base + length - 4, ".ini") == 0) {
		length -= 4;
	}
	if (length == 0 || length >= sizeof(profile->name)) {
		return err_set(err, -EINVAL, "%s: the name of a host profile has 1 to %zu characters", name,
			       sizeof(profile->name) - 1);
	}
	memcpy(profile->name, base, length);
	profile->name[length] = '\0';
	return 0;
}

/* "scaled from cortex-a53 x 1.29 (1.78 DMIPS/MHz)": up to the bracket, or to the first comma or colon. */
static void default_fit(struct profile *profile)
{
	size_t length = strcspn(profile->source, ",;:(");

	while (length > 0 && profile->source[length - 1] == ' ') {
		length--;
	}
	if (length == 0 || length >= sizeof(profile->fit)) {
		length = strnlen(profile->source, sizeof(profile->fit) - 1);
	}
	memcpy(profile->fit, profile->source, length);
	profile->fit[length] = '\0';
}

static int parse(struct profile *profile, const char *text, const char *name, profile_base_fn *find_base,
		 unsigned depth, struct err *err)
{
	struct reading reading = { .profile = profile, .find_base = find_base, .depth = depth };

	profile_defaults(profile);
	int ret = profile_name(profile, name, err);
	if (ret < 0) {
		return ret;
	}
	ret = ini_parse_text(text, name, profile_entry, &reading, err);
	if (ret < 0) {
		return ret;
	}
	ret = reading.base_seen ? ini_required(profile_base_keys, PROFILE_BASE_KEYS, reading.base_seen, "host", err)
				: 0;
	if (ret == 0) {
		ret = ini_required(profile_keys, profile_key_count, reading.seen | reading.inherited, "host", err);
	}
	if (ret == 0) {
		ret = idle_finish(&reading, err);
	}
	if (ret < 0) {
		return err_prefix(err, ret, "%s", name);
	}
	if (profile->fit[0] == '\0') {
		default_fit(profile);
	}
	/* Whoever sends as fast as possible would send for ever at one instant. */
	if (profile->send_ns == 0) {
		return err_set(err, -ERANGE, "%s: send is 0, expected a cost above 0", name);
	}
	if (profile->netdev_budget_ns == 0) {
		profile->netdev_budget_ns = 2 * NS_PER_S / profile->hz;
	}
	return 0;
}

int profile_parse(struct profile *profile, const char *text, const char *name, profile_base_fn *base, struct err *err)
{
	return parse(profile, text, name, base, 0, err);
}

static bool is_scaled(const struct ini_key *key)
{
	if (key->type != INI_DURATION && key->type != INI_I64) {
		return false;
	}
	for (size_t i = 0; i < sizeof(unscaled) / sizeof(unscaled[0]); i++) {
		if (unscaled[i] == key->offset) {
			return false;
		}
	}
	return true;
}

void profile_scale(struct profile *profile, uint32_t numerator, uint32_t denominator)
{
	assert(denominator > 0);
	for (unsigned i = 0; i < profile_key_count; i++) {
		if (!is_scaled(&profile_keys[i])) {
			continue;
		}
		int64_t *cost = (int64_t *)(void *)((char *)profile + profile_keys[i].offset);
		const uint64_t scaled = wide_scale_to_nearest((uint64_t)*cost, numerator, denominator);

		*cost = scaled > INT64_MAX ? INT64_MAX : (int64_t)scaled;
	}
}
