/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probing of holdoff infer: which values are tried, in a series that is put back in every ending, and the plan's blocks at
 * each of them.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cmd/infer.h"
#include "live/echo.h"
#include "live/settle.h"

#define LONGEST_DEFAULT_NS (2 * NS_PER_MS) /* without a setting to go by */
#define PATIENCE_LEAST_NS (100 * NS_PER_MS)
#define PATIENCE_SPANS 8
#define FRAME_HEADERS 66 /* of a frame around an echo's payload, with preamble, FCS and gap */
#define SPEED_UNKNOWN_MBPS 1000

/* ---- settings ---- */

static enum coalesce_field usecs_of(enum fit_direction direction)
{
	return direction == FIT_RX ? COALESCE_RX_USECS : COALESCE_TX_USECS;
}

static enum coalesce_field frames_of(enum fit_direction direction)
{
	return direction == FIT_RX ? COALESCE_RX_FRAMES : COALESCE_TX_FRAMES;
}

static enum fit_direction opposite(enum fit_direction direction)
{
	return direction == FIT_RX ? FIT_TX : FIT_RX;
}

static int set(struct infer_session *session, const struct coalesce *settings, struct err *err)
{
	static struct change_set wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.device = *settings;
	return change_try(&session->change, &wanted, err);
}

/* A setting of a direction, with the other one held little, or as long. */
static struct coalesce settings_of(const struct infer_direction *of, unsigned row, unsigned other, bool holds_other)
{
	struct coalesce settings = { 0 };

	coalesce_put(&settings, of->field, of->usecs[row]);
	if (of->other_count == 0) {
		return settings;
	}
	if (holds_other) {
		coalesce_put(&settings, usecs_of(opposite(of->direction)), of->usecs[row]);
		return settings;
	}
	return coalesce_merge(&settings, &of->others[other]);
}

/* ---- what is tried ---- */

/* Whether the driver takes it; what it reports then. */
static bool takes(struct infer_session *session, const struct coalesce *settings, struct err *err)
{
	return set(session, settings, err) == 0;
}

static void refuse(struct infer_direction *of, uint32_t usecs, const struct err *err)
{
	if (of->refusal_count < FIT_SETTINGS_MAX) {
		struct infer_refusal *const refusal = &of->refusals[of->refusal_count++];

		refusal->usecs = usecs;
		snprintf(refusal->why, sizeof(refusal->why), "%.*s", (int)sizeof(refusal->why) - 1, err->text);
	}
}

/* A row for each value that the driver takes, with what it says then. -EINTR, -EUCLEAN. */
static int add_row(struct infer_session *session, struct infer_direction *of, uint32_t usecs, bool is_again,
		   struct err *err)
{
	struct coalesce settings = { 0 };
	struct err refusal = { "" };

	if (of->row_count == FIT_SETTINGS_MAX) {
		return 0;
	}
	coalesce_put(&settings, of->field, usecs);
	const int ret = set(session, &settings, &refusal);

	if (ret == -EINTR || ret == -EUCLEAN) {
		*err = refusal;
		return ret;
	}
	if (ret < 0) {
		refuse(of, usecs, &refusal);
		return 0;
	}
	const struct coalesce *const reported = &session->change.reported.device;

	of->usecs[of->row_count] = usecs;
	of->rows[of->row_count++] = (struct verdict_row){
		.requested_ns = usecs * NS_PER_US,
		.reported_ns = coalesce_has(reported, of->field) ? reported->value[of->field] * NS_PER_US : -1,
		.is_again = is_again,
	};
	return 0;
}

/* Those given, or some that show steps and limits: ascending, since the last is to be the longest. */
static int add_rows(struct infer_session *session, struct infer_direction *of, const uint32_t *usecs, unsigned count,
		    struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < count; i++) {
		ret = add_row(session, of, usecs[i], false, err);
	}
	/* The longest once more: what that changes, no setting has changed. */
	return ret || of->row_count == 0 ? ret : add_row(session, of, of->usecs[of->row_count - 1], true, err);
}

/* Ways to hold the other direction little: those that the driver takes beside the longest value. */
static int find_others(struct infer_session *session, struct infer_direction *of, struct err *err)
{
	const enum fit_direction other = opposite(of->direction);
	const bool has_usecs = coalesce_has(&session->present, usecs_of(other));
	const bool has_frames = coalesce_has(&session->present, frames_of(other));
	static const struct {
		bool usecs, frames;
		uint32_t usecs_value, frames_value;
	} ways[] = { { true, false, 0, 0 }, { false, true, 0, 1 }, { true, true, 0, 1 }, { true, false, 1, 0 } };

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct coalesce way = { 0 };

		if ((ways[i].usecs && !has_usecs) || (ways[i].frames && !has_frames)) {
			continue;
		}
		if (ways[i].usecs) {
			coalesce_put(&way, usecs_of(other), ways[i].usecs_value);
		}
		if (ways[i].frames) {
			coalesce_put(&way, frames_of(other), ways[i].frames_value);
		}
		of->others[of->other_count++] = way;
		const struct coalesce settings = settings_of(of, of->row_count - 1, of->other_count - 1, false);

		if (!takes(session, &settings, err)) {
			of->other_count--;
		}
	}
	return 0;
}

