/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ini/ini.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

/* Writes every entry into one text. */
struct collected {
	char text[4000];
	unsigned entries;
};

static int collect(void *context, const struct ini_entry *entry, struct err *err)
{
	struct collected *const collected = context;
	const size_t used = strlen(collected->text);

	collected->entries++;
	snprintf(collected->text + used, sizeof(collected->text) - used, "%u:%u:%s/%s=%s|", entry->line,
		 entry->section_line, entry->section, entry->key, entry->value);
	return strcmp(entry->value, "refused") == 0 ? err_set(err, -ERANGE, "%s is refused", entry->key) : 0;
}

static void parses(const char *text, const char *expected, const char *why)
{
	struct collected collected = { "", 0 };
	struct err err = { "" };

	tap_is(ini_parse_text(text, "t.ini", collect, &collected, &err), 0, "%s: %s", why, err.text);
	tap_is_text(collected.text, expected, "%s: the entries", why);
}

static void fails(const char *text, int ret, const char *sentence, const char *why)
{
	struct collected collected = { "", 0 };
	struct err err = { "" };

	tap_is(ini_parse_text(text, "t.ini", collect, &collected, &err), ret, "%s", why);
	tap_is_text(err.text, sentence, "%s: the sentence", why);
}

static void test_form(void)
{
	parses("", "", "an empty text");
	parses("\n\n# only\n ; comments\n", "", "comments and empty lines");
	parses("a = 1", "1:0:/a=1|", "before any section, without a newline at the end");
	parses("[s]\na=1\nb = two words \n", "2:1:s/a=1|3:1:s/b=two words|", "a section");
	parses("\xef\xbb\xbf[s]\r\na = 1\r\n", "2:1:s/a=1|", "a byte order mark and carriage returns");
	parses("[s] ; why\na = 1 # one\nb = x#y;z\nc = # nothing\n", "2:1:s/a=1|3:1:s/b=x#y;z|4:1:s/c=|",
	       "comments behind values");
	parses("[ s t ]\na = 1\n[u]\nb = 2\n[ s t ]\na = 3\n", "2:1:s t/a=1|4:3:u/b=2|6:5:s t/a=3|",
	       "a section may come again");
	parses("[s]\na = 1\n    b = 2\n", "2:1:s/a=1|3:1:s/b=2|", "an indented line is a line of its own");
	parses("[s]\npeer = ideal:30us\ne = a=b\n", "2:1:s/peer=ideal:30us|3:1:s/e=a=b|",
	       "colons and equals signs in values");
}

static void test_complaints(void)
{
	fails("[s]\n\nrubbish\n", -EINVAL, "t.ini:3: \"rubbish\" is neither [section] nor key = value",
	      "no equals sign");
	fails("[s]\na: 1 = 2\n", -EINVAL, "t.ini:2: \"a: 1 = 2\" is neither [section] nor key = value",
	      "a colon for an equals sign");
	fails("= 1\n", -EINVAL, "t.ini:1: \"= 1\" is neither [section] nor key = value", "no key");
	fails("[s\na = 1\n", -EINVAL, "t.ini:1: \"[s\" lacks its closing bracket, expected [section]",
	      "an open bracket");
	fails("[s] t\n", -EINVAL, "t.ini:1: \"[s] t\" lacks its closing bracket, expected [section]",
	      "text behind a section");
	fails("[s]]\n", -EINVAL, "t.ini:1: \"[s]]\" lacks its closing bracket, expected [section]", "two brackets");
	fails("[ ]\n", -EINVAL, "t.ini:1: the name of a section has 1 to 48 characters", "a section without a name");
	fails("[s]\na = 1\nb = 2\na = 3\n", -EINVAL, "t.ini:4: a is given twice in this section", "a key given twice");
	fails("[s]\na = 1\nb = refused\nrubbish\n", -ERANGE, "t.ini:3: b is refused",
	      "what the entry function refuses");
	fails("[s]\na = 1\x01\n", -EINVAL, "t.ini:2: the line holds a control character", "a control character");
}

