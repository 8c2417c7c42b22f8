/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands beside runs and experiments, as tables from which documents are both written and read. */
#ifndef HOLDOFF_STORE_FIELDS_H
#define HOLDOFF_STORE_FIELDS_H

#include <stddef.h>

#include "report/json_writer.h"
#include "store/store.h"

struct json_t;

enum store_member_type {
	STORE_MEMBER_TEXT,
	STORE_MEMBER_LONG_TEXT, /* char *, which the reader frees */
	STORE_MEMBER_U32,
	STORE_MEMBER_I64,
	STORE_MEMBER_SEED, /* uint64_t, as a text of digits */
	STORE_MEMBER_ROLE,
	STORE_MEMBER_STATE
};

struct store_member {
	const char *key;
	enum store_member_type type;
	size_t offset, size; /* size of a text, with its end */
};

struct store_members {
	const struct store_member *at;
	unsigned count;
};

extern const struct store_members store_entry_members, store_experiment_members, store_cell_members;

/* The members that are not 0 or empty. */
void store_put_members(struct json_writer *writer, const struct store_members *members, const void *object);

/* Into an object that is all 0. Every key but the `others` has to be in the table; a text that does not fit is an error. */
int store_take_members(const struct store_members *members, const struct json_t *from, unsigned others, void *object,
		       const char *what, struct err *err);

#endif
