/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pasted text says about network interfaces and their interrupts, as a value: which parts of it were
 * recognised, what stands in them, and what that means. Texts are handed in one after the other (diagnosis_read), then
 * the meaning is looked for (diagnosis_conclude). Both are pure: no clock, nothing printed.
 *
 * Everything is of fixed size. What does not fit any more is counted, never silently lost.
 */
#ifndef HOLDOFF_DIAGNOSE_DIAGNOSIS_H
#define HOLDOFF_DIAGNOSE_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "chip/chip.h"
#include "coalesce/settings.h"

/* ---- the parts of a text ---- */

enum diagnose_kind {
	DIAGNOSE_COMMAND,    /* a prompt with a command that matters here */
	DIAGNOSE_SETTINGS,   /* ethtool -c */
	DIAGNOSE_QUEUES,     /* ethtool -Q: a table for each queue */
	DIAGNOSE_DRIVER,     /* ethtool -i */
	DIAGNOSE_CHANNELS,   /* ethtool -l */
	DIAGNOSE_RINGS,      /* ethtool -g */
	DIAGNOSE_FEATURES,   /* ethtool -k */
	DIAGNOSE_STATISTICS, /* ethtool -S */
	DIAGNOSE_LINK,       /* ethtool DEV */
	DIAGNOSE_STAMPS,     /* ethtool -T */
	DIAGNOSE_REGISTERS,  /* ethtool -d */
	DIAGNOSE_INTERRUPTS, /* /proc/interrupts */
	DIAGNOSE_AFFINITY,   /* /proc/irq/N/smp_affinity */
	DIAGNOSE_SOFTNET,    /* /proc/net/softnet_stat */
	DIAGNOSE_KNOBS,      /* gro_flush_timeout, napi_defer_hard_irqs */
	DIAGNOSE_RATES,      /* dstat: interrupts a second in columns */
	DIAGNOSE_PING,
	DIAGNOSE_PAIRS, /* times of frames out and back */
	DIAGNOSE_TRACE,
	DIAGNOSE_IPERF3,      /* iperf3 -J */
	DIAGNOSE_IPERF3_TEXT, /* iperf3 as people see it */
	DIAGNOSE_COUNTERS,    /* ip -s link */
	DIAGNOSE_COMPLAINT,   /* what ethtool says when it fails */
	DIAGNOSE_KERNEL,      /* uname, lines of the kernel's log */
	DIAGNOSE_CONFIG,      /* a file of systemd, NetworkManager, udev or netplan */
	DIAGNOSE_KINDS
};

const char *diagnose_kind_name(enum diagnose_kind kind);  /* "settings", "driver", ... */
const char *diagnose_kind_title(enum diagnose_kind kind); /* "ethtool -c", "/proc/interrupts", ... */

struct diagnose_piece {
	enum diagnose_kind kind;
	unsigned file, first, last; /* lines, from 1 */
	int device;                 /* index, or -1: of no interface or of several */
	unsigned odd;               /* lines within it that meant nothing */
};

/* Lines that nothing was made of. */
struct diagnose_unread {
	unsigned file, first, last;
	char text[64]; /* how the first of them begins */
};

/* ---- an interface ---- */

enum diagnose_support {
	DIAGNOSE_SUPPORT_SAID,    /* n/a stands where the driver has nothing */
	DIAGNOSE_SUPPORT_UNKNOWN, /* an old table: a 0 may stand for it */
	DIAGNOSE_SUPPORT_NONE     /* there are no coalescing settings at all */
};

#define DIAGNOSE_QUEUES_MAX 64
#define DIAGNOSE_REGISTERS_MAX 16

struct diagnose_queue {
	unsigned queue;
	struct coalesce settings;
};

/* Numbers of ethtool -l and -g. */
enum diagnose_count {
	DIAGNOSE_COUNT_RX,
	DIAGNOSE_COUNT_TX,
	DIAGNOSE_COUNT_OTHER,
	DIAGNOSE_COUNT_COMBINED,
	DIAGNOSE_COUNTS
};

extern const char *const diagnose_count_names[DIAGNOSE_COUNTS]; /* "rx", ... */

struct diagnose_counts {
	int64_t count[DIAGNOSE_COUNTS]; /* -1: n/a or not there */
};

/* Counters by what they mean, whatever the driver calls them; -1: not there. */
struct diagnose_drops {
	int64_t missed, dropped, no_buffer;
};

