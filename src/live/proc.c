/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* An unsigned number of this line; false at its end. A value beyond 64 bits stays the largest. */
static bool scan_number(const char **at, int base, uint64_t *value)
{
	char *end;

	*at = skip_blanks(*at);
	if (!isxdigit((unsigned char)**at)) {
		return false;
	}
	*value = strtoull(*at, &end, base);
	if (end == *at) {
		return false;
	}
	*at = end;
	return true;
}

/* "cpu12 ..." and so on: the number behind a word, which ends there. */
static bool scan_cpu(const char **at, const char *word, unsigned *cpu)
{
	const size_t length = strlen(word);
	uint64_t number;

	if (strncmp(*at, word, length) != 0 || !isdigit((unsigned char)(*at)[length])) {
		return false;
	}
	*at += length;
	if (!scan_number(at, 10, &number) || number >= PROC_CPUS_MAX) {
		return false;
	}
	*cpu = (unsigned)number;
	return true;
}

static int64_t ticks_to_ns(uint64_t ticks, unsigned clock_hz)
{
	const uint64_t tick_ns = (uint64_t)NS_PER_S / clock_hz;

	return ticks > INT64_MAX / tick_ns ? INT64_MAX : (int64_t)(ticks * tick_ns);
}

unsigned proc_read_stat(const char *text, unsigned clock_hz, struct proc_cpu_time times[PROC_CPUS_MAX])
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, HARDIRQ, SOFTIRQ, STEAL, COLUMNS };
	unsigned count = 0, cpu;

	memset(times, 0, PROC_CPUS_MAX * sizeof(*times));
	for (const char *line = text; *line; line = next_line(line)) {
		const char *at = line;
		int64_t ns[COLUMNS] = { 0 };
		uint64_t ticks;

		if (!scan_cpu(&at, "cpu", &cpu)) {
			continue;
		}
		for (unsigned column = 0; column < COLUMNS && scan_number(&at, 10, &ticks); column++) {
			ns[column] = ticks_to_ns(ticks, clock_hz);
		}
		count += !times[cpu].seen;
		times[cpu] = (struct proc_cpu_time){
			.seen = true,
			.user_ns = ns[USER] > INT64_MAX - ns[NICE] ? INT64_MAX : ns[USER] + ns[NICE],
			.system_ns = ns[SYSTEM],
			.idle_ns = ns[IDLE],
			.iowait_ns = ns[IOWAIT],
			.hardirq_ns = ns[HARDIRQ],
			.softirq_ns = ns[SOFTIRQ],
			.steal_ns = ns[STEAL],
		};
	}
	return count;
}

/* Columns are of the CPUs that the heading names. */
static unsigned read_heading(const char *line, unsigned cpus[PROC_CPUS_MAX])
{
	unsigned count = 0;

	for (const char *at = skip_blanks(line); count < PROC_CPUS_MAX && scan_cpu(&at, "CPU", &cpus[count]);
	     at = skip_blanks(at)) {
		count++;
	}
	return count;
}

bool proc_read_softirqs(const char *text, const char *kind, uint64_t counts[PROC_CPUS_MAX])
{
	unsigned cpus[PROC_CPUS_MAX];
	const unsigned columns = read_heading(text, cpus);
	const size_t length = strlen(kind);

	memset(counts, 0, PROC_CPUS_MAX * sizeof(*counts));
	for (const char *line = text; *line; line = next_line(line)) {
		const char *at = skip_blanks(line);
		uint64_t count;

		if (strncmp(at, kind, length) != 0 || at[length] != ':') {
			continue;
		}
		at += length + 1;
		for (unsigned column = 0; column < columns && scan_number(&at, 10, &count); column++) {
			counts[cpus[column]] = count;
		}
		return columns > 0;
	}
	return false;
}

