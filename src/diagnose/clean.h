/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text as people paste it to text as programs print it. */
#ifndef HOLDOFF_DIAGNOSE_CLEAN_H
#define HOLDOFF_DIAGNOSE_CLEAN_H

#include <stddef.h>

/*
 * Cleans text[0..size-1] in place, line by line, and ends it with NUL; text[size] has to be writable. No line is added
 * or lost. Gone are: a byte order mark, carriage returns, signs of quoting ("> "), marks of code blocks, escape
 * sequences of terminals. Other control characters become blanks, what is no ASCII a question mark (but the micro sign
 * a u). UTF-16, as Windows writes it, becomes ASCII. Returns the new size.
 */
size_t diagnose_clean(char *text, size_t size);

#endif
