/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Borders: r8169, 15 units of each scale at each speed, and 2^32 / 1000; fec, the limit of ICTT at 132 and 266 MHz
 * and where usecs * (clock / 64000) wraps at 2^32; tsnep, steps of 16 us up to one byte; e1000e, codes and limits,
 * and times whose rate the driver keeps as a multiple of 4.
 */
#include "vectors/kind.h"

#include <stddef.h>
#include <string.h>

#define FOUR_FIELDS \
	.field_count = 4, .fields = { COALESCE_RX_USECS, COALESCE_RX_FRAMES, COALESCE_TX_USECS, COALESCE_TX_FRAMES }

static const struct vector_kind kinds[] = {
	{
		.driver = "r8169",
		.board = "rtl8168d",
		.start = "rx-usecs 0 rx-frames 0 tx-usecs 0 tx-frames 0",
		FOUR_FIELDS,
		.head = "rxu rxf txu txf =",
		.complaint = "netlink error: ",
		.resource = VECTOR_IN_DUMP,
		.register_count = 2,
		.registers = { { "CPlus", 0xe0, 2 }, { "IM", 0xe2, 2 } },
		.speeds = { 1000, 100, 10 },
		.usecs_borders = { 5,    38,   39,   41,    75,    80,    307,     308,     320,    410,  600,
				   614,  615,  640,  1200,  1228,  1229,  1280,    2400,    2401,   2457, 4915,
				   4916, 9830, 9831, 19660, 19661, 39321, 4294967, 4294968, 4295000 },
		.frames_borders = { 1, 4, 5, 8, 12, 16, 24, 32, 48, 56, 59, 60, 61, 256 },
	},
	{
		.driver = "fec",
		.board = "imx6ul",
		.start = "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200",
		FOUR_FIELDS,
		.head = "=",
		.complaint = "",
		.has_log = true,
		.resource = VECTOR_IN_DUMP,
		.register_count = 2,
		.registers = { { "TXIC0", 0x0f0, 4 }, { "RXIC0", 0x100, 4 } },
		.speeds = { 100 },
		.usecs_borders = { 1, 64, 1000, 15769, 15771, 31782, 31783, 63564, 1033605, 1033613, 1049382, 2067219,
				   2082914, 2083000, 2114696, 4165828, 4165869, 4197610, 4294967 },
		.frames_borders = { 1, 2, 3, 16, 100, 200, 254, 255, 256, 65535 },
	},
	{
		.driver = "tsnep",
		.board = "tsnep",
		.start = "rx-usecs 64 tx-usecs 64",
		.field_count = 2,
		.fields = { COALESCE_RX_USECS, COALESCE_TX_USECS },
		.complaint = "netlink error: ",
		.resource = VECTOR_IN_DUMP,
		.register_count = 4,
		.registers = { { "ECM_INT_DELAY0", 0x30, 1 },
			       { "ECM_INT_DELAY1", 0x31, 1 },
			       { "ECM_INT_DELAY2", 0x32, 1 },
			       { "ECM_INT_DELAY3", 0x33, 1 } },
		.queues = 4,
		.speeds = { 1000 },
		.usecs_borders = { 16, 32, 48, 64, 80, 240, 255, 256, 257, 271, 272, 511, 512, 4096, 65536 },
		.frames_borders = { 1, 16 },
	},
	{
		.driver = "e1000e",
		.board = "e1000e",
		.start = "rx-usecs 3",
		.field_count = 1,
		.fields = { COALESCE_RX_USECS },
		.head = "=",
		.complaint = "netlink error: ",
		.resource = 0,
		.register_count = 1,
		.registers = { { "ITR", 0xc4, 2 } },
		.modes = { 1, 3, 4 },
		.speeds = { 1000 },
		.usecs_borders = { 1,     3,     4,     5,     9,     10,    13,     15,     50,     99,
				   142,   250,   333,   1000,  2000,  3000,  7142,   7143,   8333,   9999,
				   10000, 10001, 15000, 20000, 62500, 65535, 250000, 333333, 500000, 1000000 },
		.frames_borders = { 1, 4 },
	},
};

const struct vector_kind *vector_kind_find(const char *driver)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].driver, driver) == 0) {
			return &kinds[i];
		}
	}
	return NULL;
}
