/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: holdoff COMMAND [OPTIONS] [WORDS]. Every command is a function in a file of its own with a table
 * of its options; the table drives parsing, --help and completion. A new command is a row in commands[] (main.c), a
 * page in man/, and a function like
 *
 *	int cmd_sweep(int argc, char **argv)          argv[0] is "sweep"
 *	{
 *		struct cmd_arguments arguments;
 *		const char *value;
 *		int option;
 *
 *		cmd_arguments_init(&arguments, &sweep_usage, argc, argv);
 *		while ((option = cmd_next(&arguments, &value)) != CMD_END) {
 *			switch (option) {
 *			case OPTION_BOARD: ...; break;          an index into the table
 *			case CMD_WORD: ...; break;              value is the word
 *			case CMD_STOP: return arguments.status; --help was printed, or a complaint was
 *			}
 *		}
 *
 * Commands print results to stdout and diagnostics to stderr, and leave checking stdout to main, which flushes it and
 * turns a failed write into CMD_USAGE with a sentence.
 */
#ifndef HOLDOFF_CMD_CMD_H
#define HOLDOFF_CMD_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "sim/board.h"

/* Exit statuses, documented in every man page. */
enum cmd_status {
	CMD_FINE = 0,     /* also "already so" and "rounded, and said" */
	CMD_NEGATIVE = 1, /* the verdict is negative: a value was refused, a limit missed, a check failed */
	CMD_USAGE = 2,    /* wrong usage, a file that cannot be read or is malformed, output that cannot be written */
	CMD_UNSUPPORTED = 3, /* by driver or kernel */
	CMD_PERMISSION = 4,
	CMD_NO_DEVICE = 5,    /* no such device, board, host profile or scenario */
	CMD_INSUFFICIENT = 6, /* measured, but not enough, or tainted */
	CMD_REVERT_FAILED = 7
};

struct cmd_option {
	const char *name;  /* without the dashes */
	const char *takes; /* what its value is ("NAME|FILE", "NAME=VALUE", "text|csv"); NULL: a switch */
	const char *help;  /* one line, no full stop */
	bool repeats;      /* may be given more than once */
};

struct cmd_usage {
	const char *name;
	const char *synopsis; /* what follows "holdoff NAME"; NULL: nothing */
	const char *about;    /* a paragraph for --help, lines of at most 80 columns, ends in a newline */
	const struct cmd_option *options;
	unsigned option_count;
	const char *
		letters; /* one for each option (-c is --count), where people know them from elsewhere; 0: none; or NULL */
	const char *words;  /* kind of words for completion: "settings", "boards", ..., or NULL: takes no words */
	const char *verb;   /* what the first word has to be, for completion; or NULL: any of them */
	void (*more)(void); /* prints what --help says after the options; or NULL */
};

/* What cmd_next returns besides an index of an option. */
enum { CMD_END = -1, CMD_WORD = -2, CMD_STOP = -3 };

#define CMD_OPTIONS_MAX 64

struct cmd_arguments {
	const struct cmd_usage *usage;
	int argc, next;
	char **argv;
	bool only_words;        /* after -- */
	const char *letters;    /* the rest of -qc1, to be next */
	const char *word_value; /* what stood behind the = of the last word, to be the next one */
	uint64_t seen;
	int status; /* to return after CMD_STOP */
};

/* Borrows all of it. */
void cmd_arguments_init(struct cmd_arguments *arguments, const struct cmd_usage *usage, int argc, char **argv);

/*
 * The next option or word; *value is the option's value (NULL for a switch) or the word. --NAME VALUE and
 * --NAME=VALUE are the same, and for options with a letter -c VALUE and -cVALUE; -qc VALUE is -q -c VALUE; -- ends the options; a single dash
 * begins a word ("-5" is for the parser of numbers to refuse), but for -h and letters, known or not. --help, an unknown option (with the nearest known one), a missing or
 * needless value and a second option of one name are dealt with here: CMD_STOP. Where words are settings NAME=VALUE
 * comes as two words.
 */
int cmd_next(struct cmd_arguments *arguments, const char **value);

/* Prints "holdoff: SENTENCE" to stderr and returns the exit status for a negative errno. */
int cmd_fail(int error, const struct err *err);
/* The same for wrong usage, with a pointer to --help of the command. */
int cmd_usage_error(const struct cmd_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number from 1 to most; *number stays as it is when text is NULL. */
int cmd_read_count(const char *text, const char *what, uint32_t most, uint32_t *number, struct err *err);

/* --assume NAME=VALUE. 0 or a negative errno. */
int cmd_assume(struct board *board, const char *text, struct err *err);

/*
 * A label, padded to so many columns, and text that is wrapped under itself at 96 columns. The label has to be
 * shorter than width.
 */
void cmd_print_labelled(FILE *out, int width, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#define CMD_NETNS_MAX 256

/* For commands that are named to the reader: " --netns NAME" if that is where the interface is, else "". Returns buffer. */
const char *cmd_netns_words(const char *netns, char buffer[CMD_NETNS_MAX]);

/* For --help of commands that take a workload. */
void cmd_print_workloads(void);

/* Lists for completion: one name a line. -EINVAL when there is no such kind. */
int cmd_list(const char *kind);

int cmd_explain(int argc, char **argv);
int cmd_boards(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_scenarios(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_lint(int argc, char **argv);
int cmd_diagnose(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_revert(int argc, char **argv);
int cmd_confirm(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_ping(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_infer(int argc, char **argv);
int cmd_peer(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_runs(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_predict(int argc, char **argv);

#endif
