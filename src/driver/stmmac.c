/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stmmac driver on a DWMAC eQOS ("dwmac4").
 *
 * Receive: rx-usecs is the chip's watchdog in units of 256 clocks, 16 to 255 of them. It runs for descriptors that do
 * not ask for an interrupt, and with rx-frames 0 none asks. The driver's counter for rx-frames starts again with
 * every descriptor, so that any other rx-frames makes all of them ask. Transmit: no hardware timer; every
 * tx-frames-th descriptor asks for an interrupt, and a timer of the kernel schedules the poll tx-usecs after the last
 * frame.
 *
 * set applies the receive part before it looks at the transmit part: when that is refused, the receive part stays.
 * get cuts to whole us and set cuts to whole units, and requests are merged with what is reported: every change of
 * another field shortens the watchdog a little. Open puts tx-usecs, tx-frames and rx-frames back to their defaults
 * and keeps the watchdog.
 *
 * The driver has two NAPI instances per channel and masks each direction by itself. Here one instance stands for
 * both: `serving` says which direction is masked and due, and only that is served. What this leaves out is that the
 * kernel would run the two in turn with a budget each.
 *
 * Sources: stmmac_main.c, stmmac_ethtool.c, dwmac4_dma.h of Linux 6.1.192 and 6.12.117; the 2023 patches of Christian
 * Marangi (timer left alone while NAPI is scheduled) and Vincent Whitchurch (tx-usecs 0 means no timer).
 */
#include "base/text.h"
#include "driver/driver_private.h"

enum {
	DMA_CHAN_INTR_ENA = 0x1134,
	DMA_CHAN_RX_WATCHDOG = 0x1138,
	DMA_CHAN_STATUS = 0x1160,
	CHANNEL_STEP = 0x80,
};

/* The same bits in DMA_CHAN_INTR_ENA and DMA_CHAN_STATUS. */
#define TI UINT32_C(0x0001)
#define RI UINT32_C(0x0040)
#define NIS UINT32_C(0x8000)

#define RIWT_MIN 0x10
#define RIWT_MAX 0xff
#define RIWT_DEFAULT 0xa0
#define RIWT_UNIT_CLOCKS 256
#define TX_USECS_MAX 100000
#define TX_FRAMES_MAX 256
#define TX_FRAMES_DEFAULT 25

struct channel {
	uint32_t riwt, rx_frames, tx_usecs, tx_frames;
};

struct stmmac_state {
	struct channel channels[CHIP_QUEUES_MAX];
	uint32_t tx_usecs_default;
	uint32_t is_612;
	uint32_t tx_count; /* frames given to the ring so far */
	uint32_t serving;  /* RI and TI: the directions that are masked and due */
	uint32_t round;    /* of those, what the running round serves */
	uint32_t deferred; /* napi_complete_done said no: due, but not scheduled */
} DRIVER_STATE;

DRIVER_STATE_FITS(struct stmmac_state);

static struct stmmac_state *state_of(struct driver *driver)
{
	return (struct stmmac_state *)(void *)driver->state;
}

static const struct stmmac_state *state_of_const(const struct driver *driver)
{
	return (const struct stmmac_state *)(const void *)driver->state;
}

static uint32_t clock_mhz(const struct driver *driver)
{
	return driver->config.clock_hz / 1000000;
}

/* 64 bits as on arm64, and then cut to the 32 of the result. */
static uint32_t riwt_of(const struct driver *driver, uint32_t usecs)
{
	return (uint32_t)((uint64_t)usecs * clock_mhz(driver) / RIWT_UNIT_CLOCKS);
}

static uint32_t usecs_of(const struct driver *driver, uint32_t riwt)
{
	return riwt * RIWT_UNIT_CLOCKS / clock_mhz(driver);
}

static int64_t riwt_ns(const struct driver *driver, uint32_t riwt)
{
	uint64_t clock_hz = driver->config.clock_hz;
	return (int64_t)(((uint64_t)riwt * RIWT_UNIT_CLOCKS * 1000000000 + clock_hz / 2) / clock_hz);
}

