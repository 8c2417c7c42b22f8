/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The macb driver (Cadence GEM): no coalescing at all, the control of the tsnep thread.
 *
 * The driver has two NAPI instances per queue, one for RX and one for TX, and masks each direction by itself. Here
 * one instance stands for both: `serving` says whose interrupt came and is masked, and only that is served. What this
 * leaves out is that the kernel would run the two in turn with a budget each.
 *
 * After unmasking RX the driver looks at its ring again, since frames that came while it was masked raise no
 * interrupt.
 *
 * Sources: macb_main.c and macb.h of Linux 6.1.192.
 */
#include "driver/driver_private.h"

enum {
	ISR = 0x24,
	IER = 0x28,
	IDR = 0x2c,
};

#define RCOMP (UINT32_C(1) << 1)
#define TXUBR (UINT32_C(1) << 3)
#define TUND (UINT32_C(1) << 4)
#define RLE (UINT32_C(1) << 5)
#define TXERR (UINT32_C(1) << 6)
#define TCOMP (UINT32_C(1) << 7)
#define ROVR (UINT32_C(1) << 10)
#define HRESP (UINT32_C(1) << 11)

#define RX_EVENTS (RCOMP | ROVR)
#define TX_EVENTS (TCOMP | TXUBR | TXERR | RLE | TUND)

struct macb_state {
	uint32_t serving; /* RCOMP and TCOMP: the directions that are masked and due */
	uint32_t round;   /* of those, what the running round serves */
} DRIVER_STATE;

DRIVER_STATE_FITS(struct macb_state);

static struct macb_state *state_of(struct driver *driver)
{
	return (struct macb_state *)(void *)driver->state;
}

static void init(struct driver *driver)
{
	(void)driver; /* all zero */
}

static void open(struct driver *driver, struct driver_result *result)
{
	state_of(driver)->serving = 0;
	driver_result_write(result, IER, RX_EVENTS | TX_EVENTS | HRESP);
}

static void hardirq(struct macb_state *state, uint32_t status, struct driver_actions *actions)
{
	if (status & RX_EVENTS) {
		driver_action_write(actions, IDR, RX_EVENTS);
		driver_action_write(actions, ISR, RCOMP);
		state->serving |= RCOMP;
	}
	if (status & (TCOMP | TXUBR)) {
		driver_action_write(actions, IDR, TCOMP);
		driver_action_write(actions, ISR, TCOMP | TXUBR);
		state->serving |= TCOMP;
	}
	actions->handled = status != 0;
	actions->schedule = actions->write_count > 0;
}

static void completed(struct macb_state *state, const struct driver_input *input, struct driver_actions *actions)
{
	if (!input->completed) {
		return;
	}
	uint32_t served = state->serving;
	state->serving = 0;
	if (served) {
		driver_action_write(actions, IER, (served & RCOMP ? RX_EVENTS : 0) | (served & TCOMP));
	}
	if ((served & RCOMP) && input->work_waiting) {
		driver_action_write(actions, IDR, RX_EVENTS);
		driver_action_write(actions, ISR, RCOMP);
		state->serving = RCOMP;
		actions->schedule = true;
	}
}

static void step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	struct macb_state *state = state_of(driver);
	switch (step) {
	case DRIVER_HARDIRQ:
		hardirq(state, input->cause, actions);
		break;
	case DRIVER_POLL:
		state->round = state->serving;
		actions->serve_rx = state->round & RCOMP;
		actions->serve_tx = state->round & TCOMP;
		break;
	case DRIVER_ROUND_DONE: /* a direction whose interrupt came meanwhile waits for its own round */
		actions->complete = input->under_budget && (!(state->round & TCOMP) || input->tx_all_reclaimed) &&
				    state->round == state->serving;
		break;
	case DRIVER_COMPLETED:
		completed(state, input, actions);
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

const struct driver_ops driver_macb_ops = {
	.plan = { .cause_offset = ISR, .weight = 64, .tx_budget = 64 },
	.init = init,
	.open = open,
	.step = step,
};
