/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/remark.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct diagnose_remark *add(struct diagnosis *diagnosis, const struct remark_origin *origin,
				   enum diagnose_remark_kind kind, const char *format, va_list values)
	__attribute__((format(printf, 4, 0)));

static struct diagnose_remark *add(struct diagnosis *diagnosis, const struct remark_origin *origin,
				   enum diagnose_remark_kind kind, const char *format, va_list values)
{
	struct diagnose_remark remark = { .kind = kind,
					  .rule = origin->rule,
					  .source = origin->source,
					  .device = origin->device,
					  .file = origin->file,
					  .line = origin->line };

	vsnprintf(remark.text, sizeof(remark.text), format, values);
	/* What it quotes may have tabs. */
	for (char *at = remark.text; *at; at++) {
		*at = *at == '\t' ? ' ' : *at;
	}
	for (unsigned i = 0; i < diagnosis->remark_count; i++) {
		const struct diagnose_remark *const other = &diagnosis->remarks[i];

		if (other->kind == kind && other->device == remark.device && strcmp(other->text, remark.text) == 0) {
			return NULL;
		}
	}
	if (diagnosis->remark_count == DIAGNOSE_REMARKS_MAX) {
		diagnosis->remarks_left_out++;
		return NULL;
	}
	diagnosis->remarks[diagnosis->remark_count] = remark;
	return &diagnosis->remarks[diagnosis->remark_count++];
}

struct diagnose_remark *remark_add(struct diagnosis *diagnosis, const struct remark_origin *origin,
				   enum diagnose_remark_kind kind, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	struct diagnose_remark *const remark = add(diagnosis, origin, kind, format, values);
	va_end(values);
	return remark;
}

void remark_try(struct diagnosis *diagnosis, const struct remark_origin *origin, const char *command,
		const char *format, ...)
{
	va_list values;

	va_start(values, format);
	struct diagnose_remark *const remark = add(diagnosis, origin, DIAGNOSE_TRY, format, values);
	va_end(values);
	if (remark) {
		snprintf(remark->command, sizeof(remark->command), "%s", command);
	}
}

const char *remark_device(const struct diagnosis *diagnosis, int device)
{
	return device >= 0 && diagnosis->devices[device].name[0] ? diagnosis->devices[device].name : "the interface";
}
