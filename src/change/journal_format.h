/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What writing and reading of journal entries share. */
#ifndef HOLDOFF_CHANGE_JOURNAL_FORMAT_H
#define HOLDOFF_CHANGE_JOURNAL_FORMAT_H

#include "change/journal.h"

#define JOURNAL_FORMAT 1

/* The last line of a file: this and sixteen hexadecimal digits. */
#define JOURNAL_CHECKSUM "checksum = 0x"
#define JOURNAL_CHECKSUM_BYTES (sizeof(JOURNAL_CHECKSUM) - 1 + 16 + 1)

uint64_t journal_checksum(const char *text, size_t length);

#endif
