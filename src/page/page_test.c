/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page is made of, what it says, and that names in it stay names. */
#include "page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/drawing.h"
#include "page/page_private.h"
#include "tap.h"

static struct page *page;
static struct run *run;
static const char *machine = "box";

static void begin(const char *workload, enum run_source source)
{
	run_init(run);
	workload_parse(&run->conditions.workload, workload, NULL);
	run->conditions.source = source;
	run->conditions.duration_ns = 1000000000;
	run->conditions.speed_mbps = 1000;
	strcpy(run->conditions.board, "imx8mm");
	strcpy(run->conditions.measured.device, "eth0");
	run->findings.has = 1u << RUN_RTT;
	run->findings.cpus = 1;
}

static void add(uint32_t usecs, int64_t rtt_ns, int64_t busy_ns)
{
	const struct page_origin origin = { machine, "0.1.0", "holdoff measure eth0", 1, false };

	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, usecs);
	histogram_init(&run->findings.latency[RUN_RTT]);
	for (int64_t i = 0; i < 10; i++) {
		histogram_record(&run->findings.latency[RUN_RTT], rtt_ns + i);
	}
	run->findings.cpu[0].softirq_ns = busy_ns;
	tap_is(page_add(page, run, &origin, NULL), 0, "a run is added");
}

static void start(void)
{
	page_end(page);
	page = page_begin();
	machine = "box";
}

/* ---- what it says ---- */

static void collect(void *context, const char *sentence)
{
	strcat(context, sentence);
	strcat(context, "\n");
}

static bool says(unsigned group, const char *part)
{
	char text[16384] = "";

	page_say_all(page, collect, text);
	page_say_group(page->group[group], collect, text);
	return strstr(text, part);
}

static const char *verdict(unsigned group)
{
	static struct page_overview overview;

	page_overview(page->group[group], &overview);
	return overview.verdict;
}

static void test_words(void)
{
	start();
	begin("ping interval=10ms", RUN_MEASURED);
	for (unsigned i = 0; i < 7; i++) {
		add(0, 50000 + 100 * i, 300000000 + i);
		add(100, 150000 + 100 * i, 100000000 + i);
	}
	page_conclude(page);
	tap_ok(says(0, "14 runs, measured"), "what there is is told");
	tap_ok(says(0, "from 50.3 us (n = 70, rx-usecs 0) to 150.3 us (n = 70, rx-usecs 100)"),
	       "the ends of latency are medians of runs, with the number of latencies");
	tap_ok(says(0, "from 10.0 % (rx-usecs 100) to 30.0 % (rx-usecs 0)"), "and those of CPU time");
	tap_ok(says(0, "Of 2 settings 2 are beaten by none"), "neither beats the other");
	tap_ok(!says(0, "chance"), "seven runs of each leave no doubt");
}

static void test_alike(void)
{
	start();
	begin("ping interval=10ms", RUN_MEASURED);
	for (unsigned i = 0; i < 7; i++) {
		add(0, 50000 + 10 * i, 100000000 + i);
		add(100, 50000 + 12 * i, 100000000 + i);
	}
	page_conclude(page);
	tap_ok(says(0, "do not bother"), "settings that are alike are not worth the bother");
	tap_is_text(verdict(0), "does not matter", "in a line as well");

	start();
	begin("ping interval=10ms", RUN_MEASURED);
	for (unsigned i = 0; i < 7; i++) {
		add(0, 50000 + 10000 * i, 100000000);
		add(100, 60000 + 10000 * i, 100000000);
	}
	page_conclude(page);
	tap_ok(says(0, "no significant difference"),
	       "medians that differ within their intervals are not called different");
}

