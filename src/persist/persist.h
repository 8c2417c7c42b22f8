/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coalescing settings in the files of others: systemd .link, NetworkManager keyfiles, udev rules, ethtool command lines. Written from settings, and
 * read back with every trap that such a file holds. Text in memory only.
 */
#ifndef HOLDOFF_PERSIST_PERSIST_H
#define HOLDOFF_PERSIST_PERSIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "coalesce/settings.h"

enum persist_format { PERSIST_SYSTEMD_LINK, PERSIST_NETWORKMANAGER, PERSIST_UDEV, PERSIST_ETHTOOL, PERSIST_FORMATS };

const char *persist_format_name(enum persist_format format); /* "systemd-link", "networkmanager", "udev", "ethtool" */

/* How a file finds its device: what survives renaming. */
struct persist_match {
	char name[16];      /* present name; used by formats that have nothing better */
	char permanent_address[64]; /* "00:11:22:33:44:55", or "" */
	char path[128];     /* udev ID_PATH such as "pci-0000:00:03.0", or "" */
	char driver[32];
};

/* Writes the file; fields that the format cannot express are left out and set in *left_out. */
int persist_write(FILE *out, enum persist_format format, const struct persist_match *match, const struct coalesce *settings, uint32_t *left_out);

/* The format that a text most likely is, by name and content; PERSIST_FORMATS if none. */
enum persist_format persist_guess(const char *name, const char *text);

enum persist_severity { PERSIST_NOTE, PERSIST_WARNING, PERSIST_WRONG };

struct persist_finding {
	unsigned line;
	enum persist_severity severity;
	char text[240]; /* one sentence: what is wrong, what it comes to, what would be right */
};

#define PERSIST_FINDINGS_MAX 64

struct persist_file {
	enum persist_format format;
	struct coalesce settings; /* in ethtool's terms: what the file really asks for */
	struct persist_match match;
	unsigned finding_count;
	struct persist_finding findings[PERSIST_FINDINGS_MAX];
};

/* Reads one file. 0 also when it found something; -EINVAL only for text that is none of the formats. */
int persist_read(struct persist_file *file, const char *name, const char *text, struct err *err);

#endif
