/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "change/request.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const struct change_napi_field change_napi_fields[CHANGE_NAPI_FIELDS] = {
	{ NIC_NAPI_DEFER_HARD_IRQS, "defer-hard-irqs", "defer_hard_irqs" },
	{ NIC_NAPI_GRO_FLUSH_TIMEOUT, "gro-flush-timeout", "gro_flush_timeout_ns" },
	{ NIC_NAPI_IRQ_SUSPEND_TIMEOUT, "irq-suspend-timeout", "irq_suspend_timeout_ns" },
	{ NIC_NAPI_THREADED, "threaded", "threaded" },
};

uint64_t change_napi_value(const struct nic_napi *napi, enum nic_napi_field field)
{
	switch (field) {
	case NIC_NAPI_DEFER_HARD_IRQS:
		return napi->defer_hard_irqs;
	case NIC_NAPI_GRO_FLUSH_TIMEOUT:
		return napi->gro_flush_timeout_ns;
	case NIC_NAPI_IRQ_SUSPEND_TIMEOUT:
		return napi->irq_suspend_timeout_ns;
	case NIC_NAPI_THREADED:
		return napi->threaded;
	case NIC_NAPI_IRQ:
		return napi->irq;
	case NIC_NAPI_PID:
		return napi->pid;
	}
	return 0;
}

void change_napi_put(struct nic_napi *napi, enum nic_napi_field field, uint64_t value)
{
	napi->present |= field;
	switch (field) {
	case NIC_NAPI_DEFER_HARD_IRQS:
		napi->defer_hard_irqs = (uint32_t)value;
		break;
	case NIC_NAPI_GRO_FLUSH_TIMEOUT:
		napi->gro_flush_timeout_ns = value;
		break;
	case NIC_NAPI_IRQ_SUSPEND_TIMEOUT:
		napi->irq_suspend_timeout_ns = value;
		break;
	case NIC_NAPI_THREADED:
		napi->threaded = (uint32_t)value;
		break;
	case NIC_NAPI_IRQ:
		napi->irq = (uint32_t)value;
		break;
	case NIC_NAPI_PID:
		napi->pid = (uint32_t)value;
		break;
	}
}

uint32_t change_napi_difference(const struct nic_napi *a, const struct nic_napi *b)
{
	uint32_t difference = 0;

	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		const enum nic_napi_field field = change_napi_fields[i].field;

		if ((a->present & b->present & field) && change_napi_value(a, field) != change_napi_value(b, field)) {
			difference |= field;
		}
	}
	return difference;
}

struct coalesce change_only(const struct coalesce *settings, uint32_t fields)
{
	struct coalesce kept = { 0 };

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(settings, field) && (fields & COALESCE_BIT(field))) {
			coalesce_put(&kept, field, settings->value[field]);
		}
	}
	return kept;
}

const struct nic_napi *change_find_napi(const struct nic_napi *napis, unsigned count, uint32_t id)
{
	for (unsigned i = 0; i < count && i < NIC_NAPIS_MAX; i++) {
		if (napis[i].id == id) {
			return &napis[i];
		}
	}
	return NULL;
}

struct change_queue *change_set_queue(struct change_set *set, uint32_t queue, bool add)
{
	for (unsigned i = 0; i < set->queue_count; i++) {
		if (set->queues[i].queue == queue) {
			return &set->queues[i];
		}
	}
	if (!add || set->queue_count == CHANGE_QUEUES_MAX) {
		return NULL;
	}
	set->queues[set->queue_count] = (struct change_queue){ .queue = queue };
	return &set->queues[set->queue_count++];
}

const struct coalesce *change_set_queue_settings(const struct change_set *set, uint32_t queue)
{
	for (unsigned i = 0; i < set->queue_count; i++) {
		if (set->queues[i].queue == queue) {
			return &set->queues[i].settings;
		}
	}
	return NULL;
}

bool change_queue_follows(const struct change_set *set, unsigned index)
{
	const struct coalesce whole = coalesce_merge(&set->device, &set->queues[index].settings);

	return !coalesce_difference(&whole, &set->device);
}

