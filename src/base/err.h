/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a function says what went wrong: it returns 0 or a negative errno, and fills in one
 * sentence where the cause is known. Libraries print nothing; the command prints the sentence once.
 */
#ifndef HOLDOFF_BASE_ERR_H
#define HOLDOFF_BASE_ERR_H

#define ERR_TEXT_MAX 400

struct err {
	char text[ERR_TEXT_MAX]; /* one sentence without a full stop or newline; "" when none was given */
};

/*
 * Writes the sentence and returns code, so that "return err_set(err, -EINVAL, ...)" is one line.
 * err may be NULL. A sentence that is too long is cut, never overrun.
 */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "PREFIX: " before the sentence that is there; returns code. err may be NULL. */
int err_prefix(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "EINVAL" for an errno of either sign, or "errno 999" for what has no name; returns buffer. */
#define ERR_NAME_MAX 24
char *err_name(int error, char buffer[ERR_NAME_MAX]);

#endif