static void test_lengths(void)
{
	struct collected collected = { "", 0 };
	char text[3000], name[60], expected[2000];

	memset(name, 'n', sizeof(name));
	snprintf(text, sizeof(text), "[%.48s]\n%.48s = 1\n", name, name);
	snprintf(expected, sizeof(expected), "2:1:%.48s/%.48s=1|", name, name);
	parses(text, expected, "the longest names are not cut");
	snprintf(text, sizeof(text), "[%.49s]\n", name);
	fails(text, -EINVAL, "t.ini:1: the name of a section has 1 to 48 characters", "a section name too long");
	snprintf(text, sizeof(text), "%.49s = 1\n", name);
	fails(text, -EINVAL, "t.ini:1: the key is longer than 48 characters", "a key too long");

	memset(expected, 'v', sizeof(expected));
	snprintf(text, sizeof(text), "a = %.1000s\n", expected);
	tap_is(ini_parse_text(text, "t.ini", collect, &collected, NULL), 0, "a value of 1000 bytes");
	tap_is((int64_t)strlen(collected.text), (int64_t)strlen("1:0:/a=|") + 1000, "is not cut");
	snprintf(text, sizeof(text), "a = %.1001s\n", expected);
	fails(text, -EINVAL, "t.ini:1: the value of a is longer than 1000 bytes", "a value too long");
}

static void test_many_keys(void)
{
	struct collected collected = { "", 0 };
	struct err err;
	char text[8000];
	size_t length = 0;

	for (unsigned key = 0; key < 257; key++) {
		length += (size_t)snprintf(text + length, sizeof(text) - length, "k%u = 1\n", key);
	}
	tap_is(ini_parse_text(text, "t.ini", collect, &collected, &err), -EINVAL, "257 keys in a section");
	tap_is_text(err.text, "t.ini:257: a section has at most 256 keys", "257 keys: the sentence");
	tap_is(collected.entries, 256, "256 were handed over");
}

struct thing {
	char title[8];
	uint32_t count;
	int64_t offset;
	int64_t wait_ns;
	uint64_t bytes, rate, clock_hz;
	bool fast;
};

static const struct ini_key keys[] = {
	{ "title", INI_TEXT, offsetof(struct thing, title), sizeof(((struct thing *)0)->title), 0, 0, true,
	  "what it is called" },
	{ "count", INI_U32, offsetof(struct thing, count), 0, 1, 8, false, "how many" },
	{ "offset", INI_I64, offsetof(struct thing, offset), 0, -5, 5, false, "where" },
	{ "wait", INI_DURATION, offsetof(struct thing, wait_ns), 0, 1000, 2000000, true, "how long" },
	{ "bytes", INI_BYTES, offsetof(struct thing, bytes), 0, 0, 0, false, "size" },
	{ "rate", INI_RATE, offsetof(struct thing, rate), 0, 0, 100000, false, "packets" },
	{ "clock", INI_HZ, offsetof(struct thing, clock_hz), 0, 0, 0, false, "clock" },
	{ "fast", INI_BOOL, offsetof(struct thing, fast), 0, 0, 0, false, "speed" },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static int store(struct thing *thing, uint64_t *seen, const char *key, const char *value, struct err *err)
{
	const struct ini_entry entry = { "thing", key, value, 1, 1 };

	return ini_store(keys, KEYS, thing, seen, &entry, err);
}

static void test_store(void)
{
	struct thing thing = { "", 0, 0, 0, 0, 0, 0, false };
	uint64_t seen = 0;

	tap_is(store(&thing, &seen, "title", "1234567", NULL), 0, "a text that just fits");
	tap_is_text(thing.title, "1234567", "is stored");
	tap_is((int64_t)seen, 1, "and its bit is set");
	tap_is(store(&thing, &seen, "count", "8", NULL), 0, "a number at its limit");
	tap_is(thing.count, 8, "is stored");
	tap_is(store(&thing, &seen, "offset", "-5", NULL), 0, "a negative number");
	tap_is(thing.offset, -5, "is stored");
	tap_is(store(&thing, &seen, "wait", "1.5ms", NULL), 0, "a time");
	tap_is(thing.wait_ns, 1500000, "is stored in ns");
	tap_is(store(&thing, &seen, "bytes", "64Ki", NULL), 0, "bytes");
	tap_is((int64_t)thing.bytes, 65536, "are stored");
	tap_is(store(&thing, &seen, "rate", "20k", NULL), 0, "a rate");
	tap_is((int64_t)thing.rate, 20000, "is stored");
	tap_is(store(&thing, &seen, "clock", "66.5MHz", NULL), 0, "a clock");
	tap_is((int64_t)thing.clock_hz, 66500000, "is stored in Hz");
	tap_is(store(&thing, &seen, "fast", "on", NULL), 0, "a switch");
	tap_ok(thing.fast, "is stored");
	tap_is((int64_t)seen, (1 << KEYS) - 1, "every bit is set");
	tap_is(ini_required(keys, KEYS, seen, "thing", NULL), 0, "nothing is lacking");
}

static void refuses(const char *key, const char *value, int ret, const char *sentence)
{
	const struct thing before = { "before", 1, 2, 3, 4, 5, 6, true };
	struct thing thing;
	struct err err = { "" };
	uint64_t seen = 0;

	memcpy(&thing, &before, sizeof(thing));
	tap_is(store(&thing, &seen, key, value, &err), ret, "%s = %s is refused", key, value);
	tap_is_text(err.text, sentence, "%s = %s: the sentence", key, value);
	tap_ok(memcmp(&thing, &before, sizeof(thing)) == 0, "%s = %s: nothing is stored", key, value);
}

static void test_store_errors(void)
{
	struct thing thing = { "", 0, 0, 0, 0, 0, 0, false };
	struct err err;
	uint64_t seen = 0;

	refuses("title", "12345678", -ERANGE, "title: the text has 8 bytes, at most 7 are possible");
	refuses("count", "0", -ERANGE, "count: 0 is out of range, expected 1 to 8");
	refuses("count", "9", -ERANGE, "count: 9 is out of range, expected 1 to 8");
	refuses("offset", "6", -ERANGE, "offset: 6 is out of range, expected -5 to 5");
	refuses("wait", "999ns", -ERANGE, "wait: 999ns is out of range, expected 1us to 2ms");
	refuses("wait", "2.000001ms", -ERANGE, "wait: 2.000001ms is out of range, expected 1us to 2ms");
	refuses("wait", "5", -EINVAL, "wait: 5 lacks its unit, expected a time such as 30us (ns us ms s min h d)");
	refuses("rate", "18446744073709551615", -ERANGE,
		"rate: 18446744073709551615 is out of range, expected 0 to 100000");
	refuses("bytes", "", -EINVAL,
		"bytes: the value is empty, expected bytes such as 1500 or 64Ki (k M G, Ki Mi Gi)");
	refuses("fast", "maybe", -EINVAL, "fast: \"maybe\" is neither on nor off");
	refuses("tilte", "x", -EINVAL, "[thing] has no key \"tilte\", did you mean title?");
	refuses("colour", "x", -EINVAL, "[thing] has no key \"colour\"");

	store(&thing, &seen, "title", "a", NULL);
	tap_is(store(&thing, &seen, "title", "b", &err), -EINVAL, "a key seen before");
	tap_is_text(err.text, "title is given twice", "a key seen before: the sentence");
	tap_is(ini_required(keys, KEYS, seen, "thing", &err), -EINVAL, "a required key is missing");
	tap_is_text(err.text, "[thing] lacks wait: how long", "a required key is missing: the sentence");
}

/* Reads back a file with these bytes; *text is set on success. */
static int read_bytes(const char *path, const char *bytes, size_t length, char **text, struct err *err)
{
	FILE *const file = fopen(path, "w");

	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file)) {
		tap_note("cannot write %s", path);
		return -EIO;
	}
	return ini_read_file(path, text, err);
}

