/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The e1000e driver on an 82574 in MSI mode: one vector for everything.
 *
 * rx-usecs is the only setting and speaks of the vector, so it throttles transmit interrupts as well. 0 is off, 10 to
 * 10000 is a fixed gap, and 1, 3 and 4 are no times but modes: dynamic, dynamic conservative, simplified. The driver
 * turns a time into a whole rate first and the rate into ITR units of 256 ns, so long times come out longer; the rate
 * that get answers from is further cut to a multiple of 4.
 *
 * The dynamic modes choose 70000, 20000 or 4000 interrupts/s from the frames and bytes since the last interrupt, per
 * direction, and take the slower of the two. Rises go by a quarter at a time, drops at once. Mode 4 programs what 4
 * interrupts/s would be, cut to the 16 bits of ITR (15.1 ms), until a watchdog corrects it within 2 s; that watchdog
 * is not modelled.
 *
 * An 82574 normally has MSI-X: a vector each for receive, transmit and the rest, each with a throttle register EITR.
 * set then writes all three, but the driver also keeps a rate for each vector's ring, from ifup or from the dynamic
 * modes, and writes that: at the first received frame after a dynamic change, and at every reset. Set does not touch
 * it, so times that were set come undone, which is warned of; the registers here are those of one MSI vector.
 *
 * The delay timers RDTR, RADV, TIDV, TADV are module parameters. They are set here as in the recorded reference runs:
 * RDTR and RADV 1 (the least that the driver accepts), TIDV 8 and TADV 32 (its defaults).
 *
 * The variant e1000e@delay is that driver with a hold-off instead of a throttle: module parameters set ITR to none, the
 * absolute timers RADV and TADV to rx-usecs, and the packet timers RDTR and TIDV to their most, where they never end first.
 * Its rx-usecs stands for those parameters; no kernel lets ethtool set them.
 *
 * Sources: netdev.c, ethtool.c and param.c of Linux 6.1.192; the read-back and interval of 3000 us from recordings of
 * that driver.
 */
#include "base/text.h"
#include "driver/driver_private.h"

enum {
	CTRL_EXT = 0x0018,
	ICR = 0x00c0,
	ITR = 0x00c4,
	IMS = 0x00d0,
	IAM = 0x00e0,
	RDTR = 0x2820,
	RADV = 0x282c,
	TIDV = 0x3820,
	TADV = 0x382c,
};

#define CTRL_EXT_IAME UINT32_C(0x08000000)
#define IMS_ENABLE UINT32_C(0x9d) /* RXT0, RXDMT0, RXSEQ, LSC, TXDW */
#define ITR_UNIT_NS 256

#define USECS_MIN 10
#define USECS_MAX 10000

/* What rx-usecs 0..4 mean, and what the driver keeps in the place of a rate then. */
enum mode {
	MODE_OFF = 0,
	MODE_DYNAMIC = 1,
	MODE_CONSERVATIVE = 3,
	MODE_SIMPLIFIED = 4,
};

/* The classes of the dynamic algorithm, in order of their waits. */
enum latency { LATENCY_LOWEST, LATENCY_LOW, LATENCY_BULK };

static const uint32_t latency_rate[] = { 70000, 20000, 4000 };

struct e1000e_state {
	uint32_t setting;   /* a mode, or the rate cut to a multiple of 4 */
	uint32_t rate;      /* interrupts/s that ITR was computed from */
	uint32_t ring_rate; /* what MSI-X vectors get at a reset: the rate of ifup, then what the dynamic modes chose */
	uint32_t is_open;
	uint32_t latency[CHIP_DIRECTIONS];
	uint32_t packets[CHIP_DIRECTIONS]; /* since the last interrupt */
	uint32_t bytes[CHIP_DIRECTIONS];
	uint32_t delay_usecs; /* e1000e@delay */
} DRIVER_STATE;

DRIVER_STATE_FITS(struct e1000e_state);

static struct e1000e_state *state_of(struct driver *driver)
{
	return (struct e1000e_state *)(void *)driver->state;
}

static const struct e1000e_state *state_of_const(const struct driver *driver)
{
	return (const struct e1000e_state *)(const void *)driver->state;
}

/* The register holds 16 bits: the 976562 of mode 4 becomes 0xe6b2. */
static uint32_t itr_units(uint32_t rate)
{
	return rate ? 1000000000 / (rate * ITR_UNIT_NS) & 0xffff : 0;
}