/* The CPU stands in column 12, after the length of the backlog (since 5.10). */
unsigned proc_read_softnet(const char *text, struct proc_softnet softnet[PROC_CPUS_MAX])
{
	enum { PROCESSED, DROPPED, TIME_SQUEEZE, CPU = 12, COLUMNS };
	unsigned lines = 0, count = 0;

	memset(softnet, 0, PROC_CPUS_MAX * sizeof(*softnet));
	for (const char *line = text; *line; line = next_line(line)) {
		const char *at = line;
		uint64_t value[COLUMNS];
		unsigned columns = 0;

		while (columns < COLUMNS && scan_number(&at, 16, &value[columns])) {
			columns++;
		}
		if (columns <= TIME_SQUEEZE) {
			continue;
		}
		const uint64_t cpu = columns == COLUMNS ? value[CPU] : lines;

		lines++;
		if (cpu < PROC_CPUS_MAX) {
			count += !softnet[cpu].seen;
			softnet[cpu] = (struct proc_softnet){ true, (uint32_t)value[PROCESSED],
							      (uint32_t)value[DROPPED], (uint32_t)value[TIME_SQUEEZE] };
		}
	}
	return count;
}

/* "  .idle_sleeptime : 5888411168517 nsecs": the number behind the colon, if the line is of this name. */
static bool scan_named(const char *line, const char *name, uint64_t *value)
{
	const char *at = skip_blanks(line);
	const size_t length = strlen(name);

	if (strncmp(at, name, length) != 0) {
		return false;
	}
	at = skip_blanks(at + length);
	if (*at++ != ':') {
		return false;
	}
	return scan_number(&at, 10, value);
}

/*
 * idle_sleeptime was brought up to date at idle_entrytime. Whether the CPU has slept since is not said; where its tick
 * is stopped it has, for only an idle CPU stops its tick (but for nohz_full, which is for the caller to look after);
 * where it ticks, what is missing is less than a tick.
 */
struct sleeping {
	uint64_t idle_ns, iowait_ns, entered_at_ns, tick_stopped;
	bool has_idle;
};

static void take_idle(struct proc_idle *idle, const struct sleeping *sleeping, int64_t now_at_ns)
{
	uint64_t sum_ns = sleeping->idle_ns + sleeping->iowait_ns;

	if (sleeping->tick_stopped && sleeping->entered_at_ns < (uint64_t)now_at_ns) {
		sum_ns += (uint64_t)now_at_ns - sleeping->entered_at_ns;
	}
	*idle = (struct proc_idle){ true, sum_ns > INT64_MAX ? INT64_MAX : (int64_t)sum_ns };
}

unsigned proc_read_timer_list(const char *text, struct proc_idle idle[PROC_CPUS_MAX], int64_t *now_at_ns)
{
	struct sleeping sleeping = { 0 };
	unsigned cpu = PROC_CPUS_MAX, count = 0;
	uint64_t value;

	memset(idle, 0, PROC_CPUS_MAX * sizeof(*idle));
	*now_at_ns = 0;
	for (const char *line = text; *line; line = next_line(line)) {
		if (strncmp(line, "now at ", 7) == 0) {
			const char *at = line + 7;

			*now_at_ns = scan_number(&at, 10, &value) && value <= INT64_MAX ? (int64_t)value : 0;
		} else if (strncmp(line, "cpu: ", 5) == 0) {
			const char *at = line + 5;

			cpu = scan_number(&at, 10, &value) && value < PROC_CPUS_MAX ? (unsigned)value : PROC_CPUS_MAX;
			sleeping = (struct sleeping){ 0 };
		} else if (scan_named(line, ".idle_sleeptime", &value)) {
			sleeping.idle_ns = value;
			sleeping.has_idle = true;
		} else if (scan_named(line, ".iowait_sleeptime", &value)) {
			sleeping.iowait_ns = value;
		} else if (scan_named(line, ".idle_entrytime", &value)) {
			sleeping.entered_at_ns = value;
		} else if (scan_named(line, ".tick_stopped", &value)) {
			sleeping.tick_stopped = value;
		} else {
			continue;
		}
		if (sleeping.has_idle && cpu < PROC_CPUS_MAX) {
			count += !idle[cpu].seen;
			take_idle(&idle[cpu], &sleeping, *now_at_ns);
		}
	}
	return count;
}
