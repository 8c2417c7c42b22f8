/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a file of vectors, as far as it says what to do: "SPEED|WORDS", whatever follows.
 *
 * SPEED  "1000": from the driver's default, the link at 1000 Mb/s; "down": from the default, the interface down;
 *        "=1000" or "=down": from where the line before has left everything, which the number only repeats
 * WORDS  a request as `ethtool -C` has it, over netlink; the same behind "ioctl" by the older call of systemd and
 *        NetworkManager, behind "queue 2" for that queue; or "ifdown", "ifup", "link 100" (with "=" only)
 */
#ifndef HOLDOFF_TEST_VECTORS_STEP_H
#define HOLDOFF_TEST_VECTORS_STEP_H

#include <stdbool.h>

#include "base/err.h"
#include "coalesce/settings.h"

enum vector_action {
	VECTOR_SET,       /* the request over netlink */
	VECTOR_SET_IOCTL, /* by ETHTOOL_SCOALESCE */
	VECTOR_SET_QUEUE, /* by ETHTOOL_PERQUEUE */
	VECTOR_IFDOWN,
	VECTOR_IFUP,
	VECTOR_LINK,
};

#define VECTOR_WORDS_MAX 400

struct vector_step {
	bool goes_on;
	unsigned mbps; /* not goes_on: of the link, 0: the interface is down */
	enum vector_action action;
	unsigned number; /* VECTOR_LINK: Mb/s; VECTOR_SET_QUEUE: the queue */
	char words[VECTOR_WORDS_MAX];
	struct coalesce request; /* of the first three */
	unsigned field_count;
	enum coalesce_field fields[COALESCE_FIELDS]; /* of the request, in the order of the words */
};

/* -EINVAL with a sentence. */
int vector_step_parse(struct vector_step *step, const char *line, struct err *err);

static inline bool vector_step_sets(const struct vector_step *step)
{
	return step->action <= VECTOR_SET_QUEUE;
}

/* Where the attribute of a field stands in the message that ethtool makes of the words. */
unsigned vector_step_offset(const struct vector_step *step, enum coalesce_field field);

/* Of the first attribute: behind the headers of netlink and generic netlink, and the name of the device. */
#define VECTOR_FIRST_OFFSET 36
#define VECTOR_ATTRIBUTE_BYTES 8

#endif
