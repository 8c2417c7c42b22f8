/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "coalesce/settings.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static_assert(COALESCE_FIELDS <= 32, "presence fits the mask");

#define WORD_BYTES_MAX 64

static int parse_value(enum coalesce_field field, const char *word, uint32_t *value, struct err *err)
{
	const struct coalesce_field_info *const info = &coalesce_fields[field];

	if (info->unit != COALESCE_UNIT_SWITCH) {
		return text_parse_u32(word, info->name, value, err);
	}
	if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0) {
		return err_set(err, -EINVAL, "%s: \"%.60s\" is neither on nor off", info->name, word);
	}
	*value = strcmp(word, "on") == 0;
	return 0;
}

static int complain_unknown(const char *word, struct err *err)
{
	const char *const nearest = coalesce_field_nearest(word);

	if (nearest) {
		return err_set(err, -EINVAL, "unknown setting \"%.60s\", did you mean %s?", word, nearest);
	}
	return err_set(err, -EINVAL, "unknown setting \"%.60s\", expected one of ethtool's such as rx-usecs", word);
}

/* One name and its value, or NULL where the words end. */
static int parse_pair(struct coalesce *settings, const char *name, const char *value, struct err *err)
{
	const enum coalesce_field field = coalesce_field_find(name);
	uint32_t number;

	if (field == COALESCE_FIELDS) {
		return complain_unknown(name, err);
	}
	if (!value) {
		return err_set(err, -EINVAL, "%s lacks its value", name);
	}
	if (coalesce_has(settings, field)) {
		return err_set(err, -EINVAL, "%s is given twice", coalesce_fields[field].name);
	}
	if (parse_value(field, value, &number, err)) {
		return -EINVAL;
	}
	coalesce_put(settings, field, number);
	return 0;
}

int coalesce_parse(struct coalesce *settings, const char *const *words, unsigned count, struct err *err)
{
	struct coalesce parsed = { 0 };

	for (unsigned word = 0; word < count; word += 2) {
		const char *const value = word + 1 < count ? words[word + 1] : NULL;
		const int ret = parse_pair(&parsed, words[word], value, err);

		if (ret) {
			return ret;
		}
	}
	*settings = parsed;
	return 0;
}

/* Copies the next word of *at; returns its length, 0 at the end. A word that is too long comes out cut. */
static size_t next_word(const char **at, char word[WORD_BYTES_MAX])
{
	static const char white[] = " \t\r\n";
	const char *const start = *at + strspn(*at, white);
	const size_t length = strcspn(start, white);

	*at = start + length;
	snprintf(word, WORD_BYTES_MAX, "%.*s", (int)(length < WORD_BYTES_MAX ? length : WORD_BYTES_MAX), start);
	return length;
}

int coalesce_parse_text(struct coalesce *settings, const char *text, struct err *err)
{
	struct coalesce parsed = { 0 };
	char name[WORD_BYTES_MAX], value[WORD_BYTES_MAX];
	size_t name_length;

	while ((name_length = next_word(&text, name)) > 0) {
		const size_t value_length = next_word(&text, value);
		const size_t longest = name_length > value_length ? name_length : value_length;

		if (longest >= WORD_BYTES_MAX) {
			return err_set(err, -EINVAL, "a word of %zu characters is neither setting nor value", longest);
		}
		const int ret = parse_pair(&parsed, name, value_length ? value : NULL, err);

		if (ret) {
			return ret;
		}
	}
	*settings = parsed;
	return 0;
}

char *coalesce_print(const struct coalesce *settings, char buffer[COALESCE_TEXT_MAX])
{
	size_t length = 0;

	buffer[0] = '\0';
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (!coalesce_has(settings, field)) {
			continue;
		}
		const struct coalesce_field_info *const info = &coalesce_fields[field];
		const uint32_t value = settings->value[field];
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, value);
		length += (size_t)snprintf(buffer + length, COALESCE_TEXT_MAX - length, "%s%s %s", length ? " " : "",
					   info->name,
					   info->unit != COALESCE_UNIT_SWITCH ? number
					   : value                            ? "on"
									      : "off");
		assert(length < COALESCE_TEXT_MAX);
	}
	return buffer;
}

struct coalesce coalesce_merge(const struct coalesce *base, const struct coalesce *change)
{
	struct coalesce merged = *base;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(change, field)) {
			coalesce_put(&merged, field, change->value[field]);
		}
	}
	return merged;
}

uint32_t coalesce_difference(const struct coalesce *a, const struct coalesce *b)
{
	uint32_t difference = a->present ^ b->present;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(a, field) && coalesce_has(b, field) && a->value[field] != b->value[field]) {
			difference |= COALESCE_BIT(field);
		}
	}
	return difference;
}
