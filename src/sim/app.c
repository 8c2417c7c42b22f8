/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applications: one task per end, that sleeps, receives, thinks and sends, and shares its CPU with ksoftirqd and, where both ends are one
 * host, with the other end's.
 *
 *   asleep -> WAKE -> message -> [THINK] -> SEND -> SEND_EXIT -> ... RECV while data is queued ... -> BLOCK -> asleep
 *
 * WAKE ends inside the receive call with the first message in hand. What comes in during BLOCK is found
 * before the task sleeps, and saves the wake-up.
 */
#include "sim/world_private.h"

/* A flood ping that got no reply sends again after 10 ms. */
#define PING_FLOOD_FALLBACK_NS (10 * NS_PER_MS)

bool app_sleeps_for_data(const struct end *end)
{
	return end->app.wait == APP_WAITS_DATA || end->app.wait == APP_WAITS_DATA_OR_TIMER;
}

/* ---- the task level of the CPU ---- */

static void run_step(struct world *world, struct end *end)
{
	if (end->host->shared) {
		turns_begin(world, end);
	}
	end->app.ready = false;
	end_begin_step(world, end, end->app_cpu, CPU_TASK, STEP_APP, CPU_APP_TIME, end->app.step_cost_ns);
}

static bool is_before(const struct app *app, const struct app *other)
{
	return app->yields != other->yields ? other->yields : app->ready_at_ns < other->ready_at_ns;
}

void app_put_aside(struct world *world, struct end *end)
{
	if (!end->app.ready) {
		cpu_withdraw(end->app_cpu, CPU_TASK);
	}
	end->app.ready = true;
	end->app.ready_at_ns = world->now_at_ns;
	end->app.yields = true;
}

/* The application that is next on this CPU, or NULL. */
static struct end *next_ready(struct world *world, const struct host *host, const struct cpu *cpu)
{
	struct end *next = NULL;

	for (unsigned e = host->index; e < host->index + host->ends; e++) {
		struct end *end = &world->end[e];

		if (end->app.ready && end->app_cpu == cpu && (!next || is_before(&end->app, &next->app))) {
			next = end;
		}
	}
	return next;
}

void app_pick_task(struct world *world, struct host *host, struct cpu *cpu)
{
	if (cpu_has(cpu, CPU_TASK)) {
		return;
	}
	const bool is_irq_cpu = cpu == world->end[host->index].irq_cpu;

	if (host->ksoftirqd_ready && is_irq_cpu && !host->net_rx_pending) {
		host->ksoftirqd_ready = false; /* an interrupt's softirq has done the work */
	}
	const bool ksoftirqd_can = host->ksoftirqd_ready && is_irq_cpu;
	struct end *next = next_ready(world, host, cpu);

	if (next && !(next->app.yields && ksoftirqd_can)) {
		host->slice_at_ns = world->now_at_ns;
		run_step(world, next);
	} else if (ksoftirqd_can) {
		if (next) {
			next->app.yields = false; /* its turn comes next */
		}
		softirq_run_ksoftirqd(world, host);
	}
}

/* Somebody else waits for the CPU that this application runs on. */
static bool others_wait(const struct world *world, const struct end *end)
{
	const struct end *other = &world->end[1 - end->index];
	const bool other_app = end->host->shared && other->app.ready && other->app_cpu == end->app_cpu;

	return other_app || (end->host->ksoftirqd_ready && end->app_cpu == end->irq_cpu);
}

void app_step_begin(struct world *world, struct end *end, enum app_step step, int64_t cost_ns)
{
	const struct host *host = end->host;
	const bool slice_over =
		end->app.wait == APP_RUNS && others_wait(world, end) &&
		(softirq_slice_is_over(world, host) || (step != APP_STEP_SEND_EXIT && turns_gives_way(world, end)));

	end->app.wait = APP_RUNS;
	end->app.step = step;
	end->app.step_cost_ns = cost_ns;
	end->app.yields = slice_over;
	if (cpu_has(end->app_cpu, CPU_TASK) || slice_over || (host->in_ksoftirqd && end->app_cpu == end->irq_cpu)) {
		end->app.ready = true;
		end->app.ready_at_ns = world->now_at_ns;
	} else {
		run_step(world, end);
	}
}

static int64_t recv_cost_ns(const struct profile *profile, uint64_t bytes)
{
	return profile->recv_ns + (int64_t)bytes * profile->recv_byte_ps / 1000;
}

