/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "protocol.c"

#include "tap.h"

static void test_round_trip(void)
{
	struct protocol_message message, found;
	char line[PROTOCOL_LINE_MAX];

	protocol_init(&message, PROTOCOL_OPEN);
	protocol_put(&message, PROTOCOL_TOKEN, UINT64_MAX);
	protocol_put_text(&message, PROTOCOL_ADDRESS, "fe80::1");
	protocol_put_text(&message, PROTOCOL_SOURCE, "10.0.0.1");
	protocol_put(&message, PROTOCOL_BOTH, 1);
	protocol_put(&message, PROTOCOL_SEED, 0);
	protocol_put(&message, PROTOCOL_DURATION_NS, INT64_MAX);
	protocol_put_text(&message, PROTOCOL_TEXT, "udp rate=20k size=64");
	protocol_print(&message, line);
	tap_is_text(
		line,
		"holdoff open token=18446744073709551615 both=1 seed=0 duration_ns=9223372036854775807 address=fe80::1 "
		"source=10.0.0.1 text=udp rate=20k size=64\n",
		"an open message");
	line[strlen(line) - 1] = '\0';
	tap_is(protocol_parse(&found, line, NULL), 0, "is read again");
	tap_ok(found.number[PROTOCOL_TOKEN] == UINT64_MAX && found.number[PROTOCOL_DURATION_NS] == INT64_MAX,
	       "with its numbers");
	tap_is_text(protocol_word(&found, PROTOCOL_ADDRESS), "fe80::1", "its words");
	tap_is_text(found.text, "udp rate=20k size=64", "and its text");
}

static void refuse(const char *line, const char *part)
{
	struct protocol_message message = { .kind = PROTOCOL_KINDS };
	struct err err = { "" };
	const int ret = protocol_parse(&message, line, &err);

	tap_ok(ret < 0 && message.kind == PROTOCOL_KINDS && strstr(err.text, part), "\"%.50s\": %s", line, err.text);
}

static void test_refusals(void)
{
	refuse("", "no message");
	refuse("holdoff", "no message");
	refuse("holdoff dance", "no message");
	refuse("holdof start", "no message");
	refuse("holdoff start now=1", "unknown field \"now\"");
	refuse("holdoff start ", "unknown field");
	refuse("holdoff start at_ns=1", "where it does not belong");
	refuse("holdoff clock at_ns=1 at_ns=1", "where it does not belong");
	refuse("holdoff clock at_ns=", "no number");
	refuse("holdoff clock at_ns=-1", "no number");
	refuse("holdoff clock at_ns=01", "no number");
	refuse("holdoff clock at_ns=0x10", "no number");
	refuse("holdoff clock at_ns=1k", "no number");
	refuse("holdoff clock at_ns=9223372036854775808", "out of range");
	refuse("holdoff clock at_ns=99999999999999999999", "at_ns");
	refuse("holdoff count way=2 name=sent value=1", "out of range");
	refuse("holdoff count way=1 name=sent", "lacks a field");
	refuse("holdoff count way=1 name= value=1", "characters");
	refuse("holdoff count way=1 name=0123456789012345678901234567890123456789012345678901234567890123456789 "
	       "value=1",
	       "characters");
	refuse("holdoff clock  at_ns=1", "unknown field");
	refuse("holdoff clock\tat_ns=1", "0x09");
	refuse("holdoff set text=rx-usecs 1", "lacks a field");
	refuse("holdoff error text=caf\xc3\xa9", "0xc3");
	refuse("holdoff hello protocol=2", "version 2");
	refuse("holdoff hello protocol=4294967295 whatever is=new", "version 4294967295");
	refuse("holdoff hello protocol=99999999999 program=1", "protocol");
	refuse("holdoff hello protocol= program=1", "protocol");
	refuse("holdoff hello program=1", "lacks a field");
}

static void test_texts(void)
{
	struct protocol_message message;
	char line[PROTOCOL_LINE_MAX], longer[2 * PROTOCOL_LINE_MAX];

	protocol_init(&message, PROTOCOL_ERROR);
	protocol_put_text(&message, PROTOCOL_TEXT, "two\nlines \xff");
	tap_is_text(protocol_print(&message, line), "holdoff error text=two?lines ?\n", "a text stays on its line");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	protocol_put_text(&message, PROTOCOL_TEXT, longer);
	tap_ok(strlen(protocol_print(&message, line)) < PROTOCOL_LINE_MAX, "and is cut to fit it");
	protocol_init(&message, PROTOCOL_COUNT);
	protocol_put_text(&message, PROTOCOL_NAME, "a b");
	tap_is_text(protocol_word(&message, PROTOCOL_NAME), "a?b", "a word has no blank");
}

/* Hands text over in pieces of this size. */
static void feed(struct protocol_lines *lines, const char *text, size_t piece, char out[4096])
{
	char line[PROTOCOL_LINE_MAX];
	const size_t length = strlen(text);
	bool was_too_long;

	out[0] = '\0';
	for (size_t at = 0; at < length;) {
		size_t room;
		char *const place = protocol_lines_room(lines, &room);
		size_t size = length - at < piece ? length - at : piece;

		size = size < room ? size : room;
		memcpy(place, text + at, size);
		protocol_lines_added(lines, size);
		at += size;
		while (protocol_lines_next(lines, line, &was_too_long)) {
			strncat(out, was_too_long ? "TOO LONG" : line, PROTOCOL_LINE_MAX);
			strcat(out, "|");
		}
	}
}

static void test_lines(void)
{
	static const size_t pieces[] = { 1, 3, 100, 100000 };
	static char longer[8 * PROTOCOL_LINE_MAX], out[4096];
	struct protocol_lines lines;

	memset(longer, 'x', sizeof(longer) - 8);
	strcpy(longer + sizeof(longer) - 8, "\nafter\n");
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		lines = (struct protocol_lines){ .used = 0 };
		feed(&lines, "one\n\ntwo\r\nthree", pieces[i], out);
		tap_is_text(out, "one||two|", "lines out of pieces of %zu bytes", pieces[i]);
		feed(&lines, "\n", 1, out);
		tap_is_text(out, "three|", "an open line waits for its end");
		feed(&lines, longer, pieces[i], out);
		tap_is_text(out, "TOO LONG|after|", "one that is too long is said, and the next one is whole");
	}
}

int main(void)
{
	test_round_trip();
	test_refusals();
	test_texts();
	test_lines();
	tap_ok(protocol_begins("holdoff hello protocol=1 program=1") && protocol_begins("holdoff hello protocol=9"),
	       "a hello begins, of whatever version");
	tap_ok(!protocol_begins("holdoff start") && !protocol_begins(" holdoff hello protocol=1"), "nothing else does");
	return tap_done();
}
