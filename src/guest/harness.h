/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The harness that boots a guest: the shell scripts of qemu/, which lie in the source tree or are installed. This finds
 * them; qemu/README.md tells what they do.
 */
#ifndef HOLDOFF_GUEST_HARNESS_H
#define HOLDOFF_GUEST_HARNESS_H

#include <limits.h>

#include "base/err.h"

/*
 * The file of this program, and the folder of the harness: $HOLDOFF_QEMU if that is set; or, from the folder of the
 * program, qemu of the source tree whose build folder it is (../qemu, ../../qemu), or ../share/holdoff/qemu. -ENOENT
 * where there is none, or only one in a folder that everybody may write to.
 */
int harness_find(char program[PATH_MAX], char folder[PATH_MAX], struct err *err);

/* The names of the NICs, as the harness lists them, one after the other with blanks between them. 0 or -errno. */
int harness_nics(const char *folder, char *names, unsigned size);

#endif
