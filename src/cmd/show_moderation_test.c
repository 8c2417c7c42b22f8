/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What settings come to, on interfaces that are made here. Times of models are those that the drivers' own tests have
 * by hand: fec at 266666666 Hz counts 4166 ticks of 64 clocks for 1000 us, which is 999.84 us.
 */
#include "show_moderation.c"

#include <stdio.h>

#include "tap.h"

static struct show_device device;

/* An interface of the driver that reports these words; "" for -EOPNOTSUPP. */
static void make(const char *driver, const char *words)
{
	struct err err = { "" };

	device = (struct show_device){ .name = "eth0" };
	device.identity = (struct nic_identity){
		.has = NIC_HAS_DRIVER | NIC_HAS_SPEED, .is_up = true, .has_carrier = true, .speed_mbps = 1000
	};
	snprintf(device.identity.driver, sizeof(device.identity.driver), "%s", driver);
	snprintf(device.identity.kernel, sizeof(device.identity.kernel), "6.12.117");
	if (coalesce_parse_text(&device.coalesce, words, &err) < 0) {
		tap_ok(false, "%s: %s", words, err.text);
	}
	device.coalesce_fault.error = words[0] ? 0 : -EOPNOTSUPP;
}

static void add_napi(uint32_t id, uint32_t defer_hard_irqs, uint64_t gro_flush_timeout_ns)
{
	device.napis[device.napi_count++] = (struct nic_napi){
		.id = id,
		.present = NIC_NAPI_DEFER_HARD_IRQS | NIC_NAPI_GRO_FLUSH_TIMEOUT,
		.defer_hard_irqs = defer_hard_irqs,
		.gro_flush_timeout_ns = gro_flush_timeout_ns,
	};
}

static void add_queue(const char *words)
{
	coalesce_parse_text(&device.queues[device.queue_count++], words, NULL);
}

static void find(void)
{
	nic_model_find(&device.model, &device.identity, device.coalesce_fault.error ? NULL : &device.coalesce);
	show_moderation_find(&device);
}

static void hardware_is(enum chip_direction direction, enum show_source source, int64_t worst_ns, const char *what)
{
	const struct show_hold *found = &device.moderation.hardware[direction];

	tap_is(found->source, source, "%s: source", what);
	tap_is(found->worst_ns, worst_ns, "%s: worst", what);
}

/* Without a model: the worst of both directions, by words. */
static void numbers_are(const char *driver, const char *words, int64_t rx_ns, int64_t tx_ns)
{
	char what[200];

	make(driver, words);
	find();
	snprintf(what, sizeof(what), "%s %s, rx", driver, words);
	hardware_is(CHIP_RX, SHOW_NUMBERS, rx_ns, what);
	snprintf(what, sizeof(what), "%s %s, tx", driver, words);
	hardware_is(CHIP_TX, SHOW_NUMBERS, tx_ns, what);
}

static void test_numbers(void)
{
	numbers_are("tg3", "rx-usecs 20 rx-frames 5 tx-usecs 72 tx-frames 53", 20000, 72000);
	numbers_are("tg3", "rx-usecs 1 rx-frames 0 tx-usecs 0 tx-frames 0", 1000, 0);
	numbers_are("tg3", "rx-usecs 20 rx-frames 1 tx-usecs 0 tx-frames 53", 0, NEVER_AT_NS);
	numbers_are("virtio_net", "rx-usecs 100 rx-frames 0 tx-usecs 0 tx-frames 20", 0, 0);
	numbers_are("virtio_net", "rx-usecs 100 rx-frames 32 tx-usecs 10 tx-frames 1", 100000, 0);
	numbers_are("mvneta", "rx-usecs 100 rx-frames 32 tx-frames 16", 100000, NEVER_AT_NS);
	numbers_are("mvneta", "rx-usecs 100 rx-frames 32 tx-frames 0", 100000, 0);
	numbers_are("mvneta", "rx-usecs 100 rx-frames 32 tx-usecs 50 tx-frames 16", 100000, NEVER_AT_NS);
	numbers_are("bcmgenet", "rx-usecs 50 rx-frames 0 tx-frames 16", 50000, 0);
	numbers_are("r8152", "rx-usecs 15000 tx-usecs 50", 15000, 0);
	numbers_are("mcp251xfd", "rx-usecs-irq 10000 rx-frames-irq 32 tx-usecs-irq 0 tx-frames-irq 1", 10000000, 0);
	numbers_are("tun", "rx-frames 32 tx-frames 0", 0, 0);
	numbers_are("mlx5_core", "rx-usecs 3 rx-frames 32 cqe-mode-rx on tx-usecs 16 tx-frames 32 cqe-mode-tx off",
		    93000, 16000);
	numbers_are("mlx5_core",
		    "rx-usecs 3 rx-frames 0 cqe-mode-rx on tx-usecs 4294967295 tx-frames 4294967295 cqe-mode-tx on",
		    NEVER_AT_NS, NEVER_AT_NS);
	numbers_are("i40e", "rx-usecs 50 tx-usecs 0 rx-usecs-high 100 adaptive-rx off adaptive-tx off", 100000, 100000);
	numbers_are("ice", "rx-usecs 50 tx-usecs 50 rx-usecs-high 0", 50000, 50000);
	make("tg3", "stats-block-usecs 1000");
	find();
	hardware_is(CHIP_RX, SHOW_UNKNOWN, 0, "no word about received frames");
	tap_ok(!device.moderation.has_worst[CHIP_RX], "unknown is not 0");
}

