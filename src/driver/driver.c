/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ethtool core's part in front of every driver, and the table of variants.
 *
 * Theory of operation. A request goes through the same door as in the kernel's netlink handler
 * (net/ethtool/coalesce.c of 6.12): no operations is -EOPNOTSUPP; a given field outside the driver's mask is -EINVAL,
 * whatever its value; then the present settings are read, the request is laid over them, and only if that changes
 * anything the driver is called, once, with all fields. This order matters to people: what a driver reports is what
 * it will be asked for next time, so a driver that rounds when it reports drifts with every unrelated change.
 *
 * Sources of the variants: Linux 6.1.192 and 6.12.117 (the 6.1 and 6.12 rows), the mail threads of 2012-2017 (r8169),
 * 2022 (tsnep) and 2024 (FEC) for the rows in between, and requests recorded from the unmodified drivers of Debian,
 * which test/data/vectors replays.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "driver/driver_private.h"

#define USECS (COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_TX_USECS))
#define FRAMES (COALESCE_BIT(COALESCE_RX_FRAMES) | COALESCE_BIT(COALESCE_TX_FRAMES))

static const struct driver_variant variants[] = {
	{
		.name = "fec@old",
		.families = { CHIP_FEC, CHIP_FEC },
		.kernels = "3.18 until the \"allow disable coalescing\" change of June 2025 and its back-ports",
		.set_rule = "a zero in any of the four values skips the register write without a word, frames 1 "
			    "interrupts per frame; before a fix of 2020 the stored usecs were checked against the "
			    "limit, not the requested ones",
		.default_rule = "1000 us and 200 frames in both directions on every SoC",
		.poll_rule = "one poll for all rings, RX before TX, EIR is read again before completing, the answer of "
			     "napi_complete_done is ignored",
		.supported = USECS | FRAMES,
		.rx_ring = 512,
		.tx_ring = 512,
		.ops = &driver_fec_old_ops,
	},
	{
		.name = "fec@seed",
		.families = { CHIP_FEC, CHIP_FEC },
		.kernels = "6.11-rc with the patch of the July 2024 thread, never merged",
		.set_rule = "as fec@old",
		.default_rule = "rx-usecs by SoC (100 us on imx8mq and imx8qm, else 1000 us), tx-usecs 1000, 200 "
				"frames in both directions",
		.poll_rule = "as fec@old",
		.supported = USECS | FRAMES,
		.rx_ring = 512,
		.tx_ring = 1024,
		.ops = &driver_fec_seed_ops,
	},
	{
		.name = "fec@6.12",
		.families = { CHIP_FEC, CHIP_FEC },
		.kernels = "since June 2025, back-ported to 6.12.117, 6.6.103, 6.1.149, 5.15.190 and 5.4.297",
		.set_rule = "a direction is on only with a time of at least one tick and more than one frame, else its "
			    "register is written 0",
		.default_rule = "1000 us and 200 frames in both directions on every SoC",
		.poll_rule = "as fec@old",
		.supported = USECS | FRAMES,
		.rx_ring = 512,
		.tx_ring = 1024,
		.ops = &driver_fec_612_ops,
	},
	{
		.name = "tsnep@none",
		.families = { CHIP_TSNEP, CHIP_TSNEP },
		.kernels = "5.17 to 6.1",
		.set_rule = "no coalescing settings",
		.default_rule = "the delay register is left at its reset value 0: no delay",
		.poll_rule = "TX (128 per round) before RX, obeys napi_complete_done, does not look at its rings after "
			     "unmasking",
		.rx_ring = 256,
		.tx_ring = 256,
		.obeys_napi_complete = true,
		.ops = &driver_tsnep_none_ops,
	},
	{
		.name = "tsnep@seed",
		.families = { CHIP_TSNEP, CHIP_TSNEP },
		.kernels = "6.1-rc with the first patch of the November 2022 thread",
		.set_rule = "no coalescing settings",
		.default_rule = "a fixed delay of 64 us for every queue, written at probe",
		.poll_rule = "as tsnep@none",
		.rx_ring = 256,
		.tx_ring = 256,
		.obeys_napi_complete = true,
		.ops = &driver_tsnep_seed_ops,
	},
	{
		.name = "tsnep@6.12",
		.families = { CHIP_TSNEP, CHIP_TSNEP },
		.kernels = "6.2 and later",
		.set_rule = "usecs are cut to steps of 16, above 255 is ERANGE, rx-usecs rules a queue with both "
			    "directions and tx-usecs is ignored there",
		.default_rule = "64 us for every queue",
		.poll_rule = "TX (128 per round) before RX, obeys napi_complete_done, looks at its rings again after "
			     "unmasking",
		.supported = USECS,
		.per_queue = true,
		.rx_ring = 256,
		.tx_ring = 256,
		.obeys_napi_complete = true,
		.ops = &driver_tsnep_ops,
	},
	{
		.name = "r8169@4.13",
		.families = { CHIP_RTL8169, CHIP_RTL8168 },
		.kernels = "2012 to 4.14",
		.set_rule = "no coalescing settings",
		.default_rule =
			"8168: IntrMitigate 0x5151 with timer scale 1 (200 us both ways at 1 Gb/s); 8169: 0x0000",
		.poll_rule = "RX only if an RX bit is set, then TX only if a TX bit is set; the poll acknowledges; "
			     "ignores napi_complete_done",
		.rx_ring = 256,
		.tx_ring = 64,
		.ops = &driver_r8169_413_ops,
	},
	{
		.name = "r8169@seed",
		.families = { CHIP_RTL8169, CHIP_RTL8168 },
		.kernels = "4.14-rc with the patch of the September 2017 thread (merged in changed form)",
		.set_rule = "units are cut, frames must be a multiple of 4 up to 60, refusals are EINVAL, usecs * 1000 "
			    "wraps at 32 bit",
		.default_rule = "as r8169@4.13, written at every open",
		.poll_rule = "as r8169@4.13",
		.supported = USECS | FRAMES,
		.rx_ring = 256,
		.tx_ring = 64,
		.ops = &driver_r8169_seed_ops,
	},
	{
		.name = "r8169@6.1",
		.families = { CHIP_RTL8169, CHIP_RTL8168 },
		.kernels = "6.1",
		.set_rule = "units and frames are rounded up, too large is ERANGE, frames without usecs are EINVAL, "
			    "frames 1 means none; after ifdown the last speed still counts",
		.default_rule = "0x0000, written at every open: settings are lost at ifdown",
		.poll_rule = "the handler masks and acknowledges; TX before RX, always both, obeys napi_complete_done",
		.supported = USECS | FRAMES,
		.rx_ring = 256,
		.tx_ring = 256,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.ops = &driver_r8169_61_ops,
	},
	{
		.name = "r8169@6.12",
		.families = { CHIP_RTL8169, CHIP_RTL8168 },
		.kernels = "6.12; its software deferral since 6.2",
		.set_rule = "as r8169@6.1, but after ifdown the speed counts as 1000 Mb/s",
		.default_rule = "0x0000, written at every open: settings are lost at ifdown; gro_flush_timeout 20000 "
				"ns and 1 deferred interrupt instead",
		.poll_rule = "as r8169@6.1",
		.supported = USECS | FRAMES,
		.rx_ring = 256,
		.tx_ring = 256,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.defers_by_default = true,
		.ops = &driver_r8169_ops,
	},
	{
		.name = "stmmac@6.1",
		.families = { CHIP_STMMAC, CHIP_STMMAC },
		.kernels = "6.1",
		.set_rule = "rx-usecs 0 is accepted and skips the receive part; else the watchdog must be 16 to 255 "
			    "units; the receive part stays applied when the transmit part is refused",
		.default_rule = "receive watchdog 160 units (about 154 us at 266 MHz), transmit 25 frames or 1000 us",
		.poll_rule = "TX before RX, each only if its interrupt came, obeys napi_complete_done; the transmit "
			     "timer restarts with every frame",
		.supported = USECS | FRAMES,
		.per_queue = true,
		.rx_ring = 512,
		.tx_ring = 512,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.ops = &driver_stmmac_61_ops,
	},
	{
		.name = "stmmac@6.12",
		.families = { CHIP_STMMAC, CHIP_STMMAC },
		.kernels = "6.12; its timer rule since 6.7",
		.set_rule = "as stmmac@6.1, but rx-usecs 0 is refused",
		.default_rule = "receive watchdog 160 units (about 154 us at 266 MHz), transmit 25 frames or 5000 us",
		.poll_rule = "as stmmac@6.1, but the transmit timer is left to the poll while that is scheduled",
		.supported = USECS | FRAMES,
		.per_queue = true,
		.rx_ring = 512,
		.tx_ring = 512,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.ops = &driver_stmmac_612_ops,
	},
	{
		.name = "e1000e@6.1",
		.families = { CHIP_E1000E, CHIP_E1000E },
		.kernels = "6.1 and 6.12",
		.set_rule = "rx-usecs 0, 10 to 10000, and the codes 1, 3 (dynamic) and 4 (simplified) are accepted, "
			    "all else is EINVAL",
		.default_rule = "3, dynamic conservative: starts at 20000 interrupts/s",
		.poll_rule = "reading ICR masks; TX before RX, obeys napi_complete_done, then a dynamic setting may "
			     "change ITR",
		.supported = COALESCE_BIT(COALESCE_RX_USECS),
		.rx_ring = 256,
		.tx_ring = 256,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.ops = &driver_e1000e_ops,
	},
	{
		.name = "e1000e@delay",
		.families = { CHIP_E1000E, CHIP_E1000E },
		.kernels = "6.1, with its delay timers set through module parameters, as the reference cells have them",
		.set_rule = "rx-usecs 0 to 67107 sets RADV and TADV, with RDTR and TIDV out of the way: a hold-off; "
			    "0: all four at their least",
		.default_rule = "0, no throttle",
		.poll_rule = "as e1000e@6.1",
		.supported = COALESCE_BIT(COALESCE_RX_USECS),
		.rx_ring = 256,
		.tx_ring = 256,
		.uses_bql = true,
		.obeys_napi_complete = true,
		.ops = &driver_e1000e_delay_ops,
	},
	{
		.name = "enetc@none",
		.families = { CHIP_FEC, CHIP_FEC },
		.kernels = "5.1 to 5.8, on the registers of FEC in place of its own",
		.set_rule = "no coalescing settings",
		.default_rule = "an interrupt per event",
		.poll_rule = "one poll for receive and transmit, TX before RX, ignores napi_complete_done",
		.rx_ring = 512,
		.tx_ring = 256,
		.uses_bql = true,
		.ops = &driver_enetc_none_ops,
	},
	{
		.name = "enetc@5.9",
		.families = { CHIP_FEC, CHIP_FEC },
		.kernels = "since 5.9, on the registers of FEC in place of its own",
		.set_rule = "any rx-usecs and tx-usecs, frames fixed at 256 and 128; adaptive-rx, where DIM chooses "
			    "rx-usecs",
		.default_rule = "adaptive-rx on, tx-usecs 600, 256 frames received or 128 sent",
		.poll_rule = "as enetc@none; after it DIM may change the receive hold-off",
		.supported = USECS | FRAMES | COALESCE_BIT(COALESCE_ADAPTIVE_RX),
		.rx_ring = 512,
		.tx_ring = 256,
		.uses_bql = true,
		.ops = &driver_enetc_ops,
	},
	{
		.name = "macb@6.1",
		.families = { CHIP_MACB, CHIP_MACB },
		.kernels = "6.1",
		.set_rule = "no coalescing settings",
		.default_rule = "an interrupt per event",
		.poll_rule = "each direction only if its interrupt came and masked by itself, obeys "
			     "napi_complete_done, looks for RX again after unmasking",
		.rx_ring = 512,
		.tx_ring = 512,
		.obeys_napi_complete = true,
		.ops = &driver_macb_ops,
	},
};

