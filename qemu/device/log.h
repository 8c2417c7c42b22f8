/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log: what the devices did and what the guest did to them, in virtual time, one event a line:
 *
 *	NANOSECONDS DEVICE EVENT [VALUE ...]
 *
 *	2034512345 rtl8168.0 write IntrMitigate 0x5151
 *	2034513000 rtl8168.0 irq 0x1			the interrupt lines that are up: it rises
 *	2034514000 rtl8168.0 irq 0x0			it falls
 *	2034512000 rtl8168.0 send 0 1518		queue, bytes with FCS: the first bit is on the wire
 *	2034524304 rtl8168.0 sent 0 1518		the last one has left, the descriptor is written back
 *	2034524304 rtl8168.1 received 0 1518		it lies in memory
 *	2034524304 rtl8168.1 missed 0 1518		it was thrown away: no descriptor
 *	2034524304 rtl8168.1 link 100			Mb/s; 0 is down
 *	2034524304 rtl8168.1 guest-error TEXT		what no driver should do
 *
 * It is written to the file that the environment variable HOLDOFF_EVENTS names; without it every call is cheap.
 */
#ifndef HOLDOFF_DEVICE_LOG_H
#define HOLDOFF_DEVICE_LOG_H

#include <stdbool.h>

#include "qapi/error.h"

/* Opens the file once for all devices; called by the realize function of each. False: errp tells why. */
bool log_open(Error **errp);

/* Whether somebody reads it: for who would otherwise compute what nobody wants. */
bool log_wanted(void);

/* One line. device is the name of its network client; the rest is EVENT and its values. */
void log_event(const char *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
