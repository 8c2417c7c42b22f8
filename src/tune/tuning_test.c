/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each of the rules at the head of tuning.h, with runs whose truth is known. */
#include "tune/tuning.h"

#include <stdlib.h>

#include "tap.h"

#define RUNS 7

static struct tuning *tuning;
static struct run *run;

static void ask(const char *goal, const char *minimise)
{
	struct tuning_question question = { .objective = NULL };
	struct err err = { "" };

	run_init(run);
	workload_parse(&run->conditions.workload, "ping", NULL);
	run->conditions.source = RUN_MEASURED;
	run->conditions.duration_ns = 1000000000;
	run->findings.has = 1u << RUN_RTT;
	run->findings.cpus = 1;
	tap_is(goal ? goal_parse(goal, &question.goal, &err) : 0, 0, "the goal is one%s", err.text);
	if (minimise) {
		goal_figure_find(minimise, &question.objective, NULL);
	}
	tuning_begin(tuning, &question, run);
}

/* Round trips of so many us and `step` more from run to run, and so many permille of a CPU. */
static void add(uint32_t usecs, int64_t rtt_us, int64_t step_us, int64_t busy_permille, bool is_today)
{
	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, usecs);
	for (unsigned i = 0; i < RUNS; i++) {
		histogram_init(&run->findings.latency[RUN_RTT]);
		histogram_record(&run->findings.latency[RUN_RTT], (rtt_us + step_us * i) * 1000);
		run->findings.cpu[0].softirq_ns = busy_permille * 1000000 + i;
		tuning_add(tuning, run, "box", is_today);
	}
}

static void test_pick(void)
{
	ask("p99 rtt < 200us", NULL);
	add(0, 50, 1, 400, false);
	add(50, 100, 1, 200, false);
	add(100, 190, 1, 100, false);
	add(200, 195, 2, 90, false); /* to 207: by its median, 201, not even */
	add(1000, 1000, 1, 50, true);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_PICKED, "a setting surely meets the goal");
	tap_is(tuning->pick, 2, "of those that do, that with the least CPU time");
	tap_is(tuning->beside[TUNING_TODAY].cell, 4, "today's is known");
	tap_is(tuning->beside[TUNING_FASTER].cell, 1, "the neighbour with less latency");
	tap_is(tuning->beside[TUNING_LEANER].cell, 3, "and the one with less CPU time");
	const struct tuning_beside *const now = &tuning->beside[TUNING_TODAY];

	tap_ok(difference_is_significant(&now->difference[TUNING_LATENCY], now->adjusted_p_ppm[TUNING_LATENCY]),
	       "the pick is told from today's");
	tap_is(now->difference[TUNING_CPU].median, -5000, "and costs 5 points more");
	tap_is(tuning->beside[TUNING_FASTER].difference[TUNING_CPU].median, 10000,
	       "the faster one 10 points more than it");
	tap_is(now->adjusted_p_ppm[TUNING_CPU], 6 * now->difference[TUNING_CPU].p_ppm,
	       "p is adjusted for two figures of three neighbours");
	tap_is(tuning->matter[TUNING_LATENCY], TUNING_MATTERS, "latency differs");
	tap_is(tuning->matter[TUNING_THROUGHPUT], TUNING_NOT_KNOWN, "throughput was not observed");
}

static void test_median(void)
{
	ask("p99 rtt < 200us", NULL);
	add(100, 190, 5, 100, false); /* 190 to 220, median 205 */
	add(50, 180, 5, 200, false);  /* 180 to 210, median 195 */
	add(1000, 900, 5, 50, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_PICKED_BY_MEDIAN, "when no setting meets it surely, one whose median does");
	tap_is(tuning->pick, 0, "is taken");
	tap_is(tuning->beside[TUNING_TODAY].cell, TUNING_NONE, "today's is not known");
}

static void test_equals(void)
{
	ask("p99 rtt < 2ms", NULL);
	add(100, 100, 1, 100, false);
	add(200, 200, 1, 100, false);
	add(300, 300, 1, 500, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "of those that cannot be told apart in CPU time, that with the least latency");
	tap_is(tuning->equals, 1, "and how many there are is known");
}

static void add_once(uint32_t usecs, int64_t rtt_us, int64_t busy_permille)
{
	coalesce_put(&run->conditions.requested, COALESCE_RX_USECS, usecs);
	histogram_init(&run->findings.latency[RUN_RTT]);
	histogram_record(&run->findings.latency[RUN_RTT], rtt_us * 1000);
	run->findings.cpu[0].softirq_ns = busy_permille * 1000000;
	tuning_add(tuning, run, "box", false);
}

