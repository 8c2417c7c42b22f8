/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/plan_words.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A setting's bit, the same for its aliases; 0: no setting. */
static uint64_t setting_bit(const char *name)
{
	const enum setup_key key = setup_find(name);

	static_assert(SETUP_KEYS + COALESCE_FIELDS < 64, "a bit for each");
	return setup_is_word(name) ? UINT64_C(1) << (key < SETUP_KEYS ? key : SETUP_KEYS + coalesce_field_find(name))
				   : 0;
}

int plan_words_put(struct plan *plan, const char *const *words, unsigned count, struct err *err)
{
	uint64_t seen = 0;
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < count; i++) {
		char name[64];
		const char *word = words[i], *equals = strchr(word, '=');
		const int length = equals ? (int)(equals - word) : (int)strlen(word);
		const char *values = equals ? equals + 1 : i + 1 < count ? words[++i] : NULL;

		if (length >= (int)sizeof(name)) {
			return err_set(err, -EINVAL, "unknown setting \"%.60s...\"", word);
		}
		snprintf(name, sizeof(name), "%.*s", length, word);
		if (!values) {
			return err_set(err, -EINVAL, "%s needs a value or a list of values", name);
		}
		if (seen & setting_bit(name)) {
			return err_set(err, -EINVAL, "%s is given twice: several values make a list, as in %s=0,100",
				       name, name);
		}
		seen |= setting_bit(name);
		ret = plan_put(plan, name, values, err);
	}
	return ret;
}
