/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdoff sweep on a real interface: rounds of visits (sweep/schedule.h), each of which sets, lets settle, warms up and measures. All of it is
 * one series of changes (change_begin_series): in whatever way it ends, the interface is put back.
 */
#include "cmd/sweep_live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/table_output.h"
#include "live/clocks.h"
#include "live/settle.h"
#include "stats/trend.h"
#include "sweep/schedule.h"

/* What setting and settling are taken for in the estimate. */
#define SETTLE_ESTIMATE_NS (300 * NS_PER_MS)
#define UNASKED_MAX_NS (600 * NS_PER_S)
#define DRIFT_CHANCE_PPM 50000

/* ---- how long it will take ---- */

static int64_t estimate_ns(const struct live_sweep *sweep, unsigned rounds)
{
	const int64_t visit_ns = sweep->request->duration_ns + sweep->request->warmup_ns + SETTLE_ESTIMATE_NS;
	int64_t all_ns = 0;

	for (uint32_t i = 0; i < sweep->settings; i++) {
		all_ns += sweep->setting[i].is_out ? 0 : visit_ns * sweep->workloads * rounds;
	}
	return all_ns + visit_ns * sweep->workloads * rounds;
}

static int check_length(const struct live_sweep *sweep, struct err *err)
{
	const struct sweep_live_request *const request = sweep->request;
	const int64_t least_ns = estimate_ns(sweep, request->rounds ? request->rounds : INTERVAL_VALUES_MIN);
	const int64_t most_ns = estimate_ns(sweep, request->rounds ? request->rounds : SWEEP_ROUNDS_AUTO_MAX);
	char least[TEXT_DURATION_MAX], most[TEXT_DURATION_MAX];

	text_print_duration(least_ns - least_ns % NS_PER_S, least);
	text_print_duration(most_ns - most_ns % NS_PER_S, most);
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "%" PRIu32 " settings and a control, %" PRIu32 " workloads: %s%s%s\n", sweep->settings,
			sweep->workloads, least, request->rounds ? "" : " to ", request->rounds ? "" : most);
	}
	if (least_ns > UNASKED_MAX_NS && !request->yes && !request->budget_ns) {
		return err_set(err, -EINVAL,
			       "this would take %s: --yes begins it, --budget ends it in time, and fewer settings or a "
			       "shorter "
			       "--duration take less",
			       least);
	}
	return 0;
}

/* ---- one visit ---- */

static int set_and_settle(struct live_sweep *sweep, uint32_t setting, struct err *err)
{
	static const struct change_set as_before;
	const struct change_set *const wanted = setting == SWEEP_CONTROL ? &as_before : &sweep->setting[setting].wanted;

	change_series_signals(false);
	int ret = change_try(&sweep->change, wanted, err);

	change_series_signals(true);
	if (ret == 0 && setting != SWEEP_CONTROL && !sweep->setting[setting].has_read_back) {
		live_settings_judge_reported(sweep, setting);
	}
	ret = ret ? ret : live_far_set(sweep, setting, err);
	return ret ? ret
		   : settle(&sweep->measuring.nic, sweep->measuring.traffic.load.host, sweep->measuring.traffic.stop_fd,
			    err);
}

/* What was asked for is not in what the interface reports. */
static void put_requested(const struct live_sweep *sweep, uint32_t setting, struct run *run)
{
	const struct change_set *const wanted = &sweep->setting[setting].wanted;

	run->conditions.requested = wanted->device;
	if (wanted->napi_count) {
		run->conditions.gro_flush_timeout_ns = (int64_t)wanted->napis[0].gro_flush_timeout_ns;
		run->conditions.defer_hard_irqs = wanted->napis[0].defer_hard_irqs;
	}
}

static int measure_visit(struct live_sweep *sweep, const struct sweep_visit *visit, struct run *run, struct err *err)
{
	struct measuring *const measuring = &sweep->measuring;
	const struct live_cell *const cell = live_cell_of(sweep, visit->setting, visit->workload);

	measuring->request.seed = sweep->request->seed + cell->runs;
	int ret = measuring_take_workload(measuring, &sweep->workload[visit->workload], err);

	ret = ret ? ret : measuring_run(measuring, run, err);
	if (ret == 0 && visit->setting != SWEEP_CONTROL) {
		put_requested(sweep, visit->setting, run);
	}
	run->conditions.peer_requested = live_far_requested(sweep, visit->setting);
	return ret ? ret : live_kept_add(sweep, visit->setting, visit->workload, run, err);
}

/* ---- rounds ---- */

static bool is_wanted(struct live_sweep *sweep, const struct sweep_visit *visit, unsigned round)
{
	const struct live_cell *const cell = live_cell_of(sweep, visit->setting, visit->workload);
	const bool is_out = visit->setting != SWEEP_CONTROL && sweep->setting[visit->setting].is_out;

	/* Of an earlier sitting, or known well enough. */
	return !is_out && cell->runs <= round &&
	       (sweep->request->rounds || visit->setting == SWEEP_CONTROL || !cell->is_narrow);
}

