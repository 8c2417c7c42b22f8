/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * INI text as boards, host profiles, scenarios and plans use it: [section], key = value, comments with
 * # or ; at the start of a line or after white space. Reading is inih's; this header adds what it
 * leaves to its callers: unknown keys, keys given twice, and the file and line in every complaint.
 */
#ifndef HOLDOFF_INI_INI_H
#define HOLDOFF_INI_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ini_type {
	INI_TEXT,     /* char[size]; too long is an error */
	INI_U32,      /* uint32_t */
	INI_I64,      /* int64_t, bare number */
	INI_DURATION, /* int64_t ns, unit required */
	INI_BYTES,    /* uint64_t */
	INI_RATE,     /* uint64_t per second */
	INI_HZ,       /* uint64_t, bare number or with kHz MHz GHz */
	INI_BOOL,     /* bool */
};

/* One row of the table that says which keys a section may have and where their values go. */
struct ini_key {
	const char *name;
	enum ini_type type;
	size_t offset;    /* of the member in the struct given to ini_store */
	size_t size;      /* of the member, for INI_TEXT */
	int64_t min, max; /* for numbers, in the stored unit; both 0: no limit */
	bool required;
	const char *help;
};

struct ini_entry {
	const char *section, *key, *value; /* section "" for text before the first [section] */
	unsigned line;
	unsigned section_line; /* of the [section]: tells two sections of one name apart; 0 before the first */
};

/*
 * Calls `entry` for each key = value, in order, from text held in memory. `name` stands for the file in errors.
 * entry returns 0 or a negative errno with err filled in (without file and line: they are added here).
 * Stops at the first error and returns it. A key given twice in one section is an error; a section may come again.
 * What entry points to is gone after the call. (inih has an ini_parse of its own, hence this name.)
 */
typedef int ini_entry_fn(void *context, const struct ini_entry *entry, struct err *err);
int ini_parse_text(const char *text, const char *name, ini_entry_fn *entry, void *context, struct err *err);

/*
 * Stores value into object by the row of keys (count rows) that is called entry->key; bit n of *seen is set for
 * row n (count <= 64); a bit that is set already is an error, and so is an unknown key: it names the nearest known one.
 */
int ini_store(const struct ini_key *keys, size_t count, void *object, uint64_t *seen, const struct ini_entry *entry,
	      struct err *err);

/* 0, or -EINVAL with the name of the first required key that *seen lacks. */
int ini_required(const struct ini_key *keys, size_t count, uint64_t seen, const char *section, struct err *err);

/* Reads a whole file into memory that the caller frees; *text ends in NUL. Refuses what is over 1 MiB, holds a NUL or
 * is no regular file. The only function of this part that touches the system. */
int ini_read_file(const char *path, char **text, struct err *err);

#endif
