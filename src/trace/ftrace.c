/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/ftrace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX 1024
#define DIGITS_MAX 18 /* of a number of seconds or of ns that fits 63 bits */

enum { NET_RX = 3 };

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static const char *skip_spaces(const char *text)
{
	while (*text == ' ' || *text == '\t') {
		text++;
	}
	return text;
}

/* ---- fields of an event ---- */

/* What follows "key=", where key begins a word; NULL when it is not there. */
static const char *field(const char *text, const char *key)
{
	const size_t length = strlen(key);

	for (const char *place = strstr(text, key); place; place = strstr(place + 1, key)) {
		if ((place == text || place[-1] == ' ') && place[length] == '=') {
			return place + length + 1;
		}
	}
	return NULL;
}

static bool read_number(const char *text, int32_t *value)
{
	char *end;

	if (!text || (!is_digit(*text) && *text != '-')) {
		return false;
	}
	const long number = strtol(text, &end, 10);

	*value = (int32_t)number;
	return end != text && number >= INT32_MIN && number <= INT32_MAX;
}

static bool read_number_field(const char *text, const char *key, int32_t *value)
{
	return read_number(field(text, key), value);
}

/* Addresses are hexadecimal, with 0x or without. */
static bool read_skb(const char *text, uint64_t *skb)
{
	char *end;

	if (!text || *text == '-' || *text == '+' || *text == ' ') {
		return false;
	}
	*skb = strtoull(text, &end, 16);
	return end != text && *skb != 0;
}

/* A word, at most. */
static void copy_word(char *to, size_t size, const char *from)
{
	size_t length = 0;

	while (from && from[length] && from[length] != ' ' && length + 1 < size) {
		to[length] = from[length];
		length++;
	}
	to[length] = '\0';
}

/* ---- each event ---- */

static void copy_exchange(const char *text, struct path_event *event)
{
	char *end;
	const unsigned long exchange = text && is_digit(*text) ? strtoul(text, &end, 10) : 0;

	event->exchange = exchange <= UINT32_MAX ? (uint32_t)exchange : 0;
}

static bool read_packet(const char *text, struct path_event *event)
{
	int32_t bytes = 0, is_echo;

	copy_word(event->device, sizeof(event->device), field(text, "dev"));
	/* The kernel's text does not tell the protocol, that of holdoff trace --events does. */
	event->flags = read_number_field(text, "echo", &is_echo) && !is_echo ? 0 : PATH_MAY_BE;
	if (read_number_field(text, "len", &bytes) && bytes > 0) {
		event->bytes = (uint32_t)bytes;
	}
	copy_exchange(field(text, "exchange"), event);
	if (event->kind == PATH_EVENT_XMIT_DONE && !read_number_field(text, "rc", &event->value)) {
		return false;
	}
	return event->device[0] && read_skb(field(text, "skbaddr"), &event->skb);
}

static bool read_address(const char *text, struct path_event *event)
{
	return read_skb(field(text, "skbaddr"), &event->skb);
}

static bool read_irq(const char *text, struct path_event *event)
{
	const char *const name = field(text, "name");

	if (event->kind == PATH_EVENT_IRQ) {
		snprintf(event->device, sizeof(event->device), "%s", name && *name ? name : "?");
	}
	const char *const answer = field(text, "ret");

	event->flags = answer && strncmp(answer, "unhandled", strlen("unhandled")) == 0 ? PATH_NOT_HANDLED : 0;
	return read_number_field(text, "irq", &event->value) && event->value >= 0;
}

static bool read_softirq(const char *text, struct path_event *event)
{
	return read_number_field(text, "vec", &event->value);
}

/* "napi poll on napi struct ADDRESS for device NAME work 1 budget 64" */
static bool read_poll(const char *text, struct path_event *event)
{
	static const char *const words[] = { " for device ", " work ", " budget " };
	const char *const device = strstr(text, words[0]), *const work = strstr(text, words[1]),
			  *const budget = strstr(text, words[2]);

	copy_word(event->device, sizeof(event->device), device ? device + strlen(words[0]) : NULL);
	/* Before Linux 4.9 there is neither. */
	if (work && budget) {
		return event->device[0] && read_number(work + strlen(words[1]), &event->value) &&
		       read_number(budget + strlen(words[2]), &event->budget);
	}
	event->budget = 1;
	return event->device[0] != '\0';
}

