/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "way.c"

#include <string.h>

#include "base/random.h"
#include "live/way_messages.h"
#include "tap.h"

static struct way way, ways[2];
static unsigned lines;
static bool was_too_long;

static int carry(void *context, const struct protocol_message *message)
{
	struct protocol_message arrived;
	char line[PROTOCOL_LINE_MAX];
	const size_t length = strlen(protocol_print(message, line));

	(void)context;
	lines++;
	was_too_long |= length >= PROTOCOL_LINE_MAX;
	line[length - 1] = '\0';
	return protocol_parse(&arrived, line, NULL) ? -1 : way_messages_take(ways, &arrived, NULL);
}

static void fill(void)
{
	struct histogram span = { 0 };
	struct random random;

	way_init(&way);
	random_init(&random, 1, 0);
	for (unsigned i = 0; i < 20000; i++) {
		histogram_record(&span, (int64_t)(random_u64(&random) >> (16 + random_below(&random, 48))));
	}
	histogram_record(&span, -1);
	way_put(&way, WAY_SENT, 1000);
	way_put(&way, WAY_RECEIVED, 990);
	way_put(&way, WAY_SOCKET_DROPPED, UINT64_MAX);
	way_put_span(&way, WAY_GAP, &span);
	strcpy(way.method, "sleeps, one by one");
}

static void test_messages(void)
{
	fill();
	way_init(&ways[0]);
	way_init(&ways[1]);
	tap_is(way_messages_put(&way, 1, carry, NULL), 0, "a way goes over the protocol");
	tap_ok(!was_too_long && lines > 10, "in %u lines", lines);
	tap_is(way_messages_check(ways, NULL), 0, "what arrives can have been recorded");
	tap_ok(memcmp(&ways[1].span[WAY_GAP], &way.span[WAY_GAP], sizeof(way.span[0])) == 0,
	       "spans arrive to the last bucket");
	tap_ok(ways[1].has == way.has && memcmp(ways[1].count, way.count, sizeof(way.count)) == 0, "and so do counts");
	tap_is_text(ways[1].method, way.method, "and the method");
	tap_ok(!ways[0].has && !ways[0].has_spans, "the other way is empty");
}

static int take_line(const char *line, struct err *err)
{
	struct protocol_message message;

	return protocol_parse(&message, line, err) ? -1 : way_messages_take(ways, &message, err);
}

static void refuse(const char *line)
{
	struct err err = { "" };

	tap_ok(take_line(line, &err) < 0 && err.text[0], "%.60s: %s", line, err.text);
}

static void refuse_span(const char *span, const char *buckets, const char *text)
{
	way_init(&ways[0]);
	tap_is(take_line(span, NULL), 0, "a span that can be read");
	tap_is(take_line(buckets, NULL), 0, "and its buckets");
	tap_ok(way_messages_check(ways, NULL) < 0, "but not recorded: %s", text);
}

static void test_hostile(void)
{
	refuse("holdoff count way=0 name=nonsense value=1");
	refuse("holdoff count way=0 name=gap_ns value=1");
	refuse("holdoff buckets way=0 name=gap_ns text=5376:1");
	refuse("holdoff buckets way=0 name=gap_ns text=1:4294967296");
	refuse("holdoff buckets way=0 name=gap_ns text=1:99999999999999999999999");
	refuse("holdoff buckets way=0 name=gap_ns text=-1:1");
	refuse("holdoff buckets way=0 name=gap_ns text=1:1,2:2");
	refuse("holdoff buckets way=0 name=gap_ns text=1");
	refuse("holdoff buckets way=0 name=gap_ns text=1:");
	refuse("holdoff started");
	refuse_span("holdoff span way=0 name=gap_ns counted=2 outside=0 min_ns=1 max_ns=1 sum_high=0 sum_low=2 "
		    "squares_high=0 "
		    "squares_low=2",
		    "holdoff buckets way=0 name=gap_ns text=1:1", "another count");
	refuse_span("holdoff span way=0 name=gap_ns counted=1 outside=0 min_ns=2 max_ns=1 sum_high=0 sum_low=2 "
		    "squares_high=0 "
		    "squares_low=2",
		    "holdoff buckets way=0 name=gap_ns text=1:1", "a minimum above the maximum");
	refuse_span("holdoff span way=0 name=gap_ns counted=1 outside=0 min_ns=1 max_ns=1 sum_high=9 sum_low=2 "
		    "squares_high=0 "
		    "squares_low=2",
		    "holdoff buckets way=0 name=gap_ns text=1:1", "a sum that is too large");
}

static void test_figures(void)
{
	uint64_t value;

	way_init(&way);
	tap_ok(!way_lost(&way, &value), "without counts nothing is known to be lost");
	way_put(&way, WAY_SENT, 1001);
	way_put(&way, WAY_SENDING_NS, 1000000000);
	tap_ok(!way_lost(&way, &value), "nor with half of them");
	way_put(&way, WAY_RECEIVED, 1003);
	tap_ok(way_lost(&way, &value) && value == 0, "more than was sent is no loss below 0");
	way_put(&way, WAY_RECEIVED, 901);
	way_put(&way, WAY_RECEIVED_BYTES, 90100);
	tap_ok(way_lost(&way, &value) && value == 100, "lost is what did not arrive");
	tap_ok(way_departure_rate(&way, &value) && value == 1000000, "1000 gaps in a second");
	tap_ok(!way_arrival_rate(&way, &value) && !way_goodput(&way, &value), "without a span there is no rate");
	way_put(&way, WAY_RECEIVING_NS, 2000000000);
	tap_ok(way_arrival_rate(&way, &value) && value == 450000, "900 gaps in two seconds");
	tap_ok(way_goodput(&way, &value) && value == 360000, "and the bytes that ended them");
}

static void test_keep(void)
{
	struct way sender, receiver;
	uint64_t value;

	fill();
	sender = way;
	way_keep(&sender, true);
	tap_ok(way_has(&sender, WAY_SENT) && !way_has(&sender, WAY_RECEIVED) && !way_has_span(&sender, WAY_GAP),
	       "a sender knows what it sent");
	receiver = way;
	way_keep(&receiver, false);
	tap_ok(!way_has(&receiver, WAY_SENT) && way_has(&receiver, WAY_RECEIVED) && way_has_span(&receiver, WAY_GAP),
	       "a receiver what it received");
	way_merge(&sender, &receiver);
	tap_ok(sender.has == way.has && sender.has_spans == way.has_spans && way_lost(&sender, &value) && value == 10,
	       "both together all of it");
}

int main(void)
{
	test_messages();
	test_hostile();
	test_figures();
	test_keep();
	return tap_done();
}