static void wake(struct world *world, struct end *end)
{
	const struct profile *profile = end->profile;
	int64_t idle_exit_ns = 0;
	int64_t cost_ns = profile->wakeup_ns;

	if (end->app_cpu != end->irq_cpu) {
		cpu_entry_ns(end->app_cpu, profile, world->now_at_ns, &idle_exit_ns);
		cost_ns += profile->remote_wakeup_ns + idle_exit_ns;
	}
	if (frames_count(&end->socket) > 0) {
		cost_ns += recv_cost_ns(profile, frames_first(&end->socket)->payload);
	}
	if (end->host->shared) {
		turns_woken(world, end);
	}
	app_step_begin(world, end, APP_STEP_WAKE, cost_ns);
}

void app_data_ready(struct world *world, struct end *end)
{
	if (app_sleeps_for_data(end)) {
		world_set(world, end, SLOT_APP_TIMER, NEVER_AT_NS);
		end->timers_pending &= ~(1u << SLOT_APP_TIMER);
		wake(world, end);
		tcp_arm(world, end);
	}
}

static bool owns_socket_memory(const struct frame *frame)
{
	return frame->kind != FRAME_SEGMENT && frame->kind != FRAME_ACK && frame->kind != FRAME_ECHO_REPLY;
}

void app_space(struct world *world, struct end *end, const struct frame *completed)
{
	struct app *app = &end->app;
	bool space;

	if (end->ideal) {
		return;
	}
	if (app->role == APP_TCP_SENDER) {
		space = bulk_has_space(world, end);
	} else {
		if (owns_socket_memory(completed)) {
			app->wmem_bytes -= frame_truesize(completed);
		}
		/* The kernel wakes a writer when half of its buffer is free. */
		space = app->wmem_bytes * 2 <= end->profile->sndbuf_bytes;
	}
	if (app->wait == APP_WAITS_SPACE && space) {
		end->extra_cost_ns += end->profile->wake_ns;
		wake(world, end);
	}
}

/* ---- what the application does next ---- */

static void sleep_until(struct world *world, struct end *end, enum app_wait wait, int64_t at_ns)
{
	end->app.wait = wait;
	world_set(world, end, SLOT_APP_TIMER, at_ns);
}

static bool answers_waiting(const struct app *app)
{
	return app->answers_head != app->answers_tail;
}

static void answer_later(struct app *app, const struct frame *to)
{
	app->answers[app->answers_tail++ % (sizeof(app->answers) / sizeof(app->answers[0]))] = *to;
}

/* A client's request to begin an exchange of connection `flow`. */
static struct frame new_request(struct world *world, const struct end *end, uint8_t flow)
{
	const struct workload *workload = world->workload;
	enum frame_kind kind = FRAME_REQUEST;
	uint32_t payload = workload->size;

	if (world->config->script) {
		return script_request(world, end);
	}
	if (workload->kind == WORKLOAD_PING) {
		kind = FRAME_ECHO_REQUEST;
	} else if (workload->kind == WORKLOAD_FIELDBUS) {
		kind = FRAME_BUS;
	} else if (workload->kind == WORKLOAD_TFTP) {
		payload = TFTP_HEADER_BYTES;
	}
	return (struct frame){
		.sequence = end->app.sequence,
		.payload = payload,
		.frame_bytes = (uint16_t)workload_frame_bytes(workload->kind, payload),
		.kind = (uint8_t)kind,
		.flow = flow,
	};
}

static struct frame new_datagram(const struct world *world, const struct end *end)
{
	return (struct frame){
		.sequence = end->app.sequence,
		.payload = world->workload->size,
		.frame_bytes = (uint16_t)workload_frame_bytes(world->workload->kind, world->workload->size),
		.kind = FRAME_DATAGRAM,
	};
}

/* Identifiers of IP packets come from random numbers that the kernel renews when the jiffy has changed since it last used them. */
static int64_t ping_send_ns(const struct end *end, int64_t now_at_ns)
{
	const struct profile *profile = end->profile;
	const int64_t jiffy_ns = NS_PER_S / profile->hz;
	const bool is_new_jiffy = end->app.sent_at_ns < 0 || end->app.sent_at_ns / jiffy_ns != now_at_ns / jiffy_ns;

	return profile->ping_send_ns + (is_new_jiffy ? profile->ping_jiffy_ns : 0);
}

