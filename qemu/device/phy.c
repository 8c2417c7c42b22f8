/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and bits: linux/mii.h. */
#include "qemu/osdep.h"

#include "device/phy.h"

#define BMCR_RESET 0x8000u
#define BMCR_SPEED100 0x2000u
#define BMCR_ANENABLE 0x1000u
#define BMCR_PDOWN 0x0800u
#define BMCR_ANRESTART 0x0200u
#define BMCR_FULLDPLX 0x0100u
#define BMCR_SPEED1000 0x0040u
#define BMSR_ABLE 0x7949u /* 10 and 100 Mb/s, half and full duplex; ESTATUS; negotiates; has more registers */
#define BMSR_ANEGCOMPLETE 0x0020u
#define BMSR_LSTATUS 0x0004u
#define ADVERTISE_CSMA 0x0001u
#define ADVERTISE_10 0x0060u
#define ADVERTISE_100 0x0180u
#define LPA_LPACK 0x4000u
#define ADVERTISE_1000 0x0300u
#define LPA_1000 0x0c00u
#define LPA_1000_RECEIVERS 0x3000u /* both receivers work */
#define EXPANSION_NWAY 0x0001u
#define ESTATUS_1000 0x3000u

static unsigned advertised_speeds(const struct phy *phy)
{
	return (phy->advertise & ADVERTISE_10 ? LINK_10 : 0) | (phy->advertise & ADVERTISE_100 ? LINK_100 : 0) |
	       (phy->control1000 & ADVERTISE_1000 ? LINK_1000 : 0);
}

static unsigned forced_mbps(uint16_t control)
{
	if (control & BMCR_SPEED1000) {
		return 1000;
	}
	return control & BMCR_SPEED100 ? 100 : 10;
}

static void begin(struct phy *phy)
{
	if (phy->control & BMCR_ANENABLE) {
		link_offer(phy->link, advertised_speeds(phy));
	} else {
		link_force(phy->link, forced_mbps(phy->control));
	}
}

static void reset(struct phy *phy)
{
	const unsigned able = phy->link->able;

	phy->control = BMCR_ANENABLE | BMCR_FULLDPLX | (able & LINK_1000 ? BMCR_SPEED1000 : 0);
	phy->advertise = (uint16_t)(ADVERTISE_CSMA | ADVERTISE_10 | (able & LINK_100 ? ADVERTISE_100 : 0));
	phy->control1000 = able & LINK_1000 ? ADVERTISE_1000 : 0;
}

void phy_init(struct phy *phy, struct link_end *link, uint32_t identifier)
{
	phy->link = link;
	phy->identifier = identifier;
	phy->link_was_lost = false;
	reset(phy);
}

static uint16_t status(struct phy *phy)
{
	const bool up = phy->link->speed_mbps != 0;
	const bool shown_up = up && !phy->link_was_lost;
	const bool complete = up && phy->control & BMCR_ANENABLE;

	phy->link_was_lost = false;
	return (uint16_t)(BMSR_ABLE | (shown_up ? BMSR_LSTATUS : 0) | (complete ? BMSR_ANEGCOMPLETE : 0));
}

static uint16_t partner(const struct phy *phy)
{
	const unsigned offer = link_partner_offer(phy->link);

	if (!offer || !phy->link->speed_mbps) {
		return 0;
	}
	return (uint16_t)(LPA_LPACK | ADVERTISE_CSMA | (offer & LINK_10 ? ADVERTISE_10 : 0) |
			  (offer & LINK_100 ? ADVERTISE_100 : 0));
}

static uint16_t partner1000(const struct phy *phy)
{
	const unsigned offer = link_partner_offer(phy->link);

	if (!phy->link->speed_mbps) {
		return 0;
	}
	return (uint16_t)((offer & LINK_1000 ? LPA_1000 : 0) | LPA_1000_RECEIVERS);
}

uint16_t phy_read(struct phy *phy, unsigned number)
{
	switch (number) {
	case PHY_BMCR:
		return phy->control;
	case PHY_BMSR:
		return status(phy);
	case PHY_PHYSID1:
		return (uint16_t)(phy->identifier >> 16);
	case PHY_PHYSID2:
		return (uint16_t)phy->identifier;
	case PHY_ADVERTISE:
		return phy->advertise;
	case PHY_LPA:
		return partner(phy);
	case PHY_EXPANSION:
		return partner(phy) ? EXPANSION_NWAY : 0;
	case PHY_CTRL1000:
		return phy->control1000;
	case PHY_STAT1000:
		return partner1000(phy);
	case PHY_ESTATUS:
		return phy->link->able & LINK_1000 ? ESTATUS_1000 : 0;
	default:
		return 0;
	}
}

static void write_control(struct phy *phy, uint16_t value)
{
	const uint16_t before = phy->control;

	if (value & BMCR_RESET) {
		reset(phy);
		link_power(phy->link, true);
		begin(phy);
		return;
	}
	phy->control = value & (uint16_t)~BMCR_ANRESTART;
	link_power(phy->link, !(value & BMCR_PDOWN));
	if (value & BMCR_ANRESTART ||
	    (before ^ value) & (BMCR_ANENABLE | BMCR_PDOWN | BMCR_SPEED100 | BMCR_SPEED1000)) {
		begin(phy);
	}
}

void phy_write(struct phy *phy, unsigned number, uint16_t value)
{
	switch (number) {
	case PHY_BMCR:
		write_control(phy, value);
		break;
	case PHY_ADVERTISE:
		phy->advertise = value;
		break;
	case PHY_CTRL1000:
		phy->control1000 = value;
		break;
	default:
		break;
	}
}

void phy_link_changed(struct phy *phy, unsigned speed_mbps)
{
	if (speed_mbps == 0) {
		phy->link_was_lost = true;
	}
}
