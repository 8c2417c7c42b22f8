/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The r8169 driver: RTL8169/8110 and RTL8168, 8101, 8136.
 *
 * IntrMitigate holds four nibbles: TX timer, TX frames, RX timer, RX frames. A timer counts units whose length
 * depends on the family, the link speed and CPlusCmd[1:0]; a frame nibble counts in fours. One scale serves both
 * directions: the first one whose 15 units hold the longer time. Nothing rewrites the registers when the speed
 * changes, so the same word then means another time; and get computes from the registers, so what it reports changes
 * too.
 *
 * The driver of 6.12 rounds up in set and again in get. As a request is merged with what is reported, every unrelated
 * change may push a time up by a unit ("creep"). The patch of the 2017 thread rounds down both ways and creeps down.
 *
 * The present handler masks and acknowledges, its poll always serves both directions and obeys napi_complete_done.
 * The one of 2012 to 2017 only masks; its poll acknowledges, serves RX and TX only where the event bit says so, RX
 * first, and unmasks whatever napi_complete_done answers. The 2017 patch was written for that driver.
 *
 * Sources: r8169_main.c of Linux 6.1 and 6.12.117; the mails of Hayes Wang (November 2012: units), Francois Romieu
 * and Kirill Smelkov (September 2017: the patch); test/data/vectors for what the drivers of 6.1.0-57 and 6.12.95 did.
 * CPlusCmd 0x2060 is what those vectors start from.
 */
#include <string.h>

#include "base/text.h"
#include "driver/driver_private.h"

enum {
	INTR_MASK = 0x3c,
	INTR_STATUS = 0x3e,
	CPLUS_CMD = 0xe0,
	INTR_MITIGATE = 0xe2,
};

/* IntrStatus and IntrMask */
enum {
	RX_OK = 0x0001,
	RX_ERR = 0x0002,
	TX_OK = 0x0004,
	TX_ERR = 0x0008,
	RX_OVERFLOW = 0x0010,
	LINK_CHG = 0x0020,
	RX_FIFO_OVER = 0x0040,
	SYS_ERR = 0x8000,
	EVENTS_RX = RX_OK | RX_ERR,
	EVENTS_TX = TX_OK | TX_ERR,
};

enum {
	CPLUS_INTT_MASK = 0x0003,
	CPLUS_INTT_1 = 0x0001,
	CPLUS_PKT_CNTR_DISABLE = 0x0080,
	CPLUS_INITIAL = 0x2060, /* Normal_mode, RxVlan, RxChkSum */
	MITIGATE_OLD_8168 = 0x5151,
};

#define UNITS_MAX 15
#define FRAMES_MAX 60
#define SCALES 4

struct r8169_state {
	uint16_t intr_mitigate, cplus_cmd;
} DRIVER_STATE;

DRIVER_STATE_FITS(struct r8169_state);

static const enum coalesce_field usecs_field[] = { COALESCE_RX_USECS, COALESCE_TX_USECS };
static const enum coalesce_field frames_field[] = { COALESCE_RX_FRAMES, COALESCE_TX_FRAMES };
static const unsigned speeds_mbps[] = { 10, 100, 1000 };
static const uint32_t scale_factor[SCALES] = { 1, 8, 16, 32 };

static struct r8169_state *state_of(struct driver *driver)
{
	return (struct r8169_state *)(void *)driver->state;
}

static const struct r8169_state *state_of_const(const struct driver *driver)
{
	return (const struct r8169_state *)(const void *)driver->state;
}

static bool is_8169(const struct driver *driver)
{
	return driver->config.family == CHIP_RTL8169;
}

/* ns of a unit with CPlusCmd[1:0] 0; 0 at a speed that the table lacks. */
static uint32_t base_unit_ns(const struct driver *driver, unsigned speed_mbps)
{
	switch (speed_mbps) {
	case 10:
		return 40960;
	case 100:
		return 2560;
	case 1000:
		return is_8169(driver) ? 320 : 5000;
	default:
		return 0;
	}
}

static uint32_t timer_units(uint16_t word, unsigned direction)
{
	return word >> (direction == CHIP_RX ? 4 : 12) & 0xf;
}