const struct nic_napi *change_set_napi_settings(const struct change_set *set, uint32_t id)
{
	return change_find_napi(set->napis, set->napi_count, id);
}

struct nic_napi *change_set_napi(struct change_set *set, uint32_t id, bool add)
{
	for (unsigned i = 0; i < set->napi_count; i++) {
		if (set->napis[i].id == id) {
			return &set->napis[i];
		}
	}
	if (!add || set->napi_count == CHANGE_NAPIS_MAX) {
		return NULL;
	}
	set->napis[set->napi_count] = (struct nic_napi){ .id = id };
	return &set->napis[set->napi_count++];
}

static void merge_napi(struct nic_napi *to, const struct nic_napi *from)
{
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		if (from->present & change_napi_fields[i].field) {
			change_napi_put(to, change_napi_fields[i].field,
					change_napi_value(from, change_napi_fields[i].field));
		}
	}
}

void change_set_merge(struct change_set *to, const struct change_set *from)
{
	to->device = coalesce_merge(&to->device, &from->device);
	for (unsigned i = 0; i < from->queue_count; i++) {
		const struct change_queue *const queue = &from->queues[i];
		struct change_queue *const merged = queue->settings.present ? change_set_queue(to, queue->queue, true)
									    : NULL;

		if (merged) {
			merged->settings = coalesce_merge(&merged->settings, &queue->settings);
		}
	}
	for (unsigned i = 0; i < from->napi_count; i++) {
		const struct nic_napi *const napi = &from->napis[i];
		struct nic_napi *const merged = napi->present ? change_set_napi(to, napi->id, true) : NULL;

		if (merged) {
			merge_napi(merged, napi);
		}
	}
}

bool change_set_is_empty(const struct change_set *set)
{
	return !set->device.present && !set->queue_count && !set->napi_count;
}

/* ---- words ---- */

static const struct change_napi_field *find_napi_field(const char *word)
{
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		if (strcmp(change_napi_fields[i].name, word) == 0) {
			return &change_napi_fields[i];
		}
	}
	return NULL;
}

static int complain_napi_word(const char *word, struct err *err)
{
	const char *names[CHANGE_NAPI_FIELDS];

	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		names[i] = change_napi_fields[i].name;
	}
	if (coalesce_field_find(word) < COALESCE_FIELDS) {
		return err_set(err, -EINVAL,
			       "%s is a setting of the interface or of a queue, not of a NAPI instance: put it before "
			       "\"napi\"",
			       word);
	}
	const char *const nearest = text_nearest(word, names, CHANGE_NAPI_FIELDS);

	return err_set(err, -EINVAL, "unknown setting \"%.60s\" of a NAPI instance, %s %s", word,
		       nearest ? "did you mean" : "expected one such as", nearest ? nearest : names[0]);
}

static bool is_bare_number(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
}

static int parse_span(const struct change_napi_field *field, const char *word, uint64_t *value, struct err *err)
{
	int64_t span_ns;

	if (is_bare_number(word)) {
		return text_parse_u64(word, field->name, value, err);
	}
	const int ret = text_parse_duration(word, field->name, &span_ns, err);

	*value = ret ? 0 : (uint64_t)span_ns;
	return ret;
}

static int parse_napi_value(const struct change_napi_field *field, const char *word, uint64_t *value, struct err *err)
{
	uint32_t count = 0;
	int ret;

	switch (field->field) {
	case NIC_NAPI_GRO_FLUSH_TIMEOUT:
	case NIC_NAPI_IRQ_SUSPEND_TIMEOUT:
		return parse_span(field, word, value, err);
	case NIC_NAPI_THREADED:
		if (strcmp(word, "on") == 0 || strcmp(word, "off") == 0) {
			*value = strcmp(word, "on") == 0;
			return 0;
		}
		if (!is_bare_number(word)) {
			return err_set(err, -EINVAL, "%s: \"%.60s\" is neither on nor off", field->name, word);
		}
		/* 2 is the kernel's busy poll. */
		/* fall through */
	default:
		ret = text_parse_u32(word, field->name, &count, err);
		*value = count;
		return ret;
	}
}