static void test_little(void)
{
	start();
	begin("ping interval=10ms", RUN_MEASURED);
	add(100, 50000, 100000000);
	page_conclude(page);
	tap_ok(says(0, "One setting only: there is nothing to choose from"), "one setting is no choice");
	tap_is_text(verdict(0), "one setting only", "nor in a line");

	start();
	begin("ping interval=10ms", RUN_MEASURED);
	run->findings.lacks = RUN_LACKS_CPUS;
	run->findings.cpus = 0;
	run->findings.irq_count = 100;
	add(0, 50000, 0);
	add(100, 150000, 0);
	page_conclude(page);
	tap_ok(says(0, "CPU time, as a share of one CPU: not observed"), "what was not observed is said");
	tap_ok(says(0, "whether a difference is chance cannot be told"), "and that one run of each leaves doubt");
	tap_is(page_cost(page->group[0]), TUNING_IRQ_RATE, "interrupts stand in for CPU time in the plot");
}

/* ---- which runs ---- */

static void test_groups(void)
{
	start();
	begin("ping interval=10ms", RUN_MEASURED);
	add(0, 50000, 100000000);
	begin("ping interval=10ms", RUN_MODEL);
	add(0, 50000, 100000000);
	add(0, 50000, 100000000);
	begin("ping interval=20ms", RUN_MEASURED);
	add(0, 50000, 100000000);
	run->conditions.measured.is_incomplete = true;
	add(0, 70000, 100000000);
	page_conclude(page);
	tap_is(page->group_count, 3, "a group for each workload of each subject");
	tap_is(page->group[1]->subject, 0, "those of a subject stand together");
	tap_is(page->group[2]->tuning.grid.source, RUN_MODEL, "and a model apart from what was measured");
	tap_is(page->runs, 3, "three runs count");
	tap_is(page->again, 1, "not the same of a model again");
	tap_is(page->incomplete, 1, "and not what ended early");
	tap_is(page->command_count, 1, "a command is listed once");
}

static void test_no_room(void)
{
	char workload[64];

	start();
	for (unsigned i = 0; i < PAGE_GROUPS_MAX + 2; i++) {
		snprintf(workload, sizeof(workload), "ping interval=%ums", i + 1);
		begin(workload, RUN_MODEL);
		add(0, 50000, 100000000);
	}
	page_conclude(page);
	tap_is(page->group_count, PAGE_GROUPS_MAX, "workloads beyond the last place");
	tap_is(page->left_out, 2, "are counted");
	start();
	for (unsigned i = 0; i < PAGE_SUBJECTS_MAX + 1; i++) {
		begin("ping", RUN_MODEL);
		snprintf(run->conditions.board, sizeof(run->conditions.board), "board%u", i);
		add(0, 50000, 100000000);
	}
	page_conclude(page);
	tap_is(page->subject_count, PAGE_SUBJECTS_MAX, "and so are subjects");
	tap_is(page->left_out, 1, "with their runs");
	tap_ok(says(0, "1 run found no room"), "which is said");
}

static void test_effective(void)
{
	int64_t ns = 0;

	start();
	begin("ping", RUN_MODEL);
	run->conditions.effective_rx_kind = "hold-off";
	run->conditions.effective_rx_ns = 133300;
	add(100, 50000, 100000000);
	begin("ping", RUN_MEASURED);
	add(100, 50000, 100000000);
	page_conclude(page);
	tap_is_text(page_effective(page_cell(page->group[0], 0)->conditions, false, &ns), "hold-off",
		    "a model knows what is in effect");
	tap_is(ns, 133300, "and for how long");
	tap_ok(!page_effective(page_cell(page->group[1], 0)->conditions, false, &ns), "of a real NIC nobody does");
}

/* ---- which settings a plot has room for ---- */

static void test_choice(void)
{
	unsigned chosen[24];

	start();
	begin("udp rate=20k", RUN_MODEL);
	for (unsigned i = 0; i < 100; i++) {
		add(i, 20000 + 1000 * i, 500000000 / (i / 3 + 1));
	}
	page_conclude(page);
	const struct page_group *const group = page->group[0];
	const unsigned count = page_choose(group, 24, chosen);
	bool rises = true, has_knee = false;

	tap_is(count, 24, "as many as there is room for");
	tap_ok(page_has_knee(group), "the front bends");
	for (unsigned i = 0; i < count; i++) {
		rises &= i == 0 || chosen[i] > chosen[i - 1];
		has_knee |= chosen[i] == group->tuning.knee;
	}
	tap_ok(rises, "in order, each once");
	tap_ok(has_knee, "with the knee");
	tap_is(chosen[0], 0, "the first");
	tap_is(chosen[count - 1], 99, "and the last");
}