/* trace-cmd writes "NAME:PID [PRIORITY]" where the kernel has pid=PID; of the last such pair before end. */
static bool read_short_pid(const char *text, const char *end, int32_t *pid)
{
	const char *bracket = NULL;

	for (const char *place = text; place < end; place++) {
		bracket = *place == '[' ? place : bracket;
	}
	if (!bracket || bracket == text || bracket[-1] != ' ') {
		return false;
	}
	const char *digits = bracket - 1;

	while (digits > text && is_digit(digits[-1])) {
		digits--;
	}
	return digits > text && digits[-1] == ':' && read_number(digits, pid);
}

static bool read_waking(const char *text, struct path_event *event)
{
	return read_number_field(text, "pid", &event->value) ||
	       read_short_pid(text, text + strlen(text), &event->value);
}

static bool read_switch(const char *text, struct path_event *event)
{
	const char *const next = strstr(text, "==> ");

	return read_number_field(text, "next_pid", &event->value) ||
	       (next && read_short_pid(next, next + strlen(next), &event->value));
}

static const struct {
	const char *name;
	enum path_kind kind;
	bool (*read)(const char *text, struct path_event *event);
} events[] = {
	{ "net_dev_queue", PATH_EVENT_QUEUE, read_packet },
	{ "net_dev_start_xmit", PATH_EVENT_XMIT, read_packet },
	{ "net_dev_xmit", PATH_EVENT_XMIT_DONE, read_packet },
	{ "netif_receive_skb", PATH_EVENT_RECEIVE, read_packet },
	{ "consume_skb", PATH_EVENT_FREE, read_address },
	{ "kfree_skb", PATH_EVENT_FREE, read_address },
	{ "skb_copy_datagram_iovec", PATH_EVENT_COPY, read_address },
	{ "irq_handler_entry", PATH_EVENT_IRQ, read_irq },
	{ "irq_handler_exit", PATH_EVENT_IRQ_DONE, read_irq },
	{ "softirq_raise", PATH_EVENT_RAISE, read_softirq },
	{ "softirq_entry", PATH_EVENT_SOFTIRQ, read_softirq },
	{ "softirq_exit", PATH_EVENT_SOFTIRQ_DONE, read_softirq },
	{ "napi_poll", PATH_EVENT_POLL, read_poll },
	{ "sched_waking", PATH_EVENT_WAKE, read_waking },
	{ "sched_switch", PATH_EVENT_RUN, read_switch },
};

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool read_by_hand(const char *function, const char *text, struct path_event *event)
{
	static const struct {
		const char *words;
		enum path_kind kind;
	} marks[] = {
		{ "START skb: ", PATH_EVENT_XMIT },
		{ "DONE skb: ", PATH_EVENT_XMIT_DONE },
		{ "TX DONE skb: ", PATH_EVENT_COMPLETION },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const size_t length = strlen(marks[i].words);

		if (strncmp(text, marks[i].words, length) == 0) {
			event->kind = marks[i].kind;
			return read_skb(text + length, &event->skb);
		}
	}
	if (!ends_in(function, "_interrupt")) {
		return false;
	}
	if (*text == '\0') {
		event->kind = PATH_EVENT_IRQ;
		return true;
	}
	event->kind = PATH_EVENT_RAISE;
	event->value = NET_RX;
	return strcmp(text, "scheduling napi") == 0;
}

/* name without the subsystem that perf puts before it. */
static enum ftrace_line read_event(const char *name, const char *text, struct path_event *event,
				   struct ftrace_facts *facts)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(name, events[i].name) == 0) {
			event->kind = events[i].kind;
			return events[i].read(text, event) ? FTRACE_EVENT : FTRACE_OTHER;
		}
	}
	if (!read_by_hand(name, text, event)) {
		return FTRACE_OTHER;
	}
	facts->by_hand = true;
	return FTRACE_EVENT;
}

/* ---- what stands before the event ---- */

/* "217.340689:"; returns what follows, or NULL. */
static const char *read_time(const char *text, int64_t *at_ns, int64_t *resolution_ns)
{
	int64_t seconds = 0, fraction = 0;
	unsigned digits = 0;

	for (digits = 0; is_digit(*text); text++, digits++) {
		if (digits >= DIGITS_MAX - 9) {
			return NULL;
		}
		seconds = seconds * 10 + (*text - '0');
	}
	if (digits == 0 || *text++ != '.') {
		return NULL;
	}
	for (digits = 0; is_digit(*text) && digits < 9; text++, digits++) {
		fraction = fraction * 10 + (*text - '0');
	}
	if (digits == 0 || *text != ':') {
		return NULL;
	}
	for (*resolution_ns = 1; digits < 9; digits++) {
		*resolution_ns *= 10;
	}
	*at_ns = seconds * 1000000000 + fraction * *resolution_ns;
	return text + 1;
}

