/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "ini/ini.h"
#include "sim/source.h"

void plan_init(struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	setup_init(&plan->setup);
}

static int put_one(struct setup *setup, const char *name, const char *value, struct err *err)
{
	const enum setup_key key = setup_find(name);
	const char *const words[] = { name, value };

	return key == SETUP_KEYS ? setup_put_words(setup, words, 2, err) : setup_put(setup, key, value, err);
}

static int name_unknown(const char *name, struct err *err)
{
	const char *names[SETUP_KEYS + COALESCE_FIELDS];
	size_t count = 0;

	for (unsigned i = 0; i < SETUP_KEYS; i++) {
		names[count++] = setup_keys[i].name;
	}
	for (unsigned i = 0; i < COALESCE_FIELDS; i++) {
		names[count++] = coalesce_fields[i].name;
	}
	const char *nearest = text_nearest(name, names, count);

	return err_set(err, -EINVAL, "unknown setting \"%s\": %s%s%s", name, nearest ? "did you mean " : "one is ",
		       nearest ? nearest : coalesce_fields[COALESCE_RX_USECS].name, nearest ? "?" : "");
}

/* The list cut at its commas, white space around the values left out. */
static int split_values(struct plan_axis *axis, const char *values, struct err *err)
{
	axis->count = 0;
	for (const char *at = values;; at++) {
		const char *end = at + strcspn(at, ",");

		at += strspn(at, " \t");
		size_t length = at < end ? (size_t)(end - at) : 0;

		while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) {
			length--;
		}
		if (length == 0) {
			return err_set(err, -EINVAL, "%s: a value is missing in \"%s\"", axis->name, values);
		}
		if (length >= PLAN_VALUE_TEXT_MAX) {
			return err_set(err, -EINVAL, "%s: a value has at most %d characters", axis->name,
				       PLAN_VALUE_TEXT_MAX - 1);
		}
		if (axis->count == PLAN_VALUES_MAX) {
			return err_set(err, -EINVAL, "%s: more than %d values", axis->name, PLAN_VALUES_MAX);
		}
		memcpy(axis->values[axis->count], at, length);
		axis->values[axis->count++][length] = '\0';
		if (*end == '\0') {
			return 0;
		}
		at = end;
	}
}

static int check_values(const struct plan_axis *axis, struct err *err)
{
	struct setup scratch;
	int ret = 0;

	setup_init(&scratch);
	for (unsigned i = 0; ret == 0 && i < axis->count; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (strcmp(axis->values[i], axis->values[j]) == 0) {
				return err_set(err, -EINVAL, "%s: %s is in the list twice", axis->name,
					       axis->values[i]);
			}
		}
		ret = put_one(&scratch, axis->name, axis->values[i], err);
	}
	return ret;
}

static struct plan_axis *axis_named(struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->axis_count; i++) {
		if (strcmp(plan->axes[i].name, name) == 0) {
			return &plan->axes[i];
		}
	}
	return NULL;
}

static void remove_axis(struct plan *plan, const char *name)
{
	struct plan_axis *axis = axis_named(plan, name);

	if (axis) {
		plan->axis_count--;
		memmove(axis, axis + 1, (size_t)(&plan->axes[plan->axis_count] - axis) * sizeof(*axis));
	}
}

/* "ideal:300us~10us,280us..340us" is one peer: a range goes with what stands before its comma. */
static void join_ranges(struct plan_axis *axis)
{
	unsigned count = 0;

	for (unsigned i = 0; i < axis->count; i++) {
		const char *value = axis->values[i];
		const size_t length = count ? strlen(axis->values[count - 1]) : 0;

		if (count && strstr(value, "..") && !strpbrk(value, "/:") &&
		    length + 1 + strlen(value) < PLAN_VALUE_TEXT_MAX) {
			axis->values[count - 1][length] = ',';
			memmove(axis->values[count - 1] + length + 1, value, strlen(value) + 1);
		} else {
			memmove(axis->values[count++], value, strlen(value) + 1);
		}
	}
	axis->count = count;
}

/* Notes the spelling; several choices of the model add up. */
static void note_given(struct plan *plan, enum setup_key key, const char *value)
{
	char *given = plan->given[key];
	const size_t length = key == SETUP_ASSUME ? strlen(given) : 0;

	snprintf(given + length, PLAN_GIVEN_MAX - length, "%s%s", length ? " " : "", value);
}