/* Where the medians decide, the control alone is no reason for another round. */
static bool is_any_wanted(struct live_sweep *sweep, unsigned round)
{
	const uint32_t columns = sweep->settings + (sweep->request->rounds ? 1 : 0);
	bool is = false;

	for (uint32_t i = 0; i < columns * sweep->workloads; i++) {
		const uint32_t column = i % columns;
		const struct sweep_visit visit = { column < sweep->settings ? column : SWEEP_CONTROL, i / columns };

		is |= is_wanted(sweep, &visit, round);
	}
	return is;
}

static void tell(const struct live_sweep *sweep, unsigned round, uint32_t visit, uint32_t visits, const char *what)
{
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[Kround %u%s, %" PRIu32 " of %" PRIu32 ": %s", round + 1,
			sweep->request->rounds ? "" : " (until known)", visit + 1, visits, what);
		fflush(stderr);
	}
}

/* A refusal is the driver's answer, and no end of the sweep. */
static bool is_refusal(int error)
{
	return error == -EREMOTEIO || error == -EINVAL || error == -ERANGE || error == -EOPNOTSUPP ||
	       error == -ENOTRECOVERABLE || error == -EBUSY;
}

/* 1: the setting is out. */
static int go_to(struct live_sweep *sweep, uint32_t setting, struct err *err)
{
	const int ret = set_and_settle(sweep, setting, err);

	if (setting == SWEEP_CONTROL || (ret && !is_refusal(ret))) {
		return ret;
	}
	struct live_setting *const of = &sweep->setting[setting];

	if (ret) {
		of->is_out = true;
		of->error = ret;
		snprintf(of->why, sizeof(of->why), "%s", err->text);
	}
	if (!of->is_out) {
		return 0;
	}
	const int kept = live_kept_leave_out(sweep, setting, err);

	return kept ? kept : 1;
}

static int check_end(struct live_sweep *sweep, int64_t began_at_ns, struct err *err)
{
	if (measuring_is_interrupted()) {
		return err_set(err, -EINTR, "ended by a signal: the same command with --resume goes on");
	}
	if (sweep->request->budget_ns && clocks_monotonic_ns() - began_at_ns > sweep->request->budget_ns) {
		return err_set(err, -ETIME, "the budget is used up: the same command with --resume goes on");
	}
	return 0;
}

static int visit_all(struct live_sweep *sweep, unsigned round, const struct sweep_visit *visits, int64_t began_at_ns,
		     struct run *run, struct err *err)
{
	const uint32_t count = sweep_visits(sweep->settings, sweep->workloads);
	uint32_t at = UINT32_MAX - 1; /* no setting */
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && i < count; i++) {
		const struct sweep_visit *const visit = &visits[i];

		if (!is_wanted(sweep, visit, round)) {
			continue;
		}
		tell(sweep, round, i, count,
		     visit->setting == SWEEP_CONTROL ? "as before" : sweep->setting[visit->setting].label);
		ret = check_end(sweep, began_at_ns, err);
		if (ret == 0 && visit->setting != at) {
			at = visit->setting;
			ret = go_to(sweep, at, err);
		}
		if (ret == 0) {
			ret = measure_visit(sweep, visit, run, err);
		}
		/* A signal is said in one way, wherever in a visit it came. */
		ret = ret == -EINTR && measuring_is_interrupted() ? check_end(sweep, began_at_ns, err) : ret;
		ret = ret == 1 ? 0 : ret;
	}
	return ret;
}

static int run_rounds(struct live_sweep *sweep, struct run *run, struct err *err)
{
	const unsigned rounds = sweep->request->rounds ? sweep->request->rounds : SWEEP_ROUNDS_AUTO_MAX;
	const int64_t began_at_ns = clocks_monotonic_ns();
	struct sweep_visit *const visits = calloc(sweep_visits(sweep->settings, sweep->workloads), sizeof(*visits));
	int ret = visits ? 0 : err_set(err, -ENOMEM, "no memory for visits");

	for (unsigned round = 0; ret == 0 && round < rounds; round++) {
		if (is_any_wanted(sweep, round)) { /* it may have been done in an earlier sitting */
			sweep_round(sweep->experiment.seed, round, sweep->settings, sweep->workloads, visits);
			ret = visit_all(sweep, round, visits, began_at_ns, run, err);
		}
	}
	free(visits);
	if (isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
	}
	return ret;
}

/* ---- beginning and end ---- */

/* An interface that is gone has taken its settings with it. */
static int explain_revert(const struct live_sweep *sweep, const struct err *why, struct err *err)
{
	struct nic_identity identity;
	struct nic nic = sweep->measuring.nic;

	if (nic_identify(&nic, &identity, NULL) != -ENODEV) {
		*err = *why;
		return -EUCLEAN;
	}
	change_forget(nic.ifindex, NULL);
	return err_set(err, -ENODEV, "%s is gone, and its settings with it; what was measured before is kept in %s",
		       nic.name, sweep->request->store);
}

