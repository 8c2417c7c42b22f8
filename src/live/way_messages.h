/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A way as messages of the protocol, and back. Pure. */
#ifndef HOLDOFF_LIVE_WAY_MESSAGES_H
#define HOLDOFF_LIVE_WAY_MESSAGES_H

#include "live/protocol.h"
#include "live/way.h"

/* Hands each message of it to `put`, until one returns something else than 0; returns that. */
int way_messages_put(const struct way *way, unsigned number,
		     int (*put)(void *context, const struct protocol_message *message), void *context);

/* Takes a count, span, buckets or method message into ways[its number]. -EPROTO: another kind, a name that is not known, a
 * bucket that there is not. */
int way_messages_take(struct way ways[2], const struct protocol_message *message, struct err *err);

/* When all have been taken: whether the spans are such as can be recorded. -EPROTO. */
int way_messages_check(const struct way ways[2], struct err *err);

#endif
