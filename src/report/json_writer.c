/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout is ours, escaping is jansson's. The functions are called json_put_* because jansson owns json_string,
 * json_integer and their like, also for the linker.
 */
#include "report/json_writer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void note_failure(struct json_writer *writer, int error)
{
	if (writer->error == 0) {
		writer->error = error;
	}
}

/* What stands before every value: comma, line, indentation, key. */
static void begin_value(struct json_writer *writer, const char *key)
{
	if (writer->depth > 0) {
		bool *has_values = &writer->has_values[writer->depth - 1];

		fprintf(writer->out, "%s\n%*s", *has_values ? "," : "", (int)(2 * writer->depth), "");
		*has_values = true;
	}
	if (key) {
		fprintf(writer->out, "\"%s\": ", key);
	}
}

static void open_level(struct json_writer *writer, const char *key, char bracket)
{
	assert(writer->depth < JSON_WRITER_DEPTH_MAX);
	begin_value(writer, key);
	putc(bracket, writer->out);
	writer->has_values[writer->depth++] = false;
}

static void close_level(struct json_writer *writer, char bracket)
{
	assert(writer->depth > 0);
	if (writer->has_values[--writer->depth]) {
		fprintf(writer->out, "\n%*s", (int)(2 * writer->depth), "");
	}
	putc(bracket, writer->out);
}

void json_begin(struct json_writer *writer, FILE *out)
{
	memset(writer, 0, sizeof(*writer));
	writer->out = out;
}

int json_end(struct json_writer *writer)
{
	assert(writer->depth == 0);
	putc('\n', writer->out);
	errno = 0;
	if (fflush(writer->out) != 0 || ferror(writer->out)) {
		note_failure(writer, errno ? -errno : -EIO);
	}
	return writer->error;
}

void json_begin_object(struct json_writer *writer, const char *key)
{
	open_level(writer, key, '{');
}

void json_end_object(struct json_writer *writer)
{
	close_level(writer, '}');
}

void json_begin_array(struct json_writer *writer, const char *key)
{
	open_level(writer, key, '[');
}

void json_end_array(struct json_writer *writer)
{
	close_level(writer, ']');
}

/* The text with U+FFFD for every byte outside ASCII, for texts that jansson refuses; NULL without memory. */
static json_t *replaced_string(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *copy = malloc(3 * strlen(text) + 1), *end = copy;

	if (!copy) {
		return NULL;
	}
	for (; *text; text++) {
		if ((unsigned char)*text < 0x80) {
			*end++ = *text;
		} else {
			memcpy(end, replacement, 3);
			end += 3;
		}
	}
	*end = '\0';
	json_t *string = json_string(copy);

	free(copy);
	return string;
}

void json_put_string(struct json_writer *writer, const char *key, const char *text)
{
	json_t *string = json_string(text);

	if (!string) {
		string = replaced_string(text);
	}
	begin_value(writer, key);
	if (!string || json_dumpf(string, writer->out, JSON_ENCODE_ANY) != 0) {
		note_failure(writer, string ? -EIO : -ENOMEM);
	}
	json_decref(string);
}

void json_put_integer(struct json_writer *writer, const char *key, int64_t value)
{
	begin_value(writer, key);
	fprintf(writer->out, "%" PRId64, value);
}

void json_put_unsigned(struct json_writer *writer, const char *key, uint64_t value)
{
	begin_value(writer, key);
	fprintf(writer->out, "%" PRIu64, value);
}

void json_put_boolean(struct json_writer *writer, const char *key, bool value)
{
	begin_value(writer, key);
	fputs(value ? "true" : "false", writer->out);
}

void json_put_milli(struct json_writer *writer, const char *key, uint64_t thousandths)
{
	begin_value(writer, key);
	fprintf(writer->out, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
}

void json_put_signed_milli(struct json_writer *writer, const char *key, int64_t thousandths)
{
	const uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;

	begin_value(writer, key);
	fprintf(writer->out, "%s%" PRIu64 ".%03u", thousandths < 0 ? "-" : "", size / 1000, (unsigned)(size % 1000));
}
