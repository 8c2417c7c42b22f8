/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of a trace that goes on, drawn again and again in its place on a terminal. */
#ifndef HOLDOFF_CMD_TRACE_VIEW_H
#define HOLDOFF_CMD_TRACE_VIEW_H

#include <stdio.h>

#include "cmd/trace.h"

struct trace_view {
	FILE *terminal; /* borrowed; NULL: nothing is drawn */
	unsigned lines; /* that are there now */
};

/* Draws what was found up to now over what was drawn before; as many lines as the terminal has. */
void trace_view_draw(struct trace_view *view, const struct trace_report *report);

/* Takes away what was drawn. */
void trace_view_clear(struct trace_view *view);

#endif
