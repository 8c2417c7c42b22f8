/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz targets: test/fuzz/NAME_fuzz.c defines the function below, test/fuzz/corpus/NAME/ holds inputs. replay.c drives
 * it in every test run; `make fuzz` links libFuzzer instead. A crash becomes a file of the corpus with its fix.
 */
#ifndef HOLDOFF_TEST_FUZZ_FUZZ_H
#define HOLDOFF_TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns 0. Ends the process (abort) when something that must hold does not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process unless it holds; not assert, which a build may leave out. */
static inline void fuzz_require(int holds)
{
	if (!holds) {
		abort();
	}
}

/* A text with its end in memory of just its size, so that reading behind it is found. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *const text = malloc(size + 1);

	fuzz_require(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
