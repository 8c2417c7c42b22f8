/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PHY as IEEE 802.3 clause 22 has it, in front of a link: control, status, identifier, autonegotiation, 1000BASE-T. What a
 * vendor adds, such as pages of registers, is the device's.
 */
#ifndef HOLDOFF_DEVICE_PHY_H
#define HOLDOFF_DEVICE_PHY_H

#include "device/link.h"

/* The registers, as linux/mii.h counts them. */
enum {
	PHY_BMCR = 0,
	PHY_BMSR = 1,
	PHY_PHYSID1 = 2,
	PHY_PHYSID2 = 3,
	PHY_ADVERTISE = 4,
	PHY_LPA = 5,
	PHY_EXPANSION = 6,
	PHY_CTRL1000 = 9,
	PHY_STAT1000 = 10,
	PHY_ESTATUS = 15
};

struct phy {
	struct link_end *link;
	uint32_t identifier; /* PHYSID1 in the upper half */
	uint16_t control, advertise, control1000;
	bool link_was_lost; /* BMSR holds that until it is read */
};

/* After reset, negotiating. Keeps link, which has been initialised. */
void phy_init(struct phy *phy, struct link_end *link, uint32_t identifier);

/* A register out of 0 .. 31; those that the PHY has not got read 0 and ignore writes. */
uint16_t phy_read(struct phy *phy, unsigned number);
void phy_write(struct phy *phy, unsigned number, uint16_t value);

/* For the `changed` function of the link. */
void phy_link_changed(struct phy *phy, unsigned speed_mbps);

#endif
