/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the three layers of moderation come to together: the hardware's hold-off or throttle, adaptive moderation that
 * moves it, and NAPI's deferral.
 *
 * They do not add up. After a poll that found frames NAPI may keep the interrupt masked (defer-hard-irqs N,
 * gro-flush-timeout T): then a timer polls, and a frame waits up to T; the hardware's timer runs meanwhile and
 * reaches nobody. When the interrupt is armed again what the hardware has counted as due fires at once. So a frame
 * waits for the one or the other: the worst is the larger. N = 0 leaves the interrupt alone, and T then holds only
 * what GRO has not finished; T = 0 makes N nothing. A driver that does not look at NAPI's answer re-arms at once in
 * any case: the timer may only make a poll earlier. Sources: Documentation/networking/napi.rst and net/core/dev.c of
 * Linux 6.12.
 *
 * What the hardware does is taken from the model of the driver where there is one, set as the driver reports; else
 * from the driver's numbers, as the kernel defines them (an interrupt when usecs > 0 are over, or frames > 0 are
 * there) but for what nic/quirk.c knows better.
 */
#include <errno.h>
#include <string.h>

#include "cmd/show.h"

#define DEFAULT_SPEED_MBPS 1000

/* ---- the model ---- */

/* A board as explain has it, from what the interface says of itself. */
static void board_of_model(struct board *board, const struct show_device *device)
{
	const struct nic_model *model = &device->model;
	const struct driver_config *config = &model->driver.config;
	const unsigned speed = model->driver.link_mbps       ? model->driver.link_mbps
			       : device->identity.speed_mbps ? device->identity.speed_mbps
							     : DEFAULT_SPEED_MBPS;

	*board = (struct board){
		.family = config->family,
		.speed_mbps = speed,
		.max_speed_mbps = speed > DEFAULT_SPEED_MBPS ? speed : DEFAULT_SPEED_MBPS,
		.queues = config->queues,
		.driver_clock_hz = config->clock_hz,
		.has_coalesce = config->has_coalesce,
		.has_multi_queues = config->has_multi_queues,
		.has_packet_counter_disable = config->has_packet_counter_disable,
		.has_msix = config->has_msix,
		.rx_usecs_default = config->rx_usecs_default,
		.assume = model->chip.assume,
	};
	memcpy(board->name, device->name, sizeof(device->name));
	memcpy(board->title, device->identity.driver, sizeof(device->identity.driver));
	strncpy(board->driver, model->driver.variant->name, sizeof(board->driver) - 1);
	if (model->chip.family == CHIP_FEC && model->chip.timer_clock_hz != config->clock_hz) {
		board->assume.value[ASSUME_FEC_TIMER_CLOCK] = model->chip.timer_clock_hz;
	}
}

/* What is reported is what the model reports: fields of a newer kernel or driver do not count. */
static bool agrees(const struct explanation *explanation, const struct show_device *device)
{
	if (device->coalesce_fault.error) {
		return explanation->get_error == device->coalesce_fault.error;
	}
	return explanation->get_error == 0 &&
	       (coalesce_difference(&explanation->reported, &device->coalesce) & explanation->reported.present) == 0;
}

/* A model whose driver is as after load, open and link up: the request that brings it to what is reported is
 * looked for from there. */
static bool request_from_defaults(const struct show_device *device, unsigned speed_mbps, struct coalesce *request)
{
	struct nic_model fresh = device->model;
	struct driver_result result;
	struct err err;

	if (driver_init(&fresh.driver, device->model.driver.variant, &device->model.driver.config, &err) < 0) {
		return false;
	}
	driver_open(&fresh.driver, &result);
	driver_link(&fresh.driver, speed_mbps, &result);
	struct coalesce supported = device->coalesce;
	supported.present &= fresh.driver.variant->supported;
	return nic_model_request_for(&fresh, &supported, request, &err) == 0;
}

/* Driver and chip in the state that is reported: that of the defaults, or after the request that leads to it. */
static void explain_state(struct show_device *device)
{
	struct explanation_request request = { 0 };
	struct err err;

	device->has_explanation = false;
	if (!device->model.is_known) {
		return;
	}
	board_of_model(&request.board, device);
	if (explanation_make(&device->explanation, &request, &err) < 0) {
		return;
	}
	device->has_explanation = agrees(&device->explanation, device);
	if (device->has_explanation || device->coalesce_fault.error) {
		return;
	}
	if (request_from_defaults(device, request.board.speed_mbps, &request.settings) &&
	    explanation_make(&device->explanation, &request, &err) == 0) {
		device->has_explanation = agrees(&device->explanation, device);
	}
}

