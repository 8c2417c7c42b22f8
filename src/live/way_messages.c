/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/way_messages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

/* Of the text of one message. */
#define PAIRS_MAX 400

/* ---- out ---- */

static void put_span_fields(struct protocol_message *message, const struct histogram *span)
{
	protocol_put(message, PROTOCOL_COUNTED, span->count);
	protocol_put(message, PROTOCOL_OUTSIDE, span->out_of_range);
	protocol_put(message, PROTOCOL_MIN_NS, (uint64_t)span->min_ns);
	protocol_put(message, PROTOCOL_MAX_NS, (uint64_t)span->max_ns);
	protocol_put(message, PROTOCOL_SUM_HIGH, span->sum.high);
	protocol_put(message, PROTOCOL_SUM_LOW, span->sum.low);
	protocol_put(message, PROTOCOL_SQUARES_HIGH, span->sum_of_squares.high);
	protocol_put(message, PROTOCOL_SQUARES_LOW, span->sum_of_squares.low);
}

/* As many of the buckets from *bucket on as fit a message: "17:2 19:40". */
static void print_buckets(const struct histogram *span, unsigned *bucket, char pairs[PAIRS_MAX])
{
	size_t length = 0;

	pairs[0] = '\0';
	for (; *bucket < HISTOGRAM_BUCKETS && length + 20 < PAIRS_MAX; ++*bucket) {
		if (span->bucket[*bucket]) {
			length += (size_t)snprintf(pairs + length, PAIRS_MAX - length, "%s%u:%" PRIu32,
						   length ? " " : "", *bucket, span->bucket[*bucket]);
		}
	}
}

static int put_span(const struct way *way, unsigned number, enum way_span span,
		    int (*put)(void *context, const struct protocol_message *message), void *context)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_SPAN);
	protocol_put(&message, PROTOCOL_WAY, number);
	protocol_put_text(&message, PROTOCOL_NAME, way_spans[span].name);
	put_span_fields(&message, &way->span[span]);
	int ret = put(context, &message);

	for (unsigned bucket = 0; ret == 0 && bucket < HISTOGRAM_BUCKETS;) {
		char pairs[PAIRS_MAX];

		print_buckets(&way->span[span], &bucket, pairs);
		if (!pairs[0]) {
			break;
		}
		protocol_init(&message, PROTOCOL_BUCKETS);
		protocol_put(&message, PROTOCOL_WAY, number);
		protocol_put_text(&message, PROTOCOL_NAME, way_spans[span].name);
		protocol_put_text(&message, PROTOCOL_TEXT, pairs);
		ret = put(context, &message);
	}
	return ret;
}

static int put_count(const struct way *way, unsigned number, enum way_count count,
		     int (*put)(void *context, const struct protocol_message *message), void *context)
{
	struct protocol_message message;

	protocol_init(&message, PROTOCOL_COUNT);
	protocol_put(&message, PROTOCOL_WAY, number);
	protocol_put_text(&message, PROTOCOL_NAME, way_counts[count].name);
	protocol_put(&message, PROTOCOL_VALUE, way->count[count]);
	return put(context, &message);
}

int way_messages_put(const struct way *way, unsigned number,
		     int (*put)(void *context, const struct protocol_message *message), void *context)
{
	int ret = 0;

	for (enum way_count count = 0; ret == 0 && count < WAY_COUNTS; count++) {
		ret = way_has(way, count) ? put_count(way, number, count, put, context) : 0;
	}
	for (enum way_span span = 0; ret == 0 && span < WAY_SPANS; span++) {
		ret = way_has_span(way, span) ? put_span(way, number, span, put, context) : 0;
	}
	if (ret == 0 && way->method[0]) {
		struct protocol_message message;

		protocol_init(&message, PROTOCOL_METHOD);
		protocol_put(&message, PROTOCOL_WAY, number);
		protocol_put_text(&message, PROTOCOL_TEXT, way->method);
		ret = put(context, &message);
	}
	return ret;
}

/* ---- in ---- */

static int find_name(const struct way_info *infos, unsigned count, const char *name, unsigned *found, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(infos[i].name, name) == 0) {
			*found = i;
			return 0;
		}
	}
	return err_set(err, -EPROTO, "the other end reports \"%s\", which is not known here", name);
}