const struct driver_variant *driver_variants(unsigned *count)
{
	*count = sizeof(variants) / sizeof(variants[0]);
	return variants;
}

const struct driver_variant *driver_variant_find(const char *name)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		if (strcmp(variants[i].name, name) == 0) {
			return &variants[i];
		}
	}
	return NULL;
}

/* ---- results ---- */

/* Everything but the texts, which mean nothing while their counts are 0. */
static void result_clear(struct driver_result *result)
{
	result->error = 0;
	result->core_refused = false;
	result->unchanged = false;
	result->resets_chip = false;
	result->why[0] = '\0';
	result->field = COALESCE_FIELDS;
	result->write_count = 0;
	result->warning_count = 0;
}

static void result_init(struct driver_result *result)
{
	memset(result, 0, sizeof(*result));
	result_clear(result);
}

void driver_result_write(struct driver_result *result, uint32_t offset, uint32_t value)
{
	assert(result->write_count < DRIVER_WRITES_MAX);
	result->writes[result->write_count++] = (struct driver_write){ offset, value };
}

void driver_result_warn(struct driver_result *result, const char *format, ...)
{
	if (result->quiet) {
		return;
	}
	assert(result->warning_count < DRIVER_WARNINGS_MAX);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(result->warnings[result->warning_count++], sizeof(result->warnings[0]), format, arguments);
	va_end(arguments);
}