static void reset_channel(struct stmmac_state *state, struct channel *channel)
{
	channel->rx_frames = 0;
	channel->tx_usecs = state->tx_usecs_default;
	channel->tx_frames = TX_FRAMES_DEFAULT;
}

/* The driver would divide by 0 below 1 MHz. */
static void init(struct driver *driver, uint32_t tx_usecs_default, bool is_612)
{
	struct stmmac_state *state = state_of(driver);
	state->tx_usecs_default = tx_usecs_default;
	state->is_612 = is_612;
	if (!clock_mhz(driver)) {
		driver->config.clock_hz = 1000000;
	}
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		state->channels[queue].riwt = RIWT_DEFAULT;
		reset_channel(state, &state->channels[queue]);
	}
}

static void init_61(struct driver *driver)
{
	init(driver, 1000, false);
}

static void init_612(struct driver *driver)
{
	init(driver, 5000, true);
}

static void open(struct driver *driver, struct driver_result *result)
{
	struct stmmac_state *state = state_of(driver);
	bool lost = false;
	state->serving = state->deferred = state->tx_count = 0;
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		struct channel *channel = &state->channels[queue], before = *channel;
		reset_channel(state, channel);
		lost |= before.rx_frames != channel->rx_frames || before.tx_usecs != channel->tx_usecs ||
			before.tx_frames != channel->tx_frames;
		driver_result_write(result, DMA_CHAN_RX_WATCHDOG + queue * CHANNEL_STEP, channel->riwt);
		driver_result_write(result, DMA_CHAN_INTR_ENA + queue * CHANNEL_STEP, NIS | RI | TI);
	}
	if (lost) {
		driver_result_warn(
			result,
			"open puts tx-usecs, tx-frames and rx-frames back to %u, %u and 0: these settings are lost",
			state->tx_usecs_default, TX_FRAMES_DEFAULT);
	}
}

/* ---- settings ---- */

static int get_queue(const struct driver *driver, unsigned queue, struct coalesce *reported)
{
	if (queue >= driver->config.queues) {
		return -EINVAL;
	}
	const struct channel *channel = &state_of_const(driver)->channels[queue];
	coalesce_put(reported, COALESCE_RX_USECS, usecs_of(driver, channel->riwt));
	coalesce_put(reported, COALESCE_RX_FRAMES, channel->rx_frames);
	coalesce_put(reported, COALESCE_TX_USECS, channel->tx_usecs);
	coalesce_put(reported, COALESCE_TX_FRAMES, channel->tx_frames);
	return 0;
}

static int get(const struct driver *driver, struct coalesce *reported)
{
	return get_queue(driver, 0, reported);
}

/* What is reported is cut, and a later change of another field sets it again: the time creeps down until it is
 * refused. */
static void warn_of_creep(const struct driver *driver, uint32_t riwt, struct driver_result *result)
{
	uint32_t usecs = usecs_of(driver, riwt), again = riwt_of(driver, usecs);
	if (again < RIWT_MIN) {
		driver_result_warn(
			result, "rx-usecs is reported as %u, which is refused: any later change of another field fails",
			usecs);
	} else if (usecs_of(driver, again) != usecs) {
		driver_result_warn(
			result,
			"rx-usecs is reported as %u: a later change of another field sets that again and makes it %u",
			usecs, usecs_of(driver, again));
	}
}

static void warn_of_rx(const struct driver *driver, const struct coalesce *wanted, struct driver_result *result)
{
	uint32_t usecs = wanted->value[COALESCE_RX_USECS], riwt = riwt_of(driver, usecs),
		 frames = wanted->value[COALESCE_RX_FRAMES];
	char text[TEXT_DURATION_MAX];
	if ((uint64_t)usecs * clock_mhz(driver) / RIWT_UNIT_CLOCKS > UINT32_MAX) {
		driver_result_warn(result, "rx-usecs %u us wraps to %s: the units do not fit 32 bits, %u remain", usecs,
				   text_print_duration(riwt_ns(driver, riwt), text), riwt);
	} else if (riwt_ns(driver, riwt) != (int64_t)usecs * NS_PER_US) {
		driver_result_warn(result, "rx-usecs %u becomes %s: %u units of %u clocks at %u Hz, reported as %u",
				   usecs, text_print_duration(riwt_ns(driver, riwt), text), riwt, RIWT_UNIT_CLOCKS,
				   driver->config.clock_hz, usecs_of(driver, riwt));
	}
	if (frames) {
		driver_result_warn(result,
				   "rx-frames %u makes every receive descriptor ask for an interrupt: the watchdog of "
				   "rx-usecs never runs",
				   frames);
	}
	warn_of_creep(driver, riwt, result);
}

