/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The FEC/ENET driver (drivers/net/ethernet/freescale/fec_main.c).
 *
 * Settings are four stored numbers; get answers from them, never from the hardware. A set checks all four, stores all
 * four, then writes the same word to the registers of every ring: ICEN, ICCS (the ENET clock), the frame count ICFT
 * and the time ICTT in ticks of 64 clocks. Ticks are usecs * floor(clock / 64000) / 1000 in 32-bit arithmetic: the
 * product wraps, so some absurd times pass the check and program a short one. Registers are written on every restart
 * (open, change of the link), also while the interface is down.
 *
 * Sources: fec_main.c and fec.h of Linux 6.12.117 and, for the rule with the silent skip, of 6.2; the patch of
 * Shenwei Wang (July 2024) for fec@seed; test/data/vectors for what the driver of 6.1.0-50 really did at 132 MHz.
 *
 * The handler and the poll serve all rings with one NAPI instance. The choice fec-shared-poll says whether an
 * interrupt of one direction serves the other one too, as the present source does.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "driver/driver_private.h"

enum {
	EIR = 0x004,
	EIMR = 0x008,
	TXIC0 = 0x0f0,
	RXIC0 = 0x100,
	XXIC_STEP = 4,
};

#define EIR_MII (UINT32_C(1) << 23)
#define EIR_TXF (UINT32_C(1) << 27 | UINT32_C(1) << 7 | UINT32_C(1) << 3)
#define EIR_RXF (UINT32_C(1) << 25 | UINT32_C(1) << 5 | UINT32_C(1) << 1)
#define EIR_RXF0 (UINT32_C(1) << 25)
#define EIMR_DEFAULT (EIR_TXF | EIR_RXF)

#define XXIC_ICEN (UINT32_C(1) << 31)
#define XXIC_ICCS (UINT32_C(1) << 30)
#define XXIC_ICFT_SHIFT 20
#define XXIC_ICFT_MAX 0xff
#define XXIC_ICTT_MAX 0xffff

#define TICK_CLOCKS 64
#define DEFAULT_USECS 1000
#define DEFAULT_FRAMES 200

/* What differs between the variants. */
enum rule { RULE_SKIP_ZERO, RULE_ALLOW_DISABLE };

struct fec_state {
	uint32_t usecs[CHIP_DIRECTIONS];
	uint32_t frames[CHIP_DIRECTIONS];
	uint32_t rule;
	uint32_t is_open;
	uint32_t events; /* bits of EIR that the running poll has to serve */
} DRIVER_STATE;

DRIVER_STATE_FITS(struct fec_state);

static const enum coalesce_field usecs_field[] = { COALESCE_RX_USECS, COALESCE_TX_USECS };
static const enum coalesce_field frames_field[] = { COALESCE_RX_FRAMES, COALESCE_TX_FRAMES };
static const char *const direction_name[] = { "receive", "transmit" };

static struct fec_state *state_of(struct driver *driver)
{
	return (struct fec_state *)(void *)driver->state;
}

static const struct fec_state *state_of_const(const struct driver *driver)
{
	return (const struct fec_state *)(const void *)driver->state;
}

static uint32_t ticks_per_ms(const struct driver *driver)
{
	return driver->config.clock_hz / 64000;
}

static uint32_t ticks_of(const struct driver *driver, uint32_t usecs)
{
	return usecs * ticks_per_ms(driver) / 1000;
}

/* How long so many ticks last on the clock that the driver converts with, to the nearest ns. */
static int64_t ticks_ns(const struct driver *driver, uint32_t ticks)
{
	uint64_t clock_hz = driver->config.clock_hz;
	return clock_hz ? (int64_t)(((uint64_t)ticks * TICK_CLOCKS * 1000000000 + clock_hz / 2) / clock_hz) : 0;
}

static uint32_t xxic(uint32_t frames, uint32_t ticks)
{
	return XXIC_ICEN | XXIC_ICCS | frames << XXIC_ICFT_SHIFT | ticks;
}