static void test_modes(void)
{
	make("igb", "rx-usecs 3 tx-usecs 3");
	find();
	hardware_is(CHIP_RX, SHOW_MODE, 375000, "igb rx-usecs 3");
	make("igc", "rx-usecs 3 tx-usecs 0");
	device.identity.has |= NIC_HAS_CHANNELS;
	device.identity.combined_channels = 4;
	find();
	hardware_is(CHIP_TX, SHOW_MODE, 375000, "igc in pairs: tx has the timer of rx though it shows 0");
	make("igb", "rx-usecs 10 tx-usecs 20");
	device.identity.has |= NIC_HAS_CHANNELS;
	device.identity.combined_channels = 4;
	find();
	hardware_is(CHIP_TX, SHOW_NUMBERS, 10000, "igb in pairs: whatever tx-usecs shows");
	make("igc", "rx-usecs 10 tx-usecs 20");
	find();
	hardware_is(CHIP_TX, SHOW_NUMBERS, 20000, "igc without pairs: tx has its own");
	make("ixgbevf", "rx-usecs 1 tx-usecs 0");
	find();
	hardware_is(CHIP_RX, SHOW_MODE, 84000, "ixgbevf rx-usecs 1 is adaptive");
	make("e1000e", "rx-usecs 3");
	find();
	hardware_is(CHIP_RX, SHOW_MODE, 249856, "e1000e rx-usecs 3");
	tap_ok(device.has_explanation, "its model is used all the same");
	make("e1000e", "rx-usecs 100");
	find();
	tap_is(device.moderation.hardware[CHIP_RX].source, SHOW_MODEL, "e1000e rx-usecs 100 is a time");
	tap_within(device.moderation.worst_ns[CHIP_RX], 99000, 101000, "of about 100us");
}

static void test_adaptive(void)
{
	make("ena", "adaptive-rx on rx-usecs 20 tx-usecs 64");
	find();
	hardware_is(CHIP_RX, SHOW_ADAPTIVE, 256000, "DIM");
	hardware_is(CHIP_TX, SHOW_NUMBERS, 64000, "tx beside it");
	make("ena", "adaptive-rx off rx-usecs 20 tx-usecs 64");
	find();
	hardware_is(CHIP_RX, SHOW_NUMBERS, 20000, "off is off");
	make("ice", "adaptive-rx on adaptive-tx on rx-usecs 50 tx-usecs 50 rx-usecs-high 200");
	find();
	hardware_is(CHIP_RX, SHOW_ADAPTIVE, 200000, "ice: the limit of the rate is longer than its algorithm goes");
	tap_is(device.moderation.hardware[CHIP_RX].range.from_ns, 200000, "and its least");
	hardware_is(CHIP_TX, SHOW_ADAPTIVE, 256000, "ice: the algorithm of tx goes further");
}

static void test_models(void)
{
	make("fec", "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200");
	find();
	hardware_is(CHIP_RX, SHOW_NUMBERS, 1000000, "fec without a clock: its numbers");
	device.identity.has |= NIC_HAS_CLOCK;
	device.identity.clock_hz = 266666666;
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 999840, "fec with one: what its ticks come to");
	tap_is(device.explanation.write_count > 0, true, "registers of the defaults");
	make("fec", "rx-usecs 100 rx-frames 200 tx-usecs 0 tx-frames 200");
	device.identity.has |= NIC_HAS_CLOCK;
	device.identity.clock_hz = 266666666;
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 99840, "fec rx-usecs 100");
	hardware_is(CHIP_TX, SHOW_MODEL, 0, "fec@6.12 tx-usecs 0 is off");
	tap_ok(device.moderation.rearms, "fec re-arms");

	make("r8169", "rx-usecs 120 rx-frames 0 tx-usecs 0 tx-frames 1");
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 120000, "r8169 rx-usecs 120");
	tap_ok(!device.moderation.rearms, "r8169 does not");
	make("r8169", "rx-usecs 1229 rx-frames 0 tx-usecs 1229 tx-frames 0");
	device.identity.speed_mbps = 100;
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 1228800, "r8169 at 100 Mb/s, read-back 1229, which it refuses as a request");

	make("tsnep", "rx-usecs 64 tx-usecs 64");
	find();
	hardware_is(CHIP_TX, SHOW_MODEL, 64000, "tsnep");
	make("macb", "");
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 0, "macb has no moderation");
	make("r8169", "");
	snprintf(device.identity.kernel, sizeof(device.identity.kernel), "4.13.0");
	find();
	hardware_is(CHIP_RX, SHOW_MODEL, 200000, "r8169 of 4.13 holds 200us and says nothing");
}