void driver_result_refuse(struct driver_result *result, int error, enum coalesce_field field, const char *format, ...)
{
	result->error = error;
	result->field = field;
	if (result->quiet) {
		return;
	}
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(result->why, sizeof(result->why), format, arguments);
	va_end(arguments);
}

/* ---- life ---- */

int driver_init(struct driver *driver, const struct driver_variant *variant, const struct driver_config *config,
		struct err *err)
{
	if (config->family != variant->families[0] && config->family != variant->families[1]) {
		return err_set(err, -EINVAL, "driver %s does not drive a chip of this family", variant->name);
	}
	memset(driver, 0, sizeof(*driver));
	driver->variant = variant;
	driver->config = *config;
	if (driver->config.queues < 1) {
		driver->config.queues = 1;
	}
	if (driver->config.queues > CHIP_QUEUES_MAX) {
		driver->config.queues = CHIP_QUEUES_MAX;
	}
	if (driver->config.queues == 1) {
		driver->config.tx_only_queue = false;
	}
	variant->ops->init(driver);
	return 0;
}

static void add_remark(const struct driver *driver, struct driver_result *result)
{
	if (driver->variant->ops->remark && !result->quiet) {
		driver->variant->ops->remark(driver, result);
	}
}

void driver_open(struct driver *driver, struct driver_result *result)
{
	result_init(result);
	driver->variant->ops->open(driver, result);
	add_remark(driver, result);
}