static bool any_zero(const struct fec_state *state)
{
	return !state->usecs[CHIP_RX] || !state->frames[CHIP_RX] || !state->usecs[CHIP_TX] || !state->frames[CHIP_TX];
}

/* Writes the stored settings to the registers of every ring that the driver cares for: TX first, ring by ring. */
static void write_coalescing(const struct driver *driver, struct driver_result *result)
{
	const struct fec_state *state = state_of_const(driver);
	if (state->rule == RULE_SKIP_ZERO && any_zero(state)) {
		return;
	}
	uint32_t word[CHIP_DIRECTIONS] = { 0, 0 };
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t ticks = ticks_of(driver, state->usecs[i]);
		if (state->rule == RULE_SKIP_ZERO || (ticks > 0 && state->frames[i] > 1)) {
			word[i] = xxic(state->frames[i], ticks);
		}
	}
	unsigned rings = driver->config.has_multi_queues ? 3 : 1;
	for (unsigned ring = 0; ring < rings; ring++) {
		driver_result_write(result, TXIC0 + ring * XXIC_STEP, word[CHIP_TX]);
		driver_result_write(result, RXIC0 + ring * XXIC_STEP, word[CHIP_RX]);
	}
}

static void init_with(struct driver *driver, enum rule rule, uint32_t rx_usecs)
{
	struct fec_state *state = state_of(driver);
	state->rule = rule;
	state->usecs[CHIP_RX] = rx_usecs ? rx_usecs : DEFAULT_USECS;
	state->usecs[CHIP_TX] = DEFAULT_USECS;
	state->frames[CHIP_RX] = state->frames[CHIP_TX] = DEFAULT_FRAMES;
}

static void init_old(struct driver *driver)
{
	init_with(driver, RULE_SKIP_ZERO, 0);
}

static void init_612(struct driver *driver)
{
	init_with(driver, RULE_ALLOW_DISABLE, 0);
}

static void init_seed(struct driver *driver)
{
	init_with(driver, RULE_SKIP_ZERO, driver->config.rx_usecs_default);
}

/* The driver's restart: the controller comes out of reset, old events are dropped, sources are enabled if there is a
 * link. */
static void restart(struct driver *driver, struct driver_result *result)
{
	state_of(driver)->events = 0;
	driver_result_write(result, EIR, ~EIR_MII);
	driver_result_write(result, EIMR, driver->link_mbps ? EIMR_DEFAULT : 0);
	if (driver->config.has_coalesce) {
		write_coalescing(driver, result);
	}
}

static void open(struct driver *driver, struct driver_result *result)
{
	state_of(driver)->is_open = 1;
	restart(driver, result);
}

/*
 * The controller is reset, but for one with several rings, which is only switched off. The settings are the
 * driver's and come back at open.
 */
static void close(struct driver *driver, struct driver_result *result)
{
	state_of(driver)->is_open = 0;
	result->resets_chip = !driver->config.has_multi_queues;
}

static void link(struct driver *driver, struct driver_result *result)
{
	if (state_of(driver)->is_open && driver->link_mbps) {
		restart(driver, result);
	}
}

static int get(const struct driver *driver, struct coalesce *reported)
{
	if (!driver->config.has_coalesce) {
		return -EOPNOTSUPP;
	}
	const struct fec_state *state = state_of_const(driver);
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		coalesce_put(reported, usecs_field[i], state->usecs[i]);
		coalesce_put(reported, frames_field[i], state->frames[i]);
	}
	return 0;
}