static void test_single_runs(void)
{
	ask("p99 rtt < 2ms", NULL);
	add_once(100, 100, 500);
	add_once(200, 200, 496);
	add_once(300, 300, 450);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_PICKED_BY_MEDIAN, "single runs surely meet nothing");
	tap_is(tuning->pick, 2, "a tenth less CPU time is less");
	ask("p99 rtt < 250us", NULL);
	add_once(100, 100, 500);
	add_once(200, 200, 496);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "half a hundredth less is not");
}

static void test_objective(void)
{
	ask("cpu <= 30 %", NULL);
	add(0, 50, 1, 400, false);
	add(50, 100, 1, 290, false);
	add(100, 190, 1, 100, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 1, "with a goal for CPU time it is latency that is to be least");
	ask(NULL, "p99 rtt");
	add(0, 50, 1, 400, false);
	add(50, 100, 1, 290, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "without a goal the objective alone picks");
}

static void test_unmet(void)
{
	ask("p99 rtt < 200us and cpu < 20 %", NULL);
	add(0, 50, 1, 400, false);
	add(50, 210, 1, 210, false);
	add(100, 900, 1, 100, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_UNMET, "no setting meets both");
	tap_is(tuning->pick, TUNING_NONE, "none is picked");
	tap_is(tuning->nearest, 1, "the nearest is that whose worst miss is least");
	ask("p99 one-way < 1ms", NULL);
	add(0, 50, 1, 400, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_UNOBSERVED, "a figure that was not observed is no miss");
}

static void test_indifferent(void)
{
	ask(NULL, NULL);
	add(0, 1000, 1, 400, false);
	add(50, 1003, 1, 405, true);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_INDIFFERENT, "all settings alike: do not bother");
	tap_is(tuning->point[1].place, FRONT_LEFT_OUT, "there is no front of what does not matter");
	tap_is(tuning->pick, 1, "leave it as it is");
	ask("p99 rtt < 10us", NULL);
	add(0, 1000, 1, 400, false);
	add(50, 1003, 1, 405, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_UNMET, "but a goal that they all miss is missed");
	ask(NULL, NULL);
	add(0, 1000, 40, 400, false); /* 1000 to 1240 */
	add(50, 1010, 40, 405, false);
	tuning_conclude(tuning);
	tap_is(tuning->matter[TUNING_LATENCY], TUNING_CANNOT_TELL, "intervals wider than the margin leave it open");
	tap_ok(tuning->verdict != TUNING_INDIFFERENT, "which is not the same as alike");
	ask(NULL, NULL);
	add(0, 1000, 40, 400, false);
	add(50, 1100, 40, 405, false); /* 1100 to 1340 */
	tuning_conclude(tuning);
	tap_is(tuning->matter[TUNING_LATENCY], TUNING_CANNOT_TELL,
	       "so do medians that differ more, within their intervals");
}

static void test_few(void)
{
	ask("p99 rtt < 200us", NULL);
	add(0, 100, 1, 400, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_ONE_SETTING, "one setting is no choice");
	ask(NULL, NULL);
	add(0, 100, 1, 400, false);
	add(100, 200, 1, 100, false);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_NO_KNEE, "two settings have no knee");
	ask(NULL, NULL);
	add(0, 50, 1, 900, false);
	add(50, 100, 1, 100, false);
	add(1000, 1000, 1, 50, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 1, "three may have one, which is the pick when nothing is asked for");
}

/* Nothing is changed for nothing. */
static void test_today(void)
{
	ask("p99 rtt < 2ms", NULL);
	add(100, 100, 1, 100, false);
	add(200, 103, 1, 100, true);
	add(300, 300, 1, 500, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 1, "today's, when neither figure can be told from the best one's");
	ask("p99 rtt < 2ms", NULL);
	add(100, 100, 1, 100, false);
	add(200, 103, 1, 130, true);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "but not when its CPU time can");
	ask("p99 rtt < 2ms", NULL);
	add(100, 100, 1, 100, false);
	add(200, 203, 1, 100, true);
	add(300, 300, 1, 500, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "nor when it is slower");
	ask(NULL, "p99 rtt");
	add(100, 100, 1, 500, false);
	add(200, 203, 1, 100, true);
	tuning_conclude(tuning);
	tap_is(tuning->beside[TUNING_TODAY].cell, 1, "what is set to and a neighbour on the front");
	tap_is(tuning->beside[TUNING_LEANER].cell, TUNING_NONE, "is put beside the pick once");
}

