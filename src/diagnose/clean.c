/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/clean.h"

#include <stdbool.h>
#include <string.h>

/* Both orders of bytes, by the mark that Windows puts first. Every second byte is dropped, which leaves ASCII alone. */
static size_t from_utf16(char *text, size_t size)
{
	const bool little = size >= 2 && text[0] == '\xff' && text[1] == '\xfe';
	const bool big = size >= 2 && text[0] == '\xfe' && text[1] == '\xff';
	size_t to = 0;

	if (!little && !big) {
		return size;
	}
	for (size_t at = 2; at + 1 < size; at += 2) {
		const char low = text[at + (big ? 1 : 0)], high = text[at + (big ? 0 : 1)];

		text[to++] = high || (low & 0x80) ? '?' : low;
	}
	return to;
}

static size_t drop_byte_order_mark(char *text, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (size < 3 || memcmp(text, mark, 3) != 0) {
		return size;
	}
	memmove(text, text + 3, size - 3);
	return size - 3;
}

/* "\033[1;32m", "\033]0;title\a", "\033(B": its length at `at`, 0: none. Within the line only. */
static size_t escape_length(const char *at, const char *end)
{
	const char *next = at + 1;

	if (*at != '\033') {
		return 0;
	}
	if (next < end && *next == '[') {
		for (next++; next < end && (*next < '@' || *next > '~') && *next != '\n'; next++) {
		}
	} else if (next < end && *next == ']') {
		for (next++; next < end && *next != '\a' && *next != '\033' && *next != '\n'; next++) {
		}
	} else if (next < end && (*next == '(' || *next == ')')) {
		next++;
	}
	return (size_t)((next < end && *next != '\n' ? next + 1 : next) - at);
}

/* One sign of what is no control sequence; *length of its bytes. */
static char plain(const char *at, const char *end, size_t *length)
{
	const unsigned char byte = (unsigned char)*at;

	*length = 1;
	if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
		return *at;
	}
	if (byte < 0x80) {
		return ' ';
	}
	if (at + 1 < end && (memcmp(at, "\xc2\xb5", 2) == 0 || memcmp(at, "\xce\xbc", 2) == 0)) {
		*length = 2;
		return 'u';
	}
	if (at + 1 < end && memcmp(at, "\xc2\xa0", 2) == 0) {
		*length = 2;
		return ' ';
	}
	/* One mark for a whole character where it is well-formed. */
	while (byte >= 0xc0 && at + *length < end && *length < 4 && ((unsigned char)at[*length] & 0xc0) == 0x80) {
		++*length;
	}
	return '?';
}

/* What stands before a quoted line: "> > ". */
static const char *skip_quotes(const char *at, const char *end)
{
	while (at < end) {
		const char *next = at;

		while (next < end && *next == ' ' && next - at < 3) {
			next++;
		}
		if (next == end || *next != '>') {
			break;
		}
		at = next + 1;
		/* One blank belongs to the sign; the rest is the line's own. */
		if (at < end && *at == ' ') {
			at++;
		}
	}
	return at;
}

/* A line without its end; returns where it is written up to. */
static char *clean_line(char *to, const char *at, const char *end)
{
	at = skip_quotes(at, end);
	if (end - at >= 3 && (memcmp(at, "```", 3) == 0 || memcmp(at, "~~~", 3) == 0)) {
		return to;
	}
	while (at < end) {
		size_t length = escape_length(at, end);

		if (length == 0) {
			*to++ = plain(at, end, &length);
		}
		at += length;
	}
	return to;
}

size_t diagnose_clean(char *text, size_t size)
{
	size = drop_byte_order_mark(text, from_utf16(text, size));
	const char *at = text, *const end = text + size;
	char *to = text;

	while (at < end) {
		const char *const newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *const next = newline ? newline + 1 : end;

		while (line_end > at && line_end[-1] == '\r') {
			line_end--;
		}
		to = clean_line(to, at, line_end);
		if (newline) {
			*to++ = '\n';
		}
		at = next;
	}
	*to = '\0';
	return (size_t)(to - text);
}
