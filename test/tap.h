/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Test Anything Protocol for C: every check prints a line, tap_done prints the plan and returns the exit status. */
#ifndef HOLDOFF_TEST_TAP_H
#define HOLDOFF_TEST_TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Each returns whether it passed. The text is what holds, not what was done. */
bool tap_ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints both numbers when they differ. */
bool tap_is(int64_t got, int64_t expected, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool tap_is_text(const char *got, const char *expected, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* got within [low, high]. */
bool tap_within(int64_t got, int64_t low, int64_t high, const char *format, ...) __attribute__((format(printf, 4, 5)));
void tap_skip(const char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* 0 when every check passed and there was at least one, else 1. */
int tap_done(void);

#endif