/* ---- the hardware, one direction ---- */

static int64_t at_least(int64_t span_ns, int64_t other_ns)
{
	return time_max(span_ns, other_ns);
}

/* Frames that each come just before the timer ends, until there are enough. */
static int64_t worst_of_restarts(const struct chip_hold *hold)
{
	if (hold->frames == 0 || hold->frames > NEVER_AT_NS / at_least(hold->hold_ns, 1)) {
		return NEVER_AT_NS;
	}
	return hold->hold_ns * (hold->frames - 1);
}

static int64_t worst_of_hold(const struct chip_hold *hold)
{
	int64_t worst_ns = hold->hold_ns;

	if (hold->hold_ns == NEVER_AT_NS) {
		return NEVER_AT_NS;
	}
	if (hold->kind == CHIP_HOLD_NONE) {
		worst_ns = 0;
	} else if (hold->kind == CHIP_HOLD_RESTART && hold->limit_ns) {
		worst_ns = hold->limit_ns;
	} else if (hold->kind == CHIP_HOLD_RESTART) {
		worst_ns = worst_of_restarts(hold);
	}
	return worst_ns == NEVER_AT_NS ? worst_ns : at_least(worst_ns, hold->throttle_ns);
}

struct direction_fields {
	enum coalesce_field usecs, frames, adaptive, cqe;
};

static struct direction_fields fields_of(const struct nic_quirk *quirk, enum chip_direction direction)
{
	const bool irq = nic_quirk_has(quirk, NIC_QUIRK_IRQ_FIELDS);

	if (direction == CHIP_TX) {
		return (struct direction_fields){ irq ? COALESCE_TX_USECS_IRQ : COALESCE_TX_USECS,
						  irq ? COALESCE_TX_FRAMES_IRQ : COALESCE_TX_FRAMES,
						  COALESCE_ADAPTIVE_TX, COALESCE_CQE_MODE_TX };
	}
	return (struct direction_fields){ irq ? COALESCE_RX_USECS_IRQ : COALESCE_RX_USECS,
					  irq ? COALESCE_RX_FRAMES_IRQ : COALESCE_RX_FRAMES, COALESCE_ADAPTIVE_RX,
					  COALESCE_CQE_MODE_RX };
}

/* An interrupt for each frame: no time and no count to wait for, or a count of one. */
static bool is_at_once(const struct nic_quirk *quirk, const struct coalesce *settings, struct direction_fields fields)
{
	const uint32_t usecs = settings->value[fields.usecs], frames = settings->value[fields.frames];
	const bool has_frames = coalesce_has(settings, fields.frames);

	if (nic_quirk_has(quirk, NIC_QUIRK_BATCH) || (has_frames && frames == 1)) {
		return true;
	}
	if (nic_quirk_has(quirk, NIC_QUIRK_ZERO_FRAMES) && has_frames) {
		return usecs == 0 || frames == 0;
	}
	return usecs == 0 && frames == 0;
}

static struct chip_hold hold_of_numbers(const struct nic_quirk *quirk, const struct coalesce *settings,
					struct direction_fields fields, enum chip_direction direction)
{
	const bool in_ns = direction == CHIP_RX && nic_quirk_has(quirk, NIC_QUIRK_NANOSECONDS);
	const bool ignored = direction == CHIP_TX && nic_quirk_has(quirk, NIC_QUIRK_TX_IGNORED);
	const bool ring_empty = direction == CHIP_TX && nic_quirk_has(quirk, NIC_QUIRK_RING_EMPTY);
	const bool no_timer = direction == CHIP_TX && nic_quirk_has(quirk, NIC_QUIRK_NO_TX_TIMER);
	const int64_t time_ns = no_timer ? 0 : settings->value[fields.usecs] * (in_ns ? INT64_C(1) : NS_PER_US);
	struct chip_hold hold = { .kind = CHIP_HOLD_OFF, .hold_ns = time_ns, .frames = settings->value[fields.frames] };

	if (ignored || ring_empty || is_at_once(quirk, settings, fields)) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	if (time_ns == 0) {
		hold.hold_ns = NEVER_AT_NS; /* only their number ends the wait */
	} else if (nic_quirk_has(quirk, NIC_QUIRK_THROTTLE)) {
		hold.kind = CHIP_HOLD_THROTTLE;
	} else if (settings->value[fields.cqe]) {
		hold.kind = CHIP_HOLD_RESTART;
	}
	return hold;
}

