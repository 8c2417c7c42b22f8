/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The enetc driver of LS1028A (drivers/net/ethernet/freescale/enetc), on the registers of FEC: both have a hold-off from the
 * first frame with a count of frames for each direction, and one interrupt and one poll for a pair of rings. What FEC's
 * registers cannot say is that a count may be 256, which is 255 here, and times above 10.4 ms.
 *
 * Receive is moderated by DIM (default receive profile, EQE): an event is a poll that has completed, as the driver counts
 * them; one without received frames is counted and not looked at. Transmit has a fixed time of 600 us and 128 frames.
 *
 * Sources: enetc.c, enetc.h and enetc_ethtool.c of Linux 5.10; the mails of Claudiu Manoil, netdev, July 2020.
 */
#include "driver/dim.h"
#include "driver/driver_private.h"

enum {
	EIR = 0x004,
	EIMR = 0x008,
	TXIC0 = 0x0f0,
	RXIC0 = 0x100,
};

#define EIR_MII (UINT32_C(1) << 23)
#define EIMR_DEFAULT (UINT32_C(1) << 27 | UINT32_C(1) << 25) /* TXF, RXF */
#define XXIC_ICEN_ICCS (UINT32_C(3) << 30)
#define XXIC_ICFT_SHIFT 20
#define XXIC_ICTT_MAX 0xffff
#define TICK_CLOCKS 64

#define RX_FRAMES_MAX 255 /* of the register */
#define RX_FRAMES 256
#define TX_FRAMES 128
#define TX_USECS 600

struct enetc_state {
	struct dim dim;
	uint32_t usecs[CHIP_DIRECTIONS];
	uint32_t is_adaptive, is_moderated;
	uint32_t frames, bytes, received; /* since ifup; in this poll */
	uint16_t events;
} DRIVER_STATE;

DRIVER_STATE_FITS(struct enetc_state);

static struct enetc_state *state_of(struct driver *driver)
{
	return (struct enetc_state *)(void *)driver->state;
}

static const struct enetc_state *state_of_const(const struct driver *driver)
{
	return (const struct enetc_state *)(const void *)driver->state;
}

static uint64_t ticks_of(const struct driver *driver, uint32_t usecs)
{
	const uint64_t ticks = (uint64_t)usecs * driver->config.clock_hz / TICK_CLOCKS / 1000000;

	return ticks == 0 ? 1 : ticks > XXIC_ICTT_MAX ? XXIC_ICTT_MAX : ticks;
}

static uint32_t word_of(const struct driver *driver, uint32_t usecs, uint32_t frames)
{
	return usecs ? XXIC_ICEN_ICCS | frames << XXIC_ICFT_SHIFT | (uint32_t)ticks_of(driver, usecs) : 0;
}

static uint32_t rx_word(const struct driver *driver)
{
	const struct enetc_state *state = state_of_const(driver);
	const uint32_t usecs = state->is_adaptive ? dim_levels[DIM_RX_EQE][state->dim.level].usecs
						  : state->usecs[CHIP_RX];

	return word_of(driver, usecs, RX_FRAMES_MAX);
}

static void init_none(struct driver *driver)
{
	dim_init(&state_of(driver)->dim);
}

static void init(struct driver *driver)
{
	struct enetc_state *state = state_of(driver);

	init_none(driver);
	state->is_moderated = state->is_adaptive = 1;
	state->usecs[CHIP_TX] = TX_USECS;
}

static void write_moderation(const struct driver *driver, struct driver_result *result)
{
	const struct enetc_state *state = state_of_const(driver);

	if (state->is_moderated) {
		driver_result_write(result, TXIC0, word_of(driver, state->usecs[CHIP_TX], TX_FRAMES));
		driver_result_write(result, RXIC0, rx_word(driver));
	}
}

static void open(struct driver *driver, struct driver_result *result)
{
	write_moderation(driver, result);
	driver_result_write(result, EIMR, EIMR_DEFAULT);
}