/* ---- the plan ---- */

static unsigned speed_of(const struct infer_session *session)
{
	return session->identity.has & NIC_HAS_SPEED && session->identity.speed_mbps ? session->identity.speed_mbps
										     : SPEED_UNKNOWN_MBPS;
}

static unsigned largest_payload(const struct infer_session *session)
{
	const unsigned most = echo_largest_payload(session->host.is_ipv6, session->route.mtu);

	return most < 1472 ? most : 1472;
}

/* As long as the link carries it in some 40 us, for frames that a NIC holds by their length are the short ones. */
static unsigned survey_payload(const struct infer_session *session)
{
	const unsigned fitting = 5 * speed_of(session), most = largest_payload(session);

	return fitting > most ? most : fitting < 150 ? 150 : fitting;
}

static struct plan_options make_options(const struct infer_session *session, struct infer_direction *of)
{
	struct plan_options options = {
		.direction = of->direction,
		.setting_count = session->command.no_set ? 1 : of->row_count,
		.other_count = session->has_drains ? of->other_count : 0,
		.longest_ns = session->command.longest_ns,
		.payload_bytes = survey_payload(session),
		.smallest_payload = 18,
		.largest_payload = largest_payload(session),
		.rounds = session->command.rounds,
		.seed = session->command.seed,
	};

	options.frame_ns = (int64_t)(options.payload_bytes + FRAME_HEADERS) * 8000 / speed_of(session);
	for (unsigned i = 0; i < of->row_count; i++) {
		options.requested_ns[i] = of->rows[i].requested_ns;
		options.longest_ns = time_max(options.longest_ns, of->rows[i].requested_ns);
	}
	if (session->command.no_set) {
		options.requested_ns[0] = -1;
	}
	options.longest_ns = options.longest_ns ? options.longest_ns : LONGEST_DEFAULT_NS;
	of->payload_bytes = options.payload_bytes;
	return options;
}

/* What a block wants; nothing is sent when that is set already. */
static int prepare(struct infer_session *session, const struct infer_direction *of, const struct plan_block *block,
		   struct coalesce *now, struct err *err)
{
	if (session->command.no_set) {
		return 0;
	}
	struct coalesce settings = settings_of(of, block->setting, block->other, block->holds_other);

	if (settings.present == now->present && coalesce_difference(&settings, now) == 0) {
		return 0;
	}
	int ret = set(session, &settings, err);

	if (ret < 0 && ret != -EINTR && ret != -EUCLEAN && block->holds_other) {
		settings = settings_of(of, block->setting, block->other, false);
		ret = set(session, &settings, err);
	}
	*now = settings;
	return ret ? ret : settle(&session->nic, session->command.peer_host, session->stop_fd, err);
}

static void count_answers(struct infer_direction *of, const struct plan_block *block, const struct plan_answer *answers)
{
	for (unsigned i = 0; i < block->count; i++) {
		of->sent++;
		of->lost += answers[i].first_ns < 0;
	}
}

static int follow_plan(struct infer_session *session, struct infer_direction *of, struct err *err)
{
	const struct plan_options options = make_options(session, of);
	struct coalesce now = { 0 };
	struct plan_block block;
	struct plan_answer answers[PLAN_TRAINS_MAX];
	int ret = 0;

	plan_begin(&of->plan, &options);
	while (ret == 0 && plan_next(&of->plan, &block)) {
		ret = prepare(session, of, &block, &now, err);
		ret = ret ? ret : trains_run(session->trains, &block, answers, err);
		if (ret == 0) {
			count_answers(of, &block, answers);
			plan_take(&of->plan, &block, answers);
		}
	}
	of->is_done = ret == 0;
	return ret;
}