/* i40e and ice: the vector's interrupts are that far apart whatever else is set. */
static int64_t least_gap(const struct nic_quirk *quirk, const struct coalesce *settings)
{
	return nic_quirk_has(quirk, NIC_QUIRK_HIGH_IS_RATE) ? settings->value[COALESCE_RX_USECS_HIGH] * NS_PER_US : 0;
}

static bool is_adaptive(const struct coalesce *settings, struct direction_fields fields)
{
	return coalesce_has(settings, fields.adaptive) && settings->value[fields.adaptive];
}

static struct show_hold hold_of_range(enum show_source source, struct nic_range range, int64_t gap_ns)
{
	struct show_hold found = { .source = source, .range = range, .queue = -1 };

	found.range.to_ns = at_least(range.to_ns, gap_ns);
	found.range.from_ns = at_least(range.from_ns, gap_ns);
	found.worst_ns = found.range.to_ns;
	return found;
}

/* By settings of the device or of a queue, without a model. */
static struct show_hold hold_of_settings(const struct nic_quirk *quirk, const struct coalesce *settings,
					 enum chip_direction direction)
{
	const struct direction_fields fields = fields_of(quirk, direction);
	const int64_t gap_ns = least_gap(quirk, settings);
	struct show_hold found = { .source = SHOW_NUMBERS, .queue = -1 };

	if (is_adaptive(settings, fields)) {
		return hold_of_range(SHOW_ADAPTIVE, nic_adaptive_range(quirk, settings, direction == CHIP_TX), gap_ns);
	}
	if (!coalesce_has(settings, fields.usecs) && !coalesce_has(settings, fields.frames)) {
		found.source = SHOW_UNKNOWN;
		return found;
	}
	const struct nic_mode_code *code = nic_quirk_code(quirk, settings->value[fields.usecs]);
	if (code && coalesce_has(settings, fields.usecs)) {
		found = hold_of_range(SHOW_MODE, code->range, gap_ns);
		found.mode = code->name;
		return found;
	}
	found.hold = hold_of_numbers(quirk, settings, fields, direction);
	if (found.hold.kind == CHIP_HOLD_THROTTLE) {
		found.hold.hold_ns = at_least(found.hold.hold_ns, gap_ns);
	} else {
		found.hold.throttle_ns = gap_ns;
	}
	found.worst_ns = worst_of_hold(&found.hold);
	return found;
}

/* One timer for both directions: where tx-usecs is another one the driver has said so, and it counts. */
static bool tx_follows_rx(const struct show_device *device, const struct coalesce *settings)
{
	return nic_quirk_has(device->moderation.quirk, NIC_QUIRK_TX_FOLLOWS_RX) &&
	       ((device->identity.has & NIC_HAS_CHANNELS && device->identity.combined_channels > 0) ||
		settings->value[COALESCE_TX_USECS] == 0);
}

static struct show_hold hold_in_direction(const struct show_device *device, const struct coalesce *settings,
					  enum chip_direction direction)
{
	const struct nic_quirk *quirk = device->moderation.quirk;

	if (direction == CHIP_TX && tx_follows_rx(device, settings)) {
		return hold_of_settings(quirk, settings, CHIP_RX);
	}
	return hold_of_settings(quirk, settings, direction);
}

/* That nothing could be read does not say that there is nothing. */
static bool is_software(const struct show_device *device)
{
	return device->identity_fault.error == 0 && (!(device->identity.has & NIC_HAS_DRIVER) ||
						     nic_quirk_has(device->moderation.quirk, NIC_QUIRK_SOFTWARE));
}

/* A model knows better than the numbers, but not what an algorithm has chosen this moment. */
static struct show_hold hold_of_device(const struct show_device *device, enum chip_direction direction)
{
	struct show_hold found = { .source = SHOW_UNKNOWN, .queue = -1 };

	if (device->coalesce_fault.error == 0) {
		found = hold_in_direction(device, &device->coalesce, direction);
	}
	if (device->has_explanation && found.source != SHOW_MODE && found.source != SHOW_ADAPTIVE) {
		found.source = SHOW_MODEL;
		found.hold = device->explanation.hold[direction];
		found.worst_ns = worst_of_hold(&found.hold);
	} else if (device->coalesce_fault.error == -EOPNOTSUPP && is_software(device)) {
		found.source = SHOW_SOFTWARE;
	}
	return found;
}