static uint32_t frame_units(uint16_t word, unsigned direction)
{
	return word >> (direction == CHIP_RX ? 0 : 8) & 0xf;
}

static uint32_t round_up_div(uint32_t dividend, uint32_t divisor)
{
	return dividend / divisor + (dividend % divisor != 0);
}

/* The speed that the present driver converts for: unknown counts as the highest. */
static unsigned speed_of(const struct driver *driver)
{
	return driver->link_mbps ? driver->link_mbps : 1000;
}

/* The 2017 patch asks the MII library, which answers 10 Mb/s while nothing is negotiated. */
static unsigned speed_of_seed(const struct driver *driver)
{
	return driver->link_mbps ? driver->link_mbps : 10;
}

static void init(struct driver *driver)
{
	state_of(driver)->cplus_cmd = CPLUS_INITIAL;
}

/* ---- open ---- */

static void start_hardware(struct driver *driver, uint16_t intr_mitigate, uint16_t intr_mask,
			   struct driver_result *result)
{
	struct r8169_state *state = state_of(driver);
	if (state->intr_mitigate && state->intr_mitigate != intr_mitigate) {
		driver_result_warn(result,
				   "open overwrites IntrMitigate 0x%04x with 0x%04x: the settings are lost, CPlusCmd "
				   "keeps scale %d",
				   (unsigned)state->intr_mitigate, (unsigned)intr_mitigate,
				   state->cplus_cmd & CPLUS_INTT_MASK);
	}
	state->intr_mitigate = intr_mitigate;
	driver_result_write(result, CPLUS_CMD, state->cplus_cmd);
	driver_result_write(result, INTR_MITIGATE, intr_mitigate);
	driver_result_write(result, INTR_MASK, intr_mask);
}

static uint16_t mask_612(const struct driver *driver)
{
	return EVENTS_RX | EVENTS_TX | LINK_CHG | (is_8169(driver) ? SYS_ERR | RX_FIFO_OVER : 0);
}

/* What the old driver leaves to a work item instead of the poll. */
static uint16_t slow_events(const struct driver *driver)
{
	return SYS_ERR | LINK_CHG | RX_OVERFLOW | (is_8169(driver) ? RX_FIFO_OVER : 0);
}

static uint16_t mask_413(const struct driver *driver)
{
	return (uint16_t)(EVENTS_RX | EVENTS_TX | slow_events(driver));
}

static void open_612(struct driver *driver, struct driver_result *result)
{
	start_hardware(driver, 0, mask_612(driver), result);
}

/* The old driver ORs its scale bit into what is there: a scale 2 of an earlier set becomes 3. */
static void open_413(struct driver *driver, struct driver_result *result)
{
	if (is_8169(driver)) {
		start_hardware(driver, 0, mask_413(driver), result);
		return;
	}
	state_of(driver)->cplus_cmd |= CPLUS_PKT_CNTR_DISABLE | CPLUS_INTT_1;
	start_hardware(driver, MITIGATE_OLD_8168, mask_413(driver), result);
}

/*
 * The chip is reset (ChipCmd). The driver knows CPlusCmd and will write it again, IntrMitigate it reads. The speed
 * of the link, which is phylib's, is remembered up to 6.1.
 */
static void close_61(struct driver *driver, struct driver_result *result)
{
	state_of(driver)->intr_mitigate = 0;
	result->resets_chip = true;
}

static void close_612(struct driver *driver, struct driver_result *result)
{
	close_61(driver, result);
	driver->link_mbps = 0;
}

/* ---- get ---- */

static int get_612(const struct driver *driver, struct coalesce *reported)
{
	if (!driver->config.has_coalesce) {
		return -EOPNOTSUPP;
	}
	uint32_t base_ns = base_unit_ns(driver, speed_of(driver));
	if (!base_ns) {
		return -ELNRNG;
	}
	const struct r8169_state *state = state_of_const(driver);
	uint32_t unit_ns = base_ns * scale_factor[state->cplus_cmd & CPLUS_INTT_MASK];
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t units = timer_units(state->intr_mitigate, i), fours = frame_units(state->intr_mitigate, i);
		coalesce_put(reported, usecs_field[i], round_up_div(units * unit_ns, 1000));
		coalesce_put(reported, frames_field[i], units || fours ? fours * 4 : 1);
	}
	return 0;
}