void driver_close(struct driver *driver, struct driver_result *result)
{
	result_init(result);
	if (driver->variant->ops->close) {
		driver->variant->ops->close(driver, result);
	}
}

void driver_link(struct driver *driver, unsigned speed_mbps, struct driver_result *result)
{
	result_init(result);
	bool changed = driver->link_mbps != speed_mbps;
	driver->link_mbps = speed_mbps;
	if (changed && driver->variant->ops->link) {
		driver->variant->ops->link(driver, result);
	}
}

/* ---- settings ---- */

int driver_get(const struct driver *driver, struct coalesce *reported)
{
	memset(reported, 0, sizeof(*reported));
	if (!driver->variant->ops->get) {
		return -EOPNOTSUPP;
	}
	int error = driver->variant->ops->get(driver, reported);
	if (error) {
		memset(reported, 0, sizeof(*reported));
	}
	return error;
}

/* The first field, in the order of the kernel's ids, that is given but not in the mask; COALESCE_FIELDS if there is
 * none. */
static enum coalesce_field first_unsupported(const struct driver *driver, const struct coalesce *request)
{
	uint32_t outside = request->present & ~driver->variant->supported;
	enum coalesce_field field = COALESCE_RX_USECS;
	while (field < COALESCE_FIELDS && !(outside & COALESCE_BIT(field))) {
		field++;
	}
	return field;
}

