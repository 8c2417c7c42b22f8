/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words to a workload: key by key from the table, then what depends on more than one key (check_*). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "workload/workload_private.h"

#define WORD_BYTES_MAX 64

/* Preamble, start delimiter and gap: what a frame takes on the wire beside its bytes. */
#define WIRE_EXTRA_BYTES 20

/* ---- values ---- */

static int parse_name(const char *text, const char *what, const char *const *names, size_t count, unsigned *value,
		      struct err *err)
{
	for (unsigned name = 0; name < count; name++) {
		if (strcmp(text, names[name]) == 0) {
			*value = name;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "%s: \"%.60s\" is neither %s nor %s", what, text,
		       count == 2 ? names[0] : "cbr, poisson", names[count - 1]);
}

/* A payload's upper limit is the MTU's, which may come later: it is left to check_payload. */
static int check_range(enum workload_key key, const char *text, uint64_t value, struct err *err)
{
	const struct workload_member *const member = &workload_members[key];
	const uint64_t most = member->is_payload ? UINT32_MAX : member->max;
	char min[TEXT_DURATION_MAX], max[TEXT_DURATION_MAX];

	if (value >= member->min && value <= most) {
		return 0;
	}
	if (member->type == WORKLOAD_TYPE_DURATION) {
		text_print_duration((int64_t)member->min, min);
		text_print_duration((int64_t)member->max, max);
	} else {
		snprintf(min, sizeof(min), "%" PRIu64, member->min);
		snprintf(max, sizeof(max), "%" PRIu64, most);
	}
	if (member->is_payload) {
		return err_set(err, -ERANGE,
			       "%s: %.60s is out of range, expected at least %s, and no more than fits a frame",
			       workload_key_infos[key].name, text, min);
	}
	return err_set(err, -ERANGE, "%s: %.60s is out of range, expected %s to %s", workload_key_infos[key].name, text,
		       min, max);
}

/* A rate in bps needs the size, which may come later: it is left to check_udp. */
static bool is_bit_rate(const char *text)
{
	const size_t length = strlen(text);

	return length >= 3 && strcmp(text + length - 3, "bps") == 0;
}

static int parse_number(enum workload_key key, const char *text, uint64_t *value, struct err *err)
{
	const char *const name = workload_key_infos[key].name;
	int64_t value_ns = 0;
	int ret;

	switch (workload_members[key].type) {
	case WORKLOAD_TYPE_DURATION:
		ret = text_parse_duration(text, name, &value_ns, err);
		*value = (uint64_t)value_ns;
		break;
	case WORKLOAD_TYPE_RATE:
		if (strcmp(text, "max") == 0 || strcmp(text, "line") == 0) {
			*value = 0;
			return 0;
		}
		ret = is_bit_rate(text) ? text_parse_bps(text, name, value, err)
					: text_parse_rate(text, name, value, err);
		return ret || is_bit_rate(text) ? ret : check_range(key, text, *value, err);
	default:
		ret = text_parse_bytes(text, name, value, err);
		break;
	}
	return ret ? ret : check_range(key, text, *value, err);
}

static int store_choice(struct workload *workload, enum workload_key key, const char *text, struct err *err)
{
	void *const place = (char *)workload + workload_members[key].offset;
	unsigned choice = 0;
	int on = 0, ret;

	switch (workload_members[key].type) {
	case WORKLOAD_TYPE_BOOL:
		ret = text_parse_bool(text, workload_key_infos[key].name, &on, err);
		*(bool *)place = on;
		return ret;
	case WORKLOAD_TYPE_PATTERN:
		ret = parse_name(text, workload_key_infos[key].name, workload_pattern_names, 3, &choice, err);
		workload->pattern = (enum workload_pattern)choice;
		return ret;
	default:
		ret = parse_name(text, workload_key_infos[key].name, workload_direction_names, 2, &choice, err);
		workload->direction = (enum workload_direction)choice;
		return ret;
	}
}

static int store(struct workload *workload, enum workload_key key, const char *text, struct err *err)
{
	void *const place = (char *)workload + workload_members[key].offset;
	uint64_t value = 0;

	if (workload_members[key].type >= WORKLOAD_TYPE_BOOL) {
		return store_choice(workload, key, text, err);
	}
	const int ret = parse_number(key, text, &value, err);

	if (ret) {
		return ret;
	}
	if (workload_members[key].type == WORKLOAD_TYPE_U32) {
		*(uint32_t *)place = (uint32_t)value;
	} else {
		memcpy(place, &value, sizeof(value)); /* uint64_t, or int64_t within its range */
	}
	return 0;
}

/* ---- words ---- */

struct parse {
	struct workload workload;
	uint32_t given; /* 1u << key_id */
	bool rate_in_bps;
};

/* The next word of *at into word: its length, 0 at the end. */
static size_t next_word(const char **at, char word[WORD_BYTES_MAX])
{
	static const char white[] = " \t\r\n";
	const char *const start = *at + strspn(*at, white);
	const size_t length = strcspn(start, white);

	*at = start + length;
	snprintf(word, WORD_BYTES_MAX, "%.*s", (int)(length < WORD_BYTES_MAX ? length : WORD_BYTES_MAX), start);
	return length;
}

/* "udp, tcp" */
static void list_kinds(uint32_t mask, char *buffer, size_t size)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (unsigned kind = 0; kind < WORKLOAD_KINDS; kind++) {
		if (mask >> kind & 1 && length < size) {
			length += (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "",
						   workload_kinds[kind].name);
		}
	}
}