/* An objective that does not matter decides nothing. */
static void test_void_objective(void)
{
	ask("p99 rtt < 2ms", "cpu-busy");
	add(0, 100, 1, 15, false);
	add(1000, 1000, 1, 12, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "three permille of a CPU are not worth 900 us");
	tap_is(tuning->equals, 1, "both count as equal");
	ask(NULL, "cpu-busy");
	add(0, 100, 1, 15, false);
	add(1000, 1000, 1, 12, true);
	tuning_conclude(tuning);
	tap_is(tuning->verdict, TUNING_PICKED, "latency is worth the bother");
	tap_is(tuning->pick, 0, "though nobody asked for it");
}

/* Latency differs, CPU time lies within a percentage point. */
static void test_one_axis(void)
{
	ask(NULL, NULL);
	add(0, 100, 1, 15, false);
	add(100, 200, 1, 13, false);
	add(1000, 1000, 1, 12, true);
	tuning_conclude(tuning);
	tap_is(tuning->matter[TUNING_CPU], TUNING_MATTERS_NOT, "three permille of a CPU are nothing");
	tap_is(tuning->front_axes, 1, "and have no say in the front");
	tap_is(tuning->told_axes, 2, "but are told");
	tap_is(tuning->point[2].place, FRONT_BEHIND, "so that the slow setting is behind the fast one");
	tap_is(tuning->verdict, TUNING_PICKED, "with nothing asked for there is a pick");
	tap_is(tuning->pick, 0, "the only one on the front");
	ask(NULL, NULL);
	add(0, 100, 1, 15, false);
	add(100, 100, 1, 13, true);
	add(1000, 1000, 1, 12, false);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 1, "of two that are equal there, today's");
}

static void ask_closed(const char *goal, bool is_cpu_wanted)
{
	const struct figure *figure;

	ask(goal, NULL);
	struct tuning_question question = tuning->question;

	question.is_cpu_wanted = is_cpu_wanted;
	workload_parse(&run->conditions.workload, "ping interval=0", NULL);
	tuning_begin(tuning, &question, run);
	figure_find("irq-time-per-frame", &figure, NULL);
	tap_ok(goal || tuning->grid.figure[TUNING_CPU] == figure, "of a closed loop it is CPU time for each frame");
}

static void add_closed(uint32_t usecs, int64_t rtt_us, int64_t busy_permille)
{
	run->findings.rx_frames = run->findings.tx_frames = 1000000 / (uint64_t)rtt_us;
	add(usecs, rtt_us, 1, busy_permille, false);
}

/* The fast setting does nine times as much in the same time. */
static void test_closed_loop(void)
{
	ask_closed(NULL, true);
	add_closed(0, 100, 320);
	add_closed(1000, 1000, 40);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 0, "less of it is for the setting that has more round trips in it");
	ask_closed(NULL, true);
	add_closed(0, 100, 100);
	add_closed(1000, 1000, 11);
	tuning_conclude(tuning);
	tap_is(tuning->matter[TUNING_CPU], TUNING_MATTERS,
	       "half a microsecond for a frame is much where it takes five");
	ask_closed(NULL, true);
	run->findings.cpu[0].app_ns = 900000000; /* other programs' */
	add_closed(0, 100, 100);
	add_closed(1000, 1000, 10);
	run->findings.cpu[0].app_ns = 0;
	tuning_conclude(tuning);
	tap_is(tuning->matter[TUNING_CPU], TUNING_MATTERS_NOT,
	       "what others use meanwhile is not spread over the frames");
	ask_closed("cpu < 10 %", false);
	add_closed(0, 100, 320);
	add_closed(1000, 1000, 40);
	tuning_conclude(tuning);
	tap_is(tuning->pick, 1, "a share of a CPU that was asked for is one");
	tap_is(tuning->limit_axis[0], TUNING_CPU, "and stands for CPU time");
}

/* What was not observed does not take the place of what was. */
static void test_unobserved(void)
{
	ask("p99 one-way < 1ms", NULL);
	add(0, 100, 1, 320, false);
	add(100, 200, 1, 40, false);
	tuning_conclude(tuning);
	tap_ok(tuning->point[0].axis[TUNING_LATENCY].is_known,
	       "round trips stay the latency of a workload that has them");
	tap_is(tuning->limit_axis[0], TUNING_FURTHER, "beside the figure that was asked for");
	tap_is(tuning_answer(tuning, 0), GOAL_NOT_KNOWN, "and was not observed");
	tap_is(tuning->front_axes, 2, "the front is of the others");
}