/* ---- names ---- */

static const char evil[] = "<i>'\"&`$(id)`|x\n";
static unsigned drawn, with_names;

static int draw_nothing(void *context, const char *script, char **svg, struct err *err)
{
	(void)context;
	drawn++;
	with_names += strstr(script, "<i>") || strstr(script, "$(id)");
	*svg = NULL;
	return err_set(err, -ENOENT, "<i>no plots");
}

static int draw_a_picture(void *context, const char *script, char **svg, struct err *err)
{
	(void)context;
	(void)script;
	(void)err;
	*svg = strdup("<?xml?><svg viewBox=\"0 0 1 1\"><title>Gnuplot</title><desc>x</desc><g id='a' "
		      "fill='url(#a)'/><use href='#a'/></svg>");
	return 0;
}

static char *html(page_draw_fn *draw)
{
	char *text = NULL;
	size_t length;
	FILE *const out = open_memstream(&text, &length);

	tap_is(page_html_write(page, draw, NULL, out), 0, "a page is written");
	fclose(out);
	return text;
}

static unsigned count_parts(const char *text, const char *part)
{
	unsigned count = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		count++;
	}
	return count;
}

static void fill_with_names(void)
{
	start();
	machine = evil;
	begin("udp rate=20k", RUN_MEASURED);
	run->findings.has |= 1u << RUN_ONE_WAY;
	snprintf(run->conditions.measured.device, sizeof(run->conditions.measured.device), "%.15s", evil);
	snprintf(run->conditions.driver, sizeof(run->conditions.driver), "%s", evil);
	snprintf(run->conditions.measured.peer_host, sizeof(run->conditions.measured.peer_host), "%s", evil);
	run_taint(&run->conditions.measured, "tainted by %s", evil);
	add(0, 50000, 100000000);
	add(100, 90000, 50000000);
	page_conclude(page);
	snprintf(page->own_command, sizeof(page->own_command), "holdoff report %s", evil);
}

static void test_names(void)
{
	fill_with_names();
	char *const text = html(draw_nothing);

	tap_ok(drawn > 2, "several plots are asked for");
	tap_is(with_names, 0, "and no name is in their scripts");
	tap_is(count_parts(text, "<i>"), 0, "no name is markup");
	tap_ok(count_parts(text, "&lt;i&gt;") >= 6, "all of them are there as text");
	tap_is(count_parts(text, "No plots: &lt;i&gt;no plots."), 1, "why there is no plot is said once");
	free(text);
}

static void test_pictures(void)
{
	fill_with_names();
	char *const text = html(draw_a_picture);

	tap_is(count_parts(text, "<?xml"), 0, "a picture is put in without its prologue");
	tap_is(count_parts(text, " viewBox=\"0 0 1 1\"><g id='p1a' fill='url(#p1a)'/><use href='#p1a'/></svg>"), 1,
	       "its names get the number of the picture");
	tap_is(count_parts(text, "Gnuplot"), 0, "it is titled by its caption");
	tap_ok(count_parts(text, "<svg role=\"img\" aria-label=\"What latency costs") == 1, "which is read aloud");
	tap_is(count_parts(text, "id='p2a'"), 1, "those of the next one another number");
	free(text);
}

static void test_labels(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	drawing_put_label(out, "rx-usecs 100' ; system(\"id\") @x \\n `y`");
	fclose(out);
	tap_is_text(text, "'rx-usecs 100? ; system(?id?) ?x ?n ?y?'", "a label cannot end its quotes");
	free(text);
}

int main(void)
{
	run = malloc(sizeof(*run));
	if (!run) {
		return 1;
	}
	test_words();
	test_alike();
	test_little();
	test_groups();
	test_no_room();
	test_effective();
	test_choice();
	test_names();
	test_pictures();
	test_labels();
	page_end(page);
	free(run);
	return tap_done();
}