struct diagnose_device {
	char name[16]; /* "": nobody says which */
	char driver[32], version[32], firmware[64], bus[64];
	bool has_settings;
	enum diagnose_support support;
	struct coalesce settings; /* the last table, and what was set successfully after it */
	uint32_t absent;          /* fields that are n/a */
	unsigned settings_file, settings_line;
	struct coalesce before; /* the table before that; empty: there was none */
	uint32_t drifted;       /* fields that differ from the table before, without a request between */
	struct coalesce drifted_from;
	unsigned queue_count;
	struct diagnose_queue queues[DIAGNOSE_QUEUES_MAX];
	bool has_channels, has_rings;
	struct diagnose_counts channels_max, channels, rings_max, rings;
	unsigned speed_mbps; /* 0: not said */
	bool has_knobs[2];   /* napi_defer_hard_irqs, gro_flush_timeout */
	uint64_t defer_hard_irqs, gro_flush_timeout_ns;
	bool has_drops;
	struct diagnose_drops drops;
	bool has_gro, gro, has_lro, lro, has_rx_stamps;

	bool has_registers;
	enum chip_family family; /* CHIP_FAMILIES: no model of it */
	char chip[48];           /* as the dump calls it */
	unsigned register_count;
	struct {
		uint32_t offset, value;
	} registers[DIAGNOSE_REGISTERS_MAX];

	/* What the owner has found out about the settings between reading and concluding. */
	bool has_worst[CHIP_DIRECTIONS];
	int64_t worst_ns[CHIP_DIRECTIONS]; /* the most that a frame is held; NEVER_AT_NS: without a bound */
	bool is_throttle, is_range;        /* after a quiet time nothing waits; an algorithm decides */
};

/* ---- interrupts ---- */

struct diagnose_vector {
	uint32_t irq;
	char action[80];
	uint32_t devices;     /* bit of each interface whose it is; 0: of none that is known */
	bool is_data;         /* carries frames */
	bool is_shared;       /* with other devices: its count is an upper bound */
	unsigned seen;        /* in so many snapshots */
	uint64_t first, last; /* counts over all CPUs, in the first and in the last snapshot */
	unsigned cpu;         /* that took most of them */
	uint64_t cpu_count;
};

/* A column of interrupts a second. */
struct diagnose_rate {
	uint32_t irq;
	unsigned rows;
	uint64_t sum, min, max;
};

/* ---- measurements ---- */

enum diagnose_ping_program {
	DIAGNOSE_PING_IPUTILS,
	DIAGNOSE_PING_BSD,
	DIAGNOSE_PING_BUSYBOX,
	DIAGNOSE_PING_FPING,
	DIAGNOSE_PING_WINDOWS,
	DIAGNOSE_PING_HPING,
	DIAGNOSE_PING_PROGRAMS
};

const char *diagnose_ping_program_name(enum diagnose_ping_program program);

struct diagnose_ping {
	unsigned file, line;
	enum diagnose_ping_program program;
	char target[64];
	int64_t payload_bytes; /* -1: not said */
	bool has_counts;
	uint64_t sent, received;
	int64_t lasted_ns;                        /* 0: not said */
	int64_t ipg_ns;                           /* 0: not said */
	bool has_summary;                         /* the program's own figures: */
	int64_t min_ns, mean_ns, max_ns, mdev_ns; /* mdev -1: not said */
	unsigned samples;                         /* lines with a time, */
	int64_t sample_min_ns, sample_max_ns, sample_sum_ns;
	unsigned below;           /* of these: "<1ms" */
	int device;               /* that was set when it ran, or -1 */
	struct coalesce settings; /* of that device at that time; empty: not known */
};

/* The figures to go by: of the samples where there are any, else of the summary. False: neither. */
struct diagnose_span {
	uint64_t n;
	int64_t min_ns, mean_ns, max_ns;
};
bool diagnose_ping_span(const struct diagnose_ping *ping, struct diagnose_span *span);

#define DIAGNOSE_CPUS_MAX 64

struct diagnose_softnet {
	unsigned cpus;
	uint64_t processed, dropped, time_squeeze; /* of all CPUs */
	struct {
		unsigned cpu;
		uint32_t processed, dropped, time_squeeze;
	} rows[DIAGNOSE_CPUS_MAX]; /* of the first ones */
};

#define DIAGNOSE_PAIRS_MAX 64

struct diagnose_trace {
	bool by_hand;
	int64_t resolution_ns;
	uint64_t to_irq_count, to_done_count;
	int64_t to_irq_ns, to_done_ns; /* medians: xmit returned to interrupt, to completion */
	unsigned file, line;
};

struct diagnose_iperf3 {
	bool is_udp;
	char program[64];
	int64_t lasted_ns;
	uint64_t bytes, packets, lost, retransmitted;
	bool has_packets, has_retransmitted;
	int64_t cpu_permille; /* -1: not said */
	unsigned file, line;
};

/* Something that was set, and what was said to it. */
struct diagnose_change {
	unsigned file, line;
	int device;
	struct coalesce request;
	bool is_refused;
	bool is_read_back; /* a table came after it */
};

/* ---- what it means ---- */

