/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Autonegotiation between the devices on one hub. Each is the end of a link: it offers speeds, or forces one, and the highest
 * that all of them offer is what they get, all at the same instant, some time after one of them asked anew; until then the
 * link is down. An end alone on its hub, or opposite a device of QEMU's own, has a partner that offers 10, 100 and 1000.
 */
#ifndef HOLDOFF_DEVICE_LINK_H
#define HOLDOFF_DEVICE_LINK_H

#include <stdbool.h>

#include "net/net.h"
#include "qemu/queue.h"

#include "device/alarm.h"

/* Speeds on offer, as bits. */
enum { LINK_10 = 1u << 0, LINK_100 = 1u << 1, LINK_1000 = 1u << 2, LINK_ALL = LINK_10 | LINK_100 | LINK_1000 };

/*
 * How long the link is down when somebody negotiates anew: break_link_timer of IEEE 802.3 clause 28, 1.2 to 1.5 s; the
 * pages and the training that follow are counted in.
 */
#define LINK_NEGOTIATION_NS 1500000000

struct link_end {
	NetClientState *client;
	struct alarm alarm;
	unsigned able;       /* what the device can do at all */
	unsigned offered;    /* with autonegotiation: what it says that it can do */
	unsigned forced;     /* without: the one speed, as a bit; else 0 */
	bool powered;        /* off: nobody there for the other end */
	unsigned speed_mbps; /* 0: down */
	void (*changed)(void *device, unsigned speed_mbps);
	void *device;
	QLIST_ENTRY(link_end) next;
};

/*
 * An end that is powered and offers all it can do, up to max_mbps (10, 100, 1000); the first negotiation begins. `changed`
 * is called when the link goes up, goes down or has another speed. Keeps client and device.
 */
void link_init(struct link_end *end, NetClientState *client, unsigned max_mbps,
	       void (*changed)(void *device, unsigned speed_mbps), void *device);
void link_stop(struct link_end *end);

/* Speeds that the end cannot do are left out of an offer. Each drops the link and negotiates anew. */
void link_offer(struct link_end *end, unsigned offered);
void link_force(struct link_end *end, unsigned speed_mbps);
/* The same again: as when a cable is pulled or plugged in. */
void link_restart(struct link_end *end);
/* Off drops the link, on negotiates. Nothing happens where it is so already. */
void link_power(struct link_end *end, bool on);

/* What the other end offers, as its link code words tell; 0 if it does not negotiate or is not there. */
unsigned link_partner_offer(const struct link_end *end);

/* The highest of speeds in Mb/s, 0 for none; and a speed as a bit. */
unsigned link_highest_mbps(unsigned speeds);
unsigned link_bit(unsigned speed_mbps);

#endif
