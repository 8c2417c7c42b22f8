/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inih reads from text held in memory through a reader of ours, a line at a time. The reader knows the line number,
 * which inih does not tell its handler, and is stricter: no continued lines, no "key: value", names never cut. It hands
 * inih only the key; the value goes to the handler beside it, since inih's line buffer (200 bytes where
 * it was built so) is too short for a note of a source.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "ini/ini.h"

#define NAME_MAX_BYTES 48 /* inih keeps 50 with the end */
#define VALUE_MAX_BYTES 1000
#define SECTION_KEYS_MAX 256
#define FILE_MAX_BYTES (1 << 20)

struct span {
	const char *start;
	size_t length;
};

struct reader {
	const char *name; /* of the file */
	const char *at;   /* what has not been read yet */
	unsigned line, section_line;
	char value[VALUE_MAX_BYTES + 1];    /* of the line that inih is at */
	struct span keys[SECTION_KEYS_MAX]; /* seen in this section */
	unsigned key_count;
	ini_entry_fn *entry;
	void *context;
	int ret;
	struct err *err;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span span)
{
	while (span.length && is_space(span.start[0])) {
		span.start++;
		span.length--;
	}
	while (span.length && is_space(span.start[span.length - 1])) {
		span.length--;
	}
	return span;
}

/* Without its comment: # or ; at the start or after white space. */
static struct span cut_comment(struct span line)
{
	for (size_t i = 0; i < line.length; i++) {
		const char c = line.start[i];

		if ((c == '#' || c == ';') && (i == 0 || is_space(line.start[i - 1]))) {
			line.length = i;
		}
	}
	return line;
}

static struct span next_line(struct reader *reader)
{
	struct span line = { reader->at, strcspn(reader->at, "\n") };

	reader->at += line.length;
	reader->at += *reader->at == '\n';
	reader->line++;
	return line;
}