static void conclude(struct infer_session *session, struct infer_direction *of)
{
	const enum coalesce_field adaptive = of->direction == FIT_RX ? COALESCE_ADAPTIVE_RX : COALESCE_ADAPTIVE_TX;

	for (unsigned i = 0; i < of->plan.options.setting_count; i++) {
		of->rows[i].effective = of->plan.fit.span[i];
		of->rows[i].effective.is_known &= of->plan.fit.has_kind;
	}
	of->is_adaptive = coalesce_has(&session->present, adaptive) && session->present.value[adaptive];
	if (!session->command.no_set) {
		verdict_find(&of->verdict, of->rows, of->row_count, of->plan.fit.resolution_ns, of->is_adaptive);
		of->has_verdict = true;
	} else {
		of->row_count = 1;
		of->rows[0].requested_ns = -1;
		of->rows[0].reported_ns = session->has_settings && coalesce_has(&session->present, of->field)
						  ? session->present.value[of->field] * NS_PER_US
						  : -1;
	}
}

/* ---- all of it ---- */

static int probe_direction(struct infer_session *session, struct infer_direction *of, const uint32_t *usecs,
			   unsigned count, struct err *err)
{
	int ret = 0;

	if (!session->command.no_set) {
		ret = add_rows(session, of, usecs, count, err);
		if (ret == 0 && of->row_count < 3) {
			of->skipped = "the driver takes too few of the values";
			return 0;
		}
		if (ret == 0 && of->direction == FIT_RX) {
			ret = find_others(session, of, err);
		}
	}
	ret = ret ? ret : follow_plan(session, of, err);
	if (ret == 0) {
		conclude(session, of);
	}
	return ret;
}

/* Two or three close together in each range show steps; without frames that end a wait, 0 is "none". */
static unsigned default_values(const struct infer_session *session, const struct infer_direction *of, uint32_t *usecs)
{
	static const uint32_t values[] = { 20, 50, 100, 110, 130, 240, 400, 440, 520, 1000 };
	const enum coalesce_field frames = frames_of(of->direction);
	const bool frames_count = coalesce_has(&session->present, frames) && session->present.value[frames] > 1;
	unsigned count = 0;

	usecs[count++] = frames_count ? 1 : 0;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		usecs[count++] = values[i];
	}
	return count;
}

/* Of all that may be set. */
static void touch(const struct infer_session *session, struct change_set *touched)
{
	static const enum coalesce_field fields[] = { COALESCE_RX_USECS, COALESCE_TX_USECS, COALESCE_RX_FRAMES,
						      COALESCE_TX_FRAMES };

	memset(touched, 0, sizeof(*touched));
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (coalesce_has(&session->present, fields[i])) {
			coalesce_put(&touched->device, fields[i], session->present.value[fields[i]]);
		}
	}
}

static int open_trains(struct infer_session *session, struct err *err)
{
	const int64_t longest_ns = session->command.longest_ns ? session->command.longest_ns : LONGEST_DEFAULT_NS;
	const struct trains_request request = {
		.host = session->host,
		.ifindex = session->nic.ifindex,
		.patience_ns = time_max(PATIENCE_SPANS * longest_ns, PATIENCE_LEAST_NS),
		.stop_fd = session->stop_fd,
	};
	struct err why = { "" };
	const int ret = trains_open(&session->trains, &request, &session->has_drains, &why);

	*(ret < 0 ? err : &session->no_drains) = why;
	return ret;
}

static int probe_all(struct infer_session *session, const uint32_t *given, unsigned given_count, struct err *err)
{
	int ret = 0;

	for (enum fit_direction d = FIT_RX; ret == 0 && d <= FIT_TX; d++) {
		struct infer_direction *const of = &session->directions[d];
		uint32_t usecs[FIT_SETTINGS_MAX];
		unsigned count = given_count;

		of->direction = d;
		of->field = usecs_of(d);
		if (!(d == FIT_RX ? session->command.wants_rx : session->command.wants_tx)) {
			continue;
		}
		if (d == FIT_TX && !session->has_drains) {
			of->skipped = session->no_drains.text;
			continue;
		}
		if (!session->command.no_set && !coalesce_has(&session->present, of->field)) {
			of->skipped = "the driver has no such setting; --no-set tells what it does as it is";
			continue;
		}
		if (given_count) {
			memcpy(usecs, given, given_count * sizeof(usecs[0]));
		} else {
			count = default_values(session, of, usecs);
		}
		ret = probe_direction(session, of, usecs, count, err);
	}
	return ret;
}

int infer_run(struct infer_session *session, const uint32_t *given, unsigned given_count, struct err *err)
{
	static struct change_set touched;
	struct err later = { "" };
	bool stale = false;
	int ret = open_trains(session, err);

	if (ret < 0 || session->command.no_set) {
		return ret ? ret : probe_all(session, given, given_count, err);
	}
	touch(session, &touched);
	ret = change_begin_series(&session->change, &session->nic, &touched, &stale, err);
	if (ret < 0) {
		return ret;
	}
	ret = probe_all(session, given, given_count, err);
	const int reverted = change_revert(&session->change, &later);

	if (reverted < 0) {
		*err = later;
		return reverted;
	}
	return ret;
}
