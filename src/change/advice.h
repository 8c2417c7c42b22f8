/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be said of a change before it is sent: by the driver model where there is one, else by a table of what is known of
 * drivers. Looks at what change_look or change_begin has found; sends nothing.
 */
#ifndef HOLDOFF_CHANGE_ADVICE_H
#define HOLDOFF_CHANGE_ADVICE_H

#include "change/change.h"

#define CHANGE_ADVICE_MAX 32

enum change_advice_kind {
	CHANGE_NOTE,       /* what the driver's numbers mean */
	CHANGE_WARNING,    /* what people may not expect */
	CHANGE_INTERRUPTS, /* the link drops or traffic stops for a moment */
	CHANGE_REFUSED,    /* the driver will refuse it, or would not do it: nothing is sent unless forced */
};

struct change_advice {
	unsigned count;
	struct {
		enum change_advice_kind kind;
		char text[300];
	} items[CHANGE_ADVICE_MAX];
	bool is_refused;
	/* What the driver model reads back afterwards, when it is known and takes the request. */
	bool has_prediction;
	struct coalesce predicted;
	uint32_t
		rounds_to_same; /* fields that are predicted to read as before, though other values would change them */
};

void change_advise(const struct change *change, struct change_advice *advice);

const char *change_advice_word(enum change_advice_kind kind); /* "note", "warning", "interrupts", "refused" */

#endif
