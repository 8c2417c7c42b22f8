/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inference asked blind: a prober over the simulator, as it runs on a real NIC, with boards, speeds, model choices, far
 * ends and values drawn at random, and the truth taken from chip and driver only afterwards. What it says has to be right,
 * the kind and each effective time within 10 % or a step of the hardware, or it has to say that it cannot tell; never
 * wrong. CASES and SEED in the environment ask for others, VERBOSE=1 for each case.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "infer/plan.h"
#include "sim/world_testing.h"
#include "tap.h"

#define VALUES_MAX 12
#define HORIZON_NS (100 * NS_PER_MS) /* after the last frame of a block */

/* ---- a case ---- */

struct blind {
	struct world_config config;
	enum fit_direction direction;
	char text[400];
	unsigned value_count;
	uint32_t values[VALUES_MAX];
	int64_t truth_ns[VALUES_MAX], step_ns[VALUES_MAX], reported_ns[VALUES_MAX];
	enum mechanism_kind truth; /* at the value that is held longest */
	unsigned truth_frames, truth_bypass;
	unsigned most; /* the value with the largest truth */
	unsigned other_count, others[4];
};

static enum coalesce_field field_of(enum fit_direction direction)
{
	return direction == FIT_RX ? COALESCE_RX_USECS : COALESCE_TX_USECS;
}

/* Ways to hold the other direction as little as can be; which of them does it is for the inference to find out. */
static const struct {
	bool has_usecs, has_frames;
	uint32_t usecs, frames;
} others[] = { { true, false, 0, 0 }, { false, true, 0, 1 }, { true, true, 0, 1 }, { true, false, 1, 0 } };

#define OTHERS (sizeof(others) / sizeof(others[0]))

static void put_other(const struct blind *blind, unsigned other, struct coalesce *settings)
{
	const bool is_rx = blind->direction == FIT_RX;

	if (others[other].has_usecs) {
		coalesce_put(settings, is_rx ? COALESCE_TX_USECS : COALESCE_RX_USECS, others[other].usecs);
	}
	if (others[other].has_frames) {
		coalesce_put(settings, is_rx ? COALESCE_TX_FRAMES : COALESCE_RX_FRAMES, others[other].frames);
	}
}

static struct coalesce settings_of(const struct blind *blind, uint32_t usecs, unsigned other, bool holds_other)
{
	struct coalesce settings = { 0 };

	coalesce_put(&settings, field_of(blind->direction), usecs);
	if (holds_other && blind->other_count) {
		coalesce_put(&settings, field_of(blind->direction == FIT_RX ? FIT_TX : FIT_RX), usecs);
	} else if (blind->other_count) {
		put_other(blind, blind->others[other], &settings);
	}
	return settings;
}

/* What a request comes to. */
struct outcome_of {
	struct chip chip;
	struct driver driver;
	struct coalesce reported;
	bool has_reported;
};

static void write_all(struct chip *chip, const struct driver_result *result)
{
	for (unsigned i = 0; i < result->write_count; i++) {
		chip_write(chip, 0, result->writes[i].offset, result->writes[i].value);
	}
}

/* False when the driver refuses. */
static bool apply(const struct blind *blind, const struct coalesce *settings, struct outcome_of *out)
{
	const struct board *const board = &blind->config.end[0].board;
	const struct driver_variant *const variant = driver_variant_find(board->driver);
	struct driver_config driver_config;
	struct chip_config chip_config;
	struct driver_result result = { 0 };
	struct err err;

	board_driver_config(board, &driver_config);
	board_chip_config(board, variant, &chip_config);
	if (driver_init(&out->driver, variant, &driver_config, &err) < 0) {
		return false;
	}
	chip_init(&out->chip, &chip_config);
	chip_set_link(&out->chip, 0, blind->config.speed_mbps);
	driver_open(&out->driver, &result);
	write_all(&out->chip, &result);
	driver_link(&out->driver, blind->config.speed_mbps, &result);
	write_all(&out->chip, &result);
	result.quiet = true;
	driver_set(&out->driver, settings, &result);
	write_all(&out->chip, &result);
	out->has_reported = driver_get(&out->driver, &out->reported) == 0;
	return result.error == 0;
}

