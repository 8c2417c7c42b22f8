/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers that somebody read out, through the models of chip and driver (src/explain). A board is chosen by the chip;
 * where its clock decides what a unit is (FEC), every clock that is known is tried, and what ethtool -c shows beside it
 * tells which one it must be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/rules.h"
#include "explain/explanation.h"

enum { FEC_TIMER_CYCLES = 64, FEC_TIMER_MASK = 0xffff };

/* "IntrMitigate=0x5151,CPlusCmd=0x20e1", as explain takes it. */
static void write_registers(const struct diagnose_device *device, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < device->register_count && used < size; i++) {
		const struct chip_register *const reg = chip_register_at(device->family, device->registers[i].offset);
		/* Beyond the width there is what ethtool reads, not the register. */
		const uint32_t mask = reg && reg->width_bits < 32 ? (UINT32_C(1) << reg->width_bits) - 1 : UINT32_MAX;

		if (reg && !strstr(text, reg->name)) {
			used += (size_t)snprintf(text + used, size - used, "%s%s=0x%" PRIx32, used ? "," : "",
						 reg->name, device->registers[i].value & mask);
		}
	}
}

static const char *hold_text(const struct chip_hold *hold, char *buffer, size_t size)
{
	char span[TEXT_DURATION_MAX], frames[40] = "", bypass[60] = "";

	if (hold->kind == CHIP_HOLD_NONE) {
		return "no hold";
	}
	if (hold->hold_ns == NEVER_AT_NS) {
		snprintf(buffer, size, "until %u frames", hold->frames);
		return buffer;
	}
	if (hold->frames) {
		snprintf(frames, sizeof(frames), " or %u frames", hold->frames);
	}
	if (hold->bypass_below_bytes) {
		snprintf(bypass, sizeof(bypass), ", frames below %u bytes not", hold->bypass_below_bytes);
	}
	snprintf(buffer, size, "%s %s%s%s", explanation_hold_kind(hold->kind), text_print_duration(hold->hold_ns, span),
		 frames, bypass);
	return buffer;
}

static void tell(struct diagnosis *diagnosis, struct remark_origin *origin, const struct explanation *explanation,
		 const char *registers)
{
	char rx[160], tx[160], reported[COALESCE_TEXT_MAX] = "";

	if (explanation->get_error == 0) {
		coalesce_print(&explanation->reported, reported);
	}
	remark_add(diagnosis, origin, DIAGNOSE_MEANS, "registers %s on %s at %u Mb/s: rx %s; tx %s%s%s%s", registers,
		   explanation->board.name, explanation->board.speed_mbps,
		   hold_text(&explanation->hold[CHIP_RX], rx, sizeof(rx)),
		   hold_text(&explanation->hold[CHIP_TX], tx, sizeof(tx)), reported[0] ? "; " : "", reported,
		   reported[0] ? " for ethtool -c" : "");
}

/* ethtool's dump of e1000 has the delays, but not the throttle that comes on top of them. */
static void tell_missing(struct diagnosis *diagnosis, struct remark_origin *origin,
			 const struct diagnose_device *device, const char *registers)
{
	if (device->family == CHIP_E1000E && !strstr(registers, "ITR")) {
		remark_add(
			diagnosis, origin, DIAGNOSE_NOTE,
			"ITR, the throttle, does not stand in this dump: it is taken to be as the driver leaves it at "
			"load; ethtool -c shows its mode");
	}
}

/* What the model makes of the registers is what the hardware does, whatever was asked for. */
static void keep_worst(struct diagnose_device *device, const struct explanation *explanation)
{
	for (unsigned i = 0; i < CHIP_DIRECTIONS; i++) {
		if (!device->has_worst[i]) {
			device->has_worst[i] = true;
			device->worst_ns[i] = explanation->hold[i].hold_ns;
			device->is_throttle = explanation->hold[i].kind == CHIP_HOLD_THROTTLE;
		}
	}
}

static const char *board_of(enum chip_family family)
{
	return family == CHIP_RTL8168   ? "rtl8168d"
	       : family == CHIP_RTL8169 ? "rtl8169"
	       : family == CHIP_E1000E  ? "e1000e"
					: NULL;
}