/* "[003]" to its number; returns what follows, or NULL. */
static const char *read_cpu(const char *text, uint32_t *cpu)
{
	unsigned digits;

	*cpu = 0;
	for (text++, digits = 0; is_digit(*text) && digits < 5; text++, digits++) {
		*cpu = *cpu * 10 + (uint32_t)(*text - '0');
	}
	return digits && *text == ']' ? text + 1 : NULL;
}

/* The digits before: "tst-104 ", "ping 104 ", "tst-104 (90) ". 0: there are none. */
static uint32_t pid_before(const char *line, const char *place)
{
	while (place > line && place[-1] == ' ') {
		place--;
	}
	if (place > line && place[-1] == ')') {
		while (place > line && *place != '(') {
			place--;
		}
		while (place > line && place[-1] == ' ') {
			place--;
		}
	}
	while (place > line && is_digit(place[-1])) {
		place--;
	}
	return (uint32_t)strtoul(place, NULL, 10);
}

/* Of what follows the CPU: flags or not, then the time. */
static const char *find_time(const char *text, int64_t *at_ns, int64_t *resolution_ns)
{
	for (unsigned words = 0; words < 3; words++) {
		text = skip_spaces(text);
		const char *const rest = read_time(text, at_ns, resolution_ns);

		if (rest) {
			return rest;
		}
		while (*text && *text != ' ') {
			text++;
		}
	}
	return NULL;
}

/* "CPU:3 [LOST 12 EVENTS]" of ftrace, "CPU:3 [12 EVENTS DROPPED]" of trace-cmd. */
static bool read_lost(const char *line, struct path_event *event, struct ftrace_facts *facts)
{
	const char *const text = skip_spaces(line);

	if (strncmp(text, "CPU:", 4) != 0 || !is_digit(text[4]) ||
	    (!strstr(text, "LOST") && !strstr(text, "DROPPED"))) {
		return false;
	}
	const char *number = strchr(text, '[');

	event->cpu = (uint32_t)strtoul(text + 4, NULL, 10);
	while (number && *number && !is_digit(*number)) {
		number++;
	}
	facts->lost += number && *number ? strtoul(number, NULL, 10) : 1;
	return true;
}

/* Where an event begins: its CPU, thread and time. Returns the name of the event, or NULL. */
static char *read_front(char *line, struct path_event *event, int64_t *resolution_ns)
{
	for (char *bracket = strchr(line, '['); bracket; bracket = strchr(bracket + 1, '[')) {
		const char *const rest = read_cpu(bracket, &event->cpu);
		const char *const name = rest ? find_time(rest, &event->at_ns, resolution_ns) : NULL;

		if (name) {
			event->pid = pid_before(line, bracket);
			return line + (skip_spaces(name) - line);
		}
	}
	return NULL;
}

enum ftrace_line ftrace_read(const char *line, size_t length, struct path_event *event, struct ftrace_facts *facts)
{
	char copy[LINE_MAX];
	int64_t resolution_ns = 0;

	memset(event, 0, sizeof(*event));
	if (length >= sizeof(copy)) {
		length = sizeof(copy) - 1;
	}
	memcpy(copy, line, length);
	copy[length] = '\0';
	for (size_t end = strlen(copy); end && (copy[end - 1] == ' ' || copy[end - 1] == '\r' || copy[end - 1] == '\n');
	     end--) {
		copy[end - 1] = '\0';
	}
	if (read_lost(copy, event, facts)) {
		return FTRACE_LOST;
	}
	char *name = read_front(copy, event, &resolution_ns);
	/* perf: "net:net_dev_queue: dev=..." */
	char *end = name ? strchr(name, ':') : NULL;

	if (end && end[1] != ' ' && end[1] != '\0' && strchr(end + 1, ':')) {
		name = end + 1;
		end = strchr(name, ':');
	}
	if (!end) {
		return FTRACE_OTHER;
	}
	*end = '\0';
	const enum ftrace_line answer = read_event(name, skip_spaces(end + 1), event, facts);

	/* The coarsest: a fraction is never shorter than what its clock tells. */
	if (answer == FTRACE_EVENT && resolution_ns > facts->resolution_ns) {
		facts->resolution_ns = resolution_ns;
	}
	return answer;
}