/* Rounds down, so few short units are reported as 0, and then "frames 1" is put in for them. */
static int get_seed(const struct driver *driver, struct coalesce *reported)
{
	uint32_t base_ns = base_unit_ns(driver, speed_of_seed(driver));
	if (!base_ns) {
		return -ELNRNG;
	}
	const struct r8169_state *state = state_of_const(driver);
	uint32_t unit_ns = base_ns * scale_factor[state->cplus_cmd & CPLUS_INTT_MASK];
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t usecs = timer_units(state->intr_mitigate, i) * unit_ns / 1000;
		uint32_t frames = frame_units(state->intr_mitigate, i) * 4;
		coalesce_put(reported, usecs_field[i], usecs);
		coalesce_put(reported, frames_field[i], usecs || frames ? frames : 1);
	}
	return 0;
}

/* ---- warnings ---- */

static void warn_of_time(const struct driver *driver, unsigned i, unsigned speed_mbps, const struct coalesce *wanted,
			 struct driver_result *result)
{
	const struct r8169_state *state = state_of_const(driver);
	const char *name = coalesce_fields[usecs_field[i]].name;
	uint32_t usecs = wanted->value[usecs_field[i]], units = timer_units(state->intr_mitigate, i);
	uint32_t factor = scale_factor[state->cplus_cmd & CPLUS_INTT_MASK];
	int64_t unit_ns = (int64_t)base_unit_ns(driver, speed_mbps) * factor;
	char real[TEXT_DURATION_MAX], unit[TEXT_DURATION_MAX], other[2][TEXT_DURATION_MAX];
	if (units * unit_ns != usecs * NS_PER_US) {
		driver_result_warn(result, "%s %u becomes %s: %u units of %s", name, usecs,
				   text_print_duration(units * unit_ns, real), units,
				   text_print_duration(unit_ns, unit));
	}
	if (!units) {
		return;
	}
	unsigned other_mbps[2], others = 0;
	for (unsigned k = 0; k < sizeof(speeds_mbps) / sizeof(speeds_mbps[0]); k++) {
		if (speeds_mbps[k] != speed_mbps && others < 2) {
			other_mbps[others] = speeds_mbps[k];
			text_print_duration((int64_t)base_unit_ns(driver, speeds_mbps[k]) * factor * units,
					    other[others]);
			others++;
		}
	}
	driver_result_warn(result, "%s at %u Mb/s: the same registers mean %s at %u Mb/s and %s at %u Mb/s", name,
			   speed_mbps, other[0], other_mbps[0], other[1], other_mbps[1]);
}

static void warn_of_frames(const struct driver *driver, unsigned i, const struct coalesce *wanted,
			   const struct coalesce *request, struct driver_result *result)
{
	const char *name = coalesce_fields[frames_field[i]].name, *usecs_name = coalesce_fields[usecs_field[i]].name;
	uint32_t frames = wanted->value[frames_field[i]], usecs = wanted->value[usecs_field[i]];
	uint32_t programmed = 4 * frame_units(state_of_const(driver)->intr_mitigate, i);
	if (!frames && !usecs) {
		driver_result_warn(result, "%s and %s are both 0, which ethtool's rules forbid: it is reported as %s 1",
				   usecs_name, name, name);
	} else if (frames == 1 && usecs && coalesce_has(request, frames_field[i])) {
		driver_result_warn(result, "%s 1 means no frame limit here, only %s counts", name, usecs_name);
	} else if (frames != 1 && frames != programmed) {
		driver_result_warn(result, "%s %u becomes %u: the register counts in fours", name, frames, programmed);
	}
}

