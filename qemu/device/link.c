/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "device/link.h"

#include "net/hub.h"
#include "qemu/timer.h"

static QLIST_HEAD(, link_end) ends = QLIST_HEAD_INITIALIZER(ends);

unsigned link_bit(unsigned speed_mbps)
{
	switch (speed_mbps) {
	case 10:
		return LINK_10;
	case 100:
		return LINK_100;
	case 1000:
		return LINK_1000;
	default:
		return 0;
	}
}

unsigned link_highest_mbps(unsigned speeds)
{
	if (speeds & LINK_1000) {
		return 1000;
	}
	if (speeds & LINK_100) {
		return 100;
	}
	return speeds & LINK_10 ? 10 : 0;
}

/* On one hub, or, without any hub, each other's peer. */
static bool connected(const struct link_end *a, const struct link_end *b)
{
	int hub_a, hub_b;

	if (a->client->peer == b->client) {
		return true;
	}
	return a->client->peer && b->client->peer && net_hub_id_for_client(a->client->peer, &hub_a) == 0 &&
	       net_hub_id_for_client(b->client->peer, &hub_b) == 0 && hub_a == hub_b;
}

static struct link_end *first_other(const struct link_end *end, struct link_end *from)
{
	while (from && (from == end || !connected(end, from))) {
		from = QLIST_NEXT(from, next);
	}
	return from;
}

#define for_each_other(other, end) \
	for (other = first_other(end, QLIST_FIRST(&ends)); (other); other = first_other(end, QLIST_NEXT(other, next)))

static void set_speed(struct link_end *end, unsigned speed_mbps)
{
	if (end->speed_mbps != speed_mbps) {
		end->speed_mbps = speed_mbps;
		end->changed(end->device, speed_mbps);
	}
}

/*
 * What an end is seen to do: its offer; or the speed that it forces, which the other end detects in parallel. 1000BASE-T
 * cannot do without negotiation, so whoever forces it goes on negotiating that one speed, as PHYs do.
 */
static unsigned seen_speeds(const struct link_end *end)
{
	return end->forced ? end->forced : end->offered;
}

/* 0 if there is nobody to have a link with. */
static unsigned common_speeds(const struct link_end *end)
{
	unsigned speeds = end->powered && !end->client->link_down ? seen_speeds(end) : 0;
	bool somebody = false, anybody = false;
	struct link_end *other;

	for_each_other(other, end)
	{
		anybody = true;
		if (other->powered && !other->client->link_down) {
			somebody = true;
			speeds &= seen_speeds(other);
		}
	}
	return somebody || !anybody ? speeds : 0;
}

static void negotiated(void *opaque)
{
	struct link_end *end = opaque, *other;
	const unsigned speed_mbps = link_highest_mbps(common_speeds(end));

	for_each_other(other, end)
	{
		set_speed(other, other->powered ? speed_mbps : 0);
	}
	set_speed(end, speed_mbps);
}

/* Whoever else is on the link loses it too, and has it again when this end has. */
static void negotiate(struct link_end *end)
{
	struct link_end *other;

	alarm_set(&end->alarm, NEVER_AT_NS);
	for_each_other(other, end)
	{
		alarm_set(&other->alarm, NEVER_AT_NS);
		set_speed(other, 0);
	}
	set_speed(end, 0);
	alarm_set(&end->alarm, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + LINK_NEGOTIATION_NS);
}

void link_init(struct link_end *end, NetClientState *client, unsigned max_mbps,
	       void (*changed)(void *device, unsigned speed_mbps), void *device)
{
	end->client = client;
	end->able = LINK_10 | (max_mbps >= 100 ? LINK_100 : 0) | (max_mbps >= 1000 ? LINK_1000 : 0);
	end->offered = end->able;
	end->forced = 0;
	end->powered = true;
	end->speed_mbps = 0;
	end->changed = changed;
	end->device = device;
	alarm_init(&end->alarm, negotiated, end);
	QLIST_INSERT_HEAD(&ends, end, next);
	negotiate(end);
}

void link_stop(struct link_end *end)
{
	alarm_stop(&end->alarm);
	QLIST_REMOVE(end, next);
}

void link_offer(struct link_end *end, unsigned offered)
{
	end->forced = 0;
	end->offered = offered & end->able;
	negotiate(end);
}

void link_force(struct link_end *end, unsigned speed_mbps)
{
	end->forced = link_bit(speed_mbps) & end->able;
	end->offered = 0;
	negotiate(end);
}

void link_restart(struct link_end *end)
{
	negotiate(end);
}

void link_power(struct link_end *end, bool on)
{
	if (end->powered != on) {
		end->powered = on;
		negotiate(end);
	}
}

unsigned link_partner_offer(const struct link_end *end)
{
	unsigned offer = LINK_ALL;
	struct link_end *other;

	for_each_other(other, end)
	{
		offer &= other->powered ? other->offered : 0;
	}
	return offer;
}