static bool is_dynamic(const struct e1000e_state *state)
{
	return state->setting == MODE_DYNAMIC || state->setting == MODE_CONSERVATIVE;
}

static void init(struct driver *driver)
{
	struct e1000e_state *state = state_of(driver);
	state->setting = MODE_CONSERVATIVE;
	state->rate = latency_rate[LATENCY_LOW];
}

static void open(struct driver *driver, struct driver_result *result)
{
	struct e1000e_state *state = state_of(driver);
	state->ring_rate = state->rate;
	state->is_open = 1;
	driver_result_write(result, TIDV, 8);
	driver_result_write(result, TADV, 32);
	driver_result_write(result, RDTR, 1);
	driver_result_write(result, RADV, 1);
	if (state->setting != MODE_OFF && state->rate) {
		driver_result_write(result, ITR, itr_units(state->rate));
	}
	driver_result_write(result, IAM, UINT32_MAX);
	driver_result_write(result, CTRL_EXT, CTRL_EXT_IAME);
	driver_result_write(result, IMS, IMS_ENABLE);
}

static int get(const struct driver *driver, struct coalesce *reported)
{
	uint32_t setting = state_of_const(driver)->setting;
	coalesce_put(reported, COALESCE_RX_USECS, setting <= MODE_SIMPLIFIED ? setting : 1000000 / setting);
	return 0;
}

static int64_t gap_ns(const struct e1000e_state *state)
{
	return (int64_t)itr_units(state->rate) * ITR_UNIT_NS;
}

/* What a setting is that looks like a time and is none. */
static void remark(const struct driver *driver, struct driver_result *result)
{
	const struct e1000e_state *state = state_of_const(driver);
	char text[TEXT_DURATION_MAX];
	switch (state->setting) {
	case MODE_DYNAMIC:
		driver_result_warn(result,
				   "rx-usecs 1 is no time but a mode: dynamic, 4000 to 70000 interrupts/s by the "
				   "traffic, starting at %u",
				   state->rate);
		return;
	case MODE_CONSERVATIVE:
		driver_result_warn(result,
				   "rx-usecs 3 is no time but a mode: dynamic conservative, 4000 to 20000 interrupts/s "
				   "by the traffic, starting at %u",
				   state->rate);
		return;
	case MODE_SIMPLIFIED:
		driver_result_warn(result,
				   "rx-usecs 4 is no time but a mode: set writes 976562 to the 16 bits of ITR, which "
				   "is %s until a watchdog corrects it within 2 s",
				   text_print_duration(gap_ns(state), text));
		return;
	default:
		break;
	}
	if (driver->config.has_msix && state->is_open && state->setting != MODE_OFF &&
	    state->ring_rate != state->rate) {
		driver_result_warn(result,
				   "with MSI-X another throttle may be in force than the one that is reported: if a "
				   "reset came since it was set, ask for another value, then again for this one");
	}
}

/* How an 82574 with MSI-X loses what was set, though it is still reported; `mode` is what was set before. */
static void warn_of_msix(const struct driver *driver, uint32_t mode, uint32_t usecs, struct driver_result *result)
{
	const struct e1000e_state *state = state_of_const(driver);
	char text[TEXT_DURATION_MAX];
	if (!driver->config.has_msix) {
		return;
	}
	if (usecs == MODE_OFF) {
		driver_result_warn(result,
				   "with MSI-X rx-usecs 0 does not outlast ifdown and ifup: then there is a throttle "
				   "of %s, and 0 is still reported",
				   text_print_duration(gap_ns(state), text));
		return;
	}
	if (!state->is_open || usecs <= MODE_SIMPLIFIED) {
		return;
	}
	text_print_duration((int64_t)itr_units(state->ring_rate) * ITR_UNIT_NS, text);
	if (mode == MODE_DYNAMIC || mode == MODE_CONSERVATIVE) {
		driver_result_warn(result,
				   "with MSI-X the next frame may bring back the throttle of mode %u (%s when idle), "
				   "while %u is reported: ask for another value, then again for this one",
				   mode, text, usecs);
	}
	driver_result_warn(result,
			   "with MSI-X a reset (MTU, ring size, ethtool -r) brings back the throttle of ifup, %s if "
			   "idle, while %u is reported: ifdown and ifup after this change keep it",
			   text, usecs);
}