static void add_frames(uint32_t usecs, uint64_t frames, int64_t busy_permille)
{
	run->findings.irq_count = 1000;
	run->findings.irq_frames = frames;
	add(usecs, 100, 1, busy_permille, false);
}

static void test_regimes(void)
{
	ask(NULL, NULL);
	add_frames(0, 1000, 400);
	add_frames(100, 1050, 400);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_EACH_FRAME, "an interrupt for each frame at every setting");
	add_frames(1000, 5000, 400);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_BETWEEN, "five frames at one of them");
	tap_is(tuning_regime_of(tuning, 1), TUNING_EACH_FRAME, "at the others an interrupt for each frame");
	ask(NULL, NULL);
	add_frames(0, 1000, 400);
	run->findings.irq_masked_ns = 950000000;
	add_frames(100, 90000, 950);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_BETWEEN, "an interrupt for each frame at one, polling at the other");
	ask(NULL, NULL);
	run->findings.lacks |= RUN_LACKS_POLL_KINDS;
	add_frames(0, 80000, 950);
	add_frames(100, 90000, 950);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_POLLING, "more than a full poll for each interrupt is polling");
	ask(NULL, NULL);
	run->findings.lacks |= RUN_LACKS_POLL_KINDS;
	add_frames(0, 256000, 80);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_BETWEEN, "but not a burst that one interrupt found waiting, on an idle CPU");
	ask(NULL, NULL);
	add_frames(0, 80000, 950);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_BETWEEN, "nor what says itself that the interrupt was not masked");
	ask(NULL, NULL);
	run->findings.irq_masked_ns = 950000000;
	add_frames(0, 2000, 400);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_POLLING, "and so is an interrupt that is masked nearly always");
}

/* What is received beside them are a few answers. */
static void test_sent(void)
{
	ask(NULL, NULL);
	const struct tuning_question question = tuning->question;

	workload_parse(&run->conditions.workload, "udp rate=1k dir=tx", NULL);
	run->findings.has = 0;
	tuning_begin(tuning, &question, run);
	run->findings.irq_frames = 0;
	run->findings.irq_count = 1000;
	run->findings.tx_frames = 1000;
	add(0, 100, 1, 400, false);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_EACH_FRAME, "an interrupt for each frame that is sent");
	run->findings.tx_frames = 8000;
	add(100, 100, 1, 100, false);
	tuning_conclude(tuning);
	tap_is(tuning_regime_of(tuning, 1), TUNING_BETWEEN, "eight of them for one, though none is received");
	run->findings.irq_count = 0;
	add(200, 100, 1, 90, false);
	tuning_conclude(tuning);
	tap_is(tuning_regime_of(tuning, 2), TUNING_REGIME_NOT_KNOWN, "without interrupts it is not known");
	workload_parse(&run->conditions.workload, "udp rate=1k", NULL);
	tuning_begin(tuning, &question, run);
	run->findings.irq_frames = 1000;
	run->findings.irq_count = 1000;
	add(0, 100, 1, 400, false);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_EACH_FRAME, "of a workload that receives those that are sent do not count");
	workload_parse(&run->conditions.workload, "tftp dir=tx", NULL);
	run->findings.has = 1u << RUN_RTT;
	tuning_begin(tuning, &question, run);
	add(0, 100, 1, 400, false);
	tuning_conclude(tuning);
	tap_is(tuning->regime, TUNING_EACH_FRAME, "nor of one that waits for answers");
}

static void test_find(void)
{
	ask(NULL, NULL);
	add(0, 50, 1, 900, false);
	add(50, 100, 1, 100, false);
	tuning_conclude(tuning);
	struct grid_cell cell = tuning->grid.cell[1];

	tap_is(tuning_find(tuning, &cell), 1, "a cell is found by its settings");
	cell.defer_hard_irqs = 3;
	tap_is(tuning_find(tuning, &cell), TUNING_NONE, "deferral is one of them");
}

int main(void)
{
	tuning = malloc(sizeof(*tuning));
	run = malloc(sizeof(*run));
	if (!tuning || !run) {
		return 1;
	}
	test_pick();
	test_median();
	test_equals();
	test_single_runs();
	test_objective();
	test_unmet();
	test_indifferent();
	test_few();
	test_today();
	test_void_objective();
	test_one_axis();
	test_closed_loop();
	test_unobserved();
	test_regimes();
	test_sent();
	test_find();
	free(run);
	free(tuning);
	return tap_done();
}
