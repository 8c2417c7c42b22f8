/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers and descriptors of the ENET that do not concern interrupts: Linux drivers/net/ethernet/freescale/fec.h, and the
 * chapter of the i.MX6UL reference manual, whose names these are. EIR, EIMR, TXIC and RXIC are in src/chip/fec.c.
 */
#ifndef HOLDOFF_DEVICE_ENET_REGS_H
#define HOLDOFF_DEVICE_ENET_REGS_H

#define ENET_BYTES 0x4000

#define EIR 0x004
#define EIR_GRA (1u << 28)
#define EIR_MII (1u << 23)
#define EIMR 0x008
#define RDAR 0x010
#define TDAR 0x014
#define DAR_ACTIVE (1u << 24)
#define ECR 0x024
#define ECR_RESET (1u << 0)
#define ECR_ETHEREN (1u << 1)
#define ECR_EN1588 (1u << 4)
#define MMFR 0x040
#define MSCR 0x044
#define MSCR_MII_SPEED 0x7eu
#define RCR 0x084
#define RCR_PROM (1u << 3)
#define RCR_BC_REJ (1u << 4)
#define RCR_MAX_FL_SHIFT 16
#define RCR_MAX_FL_MASK 0x3fffu
#define TCR 0x0c4
#define TCR_GTS (1u << 0)
#define PALR 0x0e4
#define PAUR 0x0e8
#define TXIC0 0x0f0
#define RXIC0 0x100
#define RINGS 3
#define GAUR 0x120
#define GALR 0x124
#define RDSR 0x180
#define TDSR 0x184
#define MRBR 0x188
#define MRBR_MASK 0x3ff0u
#define RACC 0x1c4
#define RACC_SHIFT16 (1u << 7)
#define RMON_T_PACKETS 0x204
#define RMON_T_OCTETS 0x244
#define IEEE_T_FRAME_OK 0x24c
#define RMON_R_PACKETS 0x284
#define RMON_R_OCTETS 0x2c4
#define IEEE_R_DROP 0x2c8
#define IEEE_R_FRAME_OK 0x2cc

/* Flags of a descriptor, and of the longer form that ECR_EN1588 selects. */
#define BD_READY (1u << 15) /* transmit: the frame is there */
#define BD_EMPTY (1u << 15) /* receive: there is room */
#define BD_WRAP (1u << 13)
#define BD_LAST (1u << 11)
#define BD_MULTICAST (1u << 6)
#define BD_BROADCAST (1u << 7)
#define BD_LONG_PINS (1u << 28) /* insert the checksum of TCP, UDP, ICMP */
#define BD_LONG_IINS (1u << 27) /* insert the checksum of IP */
#define BD_LONG_DONE (1u << 31)

#endif
