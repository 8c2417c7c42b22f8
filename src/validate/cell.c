/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a row to a cell and a config. NIC modes of the campaign become boards (refnic-...), the speed of the core becomes a
 * scale of the host profile, names of workloads become workloads; everything goes through a setup, so that a cell is
 * a simulation that a user could ask for as well.
 */
#include "validate/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "base/wide.h"
#include "sim/setup.h"

#define HOST "icount-1ns"

/* Which cells the profile HOST was fitted on. */
#define FIT_USECS 100
#define FIT_SPEED_MBPS 1000

/* With two NICs on one host there are more users of the kernel's random numbers, and a spaced ping pays less for renewing
 * them: in instructions, fitted on ping -i 20ms of two NICs at rx-usecs 100. */
#define SHARED_JIFFY_INSTRUCTIONS 4000

const struct cell_quantity_info cell_quantities[CELL_QUANTITIES] = {
	[CELL_LATENCY_MEAN] = { "latency_mean_ns", "mean latency", "ns" },
	[CELL_LATENCY_P50] = { "latency_p50_ns", "p50 latency", "ns" },
	[CELL_LATENCY_P99] = { "latency_p99_ns", "p99 latency", "ns" },
	[CELL_IRQS] = { "irq_count", "interrupts", "" },
	[CELL_PEER_IRQS] = { "peer_irq_count", "peer interrupts", "" },
	[CELL_CPU_BUSY] = { "cpu_busy_ns", "CPU busy", "ns" },
	[CELL_EXCHANGES] = { "exchanges_per_s", "exchanges", "/s" },
	[CELL_THROUGHPUT] = { "throughput_bps", "throughput", "bit/s" },
	[CELL_LOST] = { "lost_count", "lost", "" },
};

/* What is being read: the row, and the setup that it becomes. */
struct reading {
	const struct csv *csv;
	struct cell *cell;
	struct setup setup;
	unsigned rx_frames;
	struct err err;
};

bool cell_is_table(const struct csv *csv)
{
	static const char *const needed[] = { "cell", "nic_mode", "rx_usecs", "workload", "traffic_ns" };
	bool has_all = true;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		unsigned column = 0;

		while (column < csv->column_count && strcmp(csv->column[column], needed[i]) != 0) {
			column++;
		}
		has_all = has_all && column < csv->column_count;
	}
	return has_all;
}

/* No count or span of a cell is larger, so that sums of them fit. */
#define NUMBER_MAX INT64_C(1000000000000)

/* A whole number, absent where the field is empty or has something else in it. */
static bool number(const struct csv *csv, const char *column, int64_t *value)
{
	const char *text = csv_field(csv, column);

	return *text && text_parse_i64(text, column, 0, NUMBER_MAX, value, NULL) == 0;
}

/* The same with a default for a column that the table does not have, or the row leaves empty. */
static int small_number(struct reading *reading, const char *column, unsigned missing, unsigned most, unsigned *value)
{
	const char *text = csv_field(reading->csv, column);
	int64_t wide = missing;
	const int ret = *text ? text_parse_i64(text, column, 0, most, &wide, &reading->err) : 0;

	*value = (unsigned)wide;
	return ret;
}