static int put_shared(struct plan *plan, enum setup_key key, const char *value, struct err *err)
{
	const int ret = setup_put(&plan->setup, key, value, err);

	if (ret == 0) {
		note_given(plan, key, value);
		remove_axis(plan, setup_keys[key].name);
	}
	return ret;
}

static int put_axis(struct plan *plan, const char *name, const char *values, struct err *err)
{
	const enum setup_key key = setup_find(name);
	struct plan_axis *axis = axis_named(plan, name);
	struct plan_axis *made = calloc(1, sizeof(*made));

	if (!made) {
		return err_set(err, -ENOMEM, "no memory for the list of %s", name);
	}
	snprintf(made->name, sizeof(made->name), "%s", name);
	int ret = split_values(made, values, err);

	if (ret == 0 && key == SETUP_PEER) {
		join_ranges(made);
	}
	if (ret == 0 && made->count == 1 && !setup_is_word(name)) {
		ret = put_shared(plan, key, made->values[0], err);
		free(made);
		return ret;
	}
	if (ret == 0) {
		ret = check_values(made, err);
	}
	if (ret == 0 && !axis && plan->axis_count == PLAN_AXES_MAX) {
		ret = err_set(err, -EINVAL, "too many lists: at most %d", PLAN_AXES_MAX);
	}
	if (ret == 0) {
		*(axis ? axis : &plan->axes[plan->axis_count++]) = *made;
		if (key < SETUP_KEYS) {
			plan->given[key][0] = '\0';
		}
	}
	free(made);
	return ret;
}

/* set = NAME VALUE NAME VALUE: as if each was put by itself, so that the table names them. */
static int put_set(struct plan *plan, const char *text, struct err *err)
{
	char copy[COALESCE_TEXT_MAX], *rest = copy, *name;
	int ret = 0;

	if (strlen(text) >= sizeof(copy)) {
		return err_set(err, -EINVAL, "set: more than %d characters", COALESCE_TEXT_MAX - 1);
	}
	strcpy(copy, text);
	while (ret == 0 && (name = strtok_r(rest, " \t", &rest))) {
		const char *values = strtok_r(rest, " \t", &rest);

		if (!setup_is_word(name)) {
			return name_unknown(name, err);
		}
		ret = values ? put_axis(plan, name, values, err)
			     : err_set(err, -EINVAL, "set: %s lacks its value", name);
	}
	return ret;
}

int plan_put(struct plan *plan, const char *name, const char *values, struct err *err)
{
	const enum setup_key key = setup_find(name);
	const bool is_word = setup_is_word(name);

	if (key == SETUP_KEYS && !is_word) {
		return name_unknown(name, err);
	}
	if (key == SETUP_WORKLOAD) {
		return plan_add_workload(plan, values, err);
	}
	if (key == SETUP_SET) {
		return put_set(plan, values, err);
	}
	/* A word is always an axis, if only of one value: the table shall name it. */
	if (is_word || (setup_keys[key].takes_list && strchr(values, ','))) {
		return put_axis(plan, name, values, err);
	}
	return put_shared(plan, key, values, err);
}

int plan_add_workload(struct plan *plan, const char *text, struct err *err)
{
	struct workload workload;
	const size_t length = strlen(text);

	if (plan->workload_count == PLAN_WORKLOADS_MAX) {
		return err_set(err, -EINVAL, "too many workloads: at most %d", PLAN_WORKLOADS_MAX);
	}
	if (length >= WORKLOAD_TEXT_MAX) {
		return err_set(err, -EINVAL, "a workload has at most %d characters", WORKLOAD_TEXT_MAX - 1);
	}
	const int ret = workload_parse(&workload, text, err);

	if (ret == 0) {
		memcpy(plan->workloads[plan->workload_count++], text, length + 1);
	}
	return ret;
}

static int plan_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct plan *plan = context;

	if (strcmp(entry->section, "sweep") == 0) {
		return plan_put(plan, entry->key, entry->value, err);
	}
	if (strcmp(entry->section, "workload") == 0) {
		return plan_add_workload(plan, entry->value, err);
	}
	return err_set(err, -EINVAL, "unknown section [%s]: a plan has [sweep] and [workload]", entry->section);
}