static int put_napi_pair(struct nic_napi *napi, const char *name, const char *word, struct err *err)
{
	const struct change_napi_field *const field = find_napi_field(name);
	uint64_t value;

	if (!field) {
		return complain_napi_word(name, err);
	}
	if (!word) {
		return err_set(err, -EINVAL, "%s lacks its value", name);
	}
	if (napi->present & field->field) {
		return err_set(err, -EINVAL, "%s is given twice", name);
	}
	const int ret = parse_napi_value(field, word, &value, err);

	if (!ret) {
		change_napi_put(napi, field->field, value);
	}
	return ret;
}

static int complain_list(const char *list, struct err *err)
{
	return err_set(err, -EINVAL, "queue takes a list such as 0-3,5 and not \"%.60s\"", list);
}

/* The digits at *at, up to one that makes it too large. */
static int take_number(const char **at, const char *list, uint32_t *number, struct err *err)
{
	const char *const start = *at;

	*number = 0;
	while (isdigit((unsigned char)**at) && *number < NIC_QUEUES_MAX) {
		*number = *number * 10 + (uint32_t)(**at - '0');
		(*at)++;
	}
	if (*at == start) {
		return complain_list(list, err);
	}
	return *number < NIC_QUEUES_MAX
		       ? 0
		       : err_set(err, -EINVAL, "queue %.60s: queues up to %d can be named", list, NIC_QUEUES_MAX - 1);
}

/* Marks the queues of "0-3,5". */
static int parse_list(const char *list, bool named[NIC_QUEUES_MAX], struct err *err)
{
	const char *at = list;
	uint32_t first, last;

	do {
		at += *at == ',';
		int ret = take_number(&at, list, &first, err);

		last = first;
		if (ret == 0 && *at == '-') {
			at++;
			ret = take_number(&at, list, &last, err);
		}
		if (ret) {
			return ret;
		}
		if (last < first) {
			return complain_list(list, err);
		}
		for (uint32_t queue = first; queue <= last; queue++) {
			if (named[queue]) {
				return err_set(err, -EINVAL, "queue %.60s names queue %u twice", list, queue);
			}
			named[queue] = true;
		}
	} while (*at == ',');
	return *at ? complain_list(list, err) : 0;
}

/* Where the words up to the next scope go. */
struct scope {
	enum { SCOPE_DEVICE, SCOPE_QUEUES, SCOPE_NAPI } kind;
	const char *list; /* as given, for complaints */
	bool queues[NIC_QUEUES_MAX];
	uint32_t napi;
	unsigned pairs;
};

static int open_scope(struct scope *scope, const char *word, const char *value, struct err *err)
{
	if (!value) {
		return err_set(err, -EINVAL, "%s lacks %s", word,
			       strcmp(word, "queue") == 0 ? "its list of queues" : "the number of the instance");
	}
	*scope = (struct scope){ .kind = SCOPE_QUEUES, .list = value };
	if (strcmp(word, "queue") == 0) {
		return parse_list(value, scope->queues, err);
	}
	scope->kind = SCOPE_NAPI;
	return text_parse_u32(value, "napi", &scope->napi, err);
}

static int put_queue_pair(struct change_set *set, const struct scope *scope, const struct coalesce *pair,
			  struct err *err)
{
	for (uint32_t queue = 0; queue < NIC_QUEUES_MAX; queue++) {
		if (!scope->queues[queue]) {
			continue;
		}
		struct change_queue *const entry = change_set_queue(set, queue, true);

		if (!entry) {
			return err_set(err, -EINVAL, "at most %d queues can be set at a time", CHANGE_QUEUES_MAX);
		}
		if (entry->settings.present & pair->present) {
			return err_set(err, -EINVAL, "a setting of queue %u is given twice", queue);
		}
		entry->settings = coalesce_merge(&entry->settings, pair);
	}
	return 0;
}

