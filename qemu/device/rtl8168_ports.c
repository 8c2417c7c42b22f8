/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ports: a register takes address, data and a bit that says read or write, and the same bit, turned over, says done. All of
 * them are done at once here. Behind them lie the PHY, the PCIe PHY, configuration space, and the spaces of the chip's
 * own microcontroller, which nobody documents: they are memory.
 */
#include "qemu/osdep.h"

#include "device/rtl8168.h"

#define FLAG 0x80000000u
#define OCP_STD_PHY_BASE 0xa400u
/* Page 0xa43, register 0x12 of the PHY: what has been negotiated (realtek.c of Linux). */
#define OCP_PHYSR 0xa434u
#define PHYSR_LINK 0x0004u
#define PHYSR_DUPLEX 0x0008u
#define PHYSR_100 0x0010u
#define PHYSR_1000 0x0020u

static uint16_t phy_speed_status(const struct rtl8168 *rtl8168)
{
	switch (rtl8168->link.speed_mbps) {
	case 1000:
		return PHYSR_LINK | PHYSR_DUPLEX | PHYSR_1000;
	case 100:
		return PHYSR_LINK | PHYSR_DUPLEX | PHYSR_100;
	case 10:
		return PHYSR_LINK | PHYSR_DUPLEX;
	default:
		return 0;
	}
}

static uint16_t *page_register(struct rtl8168 *rtl8168, unsigned number)
{
	return &rtl8168->ports.pages[rtl8168->ports.page % RTL8168_PAGES][number];
}

static bool is_standard(const struct rtl8168 *rtl8168, unsigned number)
{
	return rtl8168->ports.page == 0 && number < 16;
}

static void phyar(struct rtl8168 *rtl8168, uint32_t command)
{
	const unsigned number = command >> 16 & 0x1f;
	uint16_t value = (uint16_t)command;

	if (!(command & FLAG)) {
		value = number == 31                   ? (uint16_t)rtl8168->ports.page
			: is_standard(rtl8168, number) ? phy_read(&rtl8168->phy, number)
						       : *page_register(rtl8168, number);
	} else if (number == 31) {
		rtl8168->ports.page = value;
	} else if (is_standard(rtl8168, number)) {
		phy_write(&rtl8168->phy, number, value);
	} else {
		*page_register(rtl8168, number) = value;
	}
	rtl8168_put(rtl8168, PHYAR, 4, (command & FLAG ? 0 : FLAG) | number << 16 | value);
}

static uint16_t read_phy_ocp(struct rtl8168 *rtl8168, uint32_t address)
{
	const uint32_t number = (address - OCP_STD_PHY_BASE) / 2;

	if (address >= OCP_STD_PHY_BASE && number < 16) {
		return phy_read(&rtl8168->phy, number);
	}
	return address == OCP_PHYSR ? phy_speed_status(rtl8168) : rtl8168->ports.phy_ocp[address / 2];
}

static void write_phy_ocp(struct rtl8168 *rtl8168, uint32_t address, uint16_t value)
{
	const uint32_t number = (address - OCP_STD_PHY_BASE) / 2;

	if (address >= OCP_STD_PHY_BASE && number < 16) {
		phy_write(&rtl8168->phy, number, value);
	} else {
		rtl8168->ports.phy_ocp[address / 2] = value;
	}
}

static void gphy_ocp(struct rtl8168 *rtl8168, uint32_t command)
{
	const uint32_t address = command >> 15 & 0xfffe;

	if (command & FLAG) {
		write_phy_ocp(rtl8168, address, (uint16_t)command);
		rtl8168_put(rtl8168, GPHY_OCP, 4, command & ~FLAG);
	} else {
		rtl8168_put(rtl8168, GPHY_OCP, 4, FLAG | address << 15 | read_phy_ocp(rtl8168, address));
	}
}

static void ocpdr(struct rtl8168 *rtl8168, uint32_t command)
{
	const uint32_t address = command >> 15 & 0xfffe;
	uint16_t *behind = &rtl8168->ports.mac_ocp[address / 2];

	if (command & FLAG) {
		*behind = (uint16_t)command;
	}
	rtl8168_put(rtl8168, OCPDR, 4, *behind);
}

static void eriar(struct rtl8168 *rtl8168, uint32_t command)
{
	uint32_t *behind = &rtl8168->ports.eri[command >> 16 & 3][(command & 0xfff) / 4];
	const uint32_t data = rtl8168_get(rtl8168, ERIDR, 4);

	if (command & FLAG) {
		for (unsigned byte = 0; byte < 4; byte++) {
			const uint32_t mask = command >> (12 + byte) & 1 ? 0xffu << byte * 8 : 0;

			*behind = (*behind & ~mask) | (data & mask);
		}
	} else {
		rtl8168_put(rtl8168, ERIDR, 4, *behind);
	}
	rtl8168_put(rtl8168, ERIAR, 4, command ^ FLAG);
}

static void ephyar(struct rtl8168 *rtl8168, uint32_t command)
{
	uint16_t *behind = &rtl8168->ports.ephy[command >> 16 & 0x7f];

	if (command & FLAG) {
		*behind = (uint16_t)command;
	}
	rtl8168_put(rtl8168, EPHYAR, 4, ((command ^ FLAG) & 0xffff0000) | *behind);
}

static void csiar(struct rtl8168 *rtl8168, uint32_t command)
{
	uint32_t *behind = &rtl8168->ports.csi[(command & 0xfff) / 4];

	if (command & FLAG) {
		*behind = rtl8168_get(rtl8168, CSIDR, 4);
	} else {
		rtl8168_put(rtl8168, CSIDR, 4, *behind);
	}
	rtl8168_put(rtl8168, CSIAR, 4, command ^ FLAG);
}

/* Fuses that nobody has blown. */
static void efusear(struct rtl8168 *rtl8168, uint32_t command)
{
	rtl8168_put(rtl8168, EFUSEAR, 4, (command ^ FLAG) | 0xff);
}

static const struct {
	uint32_t offset;
	void (*written)(struct rtl8168 *rtl8168, uint32_t command);
} ports[] = {
	{ PHYAR, phyar }, { CSIAR, csiar },       { ERIAR, eriar },     { EPHYAR, ephyar },
	{ OCPDR, ocpdr }, { GPHY_OCP, gphy_ocp }, { EFUSEAR, efusear },
};

bool rtl8168_port_written(struct rtl8168 *rtl8168, uint32_t offset)
{
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		if (ports[i].offset == offset) {
			ports[i].written(rtl8168, rtl8168_get(rtl8168, offset, 4));
			return true;
		}
	}
	return false;
}

/* Where newer chips keep their address; it is not said to be wrong anywhere else either. */
void rtl8168_ports_init(struct rtl8168 *rtl8168)
{
	const uint8_t *mac = rtl8168->conf.macaddr.a;

	rtl8168->ports.eri[0][0xe0 / 4] = ldl_le_p(mac);
	rtl8168->ports.eri[0][0xe4 / 4] = lduw_le_p(mac + 4);
}
