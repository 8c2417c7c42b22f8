/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings words: any text is either refused with a sentence or prints and reads back to the same value. */
#include "base/err.h"
#include "coalesce/settings.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = fuzz_text(data, size);
	struct coalesce settings = { .present = 1 }, again;
	struct err err = { "" };
	char printed[COALESCE_TEXT_MAX];

	if (coalesce_parse_text(&settings, text, &err)) {
		fuzz_require(err.text[0] != '\0' && settings.present == 1);
	} else {
		fuzz_require(coalesce_parse_text(&again, coalesce_print(&settings, printed), NULL) == 0);
		fuzz_require(coalesce_difference(&settings, &again) == 0);
	}
	free(text);
	return 0;
}
