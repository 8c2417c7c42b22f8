/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a filter of runs: refused with a sentence and nothing changed, or a query that SQLite takes. */
#include <stdio.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "store/store.h"

static struct store *store;

static void open_store(void)
{
	char path[] = "/tmp/holdoff-fuzz-XXXXXX";
	const int fd = mkstemp(path);

	fuzz_require(fd >= 0 && store_open(&store, path, STORE_CREATE, NULL) == 0);
	close(fd);
	unlink(path); /* SQLite keeps it open */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store_filter filter;
	char *const text = fuzz_text(data, size);
	struct err err = { "" };
	uint64_t count;

	if (!store) {
		open_store();
	}
	filter.count = 3;
	if (store_filter_parse(&filter, text, &err)) {
		fuzz_require(err.text[0] && filter.count == 3);
	} else {
		fuzz_require(filter.count <= STORE_FILTER_TERMS_MAX);
		fuzz_require(store_count(store, &filter, &count, &err) == 0 && count == 0);
	}
	free(text);
	return 0;
}