static int run_series(struct live_sweep *sweep, struct err *err)
{
	static struct change_set touched;
	struct run *const run = malloc(sizeof(*run));
	struct err revert_err = { "" };
	bool stale;

	if (!run) {
		return err_set(err, -ENOMEM, "no memory for a run");
	}
	live_settings_touched(sweep, &touched);
	int ret = change_begin_series(&sweep->change, &sweep->measuring.nic, &touched, &stale, err);

	if (ret == 0) {
		change_series_signals(true);
		ret = live_far_begin(sweep, err);
		ret = ret ? ret : run_rounds(sweep, run, err);
		change_series_signals(false);
		const int back = change_revert(&sweep->change, &revert_err);
		struct err far_err = { "" };
		const int far_back = live_far_end(sweep, &far_err);

		if (back) {
			ret = explain_revert(sweep, &revert_err, err);
		} else if (far_back) {
			ret = far_back;
			*err = far_err;
		}
	}
	free(run);
	return ret;
}

static void copy_measuring(struct live_sweep *sweep)
{
	struct measure_request *const request = &sweep->measuring.request;

	request->duration_ns = sweep->request->duration_ns;
	request->warmup_ns = sweep->request->warmup_ns;
	request->repeats = 1;
	sweep->measuring.traffic.load.both = sweep->request->both;
}

static int look(struct live_sweep *sweep, struct err *err)
{
	static struct change_set touched;

	live_settings_touched(sweep, &touched);
	const int ret = change_look(&sweep->change, &sweep->measuring.nic, &touched, err);

	if (ret == 0) {
		live_settings_judge(sweep, &sweep->change.model);
	}
	return ret;
}

static int sweep_device(struct live_sweep *sweep, struct err *err)
{
	int ret;

	copy_measuring(sweep);
	ret = live_far_read(sweep, err);
	ret = ret ? ret : live_settings_make(sweep, err);
	ret = ret ? ret : look(sweep, err);
	ret = ret ? ret : check_length(sweep, err);
	ret = ret ? ret : live_kept_begin(sweep, err);
	for (uint32_t i = 0; ret == 0 && i < sweep->settings; i++) {
		ret = sweep->setting[i].is_out ? live_kept_leave_out(sweep, i, err) : 0;
	}
	ret = ret ? ret : run_series(sweep, err);
	if (ret == -EINTR || ret == -ETIME) {
		sweep->is_incomplete = true;
		sweep->incomplete = *err;
		return 0;
	}
	return ret ? ret : live_kept_finish(sweep, err);
}

/* ---- telling ---- */

/* The control's medians tell whether the ground has moved under all settings. */
static void tell_drift(struct live_sweep *sweep)
{
	for (uint32_t workload = 0; workload < sweep->workloads; workload++) {
		const struct live_cell *const cell = live_cell_of(sweep, SWEEP_CONTROL, workload);
		const struct trend trend = trend_of(cell->median_ns, cell->medians);
		char text[WORKLOAD_TEXT_MAX], first[TEXT_DURATION_MAX], last[TEXT_DURATION_MAX];

		if (trend.chance_ppm > DRIFT_CHANCE_PPM / sweep->workloads) {
			continue;
		}
		sweep->is_tainted = true;
		fprintf(stderr,
			"holdoff: the setting of before has drifted meanwhile (%s: median %s at first, %s at last): "
			"differences between settings may be the time's\n",
			workload_print(&sweep->workload[workload], text),
			text_print_duration(cell->median_ns[0], first),
			text_print_duration(cell->median_ns[cell->medians - 1], last));
	}
}

static int print_table(struct live_sweep *sweep, struct err *err)
{
	struct table_row *rows = NULL;
	size_t count = 0;
	int ret = live_kept_rows(sweep, &rows, &count, err);

	ret = ret ? ret : table_output(rows, count, sweep->request->format, sweep->request->output, err);
	free(rows);
	return ret;
}

static int conclude(struct live_sweep *sweep, int ret, struct err *err)
{
	if (ret == 0) {
		tell_drift(sweep);
		ret = print_table(sweep, err);
	}
	if (ret == -EUCLEAN) {
		fprintf(stderr, "holdoff: %s\n", err->text);
		return CMD_REVERT_FAILED;
	}
	if (ret) {
		return cmd_fail(ret, err);
	}
	if (sweep->is_incomplete) {
		fprintf(stderr, "holdoff: %s\n", sweep->incomplete.text);
	}
	return sweep->is_incomplete || sweep->is_tainted ? CMD_INSUFFICIENT : CMD_FINE;
}

int sweep_live(const struct sweep_live_request *request)
{
	static struct live_sweep sweep;
	struct err err = { "" };

	sweep = (struct live_sweep){ .request = request };
	int ret = measuring_begin(&sweep.measuring, &request->options, &err);

	if (ret) {
		return cmd_fail(ret, &err);
	}
	ret = sweep_device(&sweep, &err);
	measuring_end(&sweep.measuring);
	const int status = conclude(&sweep, ret, &err);

	store_close(sweep.store);
	free(sweep.experiment.plan);
	free(sweep.setting);
	free(sweep.cell);
	return status;
}