static int get(const struct driver *driver, struct coalesce *reported)
{
	const struct enetc_state *state = state_of_const(driver);

	coalesce_put(reported, COALESCE_RX_USECS, state->usecs[CHIP_RX]);
	coalesce_put(reported, COALESCE_RX_FRAMES, RX_FRAMES);
	coalesce_put(reported, COALESCE_TX_USECS, state->usecs[CHIP_TX]);
	coalesce_put(reported, COALESCE_TX_FRAMES, TX_FRAMES);
	coalesce_put(reported, COALESCE_ADAPTIVE_RX, state->is_adaptive);
	return 0;
}

static void set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		struct driver_result *result)
{
	static const struct {
		enum coalesce_field field;
		uint32_t count;
	} frames[] = { [CHIP_RX] = { COALESCE_RX_FRAMES, RX_FRAMES }, [CHIP_TX] = { COALESCE_TX_FRAMES, TX_FRAMES } };
	struct enetc_state *state = state_of(driver);

	(void)request; /* what is given overrides nothing else */
	for (unsigned i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		if (wanted->value[frames[i].field] != frames[i].count) {
			driver_result_refuse(result, -EOPNOTSUPP, frames[i].field, "%s is fixed at %u, not %u",
					     i == CHIP_RX ? "rx-frames" : "tx-frames", frames[i].count,
					     wanted->value[frames[i].field]);
			return;
		}
	}
	state->usecs[CHIP_RX] = wanted->value[COALESCE_RX_USECS];
	state->usecs[CHIP_TX] = wanted->value[COALESCE_TX_USECS];
	if (state->is_adaptive != wanted->value[COALESCE_ADAPTIVE_RX]) {
		state->is_adaptive = wanted->value[COALESCE_ADAPTIVE_RX];
		dim_init(&state->dim);
	}
	write_moderation(driver, result);
}

static int level(const struct driver *driver)
{
	const struct enetc_state *state = state_of_const(driver);

	return state->is_adaptive ? state->dim.level : -1;
}

/* ---- interrupt and poll ---- */

static void hardirq(uint32_t cause, struct driver_actions *actions)
{
	const uint32_t events = cause & ~EIR_MII;

	if (!events) {
		return;
	}
	driver_action_write(actions, EIR, events);
	driver_action_write(actions, EIMR, 0);
	actions->if_scheduled_writes = 1;
	actions->handled = true;
	actions->schedule = true;
}

static void round_done(struct enetc_state *state, const struct driver_input *input, struct driver_actions *actions)
{
	state->received += input->packets[CHIP_RX];
	state->frames += input->packets[CHIP_RX];
	state->bytes += input->bytes[CHIP_RX];
	actions->complete = input->under_budget;
}

static void completed(struct driver *driver, const struct driver_input *input, struct driver_actions *actions)
{
	struct enetc_state *state = state_of(driver);
	const struct dim_sample now = { input->now_at_ns, state->frames, state->bytes, ++state->events };

	if (state->is_adaptive && state->received > 0 && dim_look(&state->dim, &now)) {
		driver_action_write(actions, RXIC0, rx_word(driver));
	}
	state->received = 0;
	driver_action_write(actions, EIMR, EIMR_DEFAULT); /* whatever napi_complete_done says */
}

static void step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	switch (step) {
	case DRIVER_HARDIRQ:
		hardirq(input->cause, actions);
		break;
	case DRIVER_POLL:
		actions->serve_rx = actions->serve_tx = true;
		break;
	case DRIVER_ROUND_DONE:
		round_done(state_of(driver), input, actions);
		break;
	case DRIVER_COMPLETED:
		completed(driver, input, actions);
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

#define ENETC_PLAN .plan = { .cause_offset = EIR, .weight = 64 }

const struct driver_ops driver_enetc_none_ops = { ENETC_PLAN, .init = init_none, .open = open, .step = step };
const struct driver_ops driver_enetc_ops = {
	ENETC_PLAN, .init = init, .open = open, .get = get, .set = set, .level = level, .step = step,
};
