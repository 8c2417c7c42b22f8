/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/protocol.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define BEGIN "holdoff "

#define F(field) (1u << PROTOCOL_##field)

static const struct {
	const char *name;
	uint32_t needed, optional;
} kinds[PROTOCOL_KINDS] = {
	[PROTOCOL_HELLO] = { "hello", F(PROTOCOL) | F(PROGRAM), F(BOOT) | F(TIME_NAMESPACE) },
	[PROTOCOL_CLOCK] = { "clock", 0, F(AT_NS) },
	[PROTOCOL_OPEN] = { "open", F(TOKEN) | F(ADDRESS) | F(SOURCE) | F(BOTH) | F(SEED) | F(DURATION_NS) | F(TEXT),
			    0 },
	[PROTOCOL_OPENED] = { "opened", F(TOKEN) | F(ADDRESS) | F(PORT), 0 },
	[PROTOCOL_START] = { "start", 0, 0 },
	[PROTOCOL_STARTED] = { "started", 0, 0 },
	[PROTOCOL_ENDED] = { "ended", 0, F(TEXT) },
	[PROTOCOL_STOP] = { "stop", 0, F(SENT) },
	[PROTOCOL_COUNT] = { "count", F(WAY) | F(NAME) | F(VALUE), 0 },
	[PROTOCOL_SPAN] = { "span",
			    F(WAY) | F(NAME) | F(COUNTED) | F(OUTSIDE) | F(MIN_NS) | F(MAX_NS) | F(SUM_HIGH) |
				    F(SUM_LOW) | F(SQUARES_HIGH) | F(SQUARES_LOW),
			    0 },
	[PROTOCOL_BUCKETS] = { "buckets", F(WAY) | F(NAME) | F(TEXT), 0 },
	[PROTOCOL_METHOD] = { "method", F(WAY) | F(TEXT), 0 },
	[PROTOCOL_DONE] = { "done", 0, 0 },
	[PROTOCOL_SET] = { "set", F(ADDRESS), F(TEXT) },
	[PROTOCOL_SETTING] = { "setting", F(NAME), F(TEXT) },
	[PROTOCOL_ERROR] = { "error", F(TEXT), 0 },
};

static const struct {
	const char *name;
	uint64_t max; /* of numbers */
} fields[PROTOCOL_FIELDS] = {
	[PROTOCOL_PROTOCOL] = { "protocol", UINT32_MAX },
	[PROTOCOL_AT_NS] = { "at_ns", INT64_MAX },
	[PROTOCOL_TIME_NAMESPACE] = { "time_namespace", UINT64_MAX },
	[PROTOCOL_TOKEN] = { "token", UINT64_MAX },
	[PROTOCOL_PORT] = { "port", UINT16_MAX },
	[PROTOCOL_BOTH] = { "both", 1 },
	[PROTOCOL_SEED] = { "seed", UINT64_MAX },
	[PROTOCOL_DURATION_NS] = { "duration_ns", INT64_MAX },
	[PROTOCOL_SENT] = { "sent", UINT64_MAX },
	[PROTOCOL_WAY] = { "way", 1 },
	[PROTOCOL_VALUE] = { "value", UINT64_MAX },
	[PROTOCOL_COUNTED] = { "counted", UINT64_MAX },
	[PROTOCOL_OUTSIDE] = { "outside", UINT64_MAX },
	[PROTOCOL_MIN_NS] = { "min_ns", INT64_MAX },
	[PROTOCOL_MAX_NS] = { "max_ns", INT64_MAX },
	[PROTOCOL_SUM_HIGH] = { "sum_high", UINT64_MAX },
	[PROTOCOL_SUM_LOW] = { "sum_low", UINT64_MAX },
	[PROTOCOL_SQUARES_HIGH] = { "squares_high", UINT64_MAX },
	[PROTOCOL_SQUARES_LOW] = { "squares_low", UINT64_MAX },
	[PROTOCOL_PROGRAM] = { "program", 0 },
	[PROTOCOL_BOOT] = { "boot", 0 },
	[PROTOCOL_ADDRESS] = { "address", 0 },
	[PROTOCOL_SOURCE] = { "source", 0 },
	[PROTOCOL_NAME] = { "name", 0 },
	[PROTOCOL_TEXT] = { "text", 0 },
};

static_assert(PROTOCOL_FIELDS <= 32, "one bit each");

/* ---- making ---- */

void protocol_init(struct protocol_message *message, enum protocol_kind kind)
{
	*message = (struct protocol_message){ .kind = kind };
}

void protocol_put(struct protocol_message *message, enum protocol_field field, uint64_t number)
{
	message->has |= 1u << field;
	message->number[field] = number;
}