static void warn(const struct driver *driver, uint32_t usecs, struct driver_result *result)
{
	const struct e1000e_state *state = state_of_const(driver);
	struct coalesce reported = { 0 };
	char text[TEXT_DURATION_MAX];
	if (usecs <= MODE_SIMPLIFIED) {
		remark(driver, result);
		return;
	}
	if (gap_ns(state) != (int64_t)usecs * NS_PER_US) {
		driver_result_warn(result, "rx-usecs %u becomes %s: %u interrupts/s make %u units of %u ns", usecs,
				   text_print_duration(gap_ns(state), text), state->rate, itr_units(state->rate),
				   ITR_UNIT_NS);
	}
	get(driver, &reported);
	if (reported.value[COALESCE_RX_USECS] != usecs) {
		driver_result_warn(result,
				   "rx-usecs %u is reported as %u: the driver keeps the rate %u, a multiple of 4",
				   usecs, reported.value[COALESCE_RX_USECS], state->setting);
	}
}

static bool accepted(uint32_t usecs)
{
	return usecs == MODE_OFF || usecs == MODE_DYNAMIC || usecs == MODE_CONSERVATIVE || usecs == MODE_SIMPLIFIED ||
	       (usecs >= USECS_MIN && usecs <= USECS_MAX);
}

static void set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		struct driver_result *result)
{
	struct e1000e_state *state = state_of(driver);
	uint32_t usecs = wanted->value[COALESCE_RX_USECS], before = state->setting;
	(void)request; /* one field only */
	if (!accepted(usecs)) {
		driver_result_refuse(result, -EINVAL, COALESCE_RX_USECS,
				     "rx-usecs %u is none of 0, 1, 3, 4 and %u to %u", usecs, USECS_MIN, USECS_MAX);
		return;
	}
	if (usecs == MODE_SIMPLIFIED) {
		state->setting = state->rate = MODE_SIMPLIFIED;
	} else if (usecs < MODE_SIMPLIFIED) {
		state->setting = usecs;
		state->rate = latency_rate[LATENCY_LOW];
	} else {
		state->rate = 1000000 / usecs;
		state->setting = state->rate & ~UINT32_C(3);
	}
	driver_result_write(result, ITR, state->setting == MODE_OFF ? 0 : itr_units(state->rate));
	if (!result->quiet) {
		warn(driver, usecs, result);
		warn_of_msix(driver, before, usecs, result);
	}
}

/* A gap found in ITR counts as a fixed one: the register does not say whether a mode chose it. */
static bool adopt(struct driver *driver, uint32_t offset, uint32_t value)
{
	if (offset != ITR) {
		return false;
	}
	struct e1000e_state *state = state_of(driver);
	value &= 0xffff;
	state->rate = value ? 1000000000 / (value * ITR_UNIT_NS) : 0;
	state->setting = state->rate & ~UINT32_C(3);
	return true;
}

/* ---- the dynamic throttle ---- */

static uint32_t next_from_low(uint32_t packets, uint32_t bytes)
{
	uint32_t size = bytes / packets;
	if (bytes > 10000) {
		if (size > 1200 || packets < 10) { /* a size above 8000 is in the first */
			return LATENCY_BULK;
		}
		return packets > 35 ? LATENCY_LOWEST : LATENCY_LOW;
	}
	if (size > 2000) {
		return LATENCY_BULK;
	}
	return packets <= 2 && bytes < 512 ? LATENCY_LOWEST : LATENCY_LOW;
}

static uint32_t next_latency(uint32_t latency, uint32_t packets, uint32_t bytes)
{
	if (!packets) {
		return latency;
	}
	switch (latency) {
	case LATENCY_LOWEST:
		if (bytes / packets > 8000) {
			return LATENCY_BULK;
		}
		return packets < 5 && bytes > 512 ? LATENCY_LOW : LATENCY_LOWEST;
	case LATENCY_LOW:
		return next_from_low(packets, bytes);
	default:
		if (bytes > 25000) {
			return packets > 35 ? LATENCY_LOW : LATENCY_BULK;
		}
		return bytes < 6000 ? LATENCY_LOW : LATENCY_BULK;
	}
}

