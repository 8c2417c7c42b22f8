/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/measured.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void run_condition_put(struct run_condition_list *list, const char *name, const char *format, ...)
{
	va_list values;

	if (list->count == RUN_CONDITIONS_MAX) {
		list->left_out++;
		return;
	}
	struct run_condition *const condition = &list->at[list->count++];

	snprintf(condition->name, sizeof(condition->name), "%s", name);
	va_start(values, format);
	vsnprintf(condition->value, sizeof(condition->value), format, values);
	va_end(values);
}

const char *run_condition_value(const struct run_condition_list *list, const char *name)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (strcmp(list->at[i].name, name) == 0) {
			return list->at[i].value;
		}
	}
	return NULL;
}

void run_taint(struct run_measured *measured, const char *format, ...)
{
	va_list values;

	measured->taint_count++;
	if (measured->taint_count > RUN_TAINTS_MAX) {
		snprintf(measured->taint[RUN_TAINTS_MAX - 1], RUN_TAINT_MAX, "and %u more",
			 measured->taint_count - RUN_TAINTS_MAX + 1);
		return;
	}
	va_start(values, format);
	vsnprintf(measured->taint[measured->taint_count - 1], RUN_TAINT_MAX, format, values);
	va_end(values);
}

void run_taint_by_conditions(struct run_measured *measured, const struct run_condition_list *before,
			     const struct run_condition_list *after)
{
	for (unsigned i = 0; i < before->count; i++) {
		const struct run_condition *const was = &before->at[i];
		const char *const is = run_condition_value(after, was->name);

		if (!is) {
			run_taint(measured, "%s was %s and can no longer be read", was->name, was->value);
		} else if (strcmp(is, was->value) != 0) {
			run_taint(measured, "%s changed from %s to %s", was->name, was->value, is);
		}
	}
	for (unsigned i = 0; i < after->count; i++) {
		if (!run_condition_value(before, after->at[i].name)) {
			run_taint(measured, "%s came to be %s", after->at[i].name, after->at[i].value);
		}
	}
}
