/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coalescing settings in the files of others: systemd .link, NetworkManager keyfiles, udev rules, ethtool command
 * lines. Written from settings, and read back with every trap that such a file holds. Text in memory only.
 */
#ifndef HOLDOFF_PERSIST_PERSIST_H
#define HOLDOFF_PERSIST_PERSIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "coalesce/settings.h"

/* Netplan is only read: it has no key for coalescing, and says so by refusing the file. */
enum persist_format {
	PERSIST_SYSTEMD_LINK,
	PERSIST_NETWORKMANAGER,
	PERSIST_UDEV,
	PERSIST_ETHTOOL,
	PERSIST_NETPLAN,
	PERSIST_FORMATS
};

const char *persist_format_name(enum persist_format format); /* "systemd-link", "networkmanager", "udev", ... */

/* How a file finds its device: what survives renaming. */
struct persist_match {
	char name[16];              /* present name; used by formats that have nothing better */
	char permanent_address[64]; /* "00:11:22:33:44:55", or "" */
	char path[128];             /* udev ID_PATH such as "pci-0000:00:03.0", or "" */
	char driver[32];
};

/*
 * Writes the file; fields that the format cannot express are left out and set in *left_out. A match without anything
 * in it is written as the name DEV, for people to replace. 0, or -EOPNOTSUPP when nothing could be expressed: then
 * nothing is written.
 */
int persist_write(FILE *out, enum persist_format format, const struct persist_match *match,
		  const struct coalesce *settings, uint32_t *left_out);

/* Why the format cannot say this, in a sentence: for fields that persist_write left out. Returns buffer. */
#define PERSIST_WHY_MAX 160
char *persist_why_left_out(enum persist_format format, enum coalesce_field field, uint32_t value,
			   char buffer[PERSIST_WHY_MAX]);

/* The format that a text most likely is, by name and content; PERSIST_FORMATS if none. */
enum persist_format persist_guess(const char *name, const char *text);

enum persist_severity { PERSIST_NOTE, PERSIST_WARNING, PERSIST_WRONG };

const char *persist_severity_name(enum persist_severity severity); /* "note", "warning", "wrong" */

struct persist_finding {
	unsigned line;
	enum persist_severity severity;
	char text[240]; /* one sentence: what is wrong, what it comes to, what would be right */
};

/* One line of [Match] of a .link file; several of one key come as one list. */
struct persist_condition {
	char key[24];
	char value[200];
};

#define PERSIST_FINDINGS_MAX 64
#define PERSIST_CONDITIONS_MAX 8

struct persist_file {
	enum persist_format format;
	struct coalesce settings;        /* in ethtool's terms: what the file really asks for */
	unsigned lines[COALESCE_FIELDS]; /* where each given field stands */
	bool is_readout;                 /* the output of `ethtool -c`, which asks for nothing */
	uint32_t absent;                 /* of a readout: fields that are n/a */
	struct persist_match match;
	unsigned finding_count; /* in order of their lines */
	struct persist_finding findings[PERSIST_FINDINGS_MAX];
	unsigned condition_count; /* of a .link file */
	bool conditions_cut;      /* there are more than could be kept */
	struct persist_condition conditions[PERSIST_CONDITIONS_MAX];
};

/* Reads one file. 0 also when it found something; -EINVAL only for text that is none of the formats. */
int persist_read(struct persist_file *file, const char *name, const char *text, struct err *err);

/* Adds a finding where its line belongs; control characters in it are replaced. When there is no more place, the last
 * finding says so instead. */
void persist_find(struct persist_file *file, unsigned line, enum persist_severity severity, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Several .link files as udev takes them: in order of their names, wherever they lie, and only the first that matches a
 * device applies to it, as a whole. Adds findings to those that others shadow. Files of other formats are passed over.
 */
void persist_check_order(struct persist_file *const *files, const char *const *names, unsigned count);

#endif
