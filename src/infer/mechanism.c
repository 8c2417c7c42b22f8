/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "infer/mechanism.h"

#include "base/time.h"

static const struct {
	const char *key, *words;
} names[MECHANISM_KINDS] = {
	[MECHANISM_NONE] = { "none", "no moderation" },
	[MECHANISM_HOLD_OFF] = { "hold-off", "hold-off from the first frame" },
	[MECHANISM_RESTART] = { "restarting hold-off", "hold-off that each frame starts again" },
	[MECHANISM_THROTTLE] = { "throttle", "throttle after the last interrupt" },
	[MECHANISM_DEFERRAL] = { "software deferral", "software deferral (a NAPI timer)" },
	[MECHANISM_FRAME_COUNT] = { "frame count", "frame count without a timer" },
};

const char *mechanism_key(enum mechanism_kind kind)
{
	return names[kind].key;
}

const char *mechanism_words(enum mechanism_kind kind)
{
	return names[kind].words;
}

/* Events until `told` are told, those until `come` have come. */
struct telling {
	const struct mechanism *mechanism;
	const struct mechanism_event *events;
	int64_t *told_at_ns;
	unsigned told, come;
	unsigned waiting;    /* own ones between */
	bool has_other;      /* M7: an event of the other direction waits as well */
	unsigned polls_left; /* M5 */
	int64_t timer_at_ns; /* NEVER_AT_NS: it does not run */
	int64_t look_at_ns;  /* M8: the latest, or one that is still to come; -1: none yet */
};

/* An interrupt: the host looks soon. */
static void tell(struct telling *telling, int64_t now_at_ns)
{
	telling->look_at_ns = now_at_ns + telling->mechanism->look_ns;
	for (; telling->told < telling->come; telling->told++) {
		telling->told_at_ns[telling->told] = telling->look_at_ns;
	}
	telling->waiting = 0;
	telling->has_other = false;
}

/* M8: the last that came is told by a look that was to come anyway. */
static bool is_seen_anyway(struct telling *telling, int64_t now_at_ns)
{
	if (now_at_ns > telling->look_at_ns || telling->told + 1 < telling->come) {
		return false;
	}
	telling->told_at_ns[telling->told++] = telling->look_at_ns;
	return true;
}

static void timer_ends(struct telling *telling)
{
	const int64_t now_at_ns = telling->timer_at_ns;
	const bool has_any = telling->waiting > 0 || telling->has_other;
	bool goes_on = false;

	if (telling->mechanism->kind == MECHANISM_THROTTLE) {
		goes_on = has_any;
	} else if (telling->mechanism->kind == MECHANISM_DEFERRAL) {
		telling->polls_left = has_any ? telling->mechanism->polls : telling->polls_left;
		goes_on = telling->polls_left > 0;
		telling->polls_left -= goes_on;
	}
	telling->timer_at_ns = goes_on ? now_at_ns + telling->mechanism->span_ns : NEVER_AT_NS;
	tell(telling, now_at_ns);
}

/* M4 and M5: the timer's running means that nothing is told before its end. */
static void come_after_telling(struct telling *telling, int64_t now_at_ns)
{
	if (telling->timer_at_ns != NEVER_AT_NS) {
		return;
	}
	telling->timer_at_ns = now_at_ns + telling->mechanism->span_ns;
	telling->polls_left = telling->mechanism->polls ? telling->mechanism->polls - 1 : 0;
	tell(telling, now_at_ns);
}

/* M2, M3, M6. */
static void come_before_telling(struct telling *telling, int64_t now_at_ns)
{
	const struct mechanism *const mechanism = telling->mechanism;

	if (mechanism->frames && telling->waiting >= mechanism->frames) {
		telling->timer_at_ns = NEVER_AT_NS;
		tell(telling, now_at_ns);
	} else if (mechanism->kind == MECHANISM_RESTART ||
		   (mechanism->kind == MECHANISM_HOLD_OFF && telling->timer_at_ns == NEVER_AT_NS)) {
		telling->timer_at_ns = now_at_ns + mechanism->span_ns;
	}
}

static void comes(struct telling *telling, int64_t now_at_ns)
{
	switch (telling->mechanism->kind) {
	case MECHANISM_NONE:
		tell(telling, now_at_ns);
		break;
	case MECHANISM_THROTTLE:
	case MECHANISM_DEFERRAL:
		come_after_telling(telling, now_at_ns);
		break;
	default:
		come_before_telling(telling, now_at_ns);
		break;
	}
}

/* M7. */
static void other_comes(struct telling *telling, int64_t now_at_ns)
{
	if (telling->mechanism->other == OTHER_TAKES_ALONG) {
		tell(telling, now_at_ns);
	} else if (telling->mechanism->other == OTHER_HAS_SAME_TIMER) {
		telling->has_other = true;
		comes(telling, now_at_ns);
	}
}

void mechanism_tell(const struct mechanism *mechanism, const struct mechanism_event *events, unsigned count,
		    int64_t *told_at_ns)
{
	struct telling telling = {
		.mechanism = mechanism,
		.events = events,
		.told_at_ns = told_at_ns,
		.timer_at_ns = NEVER_AT_NS,
		.look_at_ns = -1,
	};

	for (unsigned i = 0; i < count; i++) {
		while (telling.timer_at_ns <= events[i].at_ns) {
			timer_ends(&telling);
		}
		telling.come = i + 1;
		told_at_ns[i] = NEVER_AT_NS;
		if (events[i].is_other) {
			other_comes(&telling, events[i].at_ns);
		} else if (!is_seen_anyway(&telling, events[i].at_ns)) {
			telling.waiting++;
			comes(&telling, events[i].at_ns);
		}
	}
	while (telling.waiting > 0 && telling.timer_at_ns != NEVER_AT_NS) {
		timer_ends(&telling);
	}
}