static struct chip_hold hold_of(const struct blind *blind, const struct outcome_of *of)
{
	return board_hold(&of->chip, &of->driver, 0, blind->direction == FIT_RX ? CHIP_RX : CHIP_TX);
}

/* Which of the two that a chip may have at once is the one that is felt. */
static enum mechanism_kind felt(const struct chip_hold *hold, int64_t *span_ns)
{
	*span_ns = hold->hold_ns;
	if (hold->throttle_ns > hold->hold_ns || (hold->throttle_ns && hold->kind == CHIP_HOLD_NONE)) {
		*span_ns = hold->throttle_ns;
		return MECHANISM_THROTTLE;
	}
	switch (hold->kind) {
	case CHIP_HOLD_OFF:
		return MECHANISM_HOLD_OFF;
	case CHIP_HOLD_RESTART:
		return MECHANISM_RESTART;
	case CHIP_HOLD_THROTTLE:
		return MECHANISM_THROTTLE;
	default:
		return MECHANISM_NONE;
	}
}

/* A step of the hardware at this value: the next larger time that it can do. */
static int64_t step_at(const struct blind *blind, uint32_t usecs, unsigned other, int64_t span_ns)
{
	struct outcome_of of;

	for (uint32_t more = 1; more <= 400; more++) {
		const struct coalesce settings = settings_of(blind, usecs + more, other, false);
		int64_t next_ns;

		if (!apply(blind, &settings, &of)) {
			return 0;
		}
		const struct chip_hold hold = hold_of(blind, &of);

		felt(&hold, &next_ns);
		if (next_ns != span_ns) {
			return next_ns > span_ns ? next_ns - span_ns : span_ns - next_ns;
		}
	}
	return 0;
}

static bool add_value(struct blind *blind, uint32_t usecs)
{
	const struct coalesce settings = settings_of(blind, usecs, 0, false);
	const unsigned at = blind->value_count;
	struct outcome_of of;

	for (unsigned i = 0; i < at; i++) {
		if (blind->values[i] == usecs) {
			return false;
		}
	}
	if (at == VALUES_MAX || !apply(blind, &settings, &of)) {
		return false;
	}
	blind->values[at] = usecs;
	blind->reported_ns[at] = of.has_reported ? of.reported.value[field_of(blind->direction)] * NS_PER_US : -1;
	blind->value_count++;
	return true;
}

/* Only now, with the other direction as the inference had it. */
static void find_truth(struct blind *blind, const struct plan *plan)
{
	for (unsigned i = 0; i < blind->value_count; i++) {
		const struct coalesce settings = settings_of(blind, blind->values[i], plan->other, false);
		struct outcome_of of;

		apply(blind, &settings, &of);
		const struct chip_hold hold = hold_of(blind, &of);
		int64_t span_ns;
		const enum mechanism_kind kind = felt(&hold, &span_ns);

		blind->truth_ns[i] = span_ns;
		blind->step_ns[i] = step_at(blind, blind->values[i], plan->other, span_ns);
		if (span_ns != NEVER_AT_NS && (i == 0 || blind->truth_ns[blind->most] == NEVER_AT_NS ||
					       span_ns >= blind->truth_ns[blind->most])) {
			blind->most = i;
			blind->truth = kind;
			blind->truth_frames = hold.frames;
			blind->truth_bypass = hold.bypass_below_bytes;
		}
	}
}

static void put(struct setup *setup, char *text, const char *key, const char *value)
{
	struct err err;

	if (setup_put(setup, setup_find(key), value, &err) < 0) {
		printf("Bail out! %s %s: %s\n", key, value, err.text);
		exit(1);
	}
	snprintf(text + strlen(text), 400 - strlen(text), " %s=%s", key, value);
}

