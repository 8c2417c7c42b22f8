/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The far end of a load. It reads what to do from one descriptor and answers on another (live/protocol.h), and has no other
 * way in: no listening socket but, for TCP, that of the data, in which a connection has to show the token first.
 *
 * It sends to no address but the one that it was told of, and there only what was asked for: as many datagrams as the
 * packets with its token from that address say, one answer for each request, or what TCP's window of the other end lets through.
 * It stops when it is told to, when the descriptor ends, when nothing comes from the other end for some seconds, and some
 * seconds after the load should have been over.
 */
#ifndef HOLDOFF_LIVE_PEER_H
#define HOLDOFF_LIVE_PEER_H

#include "base/err.h"
#include "coalesce/settings.h"

/*
 * Sets the interface that has the address: words as `ethtool -C` has them, "" for what was there before. Fills in its name
 * and what it reports. May be called any number of times; whoever gave it to peer_serve puts back what was there afterwards.
 */
struct peer_setter {
	int (*set)(const char *address, const char *words, char device[16], struct coalesce *reported, struct err *err);
};

/* Until `in` ends. setter may be NULL: then nothing can be set. 0, or a negative errno when the other end spoke another version or no protocol at all: that has been
 * said to it. */
int peer_serve(int in, int out, const char *program_version, const struct peer_setter *setter, struct err *err);

#endif
