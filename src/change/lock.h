/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of one interface: held by whoever changes it, for as long as that takes. The kernel lets go of it when the holder dies,
 * whatever it died of. The file says who holds it, and is gone when nobody does.
 */
#ifndef HOLDOFF_CHANGE_LOCK_H
#define HOLDOFF_CHANGE_LOCK_H

#include "base/err.h"

/* A short wait: a helper that looks after its entry holds the lock for some ms. */
#define LOCK_WAIT_MS 1000
#define LOCK_WAIT_FOREVER (-1)

/* A descriptor, or -EBUSY with a sentence that says who holds it since when; `name` is what the interface is called there. */
int lock_take(const char *path, const char *name, int wait_ms, struct err *err);
void lock_drop(int fd, const char *path);

/* The command line of this process as one line of text ("holdoff set eth0 rx-usecs 10"), and the time of day. */
void lock_own_command(char *text, unsigned size);
void lock_now(char *text, unsigned size);

#endif
