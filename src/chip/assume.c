/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chip/assume.h"

#include <stddef.h>
#include <string.h>

const struct assume_info assume_infos[ASSUME_COUNT] = {
	[ASSUME_FEC_TIMER_CLOCK] = {
		"fec-timer-clock", 0, 0, 1000000000,
		"Hz of the clock behind ICTT; 0: the clock that the driver converts with",
		"the driver converts with ahb; but imx8-ss-conn.dtsi runs the ENET of i.MX8QXP from 250 MHz",
	},
	[ASSUME_FEC_RX_SCALE] = {
		"fec-rx-scale", 1000000, 1000, 10000000,
		"RX hold-off in ppm of nominal",
		"nominal, as for TX, whose 1000 us were measured within 1.2 % (Weinberger, February 2023)",
	},
	[ASSUME_FEC_EVENT_DELAYED] = {
		"fec-event-delayed", 1, 0, 1,
		"1: EIR.RXF and TXF are set when the coalescer fires; 0: with the frame, only the line waits",
		"MPC8308 reference manual 16.6.2.9 on the sister eTSEC: the event itself is delayed",
	},
	[ASSUME_FEC_SHARED_POLL] = {
		"fec-shared-poll", 1, 0, 1,
		"1: a TX interrupt serves RX too; 0: only the queue that raised it",
		"the Linux driver has one NAPI instance for all rings and both directions",
	},
	[ASSUME_TSNEP_DELAY_FROM] = {
		"tsnep-delay-from", 0, 0, 2,
		"the delay begins at the 0: first event not signalled, 1: interrupt's enabling, 2: last interrupt",
		"64 us gave an interrupt each 140 us (Engleder, November 2022): more than a bare gap would",
	},
	[ASSUME_TSNEP_DELAY_RUNS] = {
		"tsnep-delay-runs", 1, 1, 2,
		"how often the delay runs before the line rises",
		"the register's name; 2 would also explain 140 us between interrupts (2 x 64 and the poll)",
	},
	[ASSUME_R8169_SMALL_BYPASS] = {
		"r8169-small-bypass", 128, 0, 16384,
		"frames below so many bytes with FCS are not moderated on RTL8168; 0: all are",
		"Smelkov, September 2017: round trips step up from 127 to 128 bytes on RTL8168d; unconfirmed",
	},
	[ASSUME_R8169_FREE_RUNNING] = {
		"r8169-free-running", 0, 0, 1,
		"1: the timer counts edges of a free-running unit clock: a wait is up to one unit short",
		"0 is plainer; 1 is a candidate for RX delays below the calculated (Romieu, November 2012)",
	},
	[ASSUME_R8169_EVENT_DELAYED] = {
		"r8169-event-delayed", 1, 0, 1,
		"1: IntrStatus.RxOK/TxOK are set when the moderation fires; 0: with the frame, the line waits",
		"undocumented; the same choice as for FEC, where the sister eTSEC documents it",
	},
	[ASSUME_R8169_FRAME_COUNT] = {
		"r8169-frame-count", 1, 0, 1,
		"1: the frame nibbles count, in fours; 0: they are ignored",
		"the Linux driver offers rx-frames and tx-frames through these nibbles",
	},
	[ASSUME_TIMER_PPM] = {
		"timer-ppm", ASSUME_TIMER_PPM_NOMINAL, 100000, 10000000,
		"how long all times of the chip are, in ppm of nominal: a clock that is not the documented one",
		"nominal; `holdoff calibrate` fits it to a machine",
	},
};

struct assume assume_defaults(void)
{
	struct assume assume;

	for (size_t i = 0; i < ASSUME_COUNT; i++) {
		assume.value[i] = assume_infos[i].initial;
	}
	return assume;
}

enum assume_name assume_find(const char *name)
{
	for (size_t i = 0; i < ASSUME_COUNT; i++) {
		if (strcmp(assume_infos[i].name, name) == 0) {
			return (enum assume_name)i;
		}
	}
	return ASSUME_COUNT;
}
