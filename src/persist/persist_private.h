/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the formats share: lines with their numbers, keys, and settings that remember where they stand. Each reader
 * takes a file whose format and match are set to nothing, and only adds to it.
 */
#ifndef HOLDOFF_PERSIST_PERSIST_PRIVATE_H
#define HOLDOFF_PERSIST_PERSIST_PRIVATE_H

#include <stddef.h>

#include "persist/persist.h"

/* ---- lines ---- */

#define PERSIST_LINE_MAX 2048

/* Over a text, a logical line at a time. */
struct persist_lines {
	const char *at;
	unsigned next; /* number of the line at `at`, from 1 */
	/* What a line that ends in a backslash is joined to the next with; NULL: such lines are not joined. */
	const char *joint;
};

struct persist_line {
	unsigned number;             /* of its first physical line */
	bool is_cut;                 /* longer than fits: the rest is not there */
	char text[PERSIST_LINE_MAX]; /* without white space at either end */
};

/* False at the end. Lines that begin with # are never joined, and are skipped between lines that are. */
bool persist_next_line(struct persist_lines *lines, struct persist_line *line);

/* Cuts white space off both ends, in place. */
char *persist_trim(char *text);
/* Last part of a path. */
const char *persist_base_name(const char *name);
bool persist_has_suffix(const char *name, const char *suffix);
/* True for names that the kernel gives in order of discovery: eth0, wlan1, usb0. */
bool persist_is_kernel_name(const char *name);

/* Copies what fits. */
void persist_copy(char *to, size_t size, const char *from);

/* ---- INI files, as systemd and NetworkManager read them: whole-line comments, the rest kept as it stands ---- */

enum persist_ini_kind { PERSIST_INI_SECTION, PERSIST_INI_KEY, PERSIST_INI_RUBBISH };

struct persist_ini {
	struct persist_lines lines;
	struct persist_line line;
	enum persist_ini_kind kind;
	char section[48];
	char *key, *value; /* within line.text; of a section and of rubbish both NULL */
};

bool persist_next_ini(struct persist_ini *ini);

/* ---- findings ---- */

/* Puts a setting, and notes when the file gave it before: the last one counts. */
void persist_put(struct persist_file *file, unsigned line, const char *key, enum coalesce_field field, uint32_t value);

/* A key that does not exist: names the nearest known one, and says what the reader of the file makes of it. */
void persist_unknown_key(struct persist_file *file, unsigned line, const char *section, const char *key,
			 const char *const *known, size_t count, const char *consequence);

/* What is odd about the settings whatever the format: adaptive beside static values, nothing that ends a wait,
 * thresholds the wrong way round; and rules of single drivers, where the file names one. */
void persist_check_settings(struct persist_file *file);

/* ---- time spans of systemd ---- */

struct persist_timespan {
	uint64_t us;     /* UINT64_MAX for "infinity" */
	bool has_bare;   /* a number other than 0 had no unit: seconds */
	bool has_m;      /* "m" or "M" was a unit: minutes, months */
	bool is_rounded; /* a fraction of a us was cut off */
};

/* As systemd.time(7) has them: "100us", "1ms 500us", "1.5 s", "100" (seconds). -EINVAL, or -ERANGE for what is negative
 * or does not fit 64 bits. */
int persist_parse_timespan(const char *text, struct persist_timespan *span);

/* ---- values of .link files ---- */

/* A number as systemd takes it: also hexadecimal (0x), octal (0, 0o) and binary (0b). -EINVAL, -ERANGE. */
int persist_parse_number(const char *text, uint32_t *value);
/* The value of a coalescing key: puts the setting or finds fault. */
void persist_take_link_setting(struct persist_file *file, unsigned line, const char *key, const char *value,
			       enum coalesce_field field);

/* ---- formats ---- */

void persist_read_systemd_link(struct persist_file *file, const char *name, const char *text);
void persist_read_networkmanager(struct persist_file *file, const char *name, const char *text);
void persist_read_udev(struct persist_file *file, const char *name, const char *text);
void persist_read_ethtool(struct persist_file *file, const char *name, const char *text);
void persist_read_netplan(struct persist_file *file, const char *name, const char *text);

void persist_write_systemd_link(FILE *out, const struct persist_match *match, const struct coalesce *settings);
void persist_write_networkmanager(FILE *out, const struct persist_match *match, const struct coalesce *settings);
void persist_write_udev(FILE *out, const struct persist_match *match, const struct coalesce *settings);
void persist_write_ethtool(FILE *out, const struct persist_match *match, const struct coalesce *settings);

/* Whether the format has a key for the field and that key can hold the value. */
bool persist_systemd_link_expresses(enum coalesce_field field, uint32_t value);
bool persist_networkmanager_expresses(enum coalesce_field field, uint32_t value);

/* The key of a field, NULL where there is none. */
const char *persist_systemd_link_key(enum coalesce_field field);

/* ---- commands ---- */

#define PERSIST_WORDS_MAX 96

/*
 * Splits a command line into words as a shell does, in place: quotes, comments, backslashes. Words of one simple
 * command; *rest is set behind the ; & | or newline that ended it, NULL at the end. Redirections are left out. Returns
 * their number; what is above PERSIST_WORDS_MAX is dropped.
 */
unsigned persist_split_command(char *text, char *words[PERSIST_WORDS_MAX], char **rest);

/*
 * Whether one of the words is an ethtool that sets coalescing; then its settings are taken over. `device` is what the
 * file calls the interface where the command says it with a variable, or NULL.
 */
bool persist_read_command(struct persist_file *file, unsigned line, char *const *words, unsigned count,
			  const char *device);

/* The line of what ethtool printed (settings that it showed, complaints), if it is one. */
bool persist_read_output(struct persist_file *file, unsigned line, const char *text);
/* A word, then what stands for its value: puts the setting or finds fault. */
void persist_read_pair(struct persist_file *file, unsigned line, const char *word, const char *value, bool keep);

#endif