static bool check(const struct driver *driver, const struct coalesce *wanted, struct driver_result *result)
{
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t frames = wanted->value[frames_field[i]];
		if (frames > XXIC_ICFT_MAX) {
			driver_result_refuse(result, -EINVAL, frames_field[i], "%s %u is above the %u that ICFT holds",
					     coalesce_fields[frames_field[i]].name, frames, XXIC_ICFT_MAX);
			return false;
		}
	}
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t usecs = wanted->value[usecs_field[i]];
		uint32_t ticks = ticks_of(driver, usecs);
		if (ticks > XXIC_ICTT_MAX) {
			driver_result_refuse(result, -EINVAL, usecs_field[i],
					     "%s %u is %u ticks of %u clocks at %u Hz, ICTT holds %u",
					     coalesce_fields[usecs_field[i]].name, usecs, ticks, TICK_CLOCKS,
					     driver->config.clock_hz, XXIC_ICTT_MAX);
			return false;
		}
	}
	return true;
}

/* What became of a time that was asked for. */
static void warn_of_time(const struct driver *driver, uint32_t usecs, const char *name, struct driver_result *result)
{
	uint32_t ticks = ticks_of(driver, usecs);
	int64_t real_ns = ticks_ns(driver, ticks);
	char text[TEXT_DURATION_MAX];
	if ((uint64_t)usecs * ticks_per_ms(driver) > UINT32_MAX) {
		driver_result_warn(result, "%s %u us wraps to %s: the product of the conversion has 32 bits, %u %s",
				   name, usecs, text_print_duration(real_ns, text), ticks,
				   ticks == 1 ? "tick remains" : "ticks remain");
	} else if (real_ns != (int64_t)usecs * NS_PER_US) {
		driver_result_warn(result, "%s %u becomes %s: %u ticks of %u clocks at %u Hz", name, usecs,
				   text_print_duration(real_ns, text), ticks, TICK_CLOCKS, driver->config.clock_hz);
	}
}

static void warn_of_zero(const struct driver *driver, unsigned i, const struct coalesce *request,
			 struct driver_result *result)
{
	const struct fec_state *state = state_of_const(driver);
	const char *direction = direction_name[i], *short_name = i == CHIP_RX ? "rx" : "tx";
	bool asked = coalesce_has(request, usecs_field[i]) || coalesce_has(request, frames_field[i]);
	if (!asked) {
		return;
	}
	if (!state->usecs[i] && !state->frames[i]) {
		driver_result_warn(result,
				   "%s-usecs and %s-frames are both 0, which ethtool's rules forbid (off is frames 1)",
				   short_name, short_name);
	}
	if (state->rule == RULE_ALLOW_DISABLE) {
		if (!ticks_of(driver, state->usecs[i])) {
			driver_result_warn(
				result,
				"%s coalescing is off: %s-usecs %u is no tick, though %s-frames %u is still reported",
				direction, short_name, state->usecs[i], short_name, state->frames[i]);
		} else if (state->frames[i] <= 1) {
			driver_result_warn(result,
					   "%s coalescing is off: it needs more than one frame, %s-frames is %u though "
					   "%s-usecs %u is still reported",
					   direction, short_name, state->frames[i], short_name, state->usecs[i]);
		}
	} else if (state->frames[i] == 1) {
		driver_result_warn(result, "%s-frames 1 interrupts for every frame, %s-usecs %u has no effect",
				   short_name, short_name, state->usecs[i]);
	} else if (!ticks_of(driver, state->usecs[i]) && !any_zero(state)) {
		driver_result_warn(result, "%s-usecs %u programs ICTT 0, which the i.MX8MP manual calls unpredictable",
				   short_name, state->usecs[i]);
	}
}

static void warn(const struct driver *driver, const struct coalesce *request, struct driver_result *result)
{
	const struct fec_state *state = state_of_const(driver);
	if (state->rule == RULE_SKIP_ZERO && any_zero(state)) {
		driver_result_warn(result,
				   "a zero among rx-usecs %u rx-frames %u tx-usecs %u tx-frames %u skips the register "
				   "write: the hardware keeps what it had, get reports these",
				   state->usecs[CHIP_RX], state->frames[CHIP_RX], state->usecs[CHIP_TX],
				   state->frames[CHIP_TX]);
	}
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		if (coalesce_has(request, usecs_field[i]) && state->usecs[i]) {
			warn_of_time(driver, state->usecs[i], coalesce_fields[usecs_field[i]].name, result);
		}
		warn_of_zero(driver, i, request, result);
	}
}