static int put_device_pair(struct change_set *set, const char *name, const struct coalesce *pair, struct err *err)
{
	if (set->device.present & pair->present) {
		return err_set(err, -EINVAL, "%s is given twice", name);
	}
	set->device = coalesce_merge(&set->device, pair);
	return 0;
}

static int put_pair(struct change_set *set, struct scope *scope, const char *name, const char *value, struct err *err)
{
	const char *const words[] = { name, value };
	struct coalesce pair;

	scope->pairs++;
	if (scope->kind == SCOPE_NAPI) {
		struct nic_napi *const napi = change_set_napi(set, scope->napi, true);

		if (!napi) {
			return err_set(err, -EINVAL, "at most %d NAPI instances can be set at a time",
				       CHANGE_NAPIS_MAX);
		}
		return put_napi_pair(napi, name, value, err);
	}
	if (find_napi_field(name)) {
		return err_set(
			err, -EINVAL,
			"%s belongs to a NAPI instance: put \"napi ID\" before it (holdoff show tells the numbers)",
			name);
	}
	const int ret = coalesce_parse(&pair, words, value ? 2 : 1, err);

	if (ret) {
		return ret;
	}
	return scope->kind == SCOPE_QUEUES ? put_queue_pair(set, scope, &pair, err)
					   : put_device_pair(set, name, &pair, err);
}

static bool opens_scope(const char *word)
{
	return strcmp(word, "queue") == 0 || strcmp(word, "napi") == 0;
}

static int complain_empty_scope(const struct scope *scope, struct err *err)
{
	return err_set(err, -EINVAL, "%s %.60s is followed by no setting", scope->kind == SCOPE_NAPI ? "napi" : "queue",
		       scope->list);
}

int change_set_parse(struct change_set *set, const char *const *words, unsigned count, struct err *err)
{
	struct change_set parsed = { 0 };
	struct scope scope = { .kind = SCOPE_DEVICE };
	int ret = 0;

	for (unsigned word = 0; ret == 0 && word < count; word += 2) {
		const char *const value = word + 1 < count ? words[word + 1] : NULL;

		if (!opens_scope(words[word])) {
			ret = put_pair(&parsed, &scope, words[word], value, err);
		} else if (scope.kind != SCOPE_DEVICE && !scope.pairs) {
			ret = complain_empty_scope(&scope, err);
		} else {
			ret = open_scope(&scope, words[word], value, err);
		}
	}
	if (ret == 0 && scope.kind != SCOPE_DEVICE && !scope.pairs) {
		ret = complain_empty_scope(&scope, err);
	}
	if (ret == 0) {
		*set = parsed;
	}
	return ret;
}

/* ---- text of one NAPI instance ---- */

char *change_napi_print(const struct nic_napi *napi, char buffer[CHANGE_NAPI_TEXT_MAX])
{
	size_t length = 0;

	buffer[0] = '\0';
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		const struct change_napi_field *const field = &change_napi_fields[i];

		if (napi->present & field->field) {
			length += (size_t)snprintf(buffer + length, CHANGE_NAPI_TEXT_MAX - length, "%s%s %" PRIu64,
						   length ? " " : "", field->name,
						   change_napi_value(napi, field->field));
		}
	}
	return buffer;
}

int change_napi_parse_text(struct nic_napi *napi, const char *text, struct err *err)
{
	char copy[CHANGE_NAPI_TEXT_MAX], *rest = NULL;
	struct nic_napi parsed = { .id = napi->id };

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy)) {
		return err_set(err, -EINVAL, "the text of a NAPI instance is longer than %d bytes",
			       CHANGE_NAPI_TEXT_MAX - 1);
	}
	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const int ret = put_napi_pair(&parsed, name, strtok_r(NULL, " ", &rest), err);

		if (ret) {
			return ret;
		}
	}
	*napi = parsed;
	return 0;
}
