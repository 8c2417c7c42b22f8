/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/page_private.h"

const char *const page_condition_names[PAGE_CONDITIONS] = { "driver",   "host",        "costs of the host",
							    "kernel",   "peer",        "speed",
							    "CPUs",     "counted for", "assumed",
							    "CPU time", "traffic",     "holdoff" };

static const enum run_latency stages[PAGE_STAGES] = { RUN_FRAME_TO_IRQ, RUN_IRQ_TO_POLL, RUN_POLL_TO_APP };

struct page *page_begin(void)
{
	return calloc(1, sizeof(struct page));
}

static void free_group(struct page_group *group)
{
	for (unsigned i = 0; group && i < group->tuning.grid.count; i++) {
		free(group->cell[i].latency);
		free(group->cell[i].conditions);
	}
	free(group);
}

void page_end(struct page *page)
{
	for (unsigned i = 0; page && i < page->group_count; i++) {
		free_group(page->group[i]);
	}
	free(page);
}

/* ---- conditions ---- */

static void note(struct page_condition *condition, const char *value)
{
	if (!condition->is_known) {
		snprintf(condition->value, sizeof(condition->value), "%s", value);
		condition->is_known = true;
	} else if (strncmp(condition->value, value, sizeof(condition->value) - 1) != 0) {
		condition->varies = true;
	}
}

static void note_assumes(struct page_condition *condition, const struct run_conditions *conditions)
{
	char text[PAGE_VALUE_MAX] = "";
	size_t length = 0;

	for (unsigned i = 0; i < conditions->assume_count && length < sizeof(text); i++) {
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s = %lld", i ? ", " : "",
					   conditions->assumes[i].name, (long long)conditions->assumes[i].value);
	}
	note(condition, text);
}

static void note_conditions(struct page_subject *subject, const struct run *run, const struct page_origin *origin)
{
	const struct run_conditions *const conditions = &run->conditions;
	const struct run_measured *const measured = &conditions->measured;
	const bool is_model = conditions->source == RUN_MODEL;
	const char *const kernel = is_model ? NULL : run_condition_value(&measured->around, "kernel");
	char text[PAGE_VALUE_MAX] = "", span[TEXT_DURATION_MAX];

	note(&subject->condition[PAGE_DRIVER], conditions->driver);
	note(&subject->condition[PAGE_HOST], conditions->host);
	note(&subject->condition[PAGE_HOST_SOURCE], conditions->host_source);
	note(&subject->condition[PAGE_KERNEL], kernel ? kernel : "");
	note(&subject->condition[PAGE_PEER], is_model ? conditions->peer : measured->peer_host);
	if (conditions->speed_mbps) {
		snprintf(text, sizeof(text), "%u Mb/s", conditions->speed_mbps);
	}
	note(&subject->condition[PAGE_SPEED], text);
	text[0] = '\0';
	if (conditions->cpus) {
		snprintf(text, sizeof(text), "%u", conditions->cpus);
	}
	note(&subject->condition[PAGE_CPUS], text);
	/* A measured one ends when it has been told to: to the ms it is the same. */
	note(&subject->condition[PAGE_DURATION],
	     text_print_duration(is_model ? conditions->duration_ns
					  : (conditions->duration_ns + 500000) / 1000000 * 1000000,
				 span));
	note_assumes(&subject->condition[PAGE_ASSUMES], conditions);
	note(&subject->condition[PAGE_METHOD], is_model ? "" : measured->method);
	note(&subject->condition[PAGE_TRAFFIC], is_model ? "" : measured->traffic);
	note(&subject->condition[PAGE_VERSION], origin->version);
}

/* But for the numbers in them: "used 96 % of a CPU", "used 94 % of a CPU" is one reason. */
static bool is_alike(const char *a, const char *b)
{
	static const char digits[] = "0123456789.";

	while (*a && *b) {
		const size_t a_digits = strspn(a, digits), b_digits = strspn(b, digits);

		if ((a_digits > 0) != (b_digits > 0) || (a_digits == 0 && *a != *b)) {
			return false;
		}
		a += a_digits ? a_digits : 1;
		b += b_digits ? b_digits : 1;
	}
	return *a == *b;
}

static void note_taint(struct page_subject *subject, const char *taint)
{
	for (unsigned i = 0; i < subject->taint_count; i++) {
		if (is_alike(subject->taint[i], taint)) {
			return;
		}
	}
	if (subject->taint_count == PAGE_TAINTS_MAX) {
		subject->taints_left_out++;
		return;
	}
	snprintf(subject->taint[subject->taint_count++], RUN_TAINT_MAX, "%s", taint);
}

static void note_run(struct page *page, struct page_subject *subject, const struct run *run,
		     const struct page_origin *origin)
{
	const struct run_measured *const measured = &run->conditions.measured;
	const bool is_model = run->conditions.source == RUN_MODEL;

	page->runs++;
	page->models += is_model;
	page->measured += !is_model;
	subject->runs++;
	note_conditions(subject, run, origin);
	if (is_model) {
		return;
	}
	subject->tainted += measured->taint_count > 0;
	for (unsigned i = 0; i < measured->taint_count; i++) {
		note_taint(subject, measured->taint[i]);
	}
}

static void note_time(struct page *page, int64_t at_ns)
{
	if (at_ns && (!page->first_at_ns || at_ns < page->first_at_ns)) {
		page->first_at_ns = at_ns;
	}
	page->last_at_ns = at_ns > page->last_at_ns ? at_ns : page->last_at_ns;
}

