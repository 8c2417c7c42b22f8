/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/trace_view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS_DEFAULT 24

static unsigned rows_of(FILE *terminal)
{
	struct winsize size = { .ws_row = 0 };

	return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row : ROWS_DEFAULT;
}

void trace_view_clear(struct trace_view *view)
{
	if (view->terminal && view->lines) {
		fprintf(view->terminal, "\033[%uA\r\033[J", view->lines);
		fflush(view->terminal);
	}
	view->lines = 0;
}

/* The last row stays free: writing into it would move all others up. */
static void put_lines(struct trace_view *view, const char *text)
{
	const unsigned most = rows_of(view->terminal) - 1;

	for (const char *line = text; *line && view->lines < most; view->lines++) {
		const size_t length = strcspn(line, "\n");

		fprintf(view->terminal, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	fflush(view->terminal);
}

void trace_view_draw(struct trace_view *view, const struct trace_report *report)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const page = view->terminal ? open_memstream(&text, &size) : NULL;

	if (!page) {
		return;
	}
	struct trace_report shown = *report;

	shown.only_stages = true;
	shown.histogram = false;
	trace_print(&shown, page);
	if (fclose(page) == 0) {
		trace_view_clear(view);
		put_lines(view, text);
	}
	free(text);
}