static int complain_key(enum workload_kind kind, const char *word, struct err *err)
{
	const char *names[WORKLOAD_KEYS];
	size_t count = 0;
	char list[120];

	for (unsigned key = 0; key < WORKLOAD_KEYS; key++) {
		if (strcmp(word, workload_key_infos[key].name) == 0) {
			list_kinds(workload_key_infos[key].kinds, list, sizeof(list));
			return err_set(err, -EINVAL, "%s takes no %s, that is for %s", workload_kinds[kind].name, word,
				       list);
		}
		if (workload_takes(kind, key)) {
			names[count++] = workload_key_infos[key].name;
		}
	}
	const char *const nearest = text_nearest(word, names, count);

	list[0] = '\0';
	for (size_t key = 0; key < count; key++) {
		strcat(strcat(list, key ? " " : ""), names[key]);
	}
	return nearest ? err_set(err, -EINVAL, "%s takes no %s, did you mean %s?", workload_kinds[kind].name, word,
				 nearest)
		       : err_set(err, -EINVAL, "%s takes no %s, its keys are %s", workload_kinds[kind].name, word,
				 list);
}

static int parse_kind(const char *word, enum workload_kind *kind, struct err *err)
{
	const char *names[WORKLOAD_KINDS];
	char list[120];

	for (unsigned row = 0; row < WORKLOAD_KINDS; row++) {
		if (strcmp(word, workload_kinds[row].name) == 0) {
			*kind = (enum workload_kind)row;
			return 0;
		}
		names[row] = workload_kinds[row].name;
	}
	const char *const nearest = text_nearest(word, names, WORKLOAD_KINDS);

	list_kinds(UINT32_MAX, list, sizeof(list));
	if (!*word) {
		return err_set(err, -EINVAL, "the workload is empty, expected one of %s", list);
	}
	return nearest ? err_set(err, -EINVAL, "unknown workload \"%s\", did you mean %s?", word, nearest)
		       : err_set(err, -EINVAL, "unknown workload \"%s\", expected one of %s", word, list);
}

/* One "key=value". */
static int parse_pair(struct parse *parse, char *word, struct err *err)
{
	const enum workload_kind kind = parse->workload.kind;
	char *const equals = strchr(word, '=');
	enum workload_key key = 0;

	if (equals) {
		*equals = '\0';
	}
	while (key < WORKLOAD_KEYS && !(workload_takes(kind, key) && strcmp(word, workload_key_infos[key].name) == 0)) {
		key++;
	}
	if (key == WORKLOAD_KEYS) {
		return complain_key(kind, word, err);
	}
	if (!equals) {
		return err_set(err, -EINVAL, "%s lacks its value, expected %s=%s", word, word,
			       workload_key_infos[key].value);
	}
	if (parse->given >> key & 1) {
		return err_set(err, -EINVAL, "%s is given twice", word);
	}
	parse->given |= 1u << key;
	if (key == WORKLOAD_KEY_RATE) {
		parse->rate_in_bps = is_bit_rate(equals + 1);
	}
	return store(&parse->workload, key, equals + 1, err);
}

/* ---- what depends on more than one key ---- */

static bool gives(const struct parse *parse, enum workload_key key)
{
	return parse->given >> key & 1;
}

static int convert_bit_rate(struct workload *workload, struct err *err)
{
	const uint64_t frame_bits =
		8 * (uint64_t)(workload_frame_bytes(workload->kind, workload->size) + WIRE_EXTRA_BYTES);
	const uint64_t rate = workload->rate_per_s / frame_bits;

	if (rate == 0 || rate > WORKLOAD_RATE_MAX) {
		return err_set(err, -ERANGE,
			       "rate: %" PRIu64 " bps of %" PRIu64 "-bit frames is out of range, expected 1 to %" PRIu64
			       " frames per second",
			       workload->rate_per_s, frame_bits, WORKLOAD_RATE_MAX);
	}
	workload->rate_per_s = rate;
	return 0;
}