static uint32_t wanted_rate(const struct driver *driver, struct e1000e_state *state)
{
	if (driver->link_mbps < 1000) {
		return latency_rate[LATENCY_BULK];
	}
	uint32_t slower = LATENCY_LOWEST;
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		state->latency[i] = next_latency(state->latency[i], state->packets[i], state->bytes[i]);
		if (state->setting == MODE_CONSERVATIVE && state->latency[i] == LATENCY_LOWEST) {
			state->latency[i] = LATENCY_LOW;
		}
		slower = state->latency[i] > slower ? state->latency[i] : slower;
	}
	return latency_rate[slower];
}

static void adapt(struct driver *driver, struct driver_actions *actions)
{
	struct e1000e_state *state = state_of(driver);
	uint32_t rate = wanted_rate(driver, state);
	if (rate == state->rate) {
		return;
	}
	uint32_t raised = state->rate + rate / 4;
	state->rate = rate > state->rate && raised < rate ? raised : rate;
	state->ring_rate = state->rate;
	driver_action_write(actions, ITR, itr_units(state->rate));
}

/* ---- interrupt and poll ---- */

static void count(struct e1000e_state *state, const struct driver_input *input)
{
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		state->packets[i] += input->packets[i];
		state->bytes[i] += input->bytes[i];
	}
}

static void step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	struct e1000e_state *state = state_of(driver);
	switch (step) {
	case DRIVER_HARDIRQ: /* reading ICR has cleared it and masked everything (IAME) */
		actions->handled = input->cause != 0;
		actions->schedule = actions->handled;
		for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
			state->packets[i] = state->bytes[i] = 0;
		}
		break;
	case DRIVER_POLL:
		actions->serve_rx = actions->serve_tx = true;
		break;
	case DRIVER_ROUND_DONE:
		count(state, input);
		actions->complete = input->under_budget;
		break;
	case DRIVER_COMPLETED:
		if (!input->completed) {
			break;
		}
		if (is_dynamic(state)) {
			adapt(driver, actions);
		}
		driver_action_write(actions, IMS, IMS_ENABLE);
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

const struct driver_ops driver_e1000e_ops = {
	.plan = { .cause_offset = ICR, .weight = 64 },
	.init = init,
	.open = open,
	.get = get,
	.set = set,
	.remark = remark,
	.adopt = adopt,
	.step = step,
};

/* ---- a hold-off by module parameters ---- */

#define DELAY_UNIT_NS 1024
#define DELAY_UNITS_MAX 0xffff

static void write_delays(struct driver *driver, struct driver_result *result)
{
	const uint32_t units = state_of(driver)->delay_usecs * 1000 / DELAY_UNIT_NS;

	driver_result_write(result, RDTR, units ? DELAY_UNITS_MAX : 1);
	driver_result_write(result, RADV, units ? units : 1);
	driver_result_write(result, TIDV, units ? DELAY_UNITS_MAX : 1);
	driver_result_write(result, TADV, units ? units : 1);
}

static void delay_init(struct driver *driver)
{
	state_of(driver)->setting = MODE_OFF;
}

static void delay_open(struct driver *driver, struct driver_result *result)
{
	open(driver, result);
	write_delays(driver, result);
}

static int delay_get(const struct driver *driver, struct coalesce *reported)
{
	coalesce_put(reported, COALESCE_RX_USECS, state_of_const(driver)->delay_usecs);
	return 0;
}

static void delay_set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		      struct driver_result *result)
{
	const uint32_t most = DELAY_UNITS_MAX * DELAY_UNIT_NS / 1000, usecs = wanted->value[COALESCE_RX_USECS];

	(void)request; /* one field only */
	if (usecs > most) {
		driver_result_refuse(result, -EINVAL, COALESCE_RX_USECS, "rx-usecs %u is more than RADV holds: 0 to %u",
				     usecs, most);
		return;
	}
	state_of(driver)->delay_usecs = usecs;
	write_delays(driver, result);
	if (usecs * 1000 % DELAY_UNIT_NS && !result->quiet) {
		driver_result_warn(result, "rx-usecs %u becomes %u ns: RADV counts 1.024 us", usecs,
				   usecs * 1000 / DELAY_UNIT_NS ? usecs * 1000 / DELAY_UNIT_NS * DELAY_UNIT_NS
								: DELAY_UNIT_NS);
	}
}

const struct driver_ops driver_e1000e_delay_ops = {
	.plan = { .cause_offset = ICR, .weight = 64 },
	.init = delay_init,
	.open = delay_open,
	.get = delay_get,
	.set = delay_set,
	.step = step,
};