static bool fits_line(char c)
{
	return c >= ' ' && c <= '~';
}

void protocol_put_text(struct protocol_message *message, enum protocol_field field, const char *text)
{
	const bool is_word = field != PROTOCOL_TEXT;
	char *const place = is_word ? message->word[field - PROTOCOL_NUMBERS] : message->text;
	/* Of a line's length the text leaves room for the other fields. */
	const size_t size = is_word ? PROTOCOL_WORD_MAX : PROTOCOL_LINE_MAX / 2;
	size_t length = 0;

	for (; text[length] && length + 1 < size; length++) {
		const char c = text[length];

		place[length] = !fits_line(c) || (is_word && c == ' ') ? '?' : c;
	}
	place[length] = '\0';
	message->has |= 1u << field;
}

const char *protocol_kind_name(enum protocol_kind kind)
{
	return kinds[kind].name;
}

char *protocol_print(const struct protocol_message *message, char buffer[PROTOCOL_LINE_MAX])
{
	size_t length = (size_t)snprintf(buffer, PROTOCOL_LINE_MAX, BEGIN "%s", kinds[message->kind].name);

	assert((message->has & kinds[message->kind].needed) == kinds[message->kind].needed);
	for (enum protocol_field field = 0; field < PROTOCOL_FIELDS && length < PROTOCOL_LINE_MAX; field++) {
		const size_t room = PROTOCOL_LINE_MAX - length;
		const char *const name = fields[field].name;
		int more = 0;

		if (!protocol_has(message, field)) {
			continue;
		}
		if (field < PROTOCOL_NUMBERS) {
			more = snprintf(buffer + length, room, " %s=%" PRIu64, name, message->number[field]);
		} else {
			more = snprintf(buffer + length, room, " %s=%s", name,
					field == PROTOCOL_TEXT ? message->text : protocol_word(message, field));
		}
		length += (size_t)more;
	}
	assert(length + 1 < PROTOCOL_LINE_MAX);
	buffer[length] = '\n';
	buffer[length + 1] = '\0';
	return buffer;
}

/* ---- reading ---- */

/* The rest of the line behind a word, if the line begins with it. */
static const char *behind(const char *line, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(line, word, length) == 0 ? line + length : NULL;
}

bool protocol_begins(const char *line)
{
	return behind(line, BEGIN "hello protocol=") != NULL;
}

static int find_kind(const char *word, size_t length, enum protocol_kind *kind)
{
	for (enum protocol_kind i = 0; i < PROTOCOL_KINDS; i++) {
		if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, word, length) == 0) {
			*kind = i;
			return 0;
		}
	}
	return -EPROTO;
}

static int find_field(const char *word, size_t length, enum protocol_field *field)
{
	for (enum protocol_field i = 0; i < PROTOCOL_FIELDS; i++) {
		if (strlen(fields[i].name) == length && strncmp(fields[i].name, word, length) == 0) {
			*field = i;
			return 0;
		}
	}
	return -EPROTO;
}

static int take_number(struct protocol_message *message, enum protocol_field field, const char *value, size_t length,
		       struct err *err)
{
	char text[24];
	uint64_t number = 0;

	if (length == 0 || length >= sizeof(text) || strspn(value, "0123456789") < length ||
	    (length > 1 && value[0] == '0')) {
		return err_set(err, -EPROTO, "%s of a message is no number", fields[field].name);
	}
	snprintf(text, sizeof(text), "%.*s", (int)length, value);
	if (text_parse_u64(text, fields[field].name, &number, err)) {
		return -EPROTO;
	}
	if (number > fields[field].max) {
		return err_set(err, -EPROTO, "%s of a message is out of range: %s", fields[field].name, text);
	}
	protocol_put(message, field, number);
	return 0;
}

static int take_word(struct protocol_message *message, enum protocol_field field, const char *value, size_t length,
		     struct err *err)
{
	if (length == 0 || length >= PROTOCOL_WORD_MAX) {
		return err_set(err, -EPROTO, "%s of a message has %zu characters, expected 1 to %d", fields[field].name,
			       length, PROTOCOL_WORD_MAX - 1);
	}
	memcpy(message->word[field - PROTOCOL_NUMBERS], value, length);
	message->word[field - PROTOCOL_NUMBERS][length] = '\0';
	message->has |= 1u << field;
	return 0;
}