static void set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		struct driver_result *result)
{
	if (!check(driver, wanted, result)) {
		return;
	}
	struct fec_state *state = state_of(driver);
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		state->usecs[i] = wanted->value[usecs_field[i]];
		state->frames[i] = wanted->value[frames_field[i]];
	}
	write_coalescing(driver, result);
	if (!result->quiet) {
		warn(driver, request, result);
	}
}

/* get never looks at the hardware, so a word found there is turned into the smallest request that programs it. */
static bool adopt(struct driver *driver, uint32_t offset, uint32_t value)
{
	if (!driver->config.has_coalesce || (offset != TXIC0 && offset != RXIC0)) {
		return false;
	}
	struct fec_state *state = state_of(driver);
	unsigned direction = offset == RXIC0 ? CHIP_RX : CHIP_TX;
	if (!(value & XXIC_ICEN)) {
		state->usecs[direction] = 0;
		return true;
	}
	uint32_t per_ms = ticks_per_ms(driver), ticks = value & XXIC_ICTT_MAX;
	state->usecs[direction] = per_ms ? (ticks * 1000 + per_ms - 1) / per_ms : 0;
	state->frames[direction] = value >> XXIC_ICFT_SHIFT & XXIC_ICFT_MAX;
	return true;
}

static void hardirq(struct driver *driver, uint32_t cause, struct driver_actions *actions)
{
	struct fec_state *state = state_of(driver);
	uint32_t events = cause & ~EIR_MII; /* MDIO is polled for */
	if (!events) {
		return;
	}
	driver_action_write(actions, EIR, events);
	if (!driver->link_mbps) {
		return;
	}
	state->events |= events;
	actions->handled = true;
	actions->schedule = true;
	driver_action_write(actions, EIMR, 0);
	actions->if_scheduled_writes = 1;
}

static void serve(const struct driver *driver, struct driver_actions *actions)
{
	bool shared = driver->config.assume.value[ASSUME_FEC_SHARED_POLL];
	uint32_t events = state_of_const(driver)->events;
	actions->serve_rx = shared || (events & EIR_RXF);
	actions->serve_tx = shared || (events & EIR_TXF);
	actions->rx_first = true;
}

/*
 * Under budget with new bits in EIR: another round. The budget being used up ends the poll without a look at EIR,
 * what was being served stays due.
 */
static void round_done(struct driver *driver, const struct driver_input *input, struct driver_actions *actions)
{
	struct fec_state *state = state_of(driver);
	uint32_t events = input->cause & ~EIR_MII;
	if (!input->under_budget) {
		return;
	}
	state->events = events;
	if (!events) {
		actions->complete = true;
		return;
	}
	driver_action_write(actions, EIR, events);
	actions->again = true;
	serve(driver, actions);
}

static void step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	switch (step) {
	case DRIVER_HARDIRQ:
		hardirq(driver, input->cause, actions);
		break;
	case DRIVER_POLL:
		serve(driver, actions);
		break;
	case DRIVER_ROUND_DONE:
		round_done(driver, input, actions);
		break;
	case DRIVER_COMPLETED:
		driver_action_write(actions, EIMR, EIMR_DEFAULT);
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

/* As initialisers, so that the three tables below differ in one word. */
#define FEC_OPS                                 \
	.plan = { .cause_offset = EIR,          \
		  .cause_in_round = true,       \
		  .weight = 64,                 \
		  .rx_clear_offset = EIR,       \
		  .rx_clear_value = EIR_RXF0 }, \
	.open = open, .close = close, .link = link, .get = get, .set = set, .adopt = adopt, .step = step

const struct driver_ops driver_fec_old_ops = { .init = init_old, FEC_OPS };
const struct driver_ops driver_fec_612_ops = { .init = init_612, FEC_OPS };
const struct driver_ops driver_fec_seed_ops = { .init = init_seed, FEC_OPS };
