/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel counts about interrupts and the softirq, and a table of interrupts a second. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/reader.h"
#include "live/proc.h"
#include "nic/interrupts.h"

/* ---- /proc/interrupts ---- */

static bool is_heading(const char *line)
{
	return line_begins(line, "CPU") && isdigit((unsigned char)line[3]);
}

/* "41:  1811002  0  IR-PCI-MSI ...", "IPI0:  6198", "ERR: 0" */
static bool is_counted(const char *line)
{
	const size_t label = strspn(line, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZErr");
	const char *const count = line_skip_blanks(line + label + 1);

	return label > 0 && label <= 6 && line[label] == ':' && (line[label + 1] == ' ' || line[label + 1] == '\t') &&
	       isdigit((unsigned char)*count) && strspn(count, "0123456789") == strcspn(count, " \t");
}

/* A line that was cut out of the table: numbered, and with what an interrupt controller calls itself. */
static bool is_cut_out(const char *line)
{
	static const char *const signs[] = { "edge", "Edge", "level", "Level", "fasteoi", "MSI", "GIC", "xen-" };

	for (size_t i = 0; is_counted(line) && isdigit((unsigned char)line[0]) && i < sizeof(signs) / sizeof(signs[0]);
	     i++) {
		if (strstr(line, signs[i])) {
			return true;
		}
	}
	return false;
}

bool interrupts_begin_here(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return is_heading(line->text) || is_cut_out(line->text);
}

bool interrupts_go_on(const struct lines *line)
{
	return is_counted(line->text);
}

static struct diagnose_vector *find_vector(struct diagnosis *diagnosis, const struct interrupts_line *line)
{
	for (unsigned i = 0; i < diagnosis->vector_count; i++) {
		struct diagnose_vector *const vector = &diagnosis->vectors[i];

		if (vector->irq == line->irq &&
		    strncmp(vector->action, line->action, sizeof(vector->action) - 1) == 0) {
			return vector;
		}
	}
	if (diagnosis->vector_count == DIAGNOSE_VECTORS_MAX) {
		diagnosis->vectors_left_out++;
		return NULL;
	}
	struct diagnose_vector *const vector = &diagnosis->vectors[diagnosis->vector_count++];

	*vector = (struct diagnose_vector){ .irq = line->irq,
					    .first = line->count,
					    .is_shared = strstr(line->action, ", ") != NULL };
	snprintf(vector->action, sizeof(vector->action), "%.79s", line->action);
	return vector;
}

/* A sleep between two snapshots tells how far they are apart; else one that stood before both, on one command line. */
static void take_time(struct reader *reader)
{
	struct diagnosis *const diagnosis = reader->diagnosis;

	diagnosis->snapshots++;
	if (diagnosis->snapshots > 1 && reader->slept) {
		diagnosis->snapshots_apart_ns += reader->slept_ns;
		reader->slept_ns = 0;
		reader->slept = false;
	}
}

void interrupts_read(struct reader *reader, char *text)
{
	struct interrupts_reader lines;
	struct interrupts_line line;

	take_time(reader);
	interrupts_begin(&lines, text);
	while (interrupts_next(&lines, &line)) {
		struct diagnose_vector *const vector = line.action[0] ? find_vector(reader->diagnosis, &line) : NULL;

		if (vector) {
			vector->seen++;
			vector->last = line.count;
			vector->cpu = line.busiest;
			vector->cpu_count = line.busiest_count;
		}
	}
}

/* ---- /proc/irq/N/smp_affinity ---- */

bool affinity_begins(const struct reader *reader, const struct lines *line)
{
	const size_t length = strspn(line->text, "0123456789abcdefABCDEF,");
	const bool is_mask = length > 0 && line_is_over(line->text + length) && line->text[0] != ',';

	/* Groups of eight digits are a mask wherever they stand; one group alone only behind the command. */
	return is_mask && (reader->command == COMMAND_AFFINITY || (length > 16 && line->text[8] == ','));
}

void affinity_read(struct reader *reader, char *text)
{
	char mask[LINE_MAX_BYTES];

	line_word(line_skip_blanks(text), "", mask, sizeof(mask));
	if (!interrupts_mask_to_list(mask, reader->diagnosis->affinity, sizeof(reader->diagnosis->affinity))) {
		reader->diagnosis->affinity[0] = '\0';
		reader_odd(reader);
	}
}

/* ---- /proc/net/softnet_stat ---- */

/* Nine columns (before 3.10) to fifteen, each of eight digits. */
bool softnet_begins(const struct reader *reader, const struct lines *line)
{
	unsigned columns = 0;

	(void)reader;
	for (const char *at = line->text; *at; at = line_skip_blanks(at + 8)) {
		if (strspn(at, "0123456789abcdef") != 8 || (at[8] != ' ' && at[8] != '\t' && at[8] != '\0')) {
			return false;
		}
		columns++;
	}
	return columns >= 9 && columns <= 16;
}

bool softnet_goes_on(const struct lines *line)
{
	return softnet_begins(NULL, line);
}

void softnet_read(struct reader *reader, char *text)
{
	struct diagnosis *const diagnosis = reader->diagnosis;
	struct proc_softnet lines[PROC_CPUS_MAX];
	struct diagnose_softnet sum = { .cpus = 0 };

	proc_read_softnet(text, lines);
	for (unsigned cpu = 0; cpu < PROC_CPUS_MAX; cpu++) {
		if (lines[cpu].seen && sum.cpus < DIAGNOSE_CPUS_MAX) {
			sum.rows[sum.cpus].cpu = cpu;
			sum.rows[sum.cpus].processed = lines[cpu].processed;
			sum.rows[sum.cpus].dropped = lines[cpu].dropped;
			sum.rows[sum.cpus].time_squeeze = lines[cpu].time_squeeze;
		}
		sum.cpus += lines[cpu].seen;
		sum.processed += lines[cpu].processed;
		sum.dropped += lines[cpu].dropped;
		sum.time_squeeze += lines[cpu].time_squeeze;
	}
	diagnosis->softnet_before = diagnosis->has_softnet ? diagnosis->softnet : sum;
	diagnosis->softnet = sum;
	diagnosis->has_softnet = true;
	diagnosis->softnet_snapshots++;
}

/* ---- dstat ---- */

bool rates_begin(const struct reader *reader, const struct lines *line)
{
	(void)reader;
	return line_begins(line->text, "--") && strstr(line->text, "interrupts") != NULL;
}

bool rates_go_on(const struct lines *line)
{
	return strspn(line->text, "0123456789 \t") == strlen(line->text);
}

static void take_heading(struct diagnosis *diagnosis, const char *at)
{
	uint64_t irq;

	diagnosis->rate_count = 0;
	while (diagnosis->rate_count < DIAGNOSE_RATES_MAX && line_number(&at, &irq) && irq <= UINT32_MAX) {
		diagnosis->rates[diagnosis->rate_count++] = (struct diagnose_rate){ .irq = (uint32_t)irq };
		at = line_skip_blanks(at);
	}
}

static void take_row(struct diagnosis *diagnosis, const char *at)
{
	uint64_t count;

	for (unsigned i = 0; i < diagnosis->rate_count && line_number(&at, &count); i++) {
		struct diagnose_rate *const rate = &diagnosis->rates[i];

		count = count < UINT32_MAX ? count : UINT32_MAX;
		rate->min = rate->rows && rate->min < count ? rate->min : count;
		rate->max = rate->max > count ? rate->max : count;
		rate->sum += count;
		rate->rows++;
		at = line_skip_blanks(at);
	}
}

void rates_read(struct reader *reader, char *text)
{
	struct lines lines;

	lines_begin(&lines, text, 1);
	for (unsigned number = 0; lines_next(&lines); number++) {
		if (number == 1) {
			take_heading(reader->diagnosis, lines.text);
		} else if (number > 1) {
			take_row(reader->diagnosis, lines.text);
		}
	}
}