/* What an unrelated change would do later: ethtool sends the reported values along, and they are rounded again. */
static void warn_of_creep(const struct driver *driver, struct driver_result *result)
{
	const struct driver_ops *ops = driver->variant->ops;
	struct driver later = *driver;
	struct coalesce reported = { 0 }, again = { 0 };
	struct driver_result silent = { .quiet = true };
	ops->get(&later, &reported);
	ops->set(&later, &reported, &reported, &silent);
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		const char *name = coalesce_fields[usecs_field[i]].name;
		uint32_t value = reported.value[usecs_field[i]];
		if (silent.error && silent.field == usecs_field[i]) {
			driver_result_warn(
				result,
				"%s is reported as %u, which is refused: any later change of another field fails", name,
				value);
		}
		if (silent.error) {
			continue;
		}
		ops->get(&later, &again);
		if (again.value[usecs_field[i]] != value) {
			driver_result_warn(
				result,
				"%s is reported as %u: a later change of another field sets that again and makes it %u",
				name, value, again.value[usecs_field[i]]);
		}
	}
}

static void warn_of_link(const struct driver *driver, unsigned speed_mbps, struct driver_result *result)
{
	if (!driver->link_mbps && state_of_const(driver)->intr_mitigate) {
		driver_result_warn(result,
				   "there is no link: this was converted for %u Mb/s, and is not converted again when "
				   "the link comes up at another speed",
				   speed_mbps);
	}
}

/* The next open, on a copy: what is left of the times then. */
static void warn_of_loss(const struct driver *driver, unsigned speed_mbps, struct driver_result *result)
{
	struct driver later = *driver;
	struct driver_result silent = { .quiet = true };
	char text[TEXT_DURATION_MAX];
	driver->variant->ops->open(&later, &silent);
	const struct r8169_state *state = state_of_const(&later);
	if (state->intr_mitigate == state_of_const(driver)->intr_mitigate) {
		return;
	}
	int64_t unit_ns = (int64_t)base_unit_ns(driver, speed_mbps) * scale_factor[state->cplus_cmd & CPLUS_INTT_MASK];
	text_print_duration(unit_ns * timer_units(state->intr_mitigate, CHIP_RX), text);
	driver_result_warn(result, "ifdown and ifup lose this: open writes IntrMitigate 0x%04x again, which is %s",
			   (unsigned)state->intr_mitigate, state->intr_mitigate ? text : "no hold-off at all");
}

static void warn(const struct driver *driver, unsigned speed_mbps, const struct coalesce *wanted,
		 const struct coalesce *request, struct driver_result *result)
{
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		warn_of_time(driver, i, speed_mbps, wanted, result);
		warn_of_frames(driver, i, wanted, request, result);
	}
	warn_of_creep(driver, result);
	warn_of_link(driver, speed_mbps, result);
	warn_of_loss(driver, speed_mbps, result);
}

/* ---- set ---- */

static void program(struct driver *driver, uint16_t intr_mitigate, uint16_t scale, struct driver_result *result)
{
	struct r8169_state *state = state_of(driver);
	state->intr_mitigate = intr_mitigate;
	state->cplus_cmd = (uint16_t)((state->cplus_cmd & ~CPLUS_INTT_MASK) | scale);
	driver_result_write(result, INTR_MITIGATE, state->intr_mitigate);
	driver_result_write(result, CPLUS_CMD, state->cplus_cmd);
}

static enum coalesce_field longer_field(const struct coalesce *wanted)
{
	return wanted->value[COALESCE_RX_USECS] >= wanted->value[COALESCE_TX_USECS] ? COALESCE_RX_USECS
										    : COALESCE_TX_USECS;
}

static void refuse_speed(const struct driver *driver, struct driver_result *result)
{
	driver_result_refuse(result, -ELNRNG, COALESCE_FIELDS,
			     "the driver has no timer units for %u Mb/s, only for 10, 100 and 1000", driver->link_mbps);
}

/* The first scale that holds usecs, or SCALES. The limit is cut to whole us, as the driver does. */
static uint16_t choose_scale(uint32_t base_ns, uint32_t usecs)
{
	uint16_t scale = 0;
	while (scale < SCALES && usecs > base_ns * scale_factor[scale] * UNITS_MAX / 1000) {
		scale++;
	}
	return scale;
}