static int take_span(struct way *way, const struct protocol_message *message, struct err *err)
{
	const uint64_t *const number = message->number;
	unsigned span = 0;
	const int ret = find_name(way_spans, WAY_SPANS, protocol_word(message, PROTOCOL_NAME), &span, err);

	if (ret) {
		return ret;
	}
	way->has_spans |= 1u << span;
	way->span[span] = (struct histogram){
		.count = number[PROTOCOL_COUNTED],
		.out_of_range = number[PROTOCOL_OUTSIDE],
		.min_ns = (int64_t)number[PROTOCOL_MIN_NS],
		.max_ns = (int64_t)number[PROTOCOL_MAX_NS],
		.sum = { number[PROTOCOL_SUM_HIGH], number[PROTOCOL_SUM_LOW] },
		.sum_of_squares = { number[PROTOCOL_SQUARES_HIGH], number[PROTOCOL_SQUARES_LOW] },
	};
	return 0;
}

/* A number up to max at *at, which moves behind it. */
static bool take_number(const char **at, unsigned long max, unsigned long *value)
{
	char *end;

	if (**at < '0' || **at > '9') {
		return false;
	}
	errno = 0;
	*value = strtoul(*at, &end, 10);
	*at = end;
	return errno == 0 && *value <= max;
}

static int take_buckets(struct way *way, const struct protocol_message *message, struct err *err)
{
	unsigned span = 0;
	const int ret = find_name(way_spans, WAY_SPANS, protocol_word(message, PROTOCOL_NAME), &span, err);

	if (ret) {
		return ret;
	}
	for (const char *at = message->text; *at;) {
		unsigned long bucket, count;

		if (!take_number(&at, HISTOGRAM_BUCKETS - 1, &bucket) || *at++ != ':' ||
		    !take_number(&at, UINT32_MAX, &count) || (*at && *at++ != ' ')) {
			return err_set(err, -EPROTO, "the other end reports buckets that there are not: \"%.60s\"",
				       message->text);
		}
		way->span[span].bucket[bucket] = (uint32_t)count;
	}
	return 0;
}

static int take_count(struct way *way, const struct protocol_message *message, struct err *err)
{
	unsigned count = 0;
	const int ret = find_name(way_counts, WAY_COUNTS, protocol_word(message, PROTOCOL_NAME), &count, err);

	if (ret == 0) {
		way_put(way, (enum way_count)count, message->number[PROTOCOL_VALUE]);
	}
	return ret;
}

int way_messages_take(struct way ways[2], const struct protocol_message *message, struct err *err)
{
	struct way *const way = &ways[message->number[PROTOCOL_WAY] & 1];

	switch (message->kind) {
	case PROTOCOL_COUNT:
		return take_count(way, message, err);
	case PROTOCOL_SPAN:
		return take_span(way, message, err);
	case PROTOCOL_BUCKETS:
		return take_buckets(way, message, err);
	case PROTOCOL_METHOD:
		snprintf(way->method, sizeof(way->method), "%.*s", WAY_METHOD_MAX - 1, message->text);
		return 0;
	default:
		return err_set(err, -EPROTO, "the other end says \"%s\" in the middle of a report",
			       protocol_kind_name(message->kind));
	}
}

static bool can_be_recorded(const struct histogram *span)
{
	uint64_t counted = 0;
	bool saturated = false;

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		counted += span->bucket[bucket];
		saturated |= span->bucket[bucket] == UINT32_MAX;
	}
	return (counted == span->count || saturated) && span->count < UINT64_C(1) << 48 &&
	       span->min_ns <= span->max_ns && span->max_ns < INT64_C(1) << 48 &&
	       !wide_less(wide_product(span->count, (uint64_t)span->max_ns), span->sum) &&
	       !wide_less(span->sum, wide_product(span->count, (uint64_t)span->min_ns));
}

int way_messages_check(const struct way ways[2], struct err *err)
{
	for (unsigned i = 0; i < 2 * WAY_SPANS; i++) {
		const struct way *const way = &ways[i / WAY_SPANS];
		const enum way_span span = (enum way_span)(i % WAY_SPANS);

		if (way_has_span(way, span) && !can_be_recorded(&way->span[span])) {
			return err_set(err, -EPROTO, "the other end reports a %s whose parts do not fit together",
				       way_spans[span].name);
		}
	}
	return 0;
}