/* The worst of the device and of the queues that were set apart. */
static void find_hardware(struct show_device *device, enum chip_direction direction)
{
	struct show_hold *found = &device->moderation.hardware[direction];

	*found = hold_of_device(device, direction);
	for (unsigned i = 0; i < device->queue_count; i++) {
		if (!show_queue_differs(device, i)) {
			continue;
		}
		struct show_hold queue = hold_in_direction(device, &device->queues[i], direction);
		queue.queue = (int)i;
		if (queue.source != SHOW_UNKNOWN &&
		    (found->source == SHOW_UNKNOWN || queue.worst_ns > found->worst_ns)) {
			*found = queue;
		}
	}
}

/* ---- NAPI, and all together ---- */

static bool has_knob(const struct nic_napi *napi, enum nic_napi_field field)
{
	return napi->present & field;
}

static int64_t span_of(uint64_t span_ns)
{
	return span_ns < (uint64_t)NEVER_AT_NS ? (int64_t)span_ns : NEVER_AT_NS;
}

static void find_deferral(struct show_device *device)
{
	struct show_moderation *moderation = &device->moderation;

	moderation->knows_deferral = device->napis_fault.error == 0;
	for (unsigned i = 0; i < device->napi_count; i++) {
		const struct nic_napi *napi = &device->napis[i];
		const uint32_t count = has_knob(napi, NIC_NAPI_DEFER_HARD_IRQS) ? napi->defer_hard_irqs : 0;
		const int64_t timeout_ns =
			has_knob(napi, NIC_NAPI_GRO_FLUSH_TIMEOUT) ? span_of(napi->gro_flush_timeout_ns) : 0;

		if (has_knob(napi, NIC_NAPI_IRQ_SUSPEND_TIMEOUT)) {
			moderation->suspend_ns =
				at_least(moderation->suspend_ns, span_of(napi->irq_suspend_timeout_ns));
		}
		moderation->napi_count += napi->id != 0;
		if (timeout_ns == 0) {
			continue;
		}
		if (count == 0) {
			moderation->gro_ns = at_least(moderation->gro_ns, timeout_ns);
			continue;
		}
		moderation->deferring += napi->id != 0;
		moderation->device_defers |= napi->id == 0;
		if (timeout_ns > moderation->deferral_ns) {
			moderation->deferral_ns = timeout_ns;
			moderation->defer_hard_irqs = count;
		}
	}
}

static void find_worst(struct show_moderation *moderation, enum chip_direction direction)
{
	const struct show_hold *hardware = &moderation->hardware[direction];
	const int64_t deferral_ns = moderation->rearms ? 0 : moderation->deferral_ns;

	moderation->has_worst[direction] = hardware->source != SHOW_UNKNOWN &&
					   (moderation->knows_deferral || moderation->rearms);
	if (moderation->has_worst[direction]) {
		moderation->worst_ns[direction] = at_least(hardware->worst_ns, deferral_ns);
	}
}

void show_moderation_find(struct show_device *device)
{
	struct show_moderation *moderation = &device->moderation;

	*moderation = (struct show_moderation){ 0 };
	moderation->quirk = device->identity.has & NIC_HAS_DRIVER ? nic_quirk_find(device->identity.driver) : NULL;
	explain_state(device);
	moderation->rearms = nic_quirk_has(moderation->quirk, NIC_QUIRK_REARMS) ||
			     (device->has_explanation && !device->explanation.variant->obeys_napi_complete);
	find_deferral(device);
	for (enum chip_direction direction = CHIP_RX; direction < CHIP_DIRECTIONS; direction++) {
		find_hardware(device, direction);
		find_worst(moderation, direction);
	}
}

bool show_queue_differs(const struct show_device *device, unsigned queue)
{
	return coalesce_difference(&device->queues[queue], &device->coalesce) & device->queues[queue].present;
}

bool show_is_worth_a_page(const struct show_device *device)
{
	const struct show_moderation *moderation = &device->moderation;

	return device->coalesce_fault.error == 0 || device->has_explanation || moderation->deferral_ns ||
	       moderation->gro_ns || moderation->suspend_ns;
}

const struct nic_vector *show_vector_of_irq(const struct show_device *device, uint32_t irq)
{
	for (unsigned i = 0; i < device->vector_count; i++) {
		if (device->vectors[i].irq == irq) {
			return &device->vectors[i];
		}
	}
	return NULL;
}