static int put(struct reading *reading, enum setup_key key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int put(struct reading *reading, enum setup_key key, const char *format, ...)
{
	char text[160];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	return setup_put(&reading->setup, key, text, &reading->err);
}

/* ---- NIC and host ---- */

static int read_board(struct reading *reading)
{
	static const char counted[] = "delay+frames";
	const char *mode = csv_field(reading->csv, "nic_mode");
	struct cell *cell = reading->cell;
	const char *board = "refnic-holdoff";

	if (strcmp(mode, "itr") == 0) {
		board = "refnic-throttle";
	} else if (strncmp(mode, counted, strlen(counted)) == 0) {
		const int ret = text_parse_u32(mode + strlen(counted), "nic_mode", &reading->rx_frames, &reading->err);

		board = "refnic-holdoff-frames8";
		if (ret < 0) {
			return ret;
		}
	} else if (strcmp(mode, "delay") != 0) {
		return err_set(&reading->err, -EINVAL, "nic_mode \"%s\" is none of itr, delay and delay+framesN", mode);
	}
	snprintf(cell->board, sizeof(cell->board), "%s", board);
	return put(reading, SETUP_BOARD, "%s", board);
}

static int read_machine(struct reading *reading)
{
	unsigned cpus;
	int ret = small_number(reading, "smp", 1, 64, &cpus);

	if (ret == 0 && cpus != 1) {
		return err_set(&reading->err, -EINVAL, "smp %u: the kernel of the cells had one CPU", cpus);
	}
	if (ret == 0) {
		ret = small_number(reading, "ns_per_insn", 1, 1000, &reading->cell->ns_per_instruction);
	}
	if (ret == 0 && reading->cell->ns_per_instruction == 0) {
		ret = err_set(&reading->err, -EINVAL, "ns_per_insn is 0");
	}
	snprintf(reading->cell->host, sizeof(reading->cell->host), "icount-%uns", reading->cell->ns_per_instruction);
	return ret < 0 ? ret : put(reading, SETUP_HOST, HOST);
}

/* One host with an ideal peer, or two NICs of one host. */
static int read_topology(struct reading *reading)
{
	const char *topology = csv_field(reading->csv, "topo");
	struct cell *cell = reading->cell;

	if (strcmp(topology, "t1") == 0 || !*topology) {
		return 0;
	}
	if (strcmp(topology, "t2") != 0) {
		return err_set(&reading->err, -EINVAL, "topo \"%s\" is none of t1 and t2", topology);
	}
	cell->is_shared = true;
	int ret = put(reading, SETUP_PEER, "%s", cell->board);

	if (ret == 0) {
		ret = put(reading, SETUP_SHARED_HOST, "yes");
	}
	return ret < 0 ? ret : put(reading, SETUP_PEER_SET, "rx-usecs %u", cell->rx_usecs);
}

static int read_link(struct reading *reading)
{
	struct cell *cell = reading->cell;
	int ret = small_number(reading, "link_mbps", 1000, 1000000, &cell->speed_mbps);

	if (ret == 0) {
		ret = put(reading, SETUP_SPEED, "%u", cell->speed_mbps);
	}
	if (ret == 0) {
		ret = small_number(reading, "rx_usecs", 0, 1000000, &cell->rx_usecs);
	}
	return ret < 0 ? ret : put(reading, SETUP_SET, "rx-usecs %u", cell->rx_usecs);
}

/* ---- traffic ---- */

/* "cbr10000_1400": the number behind the letters; what comes behind that is a size, which has a column of its own. */
static int read_rate(struct reading *reading, const char *digits, uint64_t *rate)
{
	char text[24];

	snprintf(text, sizeof(text), "%.*s", (int)strspn(digits, "0123456789"), digits);
	return text_parse_u64(text, "workload", rate, &reading->err);
}

/* The rate that this sample of the process had: 2000 datagrams are 2 % more or less than asked for. */
static uint64_t sampled_rate(const struct cell *cell)
{
	return wide_scale_to_nearest((uint64_t)cell->sent, (uint64_t)NS_PER_S, (uint64_t)cell->duration_ns);
}

static int put_datagrams(struct reading *reading, unsigned size, const char *more, uint64_t rate)
{
	/* On a shared host the board's NIC is the sender's. */
	const char *direction = reading->cell->is_shared ? "tx" : "rx";

	if (rate == 0) {
		return put(reading, SETUP_WORKLOAD, "udp size=%u dir=%s %s", size, direction, more);
	}
	return put(reading, SETUP_WORKLOAD, "udp size=%u dir=%s rate=%" PRIu64 " %s", size, direction, rate, more);
}

static int read_datagrams(struct reading *reading, const char *name, unsigned size)
{
	struct cell *cell = reading->cell;
	uint64_t rate = 0, count = 0;
	char more[64];

	if (cell->sent <= 0) {
		return err_set(&reading->err, -EINVAL, "sent is missing: how many datagrams there were");
	}
	if (strncmp(name, "burst", 5) == 0) {
		const int ret = read_rate(reading, name + 5, &count);

		snprintf(more, sizeof(more), "pattern=burst count=%" PRIu64 " every=5ms", count);
		return ret < 0 ? ret : put_datagrams(reading, size, more, 0);
	}
	if (strncmp(name, "poi", 3) == 0) {
		return put_datagrams(reading, size, "pattern=poisson", sampled_rate(cell));
	}
	if (strncmp(name, "cbr", 3) == 0) {
		const int ret = read_rate(reading, name + 3, &rate);

		if (ret == 0 && strcmp(cell->board, "refnic-throttle") != 0 && rate * cell->rx_usecs == 1000000) {
			cell->kind = CELL_RESONANCE;
		}
		return ret < 0 ? ret : put_datagrams(reading, size, "", rate);
	}
	return put_datagrams(reading, size, "", sampled_rate(cell));
}

static int read_workload(struct reading *reading)
{
	const char *name = csv_field(reading->csv, "workload");
	struct cell *cell = reading->cell;
	unsigned size = 0;
	int ret = small_number(reading, "payload_bytes", 64, 65507, &size);

	if (ret < 0) {
		return ret;
	}
	if (strncmp(name, "pingf_", 6) == 0) {
		return put(reading, SETUP_WORKLOAD, "ping size=%u interval=0", size);
	}
	if (strncmp(name, "pingi", 5) == 0) {
		return put(reading, SETUP_WORKLOAD, "ping size=%u interval=%s", size, name + 5);
	}
	if (strncmp(name, "udp_pp", 6) == 0) {
		const char *interval = strchr(name + 6, '_');

		return interval ? put(reading, SETUP_WORKLOAD, "rr size=%u interval=%s", size, interval + 1)
				: put(reading, SETUP_WORKLOAD, "rr size=%u", size);
	}
	if (strncmp(name, "cbr", 3) == 0 || strncmp(name, "poi", 3) == 0 || strncmp(name, "burst", 5) == 0 ||
	    strncmp(name, "iperf_udp", 9) == 0) {
		return read_datagrams(reading, name, size);
	}
	if (strcmp(name, "iperf_tcp") == 0) {
		return put(reading, SETUP_WORKLOAD, "tcp dir=%s", cell->is_shared ? "tx" : "rx");
	}
	if (strncmp(name, "tftp", 4) == 0) {
		return put(reading, SETUP_WORKLOAD, "tftp blksize=512 bytes=%.*sMi",
			   (int)strspn(name + 4, "0123456789"), name + 4);
	}
	return err_set(&reading->err, -EINVAL, "there is no workload \"%.40s\" in the model", name);
}

/* ---- what was measured ---- */

static void read_value(const struct reading *reading, enum cell_quantity quantity, const char *column)
{
	struct cell_value *value = &reading->cell->value[quantity];

	value->is_measured = number(reading->csv, column, &value->measured);
}

static void read_exchanges(struct cell *cell)
{
	const bool is_closed = cell->workload.kind == WORKLOAD_RR ||
			       (cell->workload.kind == WORKLOAD_PING && cell->workload.interval_ns == 0);

	if (is_closed && cell->received > 0) {
		cell->value[CELL_EXCHANGES].is_measured = true;
		cell->value[CELL_EXCHANGES].measured = (int64_t)wide_scale_to_nearest(
			(uint64_t)cell->received, 1000 * (uint64_t)NS_PER_S, (uint64_t)cell->duration_ns);
	}
}

static bool is_open_loop(const struct cell *cell)
{
	return cell->workload.kind == WORKLOAD_UDP;
}

static void read_kind(struct cell *cell)
{
	const struct cell_value *busy = &cell->value[CELL_CPU_BUSY], *lost = &cell->value[CELL_LOST];

	if (lost->is_measured && lost->measured > 0) {
		cell->kind = CELL_OVERLOAD;
	} else if (is_open_loop(cell) && busy->is_measured && busy->measured > cell->duration_ns / 100 * 97) {
		cell->kind = CELL_SATURATED;
	}
}

static void read_values(struct reading *reading)
{
	struct cell *cell = reading->cell;
	int64_t is_valid;

	read_value(reading, CELL_LATENCY_MEAN, "lat_avg_ns");
	read_value(reading, CELL_LATENCY_P50, "lat_p50_ns");
	read_value(reading, CELL_LATENCY_P99, "lat_p99_ns");
	read_value(reading, CELL_IRQS, "irq_dut");
	if (cell->is_shared) {
		read_value(reading, CELL_PEER_IRQS, "irq_peer");
	}
	read_value(reading, CELL_CPU_BUSY, "busy_net_ns");
	if (number(reading->csv, "idle_valid", &is_valid) && !is_valid) {
		cell->value[CELL_CPU_BUSY].is_measured = false;
	}
	if (cell->workload.kind == WORKLOAD_TCP || cell->workload.kind == WORKLOAD_TFTP) {
		read_value(reading, CELL_THROUGHPUT, "throughput_bps");
	} else if (is_open_loop(cell)) {
		read_value(reading, CELL_LOST, "lost");
	}
	cell->has_whole_us = strcmp(csv_field(reading->csv, "lat_kind"), "rtt_ping") == 0;
	read_exchanges(cell);
	read_kind(cell);
}

static int read_counts(struct reading *reading)
{
	struct cell *cell = reading->cell;

	if (!number(reading->csv, "sent", &cell->sent)) {
		cell->sent = 0;
	}
	if (!number(reading->csv, "received", &cell->received)) {
		cell->received = 0;
	}
	if (!number(reading->csv, "traffic_ns", &cell->duration_ns) || cell->duration_ns == 0) {
		return err_set(&reading->err, -EINVAL,
			       "traffic_ns is missing, or not within 1000 s: how long the traffic was");
	}
	return 0;
}

/* ---- the whole row ---- */

static void read_use(struct cell *cell, const struct csv *csv)
{
	const bool is_fit_machine = cell->rx_usecs == FIT_USECS && cell->speed_mbps == FIT_SPEED_MBPS &&
				    strcmp(cell->host, HOST) == 0 && strcmp(cell->board, "refnic-throttle") == 0;
	const bool is_spaced_ping = cell->workload.kind == WORKLOAD_PING &&
				    cell->workload.interval_ns >= 20 * NS_PER_MS;
	const bool is_tftp = cell->workload.kind == WORKLOAD_TFTP;
	const bool was_fitted_on = is_fit_machine && (!cell->is_shared || is_spaced_ping || is_tftp);

	cell->use = was_fitted_on ? CELL_FIT : CELL_PREDICT;
	cell->is_stable = strcmp(csv_field(csv, "stable"), "0") != 0;
}

/* A file's transfer ends by itself, given time; after the last datagram the receiver needs time for what it has not read yet. */
static void set_duration(const struct cell *cell, struct world_config *config)
{
	config->drain_ns = is_open_loop(cell) ? NS_PER_S : 0;
	config->duration_ns = config->drain_ns + (cell->workload.kind == WORKLOAD_TFTP ? 20 : 1) * cell->duration_ns;
}

static int make_config(struct reading *reading, struct world_config *config)
{
	const int ret = setup_config(&reading->setup, config, &reading->err);

	if (ret < 0) {
		return ret;
	}
	set_duration(reading->cell, config);
	for (unsigned i = 0; i < 2; i++) {
		struct end_config *end = &config->end[i];

		if (!end->ideal && reading->cell->ns_per_instruction != 1) {
			profile_scale(&end->profile, reading->cell->ns_per_instruction, 1);
			snprintf(end->profile.name, sizeof(end->profile.name), "%s", reading->cell->host);
		}
		if (reading->cell->is_shared) {
			end->profile.ping_jiffy_ns = SHARED_JIFFY_INSTRUCTIONS * reading->cell->ns_per_instruction;
		}
		if (reading->rx_frames) {
			end->board.rx_frames = reading->rx_frames;
		}
	}
	bool unsupported;

	return setup_try_request(config, &unsupported, &reading->err);
}

void cell_read(struct cell *cell, struct world_config *config, const struct csv *csv)
{
	static int (*const readers[])(struct reading *) = { read_counts, read_board,    read_machine,
							    read_link,   read_topology, read_workload };
	struct reading reading = { .csv = csv, .cell = cell };
	int ret = 0;

	memset(cell, 0, sizeof(*cell));
	setup_init(&reading.setup);
	snprintf(cell->name, sizeof(cell->name), "%s", csv_field(csv, "cell"));
	if (strcmp(csv_field(csv, "workload"), "idle") == 0) {
		ret = err_set(&reading.err, -EINVAL, "there is no traffic");
	} else if (strcmp(csv_field(csv, "qemu"), "stock") == 0) {
		ret = err_set(&reading.err, -EINVAL,
			      "the unchanged NIC of QEMU, whose throttle does not do as the datasheet says");
	}
	for (size_t i = 0; ret == 0 && i < sizeof(readers) / sizeof(readers[0]); i++) {
		ret = readers[i](&reading);
	}
	if (ret == 0) {
		ret = make_config(&reading, config);
	}
	cell->workload = reading.setup.workload;
	read_use(cell, csv);
	cell->is_mapped = ret == 0;
	if (ret < 0) {
		snprintf(cell->why_not, sizeof(cell->why_not), "%s", reading.err.text);
	} else {
		read_values(&reading);
	}
}