static const char *draw(struct random *random, const char *const *texts, unsigned count)
{
	return texts[random_below(random, count)];
}

#define DRAW(random, ...)                                  \
	draw(random, (const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* Model choices that are hidden from the inference. */
static void draw_assumes(struct random *random, struct setup *setup, char *text, const char *board)
{
	char assume[64];

	if (strncmp(board, "imx", 3) == 0 && !strstr(board, "eqos")) {
		put(setup, text, "assume", DRAW(random, "fec-shared-poll=0", "fec-shared-poll=1"));
		snprintf(assume, sizeof(assume), "fec-rx-scale=%u", 500000 + (unsigned)random_below(random, 1000000));
		if (random_below(random, 3) == 0) {
			put(setup, text, "assume", assume);
		}
	} else if (strncmp(board, "rtl", 3) == 0) {
		put(setup, text, "assume", DRAW(random, "r8169-free-running=0", "r8169-free-running=1"));
		snprintf(assume, sizeof(assume), "r8169-small-bypass=%u",
			 (unsigned)(random_below(random, 2) * (65 + random_below(random, 300))));
		put(setup, text, "assume", assume);
	} else if (strcmp(board, "tsnep") == 0) {
		put(setup, text, "assume", DRAW(random, "tsnep-delay-runs=1", "tsnep-delay-runs=2"));
	}
}

static void draw_values(struct random *random, struct blind *blind, const char *board)
{
	const uint32_t most = strcmp(board, "tsnep") == 0 ? 255 : 2000;
	const unsigned count = 4 + (unsigned)random_below(random, 4);

	/* stmmac's transmit timer runs again when it ends before the frame has left: then it is no setting that is seen. */
	const bool runs_again = strcmp(board, "imx8mp-eqos") == 0 && blind->direction == FIT_TX;
	const uint32_t shortest = runs_again ? 20 + 50000 / blind->config.speed_mbps / 10 : 0;

	if (!add_value(blind, 0)) {
		add_value(blind, 1);
	}
	/* Evenly by the logarithm, and each second with a neighbour, which shows steps. */
	for (unsigned tries = 0; blind->value_count < count && tries < 60; tries++) {
		const uint32_t top = most >> random_below(random, 6);
		const uint32_t usecs = shortest + top / 2 + (uint32_t)random_below(random, top / 2 + 1);

		if (add_value(blind, usecs) && tries % 2) {
			add_value(blind, usecs + usecs / 8 + 1);
		}
	}
	/* The largest last: what it is decides the kind. */
	add_value(blind, most * 9 / 10 + (uint32_t)random_below(random, most / 10));
}

static bool has_field(const struct blind *blind, enum coalesce_field field)
{
	const struct coalesce nothing = { 0 };
	struct outcome_of of;

	return apply(blind, &nothing, &of) && of.has_reported && coalesce_has(&of.reported, field);
}

static void find_others(struct blind *blind)
{
	for (unsigned i = 0; i < OTHERS; i++) {
		struct coalesce settings = { 0 };
		struct outcome_of of;

		put_other(blind, i, &settings);
		if (apply(blind, &settings, &of)) {
			blind->others[blind->other_count++] = i;
		}
	}
}

/* False where the board has no such setting. */
static bool draw_case(struct random *random, struct blind *blind)
{
	const char *const board = DRAW(random, "imx8mp", "imx8qxp", "imx8mm", "rtl8168d", "rtl8168d", "rtl8169",
				       "tsnep", "e1000e", "imx8mp-eqos");
	struct setup setup;
	struct err err;
	char seed[24];

	memset(blind, 0, sizeof(*blind));
	setup_init(&setup);
	put(&setup, blind->text, "board", board);
	if (strncmp(board, "imx", 3) == 0 || strncmp(board, "rtl", 3) == 0) {
		put(&setup, blind->text, "speed", DRAW(random, "100", "1000"));
	}
	put(&setup, blind->text, "host", DRAW(random, "desktop", "cortex-a53", "cortex-a72", "icount-1ns"));
	draw_assumes(random, &setup, blind->text, board);
	put(&setup, blind->text, "peer",
	    DRAW(random, "ideal:20us~1us", "ideal:60us~5us", "ideal:15us", "ideal:150us~10us", "ideal:40us~2us"));
	put(&setup, blind->text, "workload", "ping interval=1s");
	snprintf(seed, sizeof(seed), "%" PRIu64, random_below(random, 1000000));
	put(&setup, blind->text, "seed", seed);
	if (setup_config(&setup, &blind->config, &err) < 0) {
		printf("Bail out!%s: %s\n", blind->text, err.text);
		exit(1);
	}
	blind->direction = random_below(random, 2) ? FIT_RX : FIT_TX;
	if (!has_field(blind, field_of(blind->direction))) {
		return false;
	}
	find_others(blind);
	draw_values(random, blind, board);
	return blind->value_count >= 4;
}

/* ---- the prober ---- */

#define FRAMES_MAX (PLAN_TRAINS_MAX * 8 + PLAN_BURST_MAX * 8)

static struct script_frame frames[FRAMES_MAX];

/* Where each train of a block begins in the script; returns how many frames it has. */
static unsigned write_script(const struct plan_block *block, unsigned *begins)
{
	int64_t at_ns = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < block->count; i++) {
		const struct plan_train *const train = &block->trains[i];

		at_ns += train->quiet_ns;
		begins[i] = count;
		for (unsigned j = 0; j < train->frames; j++) {
			frames[count++] = (struct script_frame){
				.send_at_ns = at_ns,
				.payload = train->payload_bytes,
				.is_answered = block->direction == FIT_RX,
			};
			at_ns += j + 1 < train->frames ? train->gap_ns : 0;
		}
	}
	return count;
}

static int64_t took_ns(const struct plan_block *block, const struct script_frame *frame)
{
	return block->direction == FIT_RX ? frame->rtt_ns : frame->drain_ns;
}

static void probe(struct blind *blind, const struct plan_block *block, struct plan_answer *answers)
{
	static struct run run;
	unsigned begins[PLAN_TRAINS_MAX];
	struct script script = { frames, write_script(block, begins) };
	struct world_config *const config = &blind->config;

	struct outcome_of of;

	/* As much as the driver takes. */
	config->end[0].request = settings_of(blind, blind->values[block->setting], block->other, block->holds_other);
	if (!apply(blind, &config->end[0].request, &of)) {
		config->end[0].request = settings_of(blind, blind->values[block->setting], block->other, false);
	}
	config->script = &script;
	config->duration_ns = frames[script.count - 1].send_at_ns + HORIZON_NS;
	config->seed++;
	run_world(&run, config);
	for (unsigned i = 0; i < block->count; i++) {
		const struct script_frame *const first = &frames[begins[i]], *const last = first +
											   block->trains[i].frames - 1;

		answers[i] = (struct plan_answer){
			.gap_ns = last->sent_at_ns - first->sent_at_ns,
			.first_ns = took_ns(block, first),
			.last_ns = took_ns(block, last),
		};
	}
}

static void infer(struct blind *blind, struct plan *plan, uint64_t seed)
{
	const unsigned payload = blind->config.speed_mbps >= 1000 ? 1472 : 500;
	struct plan_options options = {
		.direction = blind->direction,
		.setting_count = blind->value_count,
		.other_count = blind->other_count,
		.payload_bytes = payload,
		.smallest_payload = 18,
		.largest_payload = 1472,
		.frame_ns = (int64_t)(payload + 66) * 8000 / blind->config.speed_mbps,
		.rounds = 6,
		.seed = seed,
	};
	static struct plan_block block;
	struct plan_answer answers[PLAN_TRAINS_MAX];

	for (unsigned i = 0; i < blind->value_count; i++) {
		options.requested_ns[i] = blind->values[i] * NS_PER_US;
		options.longest_ns = time_max(options.longest_ns, blind->values[i] * NS_PER_US);
	}
	plan_begin(plan, &options);
	while (plan_next(plan, &block)) {
		probe(blind, &block, answers);
		plan_take(plan, &block, answers);
	}
}

/* ---- what came out ---- */

enum outcome { RIGHT, WRONG, CANNOT_TELL };

struct tallies {
	unsigned kinds[3], values[3], limits[3];
};

static enum outcome judge_kind(const struct blind *blind, const struct plan *plan)
{
	const int64_t truth_ns = blind->truth_ns[blind->most];

	if (!plan->fit.has_kind) {
		return CANNOT_TELL;
	}
	if (plan->fit.kind == blind->truth || (plan->fit.kind == MECHANISM_NONE && truth_ns == 0)) {
		return RIGHT;
	}
	return plan->fit.kind == MECHANISM_NONE && truth_ns <= plan->fit.resolution_ns ? CANNOT_TELL : WRONG;
}

static enum outcome judge_value(const struct blind *blind, const struct plan *plan, unsigned i)
{
	const struct fit_span *const span = &plan->fit.span[i];
	const int64_t truth_ns = blind->truth_ns[i];
	const int64_t error_ns = span->span_ns > truth_ns ? span->span_ns - truth_ns : truth_ns - span->span_ns;

	if (!plan->fit.has_kind || !span->is_known || truth_ns == NEVER_AT_NS) {
		return span->is_known && truth_ns == NEVER_AT_NS ? WRONG : CANNOT_TELL;
	}
	if (error_ns <= time_max(truth_ns / 10, blind->step_ns[i])) {
		return RIGHT;
	}
	/* An interval that is wide says so, if it is true. */
	if (truth_ns >= span->low_ns && truth_ns <= span->high_ns) {
		return CANNOT_TELL;
	}
	/* "No more than can be told from none." */
	return span->span_ns <= plan->fit.resolution_ns && truth_ns <= plan->fit.resolution_ns ? CANNOT_TELL : WRONG;
}

static enum outcome judge_bypass(const struct blind *blind, const struct plan *plan)
{
	const unsigned found = plan->has_bypass ? plan->bypass_below_payload + 46 : 0;
	const unsigned truth = blind->truth_bypass > 64 ? blind->truth_bypass : 0;

	if (!plan->looked_at_sizes) {
		return CANNOT_TELL;
	}
	return found == truth ? RIGHT : WRONG;
}

static void tell(const struct blind *blind, const struct plan *plan, enum outcome kind, unsigned wrong_values)
{
	tap_note("%s%s %s: kind %s (%s, next %s, error %" PRId64 " and %" PRId64 " ns), truth %s, wrong times %u",
		 kind == WRONG || wrong_values ? "WRONG " : "", blind->text, blind->direction == FIT_RX ? "rx" : "tx",
		 plan->fit.has_kind ? "told" : "not told", mechanism_key(plan->fit.kind),
		 mechanism_key(plan->fit.rival), plan->fit.error_ns, plan->fit.rival_error_ns,
		 mechanism_key(blind->truth), wrong_values);
	tap_note("  resolution %" PRId64 " jitter %" PRId64 " path %" PRId64 " other at %" PRId64 " peer %" PRId64
		 " lone at the floor %" PRId64 " spacing %" PRId64,
		 plan->fit.resolution_ns, plan->fit.jitter_ns, plan->fit.path.delay_ns, plan->fit.path.other_at_ns,
		 plan->fit.path.peer_hold_ns, plan->fit.lone_ns[plan->fit.floor], plan->fit.path.spacing_ns);
	for (unsigned i = 0; i < blind->value_count; i++) {
		tap_note("  %u us: %" PRId64 " (%" PRId64 " to %" PRId64 ") ns of %u, truth %" PRId64 " step %" PRId64
			 " lone %" PRId64,
			 (unsigned)blind->values[i], plan->fit.span[i].span_ns, plan->fit.span[i].low_ns,
			 plan->fit.span[i].high_ns, plan->fit.span[i].count, blind->truth_ns[i], blind->step_ns[i],
			 plan->fit.lone_ns[i]);
	}
	if (plan->looked_at_sizes) {
		tap_note("  bypass %d %u, truth %u; frames %d %u seen %u, truth %u", plan->has_bypass,
			 plan->has_bypass ? plan->bypass_below_payload + 46 : 0, blind->truth_bypass, plan->has_frames,
			 plan->frames, plan->frames_seen, blind->truth_frames);
	}
}

static void one_case(struct random *random, struct tallies *tallies, bool is_verbose)
{
	static struct plan plan;
	static struct blind blind;

	while (!draw_case(random, &blind)) {
	}
	infer(&blind, &plan, random_u64(random));
	find_truth(&blind, &plan);
	const enum outcome kind = judge_kind(&blind, &plan);
	unsigned wrong = 0;

	tallies->kinds[kind]++;
	for (unsigned i = 0; i < blind.value_count; i++) {
		const enum outcome value = judge_value(&blind, &plan, i);

		tallies->values[value]++;
		wrong += value == WRONG;
	}
	const enum outcome bypass = judge_bypass(&blind, &plan);

	tallies->limits[bypass]++;
	if (is_verbose || kind == WRONG || wrong || bypass == WRONG) {
		tell(&blind, &plan, kind, wrong);
	}
}

static unsigned from_environment(const char *name, unsigned otherwise)
{
	const char *const text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/* Cases that were told wrong once: a timer that what is sent starts too, 30 us before replies come. */
static const struct {
	unsigned seed, number;
} once_wrong[] = { { 9001, 5 }, { 9001, 272 }, { 9001, 353 }, { 9002, 112 }, { 9002, 265 } };

static void numbered_case(unsigned seed, unsigned number, struct tallies *tallies, bool is_verbose)
{
	struct random random;

	random_init(&random, seed, number);
	one_case(&random, tallies, is_verbose);
}

int main(void)
{
	const unsigned cases = from_environment("CASES", 60), seed = from_environment("SEED", 1);
	const unsigned only = from_environment("ONLY", UINT32_MAX);
	const bool is_verbose = getenv("VERBOSE");
	struct tallies tallies = { 0 };

	for (unsigned i = 0; i < cases; i++) {
		if (only == UINT32_MAX && is_verbose) {
			tap_note("case %u", i);
		}
		if (only == UINT32_MAX || only == i) {
			numbered_case(seed, i, &tallies, is_verbose);
		}
	}
	for (unsigned i = 0; only == UINT32_MAX && i < sizeof(once_wrong) / sizeof(once_wrong[0]); i++) {
		numbered_case(once_wrong[i].seed, once_wrong[i].number, &tallies, is_verbose);
	}
	tap_note("seed %u, %u cases and %zu known ones: kinds right %u, wrong %u, cannot tell %u; times right %u, "
		 "wrong %u, "
		 "cannot tell %u; size limits right %u, wrong %u, not looked at %u",
		 seed, cases, sizeof(once_wrong) / sizeof(once_wrong[0]), tallies.kinds[RIGHT], tallies.kinds[WRONG],
		 tallies.kinds[CANNOT_TELL], tallies.values[RIGHT], tallies.values[WRONG], tallies.values[CANNOT_TELL],
		 tallies.limits[RIGHT], tallies.limits[WRONG], tallies.limits[CANNOT_TELL]);
	tap_is(tallies.kinds[WRONG], 0, "no kind of mechanism is told wrong");
	tap_is(tallies.values[WRONG], 0, "no time is more than 10 %% and a step from the truth");
	tap_is(tallies.limits[WRONG], 0, "no size limit is found where there is none, or elsewhere");
	return tap_done();
}