__attribute__((format(printf, 2, 3))) static int complain(struct reader *reader, const char *format, ...)
{
	char sentence[ERR_TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	reader->ret = err_set(reader->err, -EINVAL, "%s:%u: %s", reader->name, reader->line, sentence);
	return reader->ret;
}

static bool has_control_character(struct span line)
{
	for (size_t i = 0; i < line.length; i++) {
		if ((unsigned char)line.start[i] < ' ' && !is_space(line.start[i])) {
			return true;
		}
	}
	return false;
}

/* Puts "[name]" into inih's buffer. */
static int read_section(struct reader *reader, struct span line, char *buffer, size_t size)
{
	struct span name = { line.start + 1, line.length - 1 };

	if (line.start[line.length - 1] != ']' ||
	    memchr(name.start, ']', name.length) != line.start + line.length - 1) {
		return complain(reader, "\"%.*s\" lacks its closing bracket, expected [section]", (int)line.length,
				line.start);
	}
	name.length--;
	name = trim(name);
	if (name.length == 0 || name.length > NAME_MAX_BYTES) {
		return complain(reader, "the name of a section has 1 to %d characters", NAME_MAX_BYTES);
	}
	reader->section_line = reader->line;
	reader->key_count = 0;
	snprintf(buffer, size, "[%.*s]\n", (int)name.length, name.start);
	return 0;
}

static int remember_key(struct reader *reader, struct span key)
{
	for (unsigned i = 0; i < reader->key_count; i++) {
		if (reader->keys[i].length == key.length && memcmp(reader->keys[i].start, key.start, key.length) == 0) {
			return complain(reader, "%.*s is given twice in this section", (int)key.length, key.start);
		}
	}
	if (reader->key_count == SECTION_KEYS_MAX) {
		return complain(reader, "a section has at most %d keys", SECTION_KEYS_MAX);
	}
	reader->keys[reader->key_count++] = key;
	return 0;
}

/* Puts "key = " into inih's buffer and the value into ours. */
static int read_pair(struct reader *reader, struct span line, char *buffer, size_t size)
{
	const char *const equals = memchr(line.start, '=', line.length);

	if (!equals || equals == line.start || memchr(line.start, ':', (size_t)(equals - line.start))) {
		return complain(reader, "\"%.*s\" is neither [section] nor key = value", (int)line.length, line.start);
	}
	const struct span key = trim((struct span){ line.start, (size_t)(equals - line.start) });
	const struct span value = trim((struct span){ equals + 1, line.length - (size_t)(equals + 1 - line.start) });

	if (key.length > NAME_MAX_BYTES) {
		return complain(reader, "the key is longer than %d characters", NAME_MAX_BYTES);
	}
	if (value.length > VALUE_MAX_BYTES) {
		return complain(reader, "the value of %.*s is longer than %d bytes", (int)key.length, key.start,
				VALUE_MAX_BYTES);
	}
	if (remember_key(reader, key)) {
		return reader->ret;
	}
	memcpy(reader->value, value.start, value.length);
	reader->value[value.length] = '\0';
	snprintf(buffer, size, "%.*s =\n", (int)key.length, key.start);
	return 0;
}

/* As fgets for inih: the next line that says something, NULL at the end or after an error. */
static char *read_line(char *buffer, int size, void *stream)
{
	struct reader *const reader = stream;

	if (reader->ret || !*reader->at) {
		return NULL;
	}
	const struct span line = trim(cut_comment(next_line(reader)));

	if (line.length == 0) {
		snprintf(buffer, (size_t)size, "\n");
		return buffer;
	}
	if (has_control_character(line)) {
		complain(reader, "the line holds a control character");
		return NULL;
	}
	if (line.start[0] == '[') {
		return read_section(reader, line, buffer, (size_t)size) ? NULL : buffer;
	}
	return read_pair(reader, line, buffer, (size_t)size) ? NULL : buffer;
}

/* Called by inih for each pair: 1 is fine, 0 an error. */
static int hand_over(void *user, const char *section, const char *key, const char *value)
{
	struct reader *const reader = user;
	const struct ini_entry entry = { section, key, reader->value, reader->line, reader->section_line };

	(void)value;
	reader->ret = reader->entry(reader->context, &entry, reader->err);
	if (reader->ret) {
		err_prefix(reader->err, reader->ret, "%s:%u", reader->name, reader->line);
	}
	return reader->ret == 0;
}

int ini_parse_text(const char *text, const char *name, ini_entry_fn *entry, void *context, struct err *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const size_t skipped = strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
	struct reader reader = { .name = name, .at = text + skipped, .entry = entry, .context = context, .err = err };
	const int line = ini_parse_stream(read_line, &reader, hand_over, &reader);

	if (reader.ret || line == 0) {
		return reader.ret;
	}
	if (line < 0) {
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	}
	return err_set(err, -EINVAL, "%s:%d: expected [section] or key = value", name, line);
}

/* ---- values by table ---- */

static int check_number(const struct ini_key *key, const char *text, int64_t number, struct err *err)
{
	const bool limited = key->min || key->max;

	if (!limited || (number >= key->min && number <= key->max)) {
		return 0;
	}
	if (key->type != INI_DURATION) {
		return err_set(err, -ERANGE, "%s: %.60s is out of range, expected %" PRId64 " to %" PRId64, key->name,
			       text, key->min, key->max);
	}
	char min[TEXT_DURATION_MAX], max[TEXT_DURATION_MAX];

	return err_set(err, -ERANGE, "%s: %.60s is out of range, expected %s to %s", key->name, text,
		       text_print_duration(key->min, min), text_print_duration(key->max, max));
}

typedef int count_fn(const char *text, const char *what, uint64_t *value, struct err *err);

static int store_count(const struct ini_key *key, count_fn *parse, const char *text, void *member, struct err *err)
{
	uint64_t value;
	int ret = parse(text, key->name, &value, err);

	/* What is over INT64_MAX becomes negative here: below any limit that a count has. */
	ret = ret ? ret : check_number(key, text, (int64_t)value, err);
	if (!ret) {
		memcpy(member, &value, sizeof(value));
	}
	return ret;
}

static int store_text(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	const size_t length = strlen(text);

	if (length >= key->size) {
		return err_set(err, -ERANGE, "%s: the text has %zu bytes, at most %zu are possible", key->name, length,
			       key->size - 1);
	}
	memcpy(member, text, length + 1);
	return 0;
}

static int store_u32(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	uint32_t value;
	int ret = text_parse_u32(text, key->name, &value, err);

	ret = ret ? ret : check_number(key, text, value, err);
	if (!ret) {
		memcpy(member, &value, sizeof(value));
	}
	return ret;
}

static int store_i64(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	const bool limited = key->min || key->max;
	int64_t value;
	const int ret = text_parse_i64(text, key->name, limited ? key->min : INT64_MIN, limited ? key->max : INT64_MAX,
				       &value, err);

	if (!ret) {
		memcpy(member, &value, sizeof(value));
	}
	return ret;
}

static int store_duration(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	int64_t value_ns;
	int ret = text_parse_duration(text, key->name, &value_ns, err);

	ret = ret ? ret : check_number(key, text, value_ns, err);
	if (!ret) {
		memcpy(member, &value_ns, sizeof(value_ns));
	}
	return ret;
}

static int store_bool(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	int value;
	const int ret = text_parse_bool(text, key->name, &value, err);

	if (!ret) {
		*(bool *)member = value;
	}
	return ret;
}

static int store_value(const struct ini_key *key, const char *text, void *member, struct err *err)
{
	switch (key->type) {
	case INI_TEXT:
		return store_text(key, text, member, err);
	case INI_U32:
		return store_u32(key, text, member, err);
	case INI_I64:
		return store_i64(key, text, member, err);
	case INI_DURATION:
		return store_duration(key, text, member, err);
	case INI_BYTES:
		return store_count(key, text_parse_bytes, text, member, err);
	case INI_RATE:
		return store_count(key, text_parse_rate, text, member, err);
	case INI_HZ:
		return store_count(key, text_parse_hz, text, member, err);
	case INI_BOOL:
		return store_bool(key, text, member, err);
	}
	return -EINVAL;
}

static int complain_unknown(const struct ini_key *keys, size_t count, const struct ini_entry *entry, struct err *err)
{
	const char *names[64];

	assert(count <= 64);
	for (size_t row = 0; row < count; row++) {
		names[row] = keys[row].name;
	}
	const char *const nearest = text_nearest(entry->key, names, count);

	if (nearest) {
		return err_set(err, -EINVAL, "[%s] has no key \"%s\", did you mean %s?", entry->section, entry->key,
			       nearest);
	}
	return err_set(err, -EINVAL, "[%s] has no key \"%s\"", entry->section, entry->key);
}

int ini_store(const struct ini_key *keys, size_t count, void *object, uint64_t *seen, const struct ini_entry *entry,
	      struct err *err)
{
	for (size_t row = 0; row < count; row++) {
		if (strcmp(keys[row].name, entry->key) != 0) {
			continue;
		}
		if (*seen >> row & 1) {
			return err_set(err, -EINVAL, "%s is given twice", entry->key);
		}
		*seen |= UINT64_C(1) << row;
		return store_value(&keys[row], entry->value, (char *)object + keys[row].offset, err);
	}
	return complain_unknown(keys, count, entry, err);
}

int ini_required(const struct ini_key *keys, size_t count, uint64_t seen, const char *section, struct err *err)
{
	for (size_t row = 0; row < count; row++) {
		if (keys[row].required && !(seen >> row & 1)) {
			return err_set(err, -EINVAL, "[%s] lacks %s: %s", section, keys[row].name, keys[row].help);
		}
	}
	return 0;
}

/* ---- files ---- */

/* Fills text, of FILE_MAX_BYTES and two more, from the file; returns how much, or a negative errno. */
static ssize_t read_all(int file, char *text)
{
	size_t length = 0;

	while (length <= FILE_MAX_BYTES) {
		const ssize_t got = read(file, text + length, FILE_MAX_BYTES + 1 - length);

		if (got < 0 && errno != EINTR) {
			return -errno;
		}
		if (got == 0) {
			break;
		}
		length += got > 0 ? (size_t)got : 0;
	}
	text[length] = '\0';
	return (ssize_t)length;
}

static int read_open_file(int file, const char *path, char *buffer, struct err *err)
{
	struct stat status;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode)) {
		return err_set(err, -EINVAL, "%s is no regular file", path);
	}
	const ssize_t length = read_all(file, buffer);

	if (length < 0) {
		return err_set(err, (int)length, "%s cannot be read: %s", path, strerror((int)-length));
	}
	if (length > FILE_MAX_BYTES) {
		return err_set(err, -EFBIG, "%s is larger than 1 MiB", path);
	}
	if (memchr(buffer, '\0', (size_t)length)) {
		return err_set(err, -EINVAL, "%s holds a NUL byte, expected text", path);
	}
	return 0;
}

int ini_read_file(const char *path, char **text, struct err *err)
{
	/* O_NONBLOCK: opening a pipe must not wait for its writer. */
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (file < 0) {
		const int code = errno;

		return err_set(err, -code, "%s cannot be opened: %s", path, strerror(code));
	}
	char *const buffer = malloc(FILE_MAX_BYTES + 2);
	const int ret = buffer ? read_open_file(file, path, buffer, err)
			       : err_set(err, -ENOMEM, "%s: out of memory", path);

	close(file);
	if (ret) {
		free(buffer);
		return ret;
	}
	*text = buffer;
	return 0;
}
