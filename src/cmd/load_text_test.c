/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that the page needs of the command line. */
#include "spans.c"
#include "wrap.c"
/* The page. */
#include "load_text.c"

#include <stdlib.h>

#include "tap.h"

static struct load_result result;
static char why[ERR_TEXT_MAX];

static void sent_of(uint64_t sent, uint64_t scheduled)
{
	result = (struct load_result){ .has_rtt = false };
	way_put(&result.ways[WORKLOAD_TX], WAY_SCHEDULED, scheduled);
	way_put(&result.ways[WORKLOAD_TX], WAY_SENT, sent);
	way_put(&result.ways[WORKLOAD_TX], WAY_RECEIVED, sent);
}

static void test_rate(void)
{
	sent_of(19999, 20000);
	tap_ok(!load_is_insufficient(&result, why), "all but one: the rate was kept");
	sent_of(19799, 20000);
	tap_ok(load_is_insufficient(&result, why), "201 of 20000 are missing: it was not");
	tap_is_text(why, "tx: the sender did not keep the rate, 19799 of 20000 left",
		    "and the sentence has the figures");
	sent_of(19800, 20000);
	tap_ok(!load_is_insufficient(&result, why), "one in a hundred may be missing");
	sent_of(282, 300);
	tap_ok(load_is_insufficient(&result, why), "short loads are held to it, too");
	sent_of(19, 20);
	tap_ok(!load_is_insufficient(&result, why), "the last packet may be cut off by the end");
	sent_of(0, 20);
	tap_ok(load_is_insufficient(&result, why) && strstr(why, "nothing arrived"), "nothing arrived: %s", why);
}

/* A row of the table, without its line's end; "" where there is none. */
static const char *row_of(const char *text, const char *title, char row[200])
{
	const char *const at = strstr(text, title);

	snprintf(row, 200, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return row;
}

static void test_table(void)
{
	struct load_request request = { .means = FIT_PEER, .duration_ns = NS_PER_S };
	char *text = NULL, row[200];
	size_t length = 0;

	sent_of(100, 100);
	workload_parse(&request.workload, "udp rate=100 dir=tx", NULL);
	struct way *const way = &result.ways[WORKLOAD_TX];
	struct histogram span;

	histogram_init(&span);
	for (unsigned i = 0; i < 99; i++) {
		histogram_record(&span, 100);
	}
	histogram_record(&span, 12345678);
	way_put_span(way, WAY_LATENESS, &span);
	FILE *const out = open_memstream(&text, &length);

	load_print(&request, &result, out);
	fclose(out);
	row_of(text, "tx lateness", row);
	tap_ok(strstr(row, "        100      100ns      100ns      100ns"), "n, the least, p50 and p90: %s", row);
	tap_ok(strstr(row, "      100ns          -   12.345ms"), "p99, no p99.9 of a hundred values, the most: %s",
	       row);
	tap_is((int64_t)strlen(row), (int64_t)strlen(row_of(text, "times  ", row)), "the row is as wide as its head");
	tap_ok(!strstr(text, "arrivals"), "what was not measured has no row");
	free(text);
}

int main(void)
{
	test_rate();
	test_table();
	return tap_done();
}