static void set_612(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		    struct driver_result *result)
{
	uint32_t frames[CHIP_DIRECTIONS];
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		frames[i] = wanted->value[frames_field[i]];
		if (frames[i] > FRAMES_MAX) {
			driver_result_refuse(result, -ERANGE, frames_field[i],
					     "%s %u is above %u, the most that the frame nibble holds",
					     coalesce_fields[frames_field[i]].name, frames[i], FRAMES_MAX);
			return;
		}
	}
	uint32_t base_ns = base_unit_ns(driver, speed_of(driver));
	if (!base_ns) {
		refuse_speed(driver, result);
		return;
	}
	enum coalesce_field longer = longer_field(wanted);
	uint16_t scale = choose_scale(base_ns, wanted->value[longer]);
	if (scale == SCALES) {
		driver_result_refuse(result, -ERANGE, longer,
				     "%s %u is above %u, 15 units of the largest scale at %u Mb/s",
				     coalesce_fields[longer].name, wanted->value[longer],
				     base_ns * scale_factor[SCALES - 1] * UNITS_MAX / 1000, speed_of(driver));
		return;
	}
	uint32_t word[CHIP_DIRECTIONS];
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t usecs = wanted->value[usecs_field[i]];
		if (frames[i] == 1) {
			frames[i] = 0;
		}
		if (frames[i] && !usecs) {
			driver_result_refuse(result, -EINVAL, frames_field[i],
					     "%s %u needs a time: the hardware takes no frame limit alone",
					     coalesce_fields[frames_field[i]].name, frames[i]);
			return;
		}
		word[i] = round_up_div(usecs * 1000, base_ns * scale_factor[scale]) << 4 | round_up_div(frames[i], 4);
	}
	if (driver->config.has_packet_counter_disable) {
		struct r8169_state *state = state_of(driver);
		bool counts = frames[CHIP_RX] || frames[CHIP_TX];
		state->cplus_cmd = (uint16_t)((state->cplus_cmd & ~CPLUS_PKT_CNTR_DISABLE) |
					      (counts ? 0 : CPLUS_PKT_CNTR_DISABLE));
	}
	program(driver, (uint16_t)(word[CHIP_TX] << 8 | word[CHIP_RX]), scale, result);
	if (!result->quiet) {
		warn(driver, speed_of(driver), wanted, request, result);
	}
}

static uint16_t choose_scale_seed(uint32_t base_ns, uint32_t wait_ns)
{
	uint16_t scale = 0;
	while (scale < SCALES && wait_ns > base_ns * scale_factor[scale] * UNITS_MAX) {
		scale++;
	}
	return scale;
}

/*
 * Everything in 32 bits, the word in 16, as in the patch: a time whose product with 1000 wraps is accepted, and the
 * shorter time of the other direction may then overflow its nibble into its neighbour. The patch packs RX first and
 * swaps the bytes at the end.
 */
static void set_seed(struct driver *driver, const struct coalesce *wanted, const struct coalesce *request,
		     struct driver_result *result)
{
	uint32_t base_ns = base_unit_ns(driver, speed_of_seed(driver));
	if (!base_ns) {
		refuse_speed(driver, result);
		return;
	}
	enum coalesce_field longer = longer_field(wanted);
	uint32_t longest_ns = wanted->value[longer] * 1000;
	uint16_t scale = choose_scale_seed(base_ns, longest_ns);
	if (scale == SCALES) {
		driver_result_refuse(result, -EINVAL, longer,
				     "%s %u is more than 15 units of the largest scale at %u Mb/s, %u us",
				     coalesce_fields[longer].name, wanted->value[longer], speed_of_seed(driver),
				     base_ns * scale_factor[SCALES - 1] * UNITS_MAX / 1000);
		return;
	}
	uint16_t packed = 0;
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		uint32_t frames = wanted->value[frames_field[i]];
		frames = frames == 1 ? 0 : frames;
		if (frames > FRAMES_MAX || frames % 4) {
			driver_result_refuse(result, -EINVAL, frames_field[i], "%s %u is not a multiple of 4 up to %u",
					     coalesce_fields[frames_field[i]].name, frames, FRAMES_MAX);
			return;
		}
		uint32_t units = wanted->value[usecs_field[i]] * 1000 / (base_ns * scale_factor[scale]);
		packed = (uint16_t)(packed << 4);
		packed = (uint16_t)(packed | units);
		packed = (uint16_t)(packed << 4);
		packed = (uint16_t)(packed | frames >> 2);
	}
	program(driver, (uint16_t)(packed << 8 | packed >> 8), scale, result);
	if (result->quiet) {
		return;
	}
	if (wanted->value[longer] > UINT32_MAX / 1000) {
		char text[TEXT_DURATION_MAX];
		driver_result_warn(result, "%s %u us wraps to %s: the product with 1000 has 32 bits",
				   coalesce_fields[longer].name, wanted->value[longer],
				   text_print_duration(longest_ns, text));
	}
	warn(driver, speed_of_seed(driver), wanted, request, result);
}