/* One " name=value" at *at. */
static int take_field(struct protocol_message *message, const char **at, struct err *err)
{
	const char *const name = *at + 1;
	const size_t name_length = strcspn(name, "= ");
	const char *const value = name + name_length + 1;
	enum protocol_field field = PROTOCOL_FIELDS;

	if (name[name_length] != '=' || find_field(name, name_length, &field)) {
		return err_set(err, -EPROTO, "a message \"%s\" has an unknown field \"%.*s\"",
			       kinds[message->kind].name, (int)(name_length < 40 ? name_length : 40), name);
	}
	if (!((kinds[message->kind].needed | kinds[message->kind].optional) >> field & 1) ||
	    protocol_has(message, field)) {
		return err_set(err, -EPROTO, "a message \"%s\" has %s where it does not belong",
			       kinds[message->kind].name, fields[field].name);
	}
	if (field == PROTOCOL_TEXT) {
		snprintf(message->text, sizeof(message->text), "%s", value);
		message->has |= 1u << field;
		*at = value + strlen(value);
		return 0;
	}
	const size_t length = strcspn(value, " ");

	*at = value + length;
	return field < PROTOCOL_NUMBERS ? take_number(message, field, value, length, err)
					: take_word(message, field, value, length, err);
}

/* What only a hello of this version has is not looked at before its number. */
static int check_version(const char *line, struct err *err)
{
	const char *const number = behind(line, BEGIN "hello protocol=");
	char text[24];
	uint32_t version = 0;

	if (!number) {
		return 0;
	}
	snprintf(text, sizeof(text), "%.*s", (int)(strcspn(number, " ") < 20 ? strcspn(number, " ") : 20), number);
	if (text_parse_u32(text, "protocol", &version, err)) {
		return -EPROTO;
	}
	if (version != PROTOCOL_VERSION) {
		return err_set(err, -EPROTONOSUPPORT,
			       "the other end speaks version %" PRIu32
			       " of the protocol, this one version %d: the same version "
			       "of holdoff is needed at both ends",
			       version, PROTOCOL_VERSION);
	}
	return 0;
}

static int check_line(const char *line, struct err *err)
{
	const size_t length = strlen(line);

	if (length + 1 >= PROTOCOL_LINE_MAX) {
		return err_set(err, -EPROTO, "a line of %zu characters is no message", length);
	}
	for (size_t i = 0; i < length; i++) {
		if (!fits_line(line[i])) {
			return err_set(err, -EPROTO, "a line with the byte 0x%02x is no message",
				       (unsigned char)line[i]);
		}
	}
	return check_version(line, err);
}

int protocol_parse(struct protocol_message *message, const char *line, struct err *err)
{
	int ret = check_line(line, err);

	if (ret) {
		return ret;
	}
	const char *at = behind(line, BEGIN);
	const size_t length = at ? strcspn(at, " ") : 0;
	struct protocol_message found;
	enum protocol_kind kind = PROTOCOL_KINDS;

	if (!at || find_kind(at, length, &kind)) {
		return err_set(err, -EPROTO, "\"%.60s\" is no message", line);
	}
	protocol_init(&found, kind);
	for (at += length; ret == 0 && *at;) {
		ret = take_field(&found, &at, err);
	}
	if (ret == 0 && (found.has & kinds[kind].needed) != kinds[kind].needed) {
		ret = err_set(err, -EPROTO, "a message \"%s\" lacks a field", kinds[kind].name);
	}
	if (ret == 0) {
		*message = found;
	}
	return ret;
}

/* ---- lines ---- */

char *protocol_lines_room(struct protocol_lines *lines, size_t *size)
{
	/* A whole buffer without a newline is no line of ours. */
	if (lines->used == sizeof(lines->bytes)) {
		lines->used = 0;
		lines->is_too_long = true;
	}
	*size = sizeof(lines->bytes) - lines->used;
	return lines->bytes + lines->used;
}

void protocol_lines_added(struct protocol_lines *lines, size_t size)
{
	lines->used += size;
}

bool protocol_lines_next(struct protocol_lines *lines, char line[PROTOCOL_LINE_MAX], bool *was_too_long)
{
	const char *const end = memchr(lines->bytes, '\n', lines->used);

	*was_too_long = false;
	if (!end) {
		return false;
	}
	size_t length = (size_t)(end - lines->bytes);
	const size_t taken = length + 1;

	*was_too_long = lines->is_too_long || length >= PROTOCOL_LINE_MAX;
	lines->is_too_long = false;
	if (length > 0 && lines->bytes[length - 1] == '\r') {
		length--;
	}
	if (!*was_too_long) {
		memcpy(line, lines->bytes, length);
		line[length] = '\0';
		/* A line ends where a C string does: what is behind a zero byte is no message either. */
		*was_too_long = memchr(line, '\0', length) != NULL;
	}
	memmove(lines->bytes, lines->bytes + taken, lines->used - taken);
	lines->used -= taken;
	return true;
}