static void refuse_get(const struct driver *driver, int error, struct driver_result *result)
{
	if (error == -EOPNOTSUPP) {
		driver_result_refuse(result, error, COALESCE_FIELDS, "%s offers no coalescing settings on this chip",
				     driver->variant->name);
	} else {
		driver_result_refuse(result, error, COALESCE_FIELDS, "%s cannot report its settings at %u Mb/s",
				     driver->variant->name, driver->link_mbps);
	}
}

static void refuse_all(const struct driver *driver, struct driver_result *result)
{
	result->core_refused = true;
	driver_result_refuse(result, -EOPNOTSUPP, COALESCE_FIELDS, "%s has no coalescing settings",
			     driver->variant->name);
}

/* driver_set on a result that is clear: the search for nearest values runs this a million times. */
static void set_in(struct driver *driver, const struct coalesce *request, struct driver_result *result)
{
	const struct driver_variant *variant = driver->variant;
	if (!variant->ops->set) {
		refuse_all(driver, result);
		return;
	}
	enum coalesce_field field = first_unsupported(driver, request);
	if (field < COALESCE_FIELDS) {
		result->core_refused = true;
		driver_result_refuse(result, -EINVAL, field,
				     "%s: cannot modify an unsupported parameter; the ethtool core refuses it for %s",
				     coalesce_fields[field].name, variant->name);
		return;
	}
	struct coalesce wanted;
	int error = driver_get(driver, &wanted);
	if (error) {
		refuse_get(driver, error, result);
		return;
	}
	bool changes = false;
	for (field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(request, field) && request->value[field] != wanted.value[field]) {
			coalesce_put(&wanted, field, request->value[field]);
			changes = true;
		}
	}
	if (!changes) {
		result->unchanged = true;
		add_remark(driver, result);
		return;
	}
	variant->ops->set(driver, &wanted, request, result);
}

void driver_set(struct driver *driver, const struct coalesce *request, struct driver_result *result)
{
	result_init(result);
	set_in(driver, request, result);
}

int driver_get_queue(const struct driver *driver, unsigned queue, struct coalesce *reported)
{
	memset(reported, 0, sizeof(*reported));
	if (!driver->variant->ops->get_queue) {
		return -EOPNOTSUPP;
	}
	return driver->variant->ops->get_queue(driver, queue, reported);
}

/* Puts the request over what is reported, as an ioctl sends it; false: an unsupported field that is not 0. */
static bool merge_for_ioctl(const struct driver *driver, const struct coalesce *request, struct coalesce *wanted,
			    const char *what, struct driver_result *result)
{
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		const bool is_supported = driver->variant->supported & COALESCE_BIT(field);

		if (coalesce_has(request, field) && is_supported) {
			coalesce_put(wanted, field, request->value[field]);
		} else if (request->value[field] && !is_supported) {
			result->core_refused = true;
			driver_result_refuse(result, -EOPNOTSUPP, field, "%s: the ethtool core refuses it for %s%s",
					     coalesce_fields[field].name, what, driver->variant->name);
			return false;
		}
	}
	return true;
}