static void note_command(struct page *page, const char *command)
{
	if (!command[0]) {
		return;
	}
	for (unsigned i = 0; i < page->command_count; i++) {
		if (strcmp(page->command[i], command) == 0) {
			return;
		}
	}
	if (page->command_count == PAGE_COMMANDS_MAX) {
		page->commands_left_out++;
		return;
	}
	snprintf(page->command[page->command_count++], PAGE_COMMAND_MAX, "%s", command);
}

/* ---- groups ---- */

static void begin_group(struct page_group *group, const struct run *run)
{
	const struct tuning_question question = { .objective = NULL };

	group->workload = run->conditions.workload;
	group->latency = run->findings.has & (1u << RUN_RTT) ? RUN_RTT : RUN_ONE_WAY;
	tuning_begin(&group->tuning, &question, run);
}

static struct page_group *new_group(struct page *page, const struct run *run)
{
	struct page_group *const group = calloc(1, sizeof(*group));

	if (group) {
		begin_group(group, run);
		page->group[page->group_count++] = group;
	}
	return group;
}

static bool find_subject(struct page *page, struct page_group *group, const struct run *run, const char *machine)
{
	unsigned i = 0;

	while (i < page->subject_count && strcmp(page->subject[i].text, group->tuning.grid.subject) != 0) {
		i++;
	}
	if (i == PAGE_SUBJECTS_MAX) {
		return false;
	}
	group->subject = i;
	if (i == page->subject_count) {
		struct page_subject *const subject = &page->subject[page->subject_count++];

		memcpy(subject->text, group->tuning.grid.subject, sizeof(subject->text));
		subject->source = run->conditions.source;
		if (subject->source == RUN_MODEL) {
			snprintf(subject->name, sizeof(subject->name), "%s", run->conditions.board);
		} else {
			snprintf(subject->name, sizeof(subject->name), "%s on %s", run->conditions.measured.device,
				 machine);
		}
	}
	return true;
}

static int add_to_cell(struct page_group *group, struct page_cell *cell, const struct run *run)
{
	if (run->findings.has & (1u << group->latency)) {
		if (!cell->latency && (cell->latency = malloc(sizeof(*cell->latency)))) {
			histogram_init(cell->latency);
		}
		if (!cell->latency) {
			return -ENOMEM;
		}
		histogram_add(cell->latency, &run->findings.latency[group->latency]);
	}
	for (unsigned i = 0; i < PAGE_STAGES; i++) {
		const struct histogram *const stage = &run->findings.latency[stages[i]];

		if (run->findings.has & (1u << stages[i])) {
			cell->stage_count[i] += stage->count;
			cell->stage_sum_ns[i] += stage->count * (uint64_t)histogram_mean(stage);
		}
	}
	if (!cell->conditions) {
		cell->conditions = malloc(sizeof(*cell->conditions));
		if (!cell->conditions) {
			return -ENOMEM;
		}
		*cell->conditions = run->conditions;
	}
	return 0;
}

static void drop_last_group(struct page *page)
{
	free_group(page->group[--page->group_count]);
	page->left_out++;
}

/* NULL: there is no memory, or no room, which is counted. */
static struct page_group *find_group(struct page *page, const struct run *run, const struct page_origin *origin)
{
	for (unsigned i = 0; i < page->group_count; i++) {
		if (tuning_add(&page->group[i]->tuning, run, origin->machine, origin->is_today)) {
			return page->group[i];
		}
	}
	if (page->group_count == PAGE_GROUPS_MAX) {
		page->left_out++;
		return NULL;
	}
	struct page_group *const group = new_group(page, run);

	if (group) {
		tuning_add(&group->tuning, run, origin->machine, origin->is_today);
		if (!find_subject(page, group, run, origin->machine)) {
			drop_last_group(page);
			return NULL;
		}
	}
	return group;
}

int page_add(struct page *page, const struct run *run, const struct page_origin *origin, struct err *err)
{
	const unsigned left_out = page->left_out;
	struct page_group *const group = find_group(page, run, origin);

	if (!group) {
		return page->left_out > left_out ? 0 : err_set(err, -ENOMEM, "no memory for another workload");
	}
	if (group->tuning.grid.counted_in < GRID_CELLS_MAX) {
		note_run(page, &page->subject[group->subject], run, origin);
		note_time(page, origin->taken_at_ns);
		note_command(page, origin->command);
		if (add_to_cell(group, &group->cell[group->tuning.grid.counted_in], run) != 0) {
			return err_set(err, -ENOMEM, "no memory for another setting");
		}
	}
	return 0;
}

/* ---- conclusions ---- */

static bool is_before(const struct page_group *a, const struct page_group *b)
{
	return a->subject < b->subject;
}

/* Keeps the order of groups of one subject. */
static void sort_groups(struct page *page)
{
	for (unsigned i = 1; i < page->group_count; i++) {
		struct page_group *const group = page->group[i];
		unsigned at = i;

		for (; at > 0 && is_before(group, page->group[at - 1]); at--) {
			page->group[at] = page->group[at - 1];
		}
		page->group[at] = group;
	}
}

void page_conclude(struct page *page)
{
	for (unsigned i = 0; i < page->group_count; i++) {
		struct page_group *const group = page->group[i];

		tuning_conclude(&group->tuning);
		page->incomplete += group->tuning.grid.incomplete;
		page->left_out += group->tuning.grid.cells_left_out;
		for (unsigned cell = 0; cell < group->tuning.grid.count; cell++) {
			page->again += group->tuning.grid.cell[cell].again;
		}
	}
	sort_groups(page);
}