enum diagnose_remark_kind {
	DIAGNOSE_MEANS,     /* what a value is */
	DIAGNOSE_NOTE,      /* worth knowing */
	DIAGNOSE_CAUSE,     /* a likely cause, or an error */
	DIAGNOSE_ACQUITTED, /* what it is not */
	DIAGNOSE_TRY,       /* what to do: `command` if it is one line */
	DIAGNOSE_REMARK_KINDS
};

const char *diagnose_remark_kind_name(enum diagnose_remark_kind kind); /* "means", "note", "cause", ... */

struct diagnose_remark {
	enum diagnose_remark_kind kind;
	const char *rule;    /* by which it was found: a name in the table of rules */
	const char *source;  /* of the rule */
	int device;          /* or -1 */
	unsigned file, line; /* line 0: none in particular */
	char text[400];
	char command[200]; /* "" or a command line */
};

/* ---- all of it ---- */

#define DIAGNOSE_FILES_MAX 256
#define DIAGNOSE_PIECES_MAX 512
#define DIAGNOSE_UNREAD_MAX 64
#define DIAGNOSE_DEVICES_MAX 16
#define DIAGNOSE_VECTORS_MAX 2048
#define DIAGNOSE_RATES_MAX 32
#define DIAGNOSE_PINGS_MAX 32
#define DIAGNOSE_CHANGES_MAX 32
#define DIAGNOSE_REMARKS_MAX 128
#define DIAGNOSE_TRACES_MAX 8
#define DIAGNOSE_IPERF3_MAX 8

struct diagnose_options {
	int64_t interval_ns;  /* between two snapshots of /proc/interrupts where the text does not say; 0: unknown */
	uint64_t block_bytes; /* of a lock-step protocol; 0: the usual ones */
	const char *device, *driver; /* what everything is of where the text does not say; or NULL */
};

struct diagnosis {
	struct diagnose_options options;
	unsigned file_count;
	const char *files[DIAGNOSE_FILES_MAX]; /* borrowed */
	unsigned piece_count, pieces_left_out;
	struct diagnose_piece pieces[DIAGNOSE_PIECES_MAX];
	unsigned unread_count, unread_lines;
	struct diagnose_unread unread[DIAGNOSE_UNREAD_MAX];
	unsigned device_count;
	struct diagnose_device devices[DIAGNOSE_DEVICES_MAX];
	char kernel[64]; /* "6.1.0-57-amd64", "" if not said */
	unsigned snapshots;
	int64_t snapshots_apart_ns; /* the first and the last; 0: not known */
	unsigned vector_count, vectors_left_out;
	struct diagnose_vector vectors[DIAGNOSE_VECTORS_MAX];
	unsigned rate_count;
	struct diagnose_rate rates[DIAGNOSE_RATES_MAX];
	unsigned ping_count, pings_left_out;
	struct diagnose_ping pings[DIAGNOSE_PINGS_MAX];
	bool has_softnet;
	unsigned softnet_snapshots;
	struct diagnose_softnet softnet, softnet_before;
	unsigned pair_count;
	int64_t pairs_ns[DIAGNOSE_PAIRS_MAX];
	unsigned trace_count;
	struct diagnose_trace traces[DIAGNOSE_TRACES_MAX];
	unsigned iperf3_count;
	struct diagnose_iperf3 iperf3[DIAGNOSE_IPERF3_MAX];
	unsigned change_count;
	struct diagnose_change changes[DIAGNOSE_CHANGES_MAX];
	char affinity[128]; /* CPUs of a mask, "0-3,8"; "" */
	int idle_permille;  /* of the CPUs, where something says so; -1 */
	unsigned remark_count, remarks_left_out;
	struct diagnose_remark remarks[DIAGNOSE_REMARKS_MAX];
};

/* Starts an empty one; options and what they point at are borrowed. */
void diagnosis_begin(struct diagnosis *diagnosis, const struct diagnose_options *options);

/*
 * Reads one text. It is changed in place (signs of quoting, escape sequences and the like go) and cut into pieces:
 * text[size] has to be writable. name is borrowed. -E2BIG: there were too many texts, -ENOMEM.
 */
int diagnosis_read(struct diagnosis *diagnosis, const char *name, char *text, size_t size, struct err *err);

/* Which vectors are whose, and interfaces that only /proc/interrupts names: after the last text. */
void diagnosis_assign(struct diagnosis *diagnosis);

/* Looks for what it means: after diagnosis_assign, and after the owner has said what settings come to. */
void diagnosis_conclude(struct diagnosis *diagnosis);

/* The most severe that was found: DIAGNOSE_CAUSE wins over all. False: there are no remarks of that kind. */
bool diagnosis_has(const struct diagnosis *diagnosis, enum diagnose_remark_kind kind);

#endif