static void explain_board(struct diagnosis *diagnosis, struct remark_origin *origin, struct diagnose_device *device)
{
	struct explanation_request *const request = calloc(1, sizeof(*request));
	struct explanation *const explanation = malloc(sizeof(*explanation));
	char registers[240];

	write_registers(device, registers, sizeof(registers));
	if (request && explanation && registers[0] &&
	    board_load(&request->board, board_of(device->family), NULL) == 0) {
		if (device->speed_mbps && device->speed_mbps <= request->board.max_speed_mbps) {
			request->board.speed_mbps = device->speed_mbps;
		}
		request->registers = registers;
		if (explanation_make(explanation, request, NULL) == 0) {
			tell(diagnosis, origin, explanation, registers);
			tell_missing(diagnosis, origin, device, registers);
			keep_worst(device, explanation);
		}
	}
	free(explanation);
	free(request);
}

/* ---- FEC: RXIC and TXIC without a clock ---- */

/* Bit 31 is on or off, 30 the source of the clock, 27 to 20 the frames, 15 to 0 the time in 64 cycles. */
static void tell_fec(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_device *device,
		     const char *name, uint32_t value)
{
	const uint32_t ticks = value & FEC_TIMER_MASK, frames = value >> 20 & 0xff;
	const bool is_tx = name[0] == 'T';
	const enum coalesce_field field = is_tx ? COALESCE_TX_USECS : COALESCE_RX_USECS;
	const uint32_t usecs = device->settings.value[field];

	if (!(value >> 31)) {
		remark_add(diagnosis, origin, DIAGNOSE_MEANS, "register %s 0x%08" PRIx32 ": coalescing is off", name,
			   value);
		return;
	}
	if (usecs) {
		const uint64_t hz = (uint64_t)ticks * FEC_TIMER_CYCLES * 1000000 / usecs;

		remark_add(diagnosis, origin, DIAGNOSE_MEANS,
			   "register %s 0x%08" PRIx32 ": %" PRIu32 " frames, or %" PRIu32
			   " x 64 cycles; it agrees with %s %" PRIu32 " if the clock is about %" PRIu64 ".%" PRIu64
			   " MHz",
			   name, value, frames, ticks, coalesce_fields[field].name, usecs, hz / 1000000,
			   hz % 1000000 / 100000);
		return;
	}
	char low[TEXT_DURATION_MAX], high[TEXT_DURATION_MAX];

	/* The slowest and the fastest clock of the boards that are known. */
	remark_add(diagnosis, origin, DIAGNOSE_MEANS,
		   "register %s 0x%08" PRIx32 ": %" PRIu32 " frames, or %" PRIu32
		   " x 64 cycles of a clock that the board decides: %s at 132 MHz (i.MX6UL), %s at 266.67 MHz "
		   "(i.MX8M)",
		   name, value, frames, ticks,
		   text_print_duration((int64_t)ticks * FEC_TIMER_CYCLES * NS_PER_US / 132, low),
		   text_print_duration((int64_t)ticks * FEC_TIMER_CYCLES * 3 * NS_PER_US / 800, high));
}

static void explain_fec(struct diagnosis *diagnosis, struct remark_origin *origin, const struct diagnose_device *device)
{
	for (unsigned i = 0; i < device->register_count; i++) {
		const struct chip_register *const reg = chip_register_at(CHIP_FEC, device->registers[i].offset);

		/* The further rings are written like the first. */
		if (reg && (strcmp(reg->name, "RXIC0") == 0 || strcmp(reg->name, "TXIC0") == 0)) {
			tell_fec(diagnosis, origin, device, reg->name, device->registers[i].value);
		}
	}
}

static void tell_unknown(struct diagnosis *diagnosis, struct remark_origin *origin,
			 const struct diagnose_device *device)
{
	if (rule_is_rtl8125(device)) {
		remark_add(
			diagnosis, origin, DIAGNOSE_MEANS,
			"%s: the unit of its timers is unknown, and it is not that of the 1 Gb/s chips; the kernel's "
			"own driver switches them off, and refuses to show or set anything",
			device->chip);
	} else {
		remark_add(diagnosis, origin, DIAGNOSE_NOTE,
			   "this dump of registers is of a chip that is not modelled");
	}
}

void rule_registers(struct diagnosis *diagnosis, struct remark_origin *origin)
{
	for (unsigned i = 0; i < diagnosis->device_count; i++) {
		struct diagnose_device *const device = &diagnosis->devices[i];

		origin->device = (int)i;
		if (!device->has_registers && !rule_is_rtl8125(device)) {
			continue;
		}
		if (device->family == CHIP_FAMILIES) {
			tell_unknown(diagnosis, origin, device);
		} else if (device->family == CHIP_FEC) {
			explain_fec(diagnosis, origin, device);
		} else {
			explain_board(diagnosis, origin, device);
		}
	}
}