static void test_read_file(void)
{
	char folder[] = "/tmp/holdoff-ini-XXXXXX", path[64];
	char *const large = calloc(1, (1 << 20) + 2), *text = NULL;
	struct err err = { "" };

	if (!large || !mkdtemp(folder)) {
		tap_ok(false, "a folder and memory for the test");
		free(large);
		return;
	}
	snprintf(path, sizeof(path), "%s/x.ini", folder);
	memset(large, 'x', (1 << 20) + 1);

	tap_is(read_bytes(path, "[a]\nb = 1\n", 10, &text, &err), 0, "a small file");
	tap_is_text(text, "[a]\nb = 1\n", "its text");
	free(text);
	tap_is(read_bytes(path, "", 0, &text, &err), 0, "an empty file");
	tap_is_text(text, "", "its text");
	free(text);
	tap_is(read_bytes(path, large, 1 << 20, &text, &err), 0, "1 MiB");
	tap_is((int64_t)strlen(text), 1 << 20, "its length");
	free(text);
	text = NULL;
	tap_is(read_bytes(path, large, (1 << 20) + 1, &text, &err), -EFBIG, "one byte more");
	tap_is(read_bytes(path, "a\0b", 3, &text, &err), -EINVAL, "a NUL byte");
	unlink(path);
	tap_is(ini_read_file(path, &text, &err), -ENOENT, "no file");
	tap_is(ini_read_file(folder, &text, &err), -EINVAL, "a folder");
	tap_ok(mkfifo(path, 0600) == 0 && ini_read_file(path, &text, &err) == -EINVAL,
	       "a pipe is refused, not waited for");
	tap_ok(!text, "errors leave the text alone");
	unlink(path);
	rmdir(folder);
	free(large);
}

int main(void)
{
	test_form();
	test_complaints();
	test_lengths();
	test_many_keys();
	test_store();
	test_store_errors();
	test_read_file();
	return tap_done();
}
