/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How findings are added. */
#ifndef HOLDOFF_DIAGNOSE_REMARK_H
#define HOLDOFF_DIAGNOSE_REMARK_H

#include "diagnose/diagnosis.h"

/* Where a remark comes from. */
struct remark_origin {
	const char *rule, *source;
	int device;          /* or -1 */
	unsigned file, line; /* line 0: none */
};

/* One sentence. The same sentence is not said twice. Returns it, so that a command can be put to it; NULL: no room. */
struct diagnose_remark *remark_add(struct diagnosis *diagnosis, const struct remark_origin *origin,
				   enum diagnose_remark_kind kind, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* DIAGNOSE_TRY with a command line. */
void remark_try(struct diagnosis *diagnosis, const struct remark_origin *origin, const char *command,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "eth0", or "the interface" where nobody names it. */
const char *remark_device(const struct diagnosis *diagnosis, int device);

#endif
