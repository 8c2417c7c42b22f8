/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NAPI instances as kernels from 5.10 to 6.18 tell them. The interface is lo: its own files in /sys are read,
 * never written.
 */
#include "nic/napi.c"

#include "nic/nic_testing.h"

#define DEVICE_KNOBS ((uint32_t)(NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT))

static unsigned list(struct nic *nic, struct nic_napi *napis, unsigned max)
{
	struct err err = { "" };
	unsigned count = 99;

	tap_is(nic_napi_list(nic, napis, max, &count, &err), 0, "listed%s%s", err.text[0] ? ": " : "", err.text);
	return count;
}

/* What of an instance is known since when. */
static void test_kernels(void)
{
	static const struct {
		const char *kernel;
		unsigned count;
		uint32_t present;
	} rows[] = {
		{ "5.10.0", 1, 0 },
		{ "6.1.0", 1, 0 },
		{ "6.8.0", 4, NIC_NAPI_IRQ },
		{ "6.12.0", 4, NIC_NAPI_IRQ },
		{ "6.13.0", 3,
		  NIC_NAPI_IRQ | NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT | NIC_NAPI_IRQ_SUSPEND_TIMEOUT },
		{ "6.18.0", 3,
		  NIC_NAPI_IRQ | NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT | NIC_NAPI_IRQ_SUSPEND_TIMEOUT |
			  NIC_NAPI_THREADED },
	};
	struct nic_napi napis[NIC_NAPIS_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char options[64];

		snprintf(options, sizeof(options), "--napis 3 --kernel %s", rows[i].kernel);
		struct testing_peer peer = testing_begin(options);
		struct nic nic = testing_nic();
		const unsigned count = list(&nic, napis, NIC_NAPIS_MAX);

		tap_is(count, rows[i].count, "%s: rows", rows[i].kernel);
		if (rows[i].count > 1) {
			tap_is(napis[count - 1].id, 8195,
			       "%s: in order of id, though the kernel begins with the newest", rows[i].kernel);
			tap_is(napis[count - 1].present, rows[i].present, "%s: what is known of one", rows[i].kernel);
			tap_is(napis[count - 1].irq, 52, "%s: its interrupt", rows[i].kernel);
		}
		if (rows[i].count != 3) {
			tap_is(napis[0].id, 0, "%s: the device's own knobs come first", rows[i].kernel);
			tap_is(napis[0].present & DEVICE_KNOBS, DEVICE_KNOBS, "%s: from /sys", rows[i].kernel);
		}
		nic_close(&nic);
		testing_end(&peer);
	}
}

static void test_set(void)
{
	struct testing_peer peer = testing_begin("--napis 2");
	struct nic nic = testing_nic();
	struct nic_napi napis[NIC_NAPIS_MAX],
		change = { .id = 8194,
			   .present = NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT,
			   .defer_hard_irqs = 10,
			   .gro_flush_timeout_ns = UINT64_C(5000000000) };
	struct err err = { "" };

	tap_is(nic_napi_set(&nic, &change, &err), 0, "two settings of an instance");
	change = (struct nic_napi){
		.id = 8194, .present = NIC_NAPI_IRQ_SUSPEND_TIMEOUT, .irq_suspend_timeout_ns = 7, .defer_hard_irqs = 3
	};
	tap_is(nic_napi_set(&nic, &change, &err), 0, "another one of it");
	list(&nic, napis, NIC_NAPIS_MAX);
	tap_is(napis[1].defer_hard_irqs, 10, "only what is given is sent");
	tap_is((int64_t)napis[1].gro_flush_timeout_ns, 5000000000, "times above four bytes");
	tap_is((int64_t)napis[1].irq_suspend_timeout_ns, 7, "times of four bytes");
	tap_is(napis[0].defer_hard_irqs, 0, "the other instance keeps its own");
	change = (struct nic_napi){ .id = 1, .present = NIC_NAPI_THREADED, .threaded = 1 };
	tap_is(nic_napi_set(&nic, &change, &err), -ENOENT, "no such instance: %s", err.text);
	change = (struct nic_napi){ .id = 8193, .present = NIC_NAPI_DEFER_HARD_IRQS, .defer_hard_irqs = 0x80000000u };
	tap_is(nic_napi_set(&nic, &change, &err), -ERANGE, "out of range");
	tap_is_text(err.text, "lo: NAPI 8193: the kernel says: integer out of range (ERANGE)", "in the kernel's words");
	change.present = NIC_NAPI_IRQ;
	tap_is(nic_napi_set(&nic, &change, &err), -EINVAL, "an interrupt cannot be set");
	change = (struct nic_napi){ .id = 0, .present = NIC_NAPI_IRQ_SUSPEND_TIMEOUT };
	tap_is(nic_napi_set(&nic, &change, &err), -EOPNOTSUPP, "not of the device: %s", err.text);
	change.present = 0;
	tap_is(nic_napi_set(&nic, &change, &err), 0, "nothing is nothing");
	nic_close(&nic);
	testing_end(&peer);
}

static void test_set_on_older(const char *kernel)
{
	char options[64];

	snprintf(options, sizeof(options), "--kernel %s", kernel);
	struct testing_peer peer = testing_begin(options);
	struct nic nic = testing_nic();
	const struct nic_napi change = { .id = 8193, .present = NIC_NAPI_DEFER_HARD_IRQS, .defer_hard_irqs = 1 };
	struct err err = { "" };

	tap_is(nic_napi_set(&nic, &change, &err), -EOPNOTSUPP, "%s: %s", kernel, err.text);
	nic_close(&nic);
	testing_end(&peer);
}

static void test_shapes(void)
{
	static const struct {
		const char *kind;
		int ret;
	} rows[] = {
		{ "unknown", 0 },
		{ "interrupted@1", 0 },
		{ "interrupted", 0 },
		{ "packed", 0 },
		{ "stale", 0 },
		{ "truncated", -EBADMSG },
		{ "cut-attribute", -EBADMSG },
		{ "overrun@1", 0 },
		{ "hang-up", -ECONNRESET },
		{ "gone", -ENODEV },
		{ "empty", -EBADMSG },
	};
	struct nic_napi napis[NIC_NAPIS_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char options[64];
		struct err err = { "" };
		unsigned count = 99;

		snprintf(options, sizeof(options), "--napis 3 --misbehave %s", rows[i].kind);
		struct testing_peer peer = testing_begin(options);
		struct nic nic = testing_nic();

		tap_is(nic_napi_list(&nic, napis, NIC_NAPIS_MAX, &count, &err), rows[i].ret, "%s: %s", rows[i].kind,
		       err.text);
		tap_is(count, rows[i].ret ? 0 : 3, "%s: each instance once", rows[i].kind);
		nic_close(&nic);
		testing_end(&peer);
	}
}

static void test_room(void)
{
	struct testing_peer peer = testing_begin("--napis 5");
	struct nic nic = testing_nic();
	struct nic_napi napis[3] = { { 0 } };
	unsigned count = list(&nic, napis, 2);

	tap_is(count, 2, "no more than there is room for");
	tap_is(napis[0].id, 8193, "the lowest");
	tap_is(napis[1].id, 8194, "ids");
	tap_is(napis[2].id, 0, "nothing behind the end");
	tap_is(list(&nic, napis, 0), 0, "no room at all");
	nic_close(&nic);
	testing_end(&peer);
}

int main(void)
{
	test_kernels();
	test_set();
	test_set_on_older("6.12.0");
	test_set_on_older("6.1.0");
	test_shapes();
	test_room();
	return tap_done();
}