/* Applies the receive part to queues first..last; false if it is refused. */
static bool set_rx(struct driver *driver, unsigned first, unsigned last, const struct coalesce *wanted,
		   struct driver_result *result)
{
	struct stmmac_state *state = state_of(driver);
	uint32_t usecs = wanted->value[COALESCE_RX_USECS], riwt = riwt_of(driver, usecs);
	if (!usecs && !state->is_612) {
		driver_result_warn(
			result,
			"rx-usecs 0 is accepted and skips the receive part: rx-usecs and rx-frames stay as they are");
		return true;
	}
	if (riwt < RIWT_MIN || riwt > RIWT_MAX) {
		driver_result_refuse(result, -EINVAL, COALESCE_RX_USECS,
				     "rx-usecs %u is %u units of %u clocks at %u Hz, the watchdog takes %u to %u",
				     usecs, riwt, RIWT_UNIT_CLOCKS, driver->config.clock_hz, RIWT_MIN, RIWT_MAX);
		return false;
	}
	for (unsigned queue = first; queue <= last; queue++) {
		state->channels[queue].riwt = riwt;
		state->channels[queue].rx_frames = wanted->value[COALESCE_RX_FRAMES];
		driver_result_write(result, DMA_CHAN_RX_WATCHDOG + queue * CHANNEL_STEP, riwt);
	}
	if (!result->quiet) {
		warn_of_rx(driver, wanted, result);
	}
	return true;
}

static bool check_tx(const struct coalesce *wanted, struct driver_result *result)
{
	uint32_t usecs = wanted->value[COALESCE_TX_USECS], frames = wanted->value[COALESCE_TX_FRAMES];
	if (!usecs && !frames) {
		driver_result_refuse(result, -EINVAL, COALESCE_TX_FRAMES,
				     "tx-usecs and tx-frames are both 0: nothing would end the wait");
	} else if (usecs > TX_USECS_MAX) {
		driver_result_refuse(result, -EINVAL, COALESCE_TX_USECS, "tx-usecs %u is above %u", usecs,
				     TX_USECS_MAX);
	} else if (frames > TX_FRAMES_MAX) {
		driver_result_refuse(result, -EINVAL, COALESCE_TX_FRAMES, "tx-frames %u is above %u", frames,
				     TX_FRAMES_MAX);
	}
	return result->error == 0;
}

static void set_channels(struct driver *driver, unsigned first, unsigned last, const struct coalesce *wanted,
			 struct driver_result *result)
{
	if (!set_rx(driver, first, last, wanted, result)) {
		return;
	}
	if (!check_tx(wanted, result)) {
		if (result->write_count) {
			driver_result_warn(result,
					   "the receive part (rx-usecs %u, rx-frames %u) is applied although the "
					   "transmit part is refused",
					   wanted->value[COALESCE_RX_USECS], wanted->value[COALESCE_RX_FRAMES]);
		}
		return;
	}
	for (unsigned queue = first; queue <= last; queue++) {
		state_of(driver)->channels[queue].tx_usecs = wanted->value[COALESCE_TX_USECS];
		state_of(driver)->channels[queue].tx_frames = wanted->value[COALESCE_TX_FRAMES];
	}
}

static void set(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		struct driver_result *result)
{
	(void)request; /* the warnings are about all that is applied */
	set_channels(driver, 0, driver->config.queues - 1, wanted, result);
}

static void set_queue(struct driver *driver, unsigned queue, const struct coalesce *wanted,
		      const struct coalesce *request, struct driver_result *result)
{
	(void)request; /* its warnings do not depend on what was asked */
	set_channels(driver, queue, queue, wanted, result);
}

