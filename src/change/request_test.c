/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests in words: scopes, and what is refused. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "change/request.h"
#include "tap.h"

static struct change_set set;
static struct err err;

static int parse(const char *text)
{
	static char copy[512];
	const char *words[64];
	unsigned count = 0;
	char *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		words[count++] = word;
	}
	err.text[0] = '\0';
	return change_set_parse(&set, words, count, &err);
}

static void check_scopes(void)
{
	tap_is(parse("rx-usecs 100 queue 0-2,5 rx-usecs 7 tx-usecs 8 napi 12 defer-hard-irqs 2 gro-flush-timeout 20us "
		     "queue 1 rx-frames 4"),
	       0, "device, queues, an instance, a queue again");
	tap_is(set.device.present, COALESCE_BIT(COALESCE_RX_USECS),
	       "the device has what stands before the first scope");
	tap_is(set.queue_count, 4, "0-2,5 are four queues");
	tap_is(set.queues[3].queue, 5, "the last of them is 5");
	tap_is(change_set_queue_settings(&set, 1)->value[COALESCE_RX_FRAMES], 4,
	       "a queue that comes again gets more settings");
	tap_is(change_set_queue_settings(&set, 1)->value[COALESCE_TX_USECS], 8, "and keeps the earlier ones");
	tap_ok(!coalesce_has(change_set_queue_settings(&set, 0), COALESCE_RX_FRAMES),
	       "the other queues don't get them");
	tap_is(set.napi_count, 1, "one instance");
	tap_is((int64_t)set.napis[0].gro_flush_timeout_ns, 20000, "a time may have a unit");
	tap_is(parse("napi 0 gro-flush-timeout 20000 threaded on"), 0, "or be a bare number of ns");
	tap_is((int64_t)set.napis[0].gro_flush_timeout_ns, 20000, "which is taken as it is");
	tap_is(set.napis[0].threaded, 1, "threaded on");
	tap_is(parse(""), 0, "no words ask for nothing");
	tap_ok(change_set_is_empty(&set), "and the set is empty");
}

static void check_refusals(void)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "rx-usec 1", "did you mean rx-usecs" },
		{ "adpative-rx on", "did you mean adaptive-rx" },
		{ "rx-usecs", "lacks its value" },
		{ "rx-usecs 1 rx-usecs 2", "given twice" },
		{ "queue", "lacks its list" },
		{ "queue 1", "followed by no setting" },
		{ "queue 1 queue 2 rx-usecs 1", "followed by no setting" },
		{ "queue 3-1 rx-usecs 1", "0-3,5" },
		{ "queue 1,1 rx-usecs 1", "twice" },
		{ "queue 0-3 rx-usecs 1 queue 3 rx-usecs 2", "queue 3 is given twice" },
		{ "queue a rx-usecs 1", "0-3,5" },
		{ "queue 1, rx-usecs 1", "0-3,5" },
		{ "queue 99999999999 rx-usecs 1", "queues up to 255 can be named" },
		{ "queue 0-99 rx-usecs 1", "at most 64" },
		{ "napi x defer-hard-irqs 1", "napi" },
		{ "napi 1 rx-usecs 1", "not of a NAPI instance" },
		{ "napi 1 defer-hard-irq 1", "did you mean defer-hard-irqs" },
		{ "napi 1 defer-hard-irqs 1 napi 1 defer-hard-irqs 2", "given twice" },
		{ "napi 1 gro-flush-timeout 20parsecs", "gro-flush-timeout" },
		{ "napi 1 threaded maybe", "neither on nor off" },
		{ "defer-hard-irqs 1", "napi ID" },
	};

	parse("rx-usecs 5");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		tap_is(parse(wrong[i].text), -EINVAL, "\"%s\" is refused", wrong[i].text);
		tap_ok(strstr(err.text, wrong[i].part) != NULL, "and \"%s\" says why: %s", wrong[i].text, err.text);
	}
	tap_is(set.device.value[COALESCE_RX_USECS], 5, "a refused request leaves the set alone");
}

static void check_napi_text(void)
{
	struct nic_napi napi = { .id = 3,
				 .present = NIC_NAPI_IRQ | NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT,
				 .irq = 4,
				 .defer_hard_irqs = 7,
				 .gro_flush_timeout_ns = UINT64_MAX };
	char text[CHANGE_NAPI_TEXT_MAX];
	struct nic_napi again = { .id = 3 };

	tap_is_text(change_napi_print(&napi, text), "defer-hard-irqs 7 gro-flush-timeout 18446744073709551615",
		    "what can be set is printed");
	tap_is(change_napi_parse_text(&again, text, &err), 0, "and read again");
	tap_is(change_napi_difference(&napi, &again), 0, "as it was");
	again.defer_hard_irqs = 8;
	tap_is(change_napi_difference(&napi, &again), NIC_NAPI_DEFER_HARD_IRQS, "a difference is seen");
}

int main(void)
{
	check_scopes();
	check_refusals();
	check_napi_text();
	return tap_done();
}
