/* SPDX-License-Identifier: GPL-2.0-or-later */
/* INI text through a table with every type: refused with file and line, or stored within limits. */
#include "base/err.h"
#include "fuzz/fuzz.h"
#include "ini/ini.h"

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
	{ "wait", INI_DURATION, offsetof(struct thing, wait_ns), 0, 1000, 2000000, false, "how long" },
	{ "bytes", INI_BYTES, offsetof(struct thing, bytes), 0, 0, 0, false, "size" },
	{ "rate", INI_RATE, offsetof(struct thing, rate), 0, 0, 100000, false, "packets" },
	{ "clock", INI_HZ, offsetof(struct thing, clock_hz), 0, 0, 0, false, "clock" },
	{ "fast", INI_BOOL, offsetof(struct thing, fast), 0, 0, 0, false, "speed" },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

struct reading {
	struct thing thing;
	uint64_t seen;
	unsigned line, section_line;
};

static int read_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct reading *const reading = context;

	fuzz_require(entry->line > reading->line && entry->section_line < entry->line);
	if (entry->section_line != reading->section_line) {
		reading->seen = 0;
	}
	reading->line = entry->line;
	reading->section_line = entry->section_line;
	return ini_store(keys, KEYS, &reading->thing, &reading->seen, entry, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = fuzz_text(data, size);
	struct reading reading = { .thing = { .count = 1, .wait_ns = 1000 } };
	struct err err = { "" };

	if (ini_parse_text(text, "fuzz.ini", read_entry, &reading, &err)) {
		fuzz_require(strncmp(err.text, "fuzz.ini:", 9) == 0);
	}
	fuzz_require(memchr(reading.thing.title, '\0', sizeof(reading.thing.title)) != NULL);
	fuzz_require(reading.thing.count >= 1 && reading.thing.count <= 8);
	fuzz_require(reading.thing.wait_ns >= 1000 && reading.thing.wait_ns <= 2000000);
	fuzz_require(reading.thing.rate <= 100000);
	free(text);
	return 0;
}