static bool adopt(struct driver *driver, uint32_t offset, uint32_t value)
{
	struct r8169_state *state = state_of(driver);
	if (offset == INTR_MITIGATE) {
		state->intr_mitigate = (uint16_t)value;
		return true;
	}
	if (offset == CPLUS_CMD) {
		state->cplus_cmd = (uint16_t)value;
		return true;
	}
	return false;
}

/* ---- interrupt and poll ---- */

static void step_612(struct driver *driver, enum driver_step step, const struct driver_input *input,
		     struct driver_actions *actions)
{
	const uint32_t status = input->cause & 0xffff;

	switch (step) {
	case DRIVER_HARDIRQ:
		if (status == 0xffff || !(status & mask_612(driver))) {
			break;
		}
		actions->handled = true;
		actions->schedule = true;
		driver_action_write(actions, INTR_MASK, 0);
		driver_action_write(actions, INTR_STATUS, status);
		break;
	case DRIVER_POLL:
		actions->serve_rx = actions->serve_tx = true;
		break;
	case DRIVER_ROUND_DONE:
		actions->complete = input->under_budget;
		break;
	case DRIVER_COMPLETED:
		if (input->completed) {
			driver_action_write(actions, INTR_MASK, mask_612(driver));
		}
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

static void step_413(struct driver *driver, enum driver_step step, const struct driver_input *input,
		     struct driver_actions *actions)
{
	const uint32_t status = input->cause & 0xffff;

	switch (step) {
	case DRIVER_HARDIRQ:
		if (status == 0xffff || !(status & mask_413(driver))) {
			break;
		}
		actions->handled = true;
		actions->schedule = true;
		driver_action_write(actions, INTR_MASK, 0);
		break;
	case DRIVER_POLL:
		/* The driver acknowledges slow events (link change, errors) in a work item that it queues here;
		 * nothing is left of them after the poll, so the model folds the work item into it. */
		driver_action_write(actions, INTR_STATUS, status);
		actions->serve_rx = status & EVENTS_RX;
		actions->serve_tx = status & EVENTS_TX;
		actions->rx_first = true;
		break;
	case DRIVER_ROUND_DONE:
		actions->complete = input->under_budget;
		break;
	case DRIVER_COMPLETED:
		driver_action_write(actions, INTR_MASK, mask_413(driver));
		break;
	case DRIVER_XMIT:
		actions->frame_flags = CHIP_FRAME_INTERRUPT;
		break;
	case DRIVER_TX_TIMER:
		break;
	}
}

#define PLAN_413                                                                 \
	{                                                                        \
		.cause_offset = INTR_STATUS, .cause_in_poll = true, .weight = 64 \
	}

const struct driver_ops driver_r8169_413_ops = {
	.plan = PLAN_413, .init = init, .open = open_413, .close = close_61, .step = step_413
};
const struct driver_ops driver_r8169_seed_ops = {
	.plan = PLAN_413,
	.init = init,
	.open = open_413,
	.close = close_61,
	.get = get_seed,
	.set = set_seed,
	.adopt = adopt,
	.step = step_413,
};
const struct driver_ops driver_r8169_61_ops = {
	.plan = { .cause_offset = INTR_STATUS, .weight = 64 },
	.init = init,
	.open = open_612,
	.close = close_61,
	.get = get_612,
	.set = set_612,
	.adopt = adopt,
	.step = step_612,
};

const struct driver_ops driver_r8169_ops = {
	.plan = { .cause_offset = INTR_STATUS, .weight = 64 },
	.init = init,
	.open = open_612,
	.close = close_612,
	.get = get_612,
	.set = set_612,
	.adopt = adopt,
	.step = step_612,
};