static void begin_send(struct world *world, struct end *end, const struct frame *frame)
{
	const struct profile *profile = end->profile;
	const int64_t cost_ns = profile->send_ns + frame->payload * profile->send_byte_ps / 1000 + profile->xmit_ns +
				end_cold_ns(end, end->app_cpu, world->now_at_ns) +
				(frame->kind == FRAME_ECHO_REQUEST ? ping_send_ns(end, world->now_at_ns) : 0);

	end->app.sending = *frame;
	end->app.sent_at_ns = world->now_at_ns;
	if (end->app.role != APP_SERVER) {
		end->app.sending.started_at_ns = world->now_at_ns; /* an answer keeps the start of its exchange */
	}
	app_step_begin(world, end, APP_STEP_SEND, cost_ns);
}

/* Begins the next send that is due. False when nothing is. */
static bool send_next(struct world *world, struct end *end)
{
	struct app *app = &end->app;
	struct frame frame;

	if (answers_waiting(app)) {
		const struct frame to =
			app->answers[app->answers_head % (sizeof(app->answers) / sizeof(app->answers[0]))];

		frame = app->role == APP_SERVER ? world_answer(world, &to) : new_request(world, end, to.flow);
		app->answers_head++;
	} else if (app->to_send > 0) {
		frame = app->role == APP_SOURCE ? new_datagram(world, end) : new_request(world, end, 0);
		if (app->role == APP_SOURCE && app->wmem_bytes + frame_truesize(&frame) > end->profile->sndbuf_bytes &&
		    app->wmem_bytes > 0) {
			app->wait = APP_WAITS_SPACE;
			return true;
		}
		app->to_send--;
	} else {
		return false;
	}
	app->sequence++;
	begin_send(world, end, &frame);
	return true;
}

static int64_t next_datagram_at(const struct world *world, struct end *end)
{
	const int64_t at_ns = workload_schedule_next(&end->schedule);

	return at_ns < world->sources_end_at_ns ? at_ns : NEVER_AT_NS;
}

/* Datagrams whose instant has come are due; the next instant is kept. */
static void source_due(struct world *world, struct end *end)
{
	struct app *app = &end->app;

	while (app->next_send_at_ns <= world->now_at_ns && app->to_send < 65536) {
		app->to_send++;
		app->next_send_at_ns = next_datagram_at(world, end);
		if (world->workload->rate_per_s == 0 && world->workload->pattern != WORKLOAD_BURST) {
			return; /* as fast as the wire takes them: one at a time, the send buffer paces */
		}
	}
}

static int64_t sink_thinks_ns(const struct end *end)
{
	return end->app.role == APP_SINK ? end->profile->think_ns : 0;
}

static void receive_or_block(struct world *world, struct end *end)
{
	const struct profile *profile = end->profile;
	struct app *app = &end->app;

	if (app->role == APP_TCP_RECEIVER && end->receiver.queued > 0) {
		app->received_bytes = (uint64_t)end->receiver.queued * world->workload->mss;
		app_step_begin(world, end, APP_STEP_RECV, recv_cost_ns(profile, app->received_bytes));
	} else if (frames_count(&end->socket) > 0) {
		app_step_begin(world, end, APP_STEP_RECV,
			       sink_thinks_ns(end) + recv_cost_ns(profile, frames_first(&end->socket)->payload));
	} else {
		app_step_begin(world, end, APP_STEP_BLOCK, sink_thinks_ns(end) + profile->block_ns);
	}
}

static void app_next(struct world *world, struct end *end)
{
	struct app *app = &end->app;

	switch (app->role) {
	case APP_SOURCE:
		source_due(world, end);
		if (!send_next(world, end)) {
			app_step_begin(world, end, APP_STEP_BLOCK, end->profile->block_ns);
		}
		break;
	case APP_TCP_SENDER:
		bulk_write(world, end);
		break;
	default:
		if (!send_next(world, end)) {
			receive_or_block(world, end);
		}
		break;
	}
}

/* ---- messages ---- */

/* A client whose next request waits for its instant, not for the answer. */
static bool asks_by_clock(const struct world *world)
{
	return world->workload->kind == WORKLOAD_FIELDBUS ||
	       (world->workload->kind == WORKLOAD_RR && world->workload->interval_ns > 0);
}

