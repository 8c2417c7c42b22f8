/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the other end of a load says: lines out of bytes, messages out of lines, figures out of messages. Refused with a
 * sentence, or printed to be read again the same.
 */
#include "fuzz/fuzz.h"
#include "live/way_messages.h"

static struct way ways[2];

/* Figures of it: nothing in them may hurt, whatever was reported. */
static void use_ways(void)
{
	if (way_messages_check(ways, NULL)) {
		return;
	}
	for (unsigned i = 0; i < 2 * WAY_SPANS; i++) {
		const struct histogram *const span = &ways[i / WAY_SPANS].span[i % WAY_SPANS];
		uint64_t value;

		fuzz_require(histogram_percentile(span, 500000) >= 0);
		histogram_mean(span);
		histogram_stddev(span);
		way_arrival_rate(&ways[i / WAY_SPANS], &value);
		way_departure_rate(&ways[i / WAY_SPANS], &value);
		way_goodput(&ways[i / WAY_SPANS], &value);
		way_lost(&ways[i / WAY_SPANS], &value);
	}
}

static void check_line(const char *line)
{
	struct protocol_message message = { .kind = PROTOCOL_KINDS }, again;
	char printed[PROTOCOL_LINE_MAX], reprinted[PROTOCOL_LINE_MAX];
	struct err err = { "" };

	if (protocol_parse(&message, line, &err)) {
		fuzz_require(err.text[0] && message.kind == PROTOCOL_KINDS);
		return;
	}
	protocol_print(&message, printed);
	printed[strlen(printed) - 1] = '\0';
	fuzz_require(protocol_parse(&again, printed, NULL) == 0);
	protocol_print(&again, reprinted);
	reprinted[strlen(reprinted) - 1] = '\0';
	fuzz_require(strcmp(printed, reprinted) == 0);
	err.text[0] = '\0';
	fuzz_require(way_messages_take(ways, &message, &err) == 0 || err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct protocol_lines lines;
	char line[PROTOCOL_LINE_MAX];
	bool was_too_long;

	lines = (struct protocol_lines){ .used = 0 };
	way_init(&ways[0]);
	way_init(&ways[1]);
	for (size_t at = 0; at < size;) {
		size_t room;
		char *const place = protocol_lines_room(&lines, &room);
		const size_t piece = size - at < room ? size - at : room;

		memcpy(place, data + at, piece);
		protocol_lines_added(&lines, piece);
		at += piece;
		while (protocol_lines_next(&lines, line, &was_too_long)) {
			if (!was_too_long) {
				fuzz_require(strlen(line) < PROTOCOL_LINE_MAX);
				check_line(line);
			}
		}
	}
	use_ways();
	return 0;
}