static int check_burst(const struct parse *parse, struct err *err)
{
	if (gives(parse, WORKLOAD_KEY_RATE)) {
		return err_set(err, -EINVAL, "pattern=burst takes no rate, but count and every");
	}
	if (!gives(parse, WORKLOAD_KEY_COUNT) || !gives(parse, WORKLOAD_KEY_EVERY)) {
		return err_set(err, -EINVAL, "pattern=burst needs count and every, as in count=32 every=5ms");
	}
	return 0;
}

static int check_udp(struct parse *parse, struct err *err)
{
	struct workload *const workload = &parse->workload;

	if (workload->pattern == WORKLOAD_BURST) {
		return check_burst(parse, err);
	}
	if (gives(parse, WORKLOAD_KEY_COUNT) || gives(parse, WORKLOAD_KEY_EVERY)) {
		return err_set(err, -EINVAL, "count and every go with pattern=burst only");
	}
	if (!gives(parse, WORKLOAD_KEY_RATE)) {
		return err_set(err, -EINVAL, "udp needs a rate, as in rate=20k or rate=max, or pattern=burst");
	}
	if (workload->pattern == WORKLOAD_POISSON && workload->rate_per_s == 0) {
		return err_set(err, -EINVAL, "pattern=poisson needs a rate above 0");
	}
	return parse->rate_in_bps ? convert_bit_rate(workload, err) : 0;
}

/* One frame has to hold it. Segments of TCP fill the MTU unless mss says otherwise. */
static int check_payload(struct parse *parse, struct err *err)
{
	struct workload *const workload = &parse->workload;
	const uint32_t largest = workload_largest_payload(workload->kind, workload->mtu);

	if (workload->kind == WORKLOAD_TCP && !gives(parse, WORKLOAD_KEY_MSS)) {
		workload->mss = largest;
	}
	for (enum workload_key key = 0; key < WORKLOAD_KEYS; key++) {
		uint32_t payload;

		if (!workload_members[key].is_payload || !workload_takes(workload->kind, key)) {
			continue;
		}
		memcpy(&payload, (const char *)workload + workload_members[key].offset, sizeof(payload));
		if (payload > largest) {
			return err_set(err, -ERANGE,
				       "%s: %" PRIu32 " bytes do not fit one frame of a %" PRIu32
				       "-byte MTU, the largest for %s is %" PRIu32,
				       workload_key_infos[key].name, payload, workload->mtu,
				       workload_kinds[workload->kind].name, largest);
		}
	}
	return 0;
}

static int check(struct parse *parse, struct err *err)
{
	const struct workload *const workload = &parse->workload;
	const int ret = check_payload(parse, err);

	if (ret) {
		return ret;
	}

	if (workload->kind == WORKLOAD_FIELDBUS && workload->interval_ns == 0) {
		return err_set(err, -ERANGE, "interval: fieldbus needs one above 0");
	}
	if (workload->kind == WORKLOAD_RR && workload->interval_ns > 0 && workload->connections > 1) {
		return err_set(err, -EINVAL, "interval: a clock is for one connection, not for %" PRIu32,
			       workload->connections);
	}
	if (workload->kind == WORKLOAD_TCP && workload->window_bytes < workload->mss) {
		return err_set(err, -ERANGE, "window: %" PRIu64 " bytes are less than one segment of %" PRIu32,
			       workload->window_bytes, workload->mss);
	}
	return workload->kind == WORKLOAD_UDP ? check_udp(parse, err) : 0;
}

int workload_parse(struct workload *workload, const char *text, struct err *err)
{
	char word[WORD_BYTES_MAX];
	enum workload_kind kind = WORKLOAD_PING;

	next_word(&text, word);
	int ret = parse_kind(word, &kind, err);

	if (ret) {
		return ret;
	}
	struct parse parse = { .workload = workload_kinds[kind].defaults };

	for (size_t length; (length = next_word(&text, word)) > 0;) {
		if (length >= WORD_BYTES_MAX) {
			return err_set(err, -EINVAL, "a word of %zu characters is no key=value of a workload", length);
		}
		ret = parse_pair(&parse, word, err);
		if (ret) {
			return ret;
		}
	}
	ret = check(&parse, err);
	if (!ret) {
		*workload = parse.workload;
	}
	return ret;
}
