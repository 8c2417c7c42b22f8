/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of the kinds share: a text is cut into pieces by a table of recognisers (reader.c), and each piece
 * is read by the function of its row. A reader looks at its piece only; what it has to know of the text before it
 * (which interface the last command was about, how long was slept) stands in struct reader.
 */
#ifndef HOLDOFF_DIAGNOSE_READER_H
#define HOLDOFF_DIAGNOSE_READER_H

#include "diagnose/diagnosis.h"
#include "diagnose/line.h"
#include "persist/persist.h"

/* The command at the last prompt. */
enum reader_command {
	COMMAND_NONE,
	COMMAND_GET, /* ethtool, anything that only reads */
	COMMAND_SET, /* ethtool -C */
	COMMAND_CHANNELS,
	COMMAND_GRO_TIMEOUT, /* cat .../gro_flush_timeout */
	COMMAND_DEFER,       /* cat .../napi_defer_hard_irqs */
	COMMAND_AFFINITY,
	COMMAND_UNAME,
	COMMAND_OTHER
};

struct reader {
	struct diagnosis *diagnosis;
	unsigned file;
	enum reader_command command;
	char device[16];      /* of the last command or heading, "" */
	int change;           /* index of the last change, or -1 */
	int64_t slept_ns;     /* since the last snapshot of interrupts */
	bool slept;           /* something said how long */
	int64_t ping_payload; /* of the last ping command, -1 */
	/* of the piece that is being read */
	struct diagnose_piece *piece;
	struct persist_file persisted; /* room for what persist_read reads */
};

struct recogniser {
	enum diagnose_kind kind;
	const char *name, *title;
	/* Whether a line, without its blanks, begins such a piece. */
	bool (*begins)(const struct reader *reader, const struct lines *line);
	/* Whether a line belongs to one that was begun; NULL: one line is all. */
	bool (*goes_on)(const struct lines *line);
	/* Whether this line ends it; NULL: the first that does not belong to it does. */
	bool (*ends)(const struct lines *line);
	bool over_blanks; /* blank lines within it are part of it */
	/* text: of the piece alone, ended by NUL; may be written to. */
	void (*read)(struct reader *reader, char *text);
};

/* By name; made if it is new. "" is the interface that nobody names: the only named one if there is one. -1: too many. */
int reader_device(struct reader *reader, const char *name);
/* The one that the piece is about: named in its heading (or NULL), by the command before it, or nobody. Also notes it in the
 * piece. NULL: too many. */
struct diagnose_device *reader_piece_device(struct reader *reader, const char *heading);
/* A line within the piece that meant nothing. */
void reader_odd(struct reader *reader);

/* ---- readers, with what recognises them; by file ---- */

bool command_begins(const struct reader *reader, const struct lines *line);
void command_read(struct reader *reader, char *text);

bool settings_begin(const struct reader *reader, const struct lines *line);
bool settings_go_on(const struct lines *line);
void settings_read(struct reader *reader, char *text);
bool queues_begin(const struct reader *reader, const struct lines *line);
bool queues_go_on(const struct lines *line);
void queues_read(struct reader *reader, char *text);

bool driver_begins(const struct reader *reader, const struct lines *line);
bool driver_goes_on(const struct lines *line);
void driver_read(struct reader *reader, char *text);
bool channels_begin(const struct reader *reader, const struct lines *line);
bool rings_begin(const struct reader *reader, const struct lines *line);
bool counts_go_on(const struct lines *line);
void channels_read(struct reader *reader, char *text);
void rings_read(struct reader *reader, char *text);
bool features_begin(const struct reader *reader, const struct lines *line);
bool features_go_on(const struct lines *line);
void features_read(struct reader *reader, char *text);
bool statistics_begin(const struct reader *reader, const struct lines *line);
bool statistics_go_on(const struct lines *line);
void statistics_read(struct reader *reader, char *text);
bool link_begins(const struct reader *reader, const struct lines *line);
bool link_goes_on(const struct lines *line);
void link_read(struct reader *reader, char *text);
bool stamps_begin(const struct reader *reader, const struct lines *line);
bool stamps_go_on(const struct lines *line);
void stamps_read(struct reader *reader, char *text);
bool knobs_begin(const struct reader *reader, const struct lines *line);
void knobs_read(struct reader *reader, char *text);

bool registers_begin(const struct reader *reader, const struct lines *line);
bool registers_go_on(const struct lines *line);
void registers_read(struct reader *reader, char *text);

bool interrupts_begin_here(const struct reader *reader, const struct lines *line);
bool interrupts_go_on(const struct lines *line);
void interrupts_read(struct reader *reader, char *text);
bool softnet_begins(const struct reader *reader, const struct lines *line);
bool softnet_goes_on(const struct lines *line);
void softnet_read(struct reader *reader, char *text);
bool affinity_begins(const struct reader *reader, const struct lines *line);
void affinity_read(struct reader *reader, char *text);
bool rates_begin(const struct reader *reader, const struct lines *line);
bool rates_go_on(const struct lines *line);
void rates_read(struct reader *reader, char *text);

bool ping_begins(const struct reader *reader, const struct lines *line);
bool ping_goes_on(const struct lines *line);
void ping_read(struct reader *reader, char *text);

bool pairs_begin(const struct reader *reader, const struct lines *line);
bool pairs_go_on(const struct lines *line);
void pairs_read(struct reader *reader, char *text);
bool trace_begins(const struct reader *reader, const struct lines *line);
bool trace_goes_on(const struct lines *line);
void trace_read(struct reader *reader, char *text);
bool iperf3_begins(const struct reader *reader, const struct lines *line);
bool iperf3_goes_on(const struct lines *line);
bool iperf3_ends(const struct lines *line);
void iperf3_read(struct reader *reader, char *text);

bool iperf3_text_begins(const struct reader *reader, const struct lines *line);
bool iperf3_text_goes_on(const struct lines *line);
bool iperf3_text_ends(const struct lines *line);
void iperf3_text_read(struct reader *reader, char *text);
bool counters_begin(const struct reader *reader, const struct lines *line);
bool counters_go_on(const struct lines *line);
void counters_read(struct reader *reader, char *text);

bool complaint_begins(const struct reader *reader, const struct lines *line);
bool complaint_goes_on(const struct lines *line);
void complaint_read(struct reader *reader, char *text);
bool kernel_begins(const struct reader *reader, const struct lines *line);
void kernel_read(struct reader *reader, char *text);
bool config_begins(const struct reader *reader, const struct lines *line);
bool config_goes_on(const struct lines *line);
void config_read(struct reader *reader, char *text);

#endif