static void worst_is(int64_t rx_ns, int64_t tx_ns, const char *what)
{
	find();
	tap_is(device.moderation.worst_ns[CHIP_RX], rx_ns, "%s: rx", what);
	tap_is(device.moderation.worst_ns[CHIP_TX], tx_ns, "%s: tx", what);
}

static void test_deferral(void)
{
	const char *words = "rx-usecs 50 tx-usecs 10";

	make("tg3", words);
	add_napi(1, 1, 20000);
	worst_is(50000, 20000, "the larger of 50us and of 10us with 20us");
	tap_is(device.moderation.deferring, 1, "it defers");
	make("tg3", words);
	add_napi(1, 0, 20000);
	worst_is(50000, 10000, "without defer-hard-irqs the timer is GRO's");
	tap_is(device.moderation.gro_ns, 20000, "which is said");
	tap_is(device.moderation.deferral_ns, 0, "and no deferral");
	make("tg3", words);
	add_napi(1, 5, 0);
	worst_is(50000, 10000, "without a timeout there is no timer");
	make("tg3", words);
	add_napi(1, 0, 0);
	add_napi(2, 2, 70000);
	add_napi(3, 9, 60000);
	worst_is(70000, 70000, "of several instances the longest");
	tap_is(device.moderation.deferring, 2, "two of three defer");
	tap_is(device.moderation.napi_count, 3, "of three");
	tap_is(device.moderation.defer_hard_irqs, 2, "with the count of the longest");
	make("fsl_enetc", words);
	add_napi(1, 2, 70000);
	worst_is(50000, 10000, "a driver that re-arms is not kept off");
	tap_is(device.moderation.deferral_ns, 70000, "the timer is known");
	make("veth", "");
	add_napi(0, 1, 20000);
	worst_is(20000, 20000, "the knobs of the whole device");
	device.napis[device.napi_count++] = (struct nic_napi){ .id = 7, .present = NIC_NAPI_IRQ, .irq = 30 };
	find();
	tap_ok(device.moderation.device_defers, "all instances");
	tap_is(device.moderation.napi_count, 1, "of which the row of the device is none");
	tap_is(device.moderation.hardware[CHIP_RX].source, SHOW_SOFTWARE, "no hardware");
	make("tg3", words);
	device.napis_fault.error = -ETIMEDOUT;
	find();
	tap_ok(!device.moderation.has_worst[CHIP_RX], "a deferral that could not be read: no worst");
	make("veth", "");
	device.coalesce_fault.error = -ETIMEDOUT;
	find();
	tap_is(device.moderation.hardware[CHIP_RX].source, SHOW_UNKNOWN, "settings that could not be read say nothing");
	make("", "");
	device.identity = (struct nic_identity){ 0 };
	device.identity_fault.error = -ETIMEDOUT;
	find();
	tap_is(device.moderation.hardware[CHIP_RX].source, SHOW_UNKNOWN, "nor does an interface that does not answer");
	make("some", "");
	add_napi(1, 1, 20000);
	find();
	tap_ok(!device.moderation.has_worst[CHIP_RX], "a hardware of which nothing is known: no worst");
}

static void test_queues(void)
{
	make("ice", "rx-usecs 50 tx-usecs 50");
	add_queue("rx-usecs 50 tx-usecs 50");
	add_queue("rx-usecs 200 tx-usecs 10");
	add_queue("rx-usecs 100");
	worst_is(200000, 50000, "the worst of the queues");
	tap_is(device.moderation.hardware[CHIP_RX].queue, 1, "rx: that of queue 1");
	tap_is(device.moderation.hardware[CHIP_TX].queue, -1, "tx: that of the device");
	tap_ok(!show_queue_differs(&device, 0) && show_queue_differs(&device, 1) && show_queue_differs(&device, 2),
	       "which differ");
}

static void test_pages(void)
{
	make("veth", "");
	find();
	tap_ok(!show_is_worth_a_page(&device), "nothing set: a line");
	add_napi(0, 0, 20000);
	find();
	tap_ok(show_is_worth_a_page(&device), "a timeout alone: a page");
	make("virtio_net", "rx-usecs 0");
	find();
	tap_ok(show_is_worth_a_page(&device), "coalescing: a page");
}

int main(void)
{
	test_numbers();
	test_modes();
	test_adaptive();
	test_models();
	test_deferral();
	test_queues();
	test_pages();
	return tap_done();
}
