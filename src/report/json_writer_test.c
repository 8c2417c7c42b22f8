/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_writer.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void write_document(struct json_writer *writer)
{
	json_begin_object(writer, NULL);
	json_put_string(writer, "text", "a \"quoted\" back\\slash\n");
	json_put_integer(writer, "least", INT64_MIN);
	json_put_unsigned(writer, "most", UINT64_MAX);
	json_put_boolean(writer, "yes", true);
	json_put_milli(writer, "small", 7);
	json_put_milli(writer, "large", UINT64_MAX);
	json_put_signed_milli(writer, "below", -1005);
	json_begin_object(writer, "nothing");
	json_end_object(writer);
	json_begin_array(writer, "list");
	json_put_integer(writer, NULL, 1);
	json_begin_object(writer, NULL);
	json_put_boolean(writer, "no", false);
	json_end_object(writer);
	json_end_array(writer);
	json_end_object(writer);
}

static const char expected[] = "{\n"
			       "  \"text\": \"a \\\"quoted\\\" back\\\\slash\\n\",\n"
			       "  \"least\": -9223372036854775808,\n"
			       "  \"most\": 18446744073709551615,\n"
			       "  \"yes\": true,\n"
			       "  \"small\": 0.007,\n"
			       "  \"large\": 18446744073709551.615,\n"
			       "  \"below\": -1.005,\n"
			       "  \"nothing\": {},\n"
			       "  \"list\": [\n"
			       "    1,\n"
			       "    {\n"
			       "      \"no\": false\n"
			       "    }\n"
			       "  ]\n"
			       "}\n";

static void test_layout(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct json_writer writer;

	json_begin(&writer, out);
	write_document(&writer);
	tap_is(json_end(&writer), 0, "a document is written");
	fclose(out);
	tap_is_text(text, expected, "in the order of the calls, two spaces a level");
	json_t *document = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);

	tap_ok(document != NULL, "and another parser reads it");
	tap_is_text(json_string_value(json_object_get(document, "text")), "a \"quoted\" back\\slash\n",
		    "with the text that was put");
	json_decref(document);
	free(text);
}

static void test_broken_text(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct json_writer writer;

	json_begin(&writer, out);
	json_put_string(&writer, NULL, "x\xff\x01");
	tap_is(json_end(&writer), 0, "a text that is no UTF-8 is written");
	fclose(out);
	tap_is_text(text, "\"x\xef\xbf\xbd\\u0001\"\n", "with a replacement character");
	free(text);
}

static void test_full_disk(void)
{
	FILE *out = fopen("/dev/full", "w");
	struct json_writer writer;

	if (!out) {
		tap_skip("no /dev/full", "a full disk is noticed");
		return;
	}
	json_begin(&writer, out);
	write_document(&writer);
	tap_is(json_end(&writer), -ENOSPC, "a full disk is noticed");
	fclose(out);
}

int main(void)
{
	test_layout();
	test_broken_text();
	test_full_disk();
	return tap_done();
}