static void exchange_done(struct world *world, struct end *end, const struct frame *message)
{
	struct app *app = &end->app;

	if (world->workload->kind == WORKLOAD_TFTP) {
		app->bytes_done += message->payload - TFTP_HEADER_BYTES;
		if (is_board(end)) {
			world_record(world, end, RUN_RTT, world->now_at_ns - message->started_at_ns);
		}
		findings(world)->app_bytes += message->payload - TFTP_HEADER_BYTES;
		if (world->workload->total_bytes && app->bytes_done >= world->workload->total_bytes) {
			world->finished = true;
			return;
		}
	} else {
		world_record(world, end, RUN_RTT, world->now_at_ns - message->started_at_ns);
		findings(world)->app_bytes += message->payload;
	}
	if (!asks_by_clock(world)) {
		answer_later(app, message);
	}
}

static void ping_reply(struct world *world, struct end *end, const struct frame *message)
{
	struct app *app = &end->app;

	if (message->sequence + 1 == app->sequence && world->workload->interval_ns == 0) {
		app->to_send = 1;
		app->next_send_at_ns = NEVER_AT_NS;
	}
}

static void message_received(struct world *world, struct end *end, const struct frame *message)
{
	if (is_board(end)) {
		world_record(world, end, RUN_POLL_TO_APP, world->now_at_ns - message->taken_at_ns);
	}
	switch (end->app.role) {
	case APP_PING:
		ping_reply(world, end, message);
		break;
	case APP_CLIENT:
		exchange_done(world, end, message);
		break;
	case APP_SERVER:
		if (world->workload->kind == WORKLOAD_TFTP && is_board(end) && end->app.sent_at_ns >= 0) {
			world_record(world, end, RUN_RTT, world->now_at_ns - end->app.sent_at_ns);
		}
		answer_later(&end->app, message);
		break;
	default:
		world_record(world, end, RUN_ONE_WAY, world->now_at_ns - message->nic_at_ns);
		if (!other_end(world, end)->ideal) {
			histogram_record(&findings(world)->latency[RUN_SEND_TO_RECV],
					 world->now_at_ns - message->started_at_ns);
		}
		findings(world)->app_bytes += message->payload;
		break;
	}
}

/* Takes what the receive call returns. False when there is nothing: the task was woken for something else. */
static bool take_message(struct world *world, struct end *end)
{
	if (end->app.role == APP_TCP_RECEIVER) {
		return false;
	}
	if (frames_count(&end->socket) == 0) {
		return false;
	}
	const struct frame message = frames_pop(&end->socket);

	end->socket_bytes -= frame_truesize(&message);
	message_received(world, end, &message);
	return true;
}

static void after_message(struct world *world, struct end *end)
{
	const struct profile *profile = end->profile;
	int64_t think_ns = profile->think_ns;

	if (end->app.role == APP_PING) {
		think_ns = profile->ping_ns + world->workload->size * profile->ping_byte_ps / 1000 +
			   (world->workload->interval_ns > 0 ? profile->ping_line_ns : 0);
	}
	if (end->app.role == APP_CLIENT && world->workload->kind == WORKLOAD_TFTP) {
		think_ns += profile->tftp_ns; /* who gets a block writes it to the file first ... */
	}
	/* A sink thinks as part of its next call: one step less for each datagram. */
	if (think_ns > 0 && end->app.role != APP_SINK) {
		app_step_begin(world, end, APP_STEP_THINK, think_ns);
	} else {
		app_next(world, end);
	}
}

/* ---- timers ---- */

/* Requests that the clock asks for: ping, rr with an interval, and fieldbus. */
static void clock_due(struct world *world, struct end *end)
{
	struct app *app = &end->app;

	if (app->next_send_at_ns > world->now_at_ns) {
		return;
	}
	app->to_send = 1;
	if (world->config->script) {
		app->next_send_at_ns = script_next_at_ns(world, app->sequence + 1);
		return;
	}
	app->next_send_at_ns = world->workload->interval_ns ? app->next_send_at_ns + world->workload->interval_ns
							    : NEVER_AT_NS;
	if (app->next_send_at_ns < world->now_at_ns) {
		app->next_send_at_ns = world->now_at_ns; /* behind: no storm to catch up */
	}
}

void app_timer(struct world *world, struct end *end)
{
	if (end->app.role == APP_TCP_SENDER || end->app.role == APP_TCP_RECEIVER) {
		tcp_timer(world, end);
	} else if (end->app.wait == APP_WAITS_TIMER || end->app.wait == APP_WAITS_DATA_OR_TIMER) {
		wake(world, end);
	}
}

/* ---- steps ---- */