int plan_parse(struct plan *plan, const char *text, const char *name, struct err *err)
{
	return ini_parse_text(text, name, plan_entry, plan, err);
}

int plan_load(struct plan *plan, const char *name, struct err *err)
{
	static const struct source_kind plans = { "plan", embedded_plans, "holdoff help --list plans" };
	struct source source;
	int ret = source_open(&source, &plans, name, err);

	if (ret == 0) {
		ret = plan_parse(plan, source.text, name, err);
		source_close(&source);
	}
	return ret;
}

struct profile_reading {
	struct plan *plan;
	bool has_model;
};

static int profile_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct profile_reading *const reading = context;

	if (strcmp(entry->section, PROFILE_MODEL_SECTION) != 0) {
		return 0; /* the host's, which are read with it */
	}
	reading->has_model = true;
	return plan_put(reading->plan, entry->key, entry->value, err);
}

int plan_load_profile(struct plan *plan, const char *name, struct err *err)
{
	struct profile_reading reading = { .plan = plan };
	char *text;

	if (!source_is_file(name)) {
		return err_set(err, -EINVAL, "%s is no file: a profile of holdoff calibrate ends in .ini", name);
	}
	int ret = ini_read_file(name, &text, err);

	if (ret) {
		return ret;
	}
	ret = ini_parse_text(text, name, profile_entry, &reading, err);
	free(text);
	if (ret == 0 && !reading.has_model) {
		return err_set(err, -EINVAL,
			       "%s has no [model]: holdoff calibrate writes one; a host profile alone is for --host",
			       name);
	}
	return ret ? ret : plan_put(plan, "host", name, err);
}

int plan_cells(const struct plan *plan, uint32_t *cells, struct err *err)
{
	uint64_t count = plan->workload_count;

	if (count == 0) {
		return err_set(err, -EINVAL, "no workload is given, such as \"udp rate=20k size=64\"");
	}
	for (unsigned i = 0; i < plan->axis_count; i++) {
		count *= plan->axes[i].count;
		if (count > PLAN_CELLS_MAX) {
			return err_set(err, -ERANGE, "the grid has more than %d cells", PLAN_CELLS_MAX);
		}
	}
	*cells = (uint32_t)count;
	return 0;
}

int plan_cell(const struct plan *plan, uint32_t cell, struct setup *setup, char label[PLAN_LABEL_MAX], struct err *err)
{
	unsigned picked[PLAN_AXES_MAX];
	size_t used = 0;

	for (unsigned i = plan->axis_count; i-- > 0;) {
		picked[i] = cell % plan->axes[i].count;
		cell /= plan->axes[i].count;
	}
	*setup = plan->setup;
	snprintf(label, PLAN_LABEL_MAX, "defaults");
	for (unsigned i = 0; i < plan->axis_count; i++) {
		const struct plan_axis *axis = &plan->axes[i];
		const int ret = put_one(setup, axis->name, axis->values[picked[i]], err);

		if (ret < 0) {
			return ret;
		}
		if (used < PLAN_LABEL_MAX) {
			used += (size_t)snprintf(label + used, PLAN_LABEL_MAX - used, "%s%s %s", used ? " " : "",
						 axis->name, axis->values[picked[i]]);
		}
	}
	return setup_put(setup, SETUP_WORKLOAD, plan->workloads[cell], err);
}

void plan_conditions(const struct plan *plan, char text[PLAN_CONDITIONS_MAX])
{
	const uint32_t in_columns = 1u << SETUP_BOARD | 1u << SETUP_DRIVER | 1u << SETUP_SPEED | 1u << SETUP_HOST;
	size_t length = 0;

	text[0] = '\0';
	for (enum setup_key key = 0; key < SETUP_KEYS && length < PLAN_CONDITIONS_MAX; key++) {
		if (plan->given[key][0] && !(in_columns & (1u << key))) {
			length += (size_t)snprintf(text + length, PLAN_CONDITIONS_MAX - length, "%s%s %s",
						   length ? ", " : "", setup_keys[key].name, plan->given[key]);
		}
	}
}