static bool adopt(struct driver *driver, uint32_t offset, uint32_t value)
{
	for (unsigned queue = 0; queue < driver->config.queues; queue++) {
		if (offset == DMA_CHAN_RX_WATCHDOG + queue * CHANNEL_STEP) {
			state_of(driver)->channels[queue].riwt = value & RIWT_MAX;
			return true;
		}
	}
	return false;
}

static uint32_t rx_frame_flags(const struct driver *driver)
{
	return state_of_const(driver)->channels[0].rx_frames ? CHIP_FRAME_INTERRUPT : 0;
}

/* ---- interrupt and poll ---- */

static void write_enabled(const struct stmmac_state *state, struct driver_actions *actions)
{
	driver_action_write(actions, DMA_CHAN_INTR_ENA, NIS | ((RI | TI) & ~state->serving));
}

static void hardirq(struct stmmac_state *state, uint32_t status, struct driver_actions *actions)
{
	uint32_t due = status & (RI | TI) & ~state->serving;
	driver_action_write(actions, DMA_CHAN_STATUS, status);
	actions->handled = status != 0;
	if (due) {
		state->serving |= due;
		actions->schedule = true;
		write_enabled(state, actions);
	}
}

static bool tx_is_scheduled(const struct stmmac_state *state)
{
	return (state->serving & TI) && !state->deferred;
}

/* While the transmit poll is scheduled, the driver of 6.12 leaves the timer to it. */
static int64_t tx_timer_ns(const struct stmmac_state *state)
{
	int64_t timer_ns = state->channels[0].tx_usecs * NS_PER_US;
	if (!timer_ns) {
		return 0;
	}
	return state->is_612 && tx_is_scheduled(state) ? -1 : timer_ns;
}

static void xmit(struct stmmac_state *state, struct driver_actions *actions)
{
	uint32_t frames = state->channels[0].tx_frames;
	state->tx_count++;
	if (frames && state->tx_count % frames == 0) {
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
	}
	actions->tx_timer_ns = tx_timer_ns(state);
}

static void tx_timer(struct stmmac_state *state, struct driver_actions *actions)
{
	if (tx_is_scheduled(state)) {
		return;
	}
	state->serving |= TI;
	actions->schedule = true;
	write_enabled(state, actions);
}

static void round_done(struct stmmac_state *state, const struct driver_input *input, struct driver_actions *actions)
{
	/* What the receive instance leaves in the TX ring is not its business. */
	const bool tx_done = !(state->round & TI) || input->tx_all_reclaimed;

	actions->complete = input->under_budget && tx_done && state->round == state->serving;
	if ((state->round & TI) && input->tx_frames_pending) {
		actions->tx_timer_ns = state->channels[0].tx_usecs * NS_PER_US;
		if (state->is_612 && !actions->complete) {
			actions->tx_timer_ns = -1;
		}
	}
}

static void step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	struct stmmac_state *state = state_of(driver);
	switch (step) {
	case DRIVER_HARDIRQ:
		hardirq(state, input->cause, actions);
		break;
	case DRIVER_POLL:
		state->deferred = 0;
		state->round = state->serving;
		actions->serve_rx = state->round & RI;
		actions->serve_tx = state->round & TI;
		break;
	case DRIVER_ROUND_DONE:
		round_done(state, input, actions);
		break;
	case DRIVER_COMPLETED:
		state->deferred = !input->completed;
		if (input->completed && state->serving) {
			state->serving = 0;
			write_enabled(state, actions);
		}
		break;
	case DRIVER_XMIT:
		xmit(state, actions);
		break;
	case DRIVER_TX_TIMER:
		tx_timer(state, actions);
		break;
	}
}

#define STMMAC_OPS                                                                                                    \
	.plan = { .cause_offset = DMA_CHAN_STATUS, .weight = 64, .tx_budget = 64 }, .open = open, .get = get,         \
	.set = set, .get_queue = get_queue, .set_queue = set_queue, .adopt = adopt, .rx_frame_flags = rx_frame_flags, \
	.step = step

const struct driver_ops driver_stmmac_61_ops = { .init = init_61, STMMAC_OPS };
const struct driver_ops driver_stmmac_612_ops = { .init = init_612, STMMAC_OPS };
