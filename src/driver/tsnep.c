/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tsnep driver (Engleder TSN endpoint).
 *
 * ECM_INT_DELAY has one byte per queue, whose high nibble counts steps of 16 us. RX and TX of a queue share one
 * interrupt and so one delay: rx-usecs rules where the queue receives, and tx-usecs is not even checked there. get
 * reads the byte back.
 *
 * The handler masks the two sources of the queue by writing them with bit 31 set, the poll unmasks them. The driver
 * of 6.12 then looks at its rings once more, since what arrived while they were masked raises no interrupt later
 * ("rotten packets"). That look is the second patch of the series whose first one is tsnep@seed, so the older
 * variants lack it.
 *
 * Steps speak of queue 0, whose handler also acknowledges ECM_INT_ACTIVE. The byte of probe is reported with the
 * first open.
 *
 * Sources: tsnep_hw.h, tsnep_main.c, tsnep_ethtool.c of Linux 6.12.117; the patch of Gerhard Engleder (November
 * 2022); test/data/vectors for what the driver of 6.12.95 did.
 */
#include "driver/driver_private.h"

enum {
	ECM_INT_ENABLE = 0x18,
	ECM_INT_ACTIVE = 0x1c,
	ECM_INT_DELAY = 0x30,
};

#define ECM_INT_DISABLE (UINT32_C(1) << 31)
#define ECM_INT_TXRX_0 UINT32_C(0x300)
#define ECM_INT_TXRX_SHIFT 2
#define ECM_INT_DELAY_MASK UINT32_C(0xf0)
#define ECM_INT_DELAY_SHIFT 4
#define STEP_USECS 16
#define USECS_MAX 255
#define DEFAULT_USECS 64

struct tsnep_state {
	uint8_t delay[CHIP_QUEUES_MAX];
	uint8_t probed; /* the byte of probe has been reported */
} DRIVER_STATE;

DRIVER_STATE_FITS(struct tsnep_state);

static struct tsnep_state *state_of(struct driver *driver)
{
	return (struct tsnep_state *)(void *)driver->state;
}

static const struct tsnep_state *state_of_const(const struct driver *driver)
{
	return (const struct tsnep_state *)(const void *)driver->state;
}

static bool has_rx(const struct driver *driver, unsigned queue)
{
	return !driver->config.tx_only_queue || queue + 1 < driver->config.queues;
}

static uint32_t usecs_of(const struct driver *driver, unsigned queue)
{
	return (uint32_t)(state_of_const(driver)->delay[queue] >> ECM_INT_DELAY_SHIFT) * STEP_USECS;
}

static void init_none(struct driver *driver)
{
	state_of(driver)->probed = 1;
}

static void init_delay(struct driver *driver)
{
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		state_of(driver)->delay[queue] = DEFAULT_USECS / STEP_USECS << ECM_INT_DELAY_SHIFT;
	}
}

static void open(struct driver *driver, struct driver_result *result)
{
	struct tsnep_state *state = state_of(driver);
	for (unsigned queue = 0; queue < driver->config.queues && !state->probed; queue++) {
		driver_result_write(result, ECM_INT_DELAY + queue, state->delay[queue]);
	}
	state->probed = 1;
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		driver_result_write(result, ECM_INT_ENABLE, ECM_INT_TXRX_0 << (ECM_INT_TXRX_SHIFT * queue));
	}
}

/* Every queue sends, the first always receives too. */
static int get(const struct driver *driver, struct coalesce *reported)
{
	coalesce_put(reported, COALESCE_RX_USECS, usecs_of(driver, 0));
	coalesce_put(reported, COALESCE_TX_USECS, usecs_of(driver, 0));
	return 0;
}

static int get_queue(const struct driver *driver, unsigned queue, struct coalesce *reported)
{
	if (queue >= driver->config.queues) {
		return -EINVAL;
	}
	if (has_rx(driver, queue)) {
		coalesce_put(reported, COALESCE_RX_USECS, usecs_of(driver, queue));
	}
	coalesce_put(reported, COALESCE_TX_USECS, usecs_of(driver, queue));
	return 0;
}

