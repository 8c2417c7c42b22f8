/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that the page needs of the command line. */
#include "wrap.c"
/* The page. */
#include "infer_text.c"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct infer_session session;

static struct infer_direction *begin(enum mechanism_kind kind)
{
	struct infer_direction *const of = &session.directions[FIT_RX];

	memset(&session, 0, sizeof(session));
	snprintf(session.nic.name, sizeof(session.nic.name), "eth0");
	of->direction = FIT_RX;
	of->is_done = of->has_verdict = true;
	of->plan.fit = (struct fit){ .setting_count = 3, .has_kind = true, .kind = kind };
	of->plan.fit.path = (struct fit_path){ .delay_ns = 80000, .later_delay_ns = 78000, .spacing_ns = 128400 };
	of->verdict = (struct verdict){ .kind = VERDICT_CLAMPED, .dead_until_ns = 100000 };
	return of;
}

/* With all white space squeezed. */
static bool says(const char *words)
{
	char *text = NULL;
	size_t length = 0, to = 0;
	FILE *const out = open_memstream(&text, &length);

	infer_print_text(&session, out);
	fclose(out);
	for (size_t from = 0; from < length; from++) {
		const char next = text[from] == '\n' ? ' ' : text[from];

		if (next != ' ' || to == 0 || text[to - 1] != ' ') {
			text[to++] = next;
		}
	}
	text[to] = '\0';
	const bool found = strstr(text, words) != NULL;

	free(text);
	return found;
}

static void test_throttle(void)
{
	begin(MECHANISM_THROTTLE);
	tap_ok(says("frames come no closer than 128.4us: a throttle up to that does not show here"),
	       "a throttle that is shorter than frames are apart is not said not to be there");
	tap_ok(says("limit 100us and less come to nothing that shows on this path"), "nor by the verdict");
	begin(MECHANISM_HOLD_OFF);
	tap_ok(!says("frames come no closer"), "a hold-off holds lone frames: how close others come is no limit");
	tap_ok(says("limit 100us and less come to nothing"), "what comes to nothing there does");
	tap_ok(!says("that shows on this path"), "on any path");
}

int main(void)
{
	test_throttle();
	return tap_done();
}
