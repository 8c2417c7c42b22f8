/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of holdoff ping share. */
#ifndef HOLDOFF_CMD_PING_H
#define HOLDOFF_CMD_PING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "live/gap_sweep.h"
#include "live/host.h"
#include "live/ping.h"
#include "report/json_writer.h"

#define PING_SCHEMA "holdoff.ping/1"

enum ping_mode { PING_SERIES, PING_STEPS, PING_GAPS, PING_BURSTS };

/* What was asked, and who is asked. */
struct ping_command {
	enum ping_mode mode;
	const char *name; /* of the host, as it was given */
	const char *device, *netns;
	enum host_family family;
	unsigned payload_bytes;
	unsigned low_bytes, high_bytes, spacing_bytes; /* PING_STEPS */
	int64_t interval_ns;                           /* -1: not given */
	unsigned gap_count;                            /* PING_GAPS */
	int64_t gap_ns[GAP_SWEEP_MAX];
	unsigned burst_frames; /* PING_BURSTS */
	uint64_t count;        /* 0: not given */
	int64_t duration_ns;   /* 0: not given */
	int64_t timeout_ns, least_ns;
	int64_t transmit_every; /* -1: not given */
	uint64_t seed;
	bool has_seed, is_fixed, is_flood, is_quiet, is_json, wants_floor;

	struct host host;
	struct route route;
	int ifindex; /* of device; 0: not given */
	int stop_fd; /* can be read when a signal came */
	bool has_floor;
	struct ping_result floor; /* on the loopback interface */
};

/* ---- ping_options.c ---- */

/* -1 when all is well, else the exit status: --help was printed, or a complaint was. */
int ping_take_arguments(struct ping_command *command, int argc, char **argv);

/* ---- ping.c ---- */

/* The request that all kinds of series begin with. */
struct ping_request ping_base_request(const struct ping_command *command);

/* Each runs, prints and returns the exit status. */
int ping_run_series(struct ping_command *command);
int ping_run_steps(struct ping_command *command);
int ping_run_gaps(struct ping_command *command);
int ping_run_bursts(struct ping_command *command);

/* How a measurement ended, as an exit status; min_status where nothing is wrong with the series. */
int ping_status(const struct ping_result *result, int status);

/* Mean gap between probes of PING_STEPS, between bursts of PING_BURSTS: what was asked, or a polite one. */
int64_t ping_default_interval(const struct ping_command *command);

/* ---- ping_text.c ---- */

/* "PING ...", as ping begins, and how it is measured. */
void ping_print_heading(const struct ping_command *command, FILE *out);
/* "10.0.0.2 ping statistics", sent, received, lost, and all that was not as it should be. */
void ping_print_counts(const struct ping_command *command, const struct ping_result *result, FILE *out);
/* A row for each span that was measured, with the floor if there is one. */
void ping_print_spans(const struct ping_command *command, const struct ping_result *result, FILE *out);
/* "rtt min/avg/max/mdev = ...", as ping ends. */
void ping_print_last_line(const struct ping_result *result, FILE *out);
/* Bytes of a frame with this payload, where the way begins with an Ethernet; 0: not known. */
unsigned ping_frame_bytes(const struct ping_command *command, unsigned payload_bytes);
/* Driver and coalescing of the interface that packets leave by, on a line behind a label; nothing where it is not known. */
void ping_print_local(const struct ping_command *command, int width, FILE *out);

/* ---- ping_json.c ---- */

/* Begins the document with what was asked. */
void ping_json_begin(struct json_writer *writer, const struct ping_command *command);
/* Counts, spans, troubles, events of a result. */
void ping_json_result(struct json_writer *writer, const struct ping_result *result);
void ping_json_histogram(struct json_writer *writer, const char *key, const struct histogram *histogram);
/* 0, or CMD_USAGE when it could not be written, which main says. */
int ping_json_end(struct json_writer *writer);

#endif