/* Programs one queue from the field that rules it; false if that was refused. */
static bool program(struct driver *driver, unsigned queue, const struct coalesce *wanted, struct driver_result *result)
{
	enum coalesce_field field = has_rx(driver, queue) ? COALESCE_RX_USECS : COALESCE_TX_USECS;
	uint32_t usecs = wanted->value[field];
	if (usecs > USECS_MAX) {
		driver_result_refuse(result, -ERANGE, field, "%s %u is above %u: the delay has 15 steps of %u us",
				     coalesce_fields[field].name, usecs, USECS_MAX, STEP_USECS);
		return false;
	}
	uint8_t *delay = &state_of(driver)->delay[queue];
	*delay = (uint8_t)((*delay & ~ECM_INT_DELAY_MASK) | usecs / STEP_USECS << ECM_INT_DELAY_SHIFT);
	driver_result_write(result, ECM_INT_DELAY + queue, *delay);
	return true;
}

static void warn(const struct driver *driver, unsigned queue, const struct coalesce *wanted, bool tx_asked,
		 struct driver_result *result)
{
	enum coalesce_field field = has_rx(driver, queue) ? COALESCE_RX_USECS : COALESCE_TX_USECS;
	uint32_t usecs = wanted->value[field], programmed = usecs_of(driver, queue);
	if (usecs != programmed) {
		driver_result_warn(result, "%s %u becomes %u: %u step%s of %u us", coalesce_fields[field].name, usecs,
				   programmed, programmed / STEP_USECS, programmed == STEP_USECS ? "" : "s",
				   STEP_USECS);
	}
	if (tx_asked && has_rx(driver, queue) && wanted->value[COALESCE_TX_USECS] != programmed) {
		driver_result_warn(
			result,
			"tx-usecs %u is ignored: RX and TX of a queue share one delay, and rx-usecs %u rules it",
			wanted->value[COALESCE_TX_USECS], programmed);
	}
}

/* Stops at the first queue that refuses. The check comes before each write, and all queues that receive get the same
 * value, so only a queue that just sends can refuse after others were written. */
static void set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		struct driver_result *result)
{
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		if (!program(driver, queue, wanted, result)) {
			return;
		}
	}
	if (!result->quiet) {
		warn(driver, 0, wanted, coalesce_has(request, COALESCE_TX_USECS), result);
	}
}

static void set_queue(struct driver *driver, unsigned queue, const struct coalesce *wanted,
		      const struct coalesce *request, struct driver_result *result)
{
	if (program(driver, queue, wanted, result)) {
		warn(driver, queue, wanted, coalesce_has(request, COALESCE_TX_USECS), result);
	}
}

static bool adopt(struct driver *driver, uint32_t offset, uint32_t value)
{
	if (offset < ECM_INT_DELAY || offset >= ECM_INT_DELAY + driver->config.queues) {
		return false;
	}
	state_of(driver)->delay[offset - ECM_INT_DELAY] = (uint8_t)value;
	return true;
}

static void mask(struct driver_actions *actions)
{
	driver_action_write(actions, ECM_INT_ENABLE, ECM_INT_DISABLE | ECM_INT_TXRX_0);
}

static void hardirq(uint32_t active, struct driver_actions *actions)
{
	if (active) {
		driver_action_write(actions, ECM_INT_ACTIVE, active);
	}
	if (active & ECM_INT_TXRX_0) {
		actions->handled = true;
		actions->schedule = true;
		mask(actions);
		actions->if_scheduled_writes = 1;
	}
}

/* "Fix rotten packets", the second patch of the November 2022 thread: what came while the source was disabled has
 * raised no interrupt. */
static bool looks_again(const struct driver *driver)
{
	return driver->variant->ops == &driver_tsnep_ops;
}

static void completed(const struct driver *driver, const struct driver_input *input, struct driver_actions *actions)
{
	if (!input->completed) {
		return;
	}
	driver_action_write(actions, ECM_INT_ENABLE, ECM_INT_TXRX_0);
	if (looks_again(driver) && input->work_waiting) {
		mask(actions);
		actions->schedule = true;
	}
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
		actions->complete = input->under_budget && input->tx_all_reclaimed;
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

#define TSNEP_PLAN                                                             \
	{                                                                      \
		.cause_offset = ECM_INT_ACTIVE, .weight = 64, .tx_budget = 128 \
	}

const struct driver_ops driver_tsnep_none_ops = { .plan = TSNEP_PLAN, .init = init_none, .open = open, .step = step };
const struct driver_ops driver_tsnep_seed_ops = { .plan = TSNEP_PLAN, .init = init_delay, .open = open, .step = step };
const struct driver_ops driver_tsnep_ops = {
	.plan = TSNEP_PLAN,
	.init = init_delay,
	.open = open,
	.get = get,
	.set = set,
	.get_queue = get_queue,
	.set_queue = set_queue,
	.adopt = adopt,
	.step = step,
};
