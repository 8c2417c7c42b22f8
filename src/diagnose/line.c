/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/line.h"

#include <string.h>

#include "base/time.h"

void lines_begin(struct lines *lines, const char *text, unsigned first)
{
	*lines = (struct lines){ .next = text, .number = first - 1 };
}

bool lines_next(struct lines *lines)
{
	if (!*lines->next) {
		return false;
	}
	const size_t length = strcspn(lines->next, "\n");
	const char *const end = lines->next + length;
	const char *at = lines->next;

	lines->start = lines->next;
	lines->number++;
	while (at < end && (*at == ' ' || *at == '\t')) {
		at++;
	}
	lines->is_indented = at > lines->start;
	size_t kept = (size_t)(end - at) < sizeof(lines->text) ? (size_t)(end - at) : sizeof(lines->text) - 1;
	memcpy(lines->text, at, kept);
	lines->text[kept] = '\0';
	lines->next = *end ? end + 1 : end;
	return true;
}

bool line_is_blank(const char *line)
{
	return line_is_over(line);
}

bool line_begins(const char *line, const char *start)
{
	return strncmp(line, start, strlen(start)) == 0;
}

bool line_ends(const char *line, const char *end)
{
	size_t length = strlen(line);
	const size_t end_length = strlen(end);

	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) {
		length--;
	}
	return length >= end_length && memcmp(line + length - end_length, end, end_length) == 0;
}

const char *line_skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

const char *line_behind(const char *line, const char *mark)
{
	const char *const at = strstr(line, mark);

	return at ? line_skip_blanks(at + strlen(mark)) : NULL;
}

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

bool line_number(const char **at, uint64_t *value)
{
	const char *next = *at;
	uint64_t number = 0;

	if (!is_digit(*next)) {
		return false;
	}
	for (; is_digit(*next); next++) {
		const uint64_t digit = (uint64_t)(*next - '0');

		if (number > (UINT64_MAX - digit) / 10) {
			return false;
		}
		number = number * 10 + digit;
	}
	*value = number;
	*at = next;
	return true;
}

bool line_decimal(const char **at, int64_t unit_ns, int64_t *value_ns)
{
	const int64_t most_ns = 10 * 86400 * NS_PER_S;
	const char *next = *at;
	uint64_t whole;

	if (!line_number(&next, &whole) || whole > (uint64_t)(most_ns / unit_ns)) {
		return false;
	}
	int64_t span_ns = (int64_t)whole * unit_ns, part_ns = unit_ns;

	if (*next == '.' && is_digit(next[1])) {
		/* Digit by digit: of a unit that is a power of ten nothing is lost before it is below a ns. */
		for (next++; is_digit(*next); next++) {
			part_ns /= 10;
			span_ns += (*next - '0') * part_ns;
		}
	}
	*value_ns = span_ns;
	*at = next;
	return true;
}

void line_word(const char *at, const char *stops, char *word, size_t size)
{
	size_t length = strcspn(at, " \t\n");
	const size_t stop = strcspn(at, stops);

	length = stop < length ? stop : length;
	length = length < size ? length : size - 1;
	memcpy(word, at, length);
	word[length] = '\0';
}

bool line_is_over(const char *at)
{
	return *line_skip_blanks(at) == '\0';
}
