/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/script.h"

#include "sim/world_private.h"

static struct script_frame *frame_of(const struct world *world, const struct end *end, uint32_t sequence)
{
	const struct script *const script = world->config->script;

	return script && is_board(end) && sequence < script->count ? &script->frames[sequence] : NULL;
}

void script_begin(struct world *world)
{
	const struct script *const script = world->config->script;

	world->script_since_at_ns = world->now_at_ns;
	for (unsigned i = 0; i < script->count; i++) {
		script->frames[i].sent_at_ns = script->frames[i].rtt_ns = script->frames[i].drain_ns = -1;
	}
}

int64_t script_next_at_ns(const struct world *world, uint32_t sequence)
{
	const struct script *const script = world->config->script;

	return sequence < script->count ? world->script_since_at_ns + script->frames[sequence].send_at_ns : NEVER_AT_NS;
}

struct frame script_request(struct world *world, const struct end *end)
{
	struct script_frame *const of = frame_of(world, end, end->app.sequence);

	of->sent_at_ns = world->now_at_ns - world->script_since_at_ns;
	return (struct frame){
		.sequence = end->app.sequence,
		.payload = of->payload,
		.frame_bytes = (uint16_t)workload_frame_bytes(WORKLOAD_PING, of->payload),
		.kind = of->is_answered ? FRAME_ECHO_REQUEST : FRAME_ECHO_REPLY,
	};
}

void script_answered(const struct world *world, const struct end *end, const struct frame *answer)
{
	struct script_frame *const of = frame_of(world, end, answer->sequence);

	if (of) {
		of->rtt_ns = end->list_stamp_at_ns - answer->started_at_ns;
	}
}

void script_completed(const struct world *world, const struct end *end, const struct frame *frame)
{
	struct script_frame *const of = frame_of(world, end, frame->sequence);

	if (of) {
		of->drain_ns = world->now_at_ns - frame->started_at_ns;
	}
}
