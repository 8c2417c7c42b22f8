/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two ends of a load say to each other over the peer's stdin and stdout: lines of text, of printable ASCII.
 *
 *	holdoff KIND name=value ...
 *
 * A session, C being the end that was called by its user and P the peer:
 *
 *	P: hello      its version, and the identity of its clock; before this line anything may come (a greeting of the shell)
 *	C: hello
 *	C: clock      P: clock          any number of times
 *	C: open       P: opened         sockets are there
 *	C: start      P: started        traffic
 *	              P: ended          the peer has sent what it had to send; or gives up, with a sentence
 *	C: stop       P: count ..., span ..., buckets ..., method ..., done
 *	and again from open on; between loads
 *
 *	C: set        P: setting        coalescing settings of the interface that has the address; without text as they were
 *
 * which the peer puts back when the session ends. P: error, with a sentence, in place of any answer. The session ends with the pipe.
 *
 * Reading is strict and bounded: a line that is too long, has an unknown, missing or repeated field, or a number out of its
 * range is refused with a sentence. Pure: lines in, messages out.
 */
#ifndef HOLDOFF_LIVE_PROTOCOL_H
#define HOLDOFF_LIVE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PROTOCOL_VERSION 1

/* With its end. */
#define PROTOCOL_LINE_MAX 1024
#define PROTOCOL_WORD_MAX 64

enum protocol_kind {
	PROTOCOL_HELLO,
	PROTOCOL_CLOCK,
	PROTOCOL_OPEN,
	PROTOCOL_OPENED,
	PROTOCOL_START,
	PROTOCOL_STARTED,
	PROTOCOL_ENDED,
	PROTOCOL_STOP,
	PROTOCOL_COUNT,
	PROTOCOL_SPAN,
	PROTOCOL_BUCKETS,
	PROTOCOL_METHOD,
	PROTOCOL_DONE,
	PROTOCOL_SET,
	PROTOCOL_SETTING, /* what is in force now */
	PROTOCOL_ERROR,
	PROTOCOL_KINDS
};

enum protocol_field {
	PROTOCOL_PROTOCOL, /* number of the version */
	PROTOCOL_AT_NS,    /* CLOCK_MONOTONIC */
	PROTOCOL_TIME_NAMESPACE,
	PROTOCOL_TOKEN, /* that packets to who names it have to carry */
	PROTOCOL_PORT,
	PROTOCOL_BOTH,
	PROTOCOL_SEED,
	PROTOCOL_DURATION_NS,
	PROTOCOL_SENT, /* packets that have left for the reader of this */
	PROTOCOL_WAY,  /* enum workload_direction: as the end sees it that was called by its user */
	PROTOCOL_VALUE,
	PROTOCOL_COUNTED,
	PROTOCOL_OUTSIDE,
	PROTOCOL_MIN_NS,
	PROTOCOL_MAX_NS,
	PROTOCOL_SUM_HIGH,
	PROTOCOL_SUM_LOW,
	PROTOCOL_SQUARES_HIGH,
	PROTOCOL_SQUARES_LOW,
	PROTOCOL_NUMBERS,
	PROTOCOL_PROGRAM = PROTOCOL_NUMBERS, /* words from here on */
	PROTOCOL_BOOT,
	PROTOCOL_ADDRESS, /* of the peer's data socket */
	PROTOCOL_SOURCE,  /* that the other end will send from */
	PROTOCOL_NAME,
	PROTOCOL_TEXT, /* to the end of the line */
	PROTOCOL_FIELDS
};

#define PROTOCOL_WORDS (PROTOCOL_TEXT - PROTOCOL_NUMBERS)

struct protocol_message {
	enum protocol_kind kind;
	uint32_t has; /* 1u << enum protocol_field */
	uint64_t number[PROTOCOL_NUMBERS];
	char word[PROTOCOL_WORDS][PROTOCOL_WORD_MAX];
	char text[PROTOCOL_LINE_MAX];
};

void protocol_init(struct protocol_message *message, enum protocol_kind kind);
void protocol_put(struct protocol_message *message, enum protocol_field field, uint64_t number);
/* Words and text; what no line may hold becomes a question mark, what is too long is cut. */
void protocol_put_text(struct protocol_message *message, enum protocol_field field, const char *text);

static inline bool protocol_has(const struct protocol_message *message, enum protocol_field field)
{
	return message->has >> field & 1;
}

static inline const char *protocol_word(const struct protocol_message *message, enum protocol_field field)
{
	return message->word[field - PROTOCOL_NUMBERS];
}

const char *protocol_kind_name(enum protocol_kind kind);

/* The line, with a newline. Returns buffer. Every field of the kind has to be there. */
char *protocol_print(const struct protocol_message *message, char buffer[PROTOCOL_LINE_MAX]);

/*
 * A line without its newline. -EPROTO; -EPROTONOSUPPORT: a hello of another version, whatever follows its number. An
 * error message is a message: that it is one is left to the reader.
 */
int protocol_parse(struct protocol_message *message, const char *line, struct err *err);

/* Whether a line may be a hello: what comes before it is noise. */
bool protocol_begins(const char *line);

/*
 * Lines out of a stream of bytes. A line longer than PROTOCOL_LINE_MAX is handed out in no part: is_too_long is set.
 */
struct protocol_lines {
	char bytes[2 * PROTOCOL_LINE_MAX];
	size_t used;
	bool is_too_long; /* the line that is being read */
};

/* Where to put more bytes, and how many fit: at least 1. */
char *protocol_lines_room(struct protocol_lines *lines, size_t *size);
void protocol_lines_added(struct protocol_lines *lines, size_t size);
/* The next whole line without its end into line. False if there is none yet. *was_too_long: there was one, and it is gone. */
bool protocol_lines_next(struct protocol_lines *lines, char line[PROTOCOL_LINE_MAX], bool *was_too_long);

#endif