void driver_set_by_ioctl(struct driver *driver, const struct coalesce *request, struct driver_result *result)
{
	struct coalesce wanted;

	result_init(result);
	if (!driver->variant->ops->set) {
		refuse_all(driver, result);
		return;
	}
	const int error = driver_get(driver, &wanted);

	if (error) {
		refuse_get(driver, error, result);
	} else if (merge_for_ioctl(driver, request, &wanted, "", result)) {
		driver->variant->ops->set(driver, &wanted, request, result);
	}
}

/* This form exists as an ioctl only. */
void driver_set_queue(struct driver *driver, unsigned queue, const struct coalesce *request,
		      struct driver_result *result)
{
	const struct driver_ops *ops = driver->variant->ops;
	struct coalesce wanted;

	result_init(result);
	if (!ops->set_queue) {
		result->core_refused = true;
		driver_result_refuse(result, -EOPNOTSUPP, COALESCE_FIELDS, "%s has no settings of single queues",
				     driver->variant->name);
		return;
	}
	const int error = driver_get_queue(driver, queue, &wanted);

	if (error) {
		driver_result_refuse(result, error, COALESCE_FIELDS, "queue %u does not exist: the driver has %u",
				     queue, driver->config.queues);
	} else if (merge_for_ioctl(driver, request, &wanted, "a queue of ", result)) {
		ops->set_queue(driver, queue, &wanted, request, result);
	}
}

bool driver_adopt_register(struct driver *driver, uint32_t offset, uint32_t value)
{
	return driver->variant->ops->adopt && driver->variant->ops->adopt(driver, offset, value);
}

/* ---- nearest values ---- */

static bool accepts(const struct driver *driver, const struct coalesce *request, struct driver_result *result)
{
	struct driver copy = *driver;
	result_clear(result);
	set_in(&copy, request, result);
	return result->error == 0;
}

static bool nearest(const struct driver *driver, const struct coalesce *request, enum coalesce_field field,
		    uint32_t reach, bool upwards, uint32_t *value)
{
	struct coalesce reported, trial = *request;
	if (driver_get(driver, &reported) || !(driver->variant->supported & COALESCE_BIT(field))) {
		return false;
	}
	struct driver_result result;
	result_init(&result);
	result.quiet = true;
	uint32_t start = coalesce_has(request, field) ? request->value[field] : reported.value[field];
	uint32_t room = upwards ? UINT32_MAX - start : start;
	for (uint32_t step = 1; step <= reach && step <= room; step++) {
		coalesce_put(&trial, field, upwards ? start + step : start - step);
		if (accepts(driver, &trial, &result)) {
			*value = trial.value[field];
			return true;
		}
		if (step == UINT32_MAX) {
			break;
		}
	}
	return false;
}

bool driver_nearest_below(const struct driver *driver, const struct coalesce *request, enum coalesce_field field,
			  uint32_t reach, uint32_t *value)
{
	return nearest(driver, request, field, reach, false, value);
}

bool driver_nearest_above(const struct driver *driver, const struct coalesce *request, enum coalesce_field field,
			  uint32_t reach, uint32_t *value)
{
	return nearest(driver, request, field, reach, true, value);
}

/* ---- steps ---- */

int driver_level(const struct driver *driver)
{
	const struct driver_ops *ops = driver->variant->ops;

	return ops->level ? ops->level(driver) : -1;
}

const struct driver_plan *driver_plan(const struct driver *driver)
{
	return &driver->variant->ops->plan;
}

uint32_t driver_rx_frame_flags(const struct driver *driver)
{
	const struct driver_ops *ops = driver->variant->ops;
	return ops->rx_frame_flags ? ops->rx_frame_flags(driver) : CHIP_FRAME_INTERRUPT;
}

void driver_step(struct driver *driver, enum driver_step step, const struct driver_input *input,
		 struct driver_actions *actions)
{
	memset(actions, 0, sizeof(*actions));
	driver->variant->ops->step(driver, step, input, actions);
}