static void woken(struct world *world, struct end *end)
{
	if (end->app.role == APP_PING || (end->app.role == APP_CLIENT && asks_by_clock(world))) {
		clock_due(world, end);
	}
	if (take_message(world, end)) {
		after_message(world, end);
	} else {
		app_next(world, end);
	}
}

static void sent(struct world *world, struct end *end)
{
	struct app *app = &end->app;

	app->wmem_bytes += frame_truesize(&app->sending);
	if (app->role == APP_PING && world->workload->interval_ns == 0) {
		app->next_send_at_ns = world->now_at_ns + PING_FLOOD_FALLBACK_NS;
	}
	nic_xmit(world, end, &app->sending);
	/* ... who has sent one reads the next. */
	const bool reads_ahead = app->role == APP_SERVER && world->workload->kind == WORKLOAD_TFTP;

	app_step_begin(world, end, APP_STEP_SEND_EXIT,
		       end->profile->send_exit_ns + (reads_ahead ? end->profile->tftp_ns : 0));
}

/* About to sleep: what has come meanwhile is found now. */
static void blocked(struct world *world, struct end *end)
{
	struct app *app = &end->app;
	const bool has_clock = app->next_send_at_ns != NEVER_AT_NS;

	if (app->role == APP_SOURCE) {
		source_due(world, end);
	} else if (has_clock && app->role != APP_TCP_RECEIVER) {
		clock_due(world, end);
	}
	if (app->to_send > 0 || frames_count(&end->socket) > 0 || end->receiver.queued > 0) {
		app_next(world, end);
	} else if (app->role == APP_SOURCE) {
		sleep_until(world, end, APP_WAITS_TIMER, app->next_send_at_ns);
	} else if (has_clock && app->role != APP_TCP_RECEIVER) {
		sleep_until(world, end, APP_WAITS_DATA_OR_TIMER, app->next_send_at_ns);
	} else {
		app->wait = APP_WAITS_DATA;
	}
	/* Asleep: who wakes it now pays for a wake-up, but the CPU is not free before the switch is done. */
	if (app->wait != APP_RUNS && !cpu_has(end->app_cpu, CPU_TASK)) {
		if (end->host->shared) {
			turns_end(world, end);
		}
		end_begin_step(world, end, end->app_cpu, CPU_TASK, STEP_SWITCH, CPU_APP_TIME, end->profile->switch_ns);
	}
}

void app_step_done(struct world *world, struct end *end)
{
	const enum app_step step = end->app.step;

	end->app.step = APP_STEP_NONE;
	switch (step) {
	case APP_STEP_WAKE:
		woken(world, end);
		break;
	case APP_STEP_RECV:
		if (end->app.role == APP_TCP_RECEIVER) {
			bulk_read_done(world, end);
			app_next(world, end);
		} else if (take_message(world, end)) {
			after_message(world, end);
		} else {
			app_next(world, end);
		}
		break;
	case APP_STEP_SEND:
		if (end->app.role == APP_TCP_SENDER) {
			bulk_written(world, end);
		} else {
			sent(world, end);
		}
		break;
	case APP_STEP_SEGMENTS:
		bulk_segments_sent(world, end);
		break;
	case APP_STEP_BLOCK:
		blocked(world, end);
		break;
	default:
		app_next(world, end);
		break;
	}
	end_resume(world, end, end->app_cpu, CPU_TASK);
}

void app_start(struct world *world, struct end *end)
{
	struct app *app = &end->app;

	app->sent_at_ns = -1;
	app->next_send_at_ns = NEVER_AT_NS;
	switch (app->role) {
	case APP_PING:
		if (world->config->script) {
			script_begin(world);
			app->next_send_at_ns = script_next_at_ns(world, 0);
			break;
		}
		app->to_send = 1;
		if (world->workload->interval_ns > 0) {
			app->next_send_at_ns = world->now_at_ns + world->workload->interval_ns;
		}
		break;
	case APP_CLIENT:
		if (asks_by_clock(world)) {
			app->to_send = 1;
			app->next_send_at_ns = world->now_at_ns + world->workload->interval_ns;
			break;
		}
		for (uint32_t i = 0; i < (world->workload->kind == WORKLOAD_RR ? world->workload->connections : 1);
		     i++) {
			answer_later(app, &(struct frame){ .flow = (uint8_t)i });
		}
		break;
	case APP_SOURCE:
		app->next_send_at_ns = next_datagram_at(world, end);
		break;
	default:
		break;
	}
	app_next(world, end);
}
