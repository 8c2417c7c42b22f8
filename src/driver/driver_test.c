/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core in front of the drivers, the table of variants, the search for nearest values, and what holds for every
 * driver: a refusal changes nothing, an accepted request can be read back, warnings and results fit their rooms.
 */
#include <errno.h>

#include "base/random.h"
#include "driver/driver_private.h"
#include "driver/driver_testing.h"

static struct driver any(const struct driver_variant *variant)
{
	return testing_driver(variant->name, testing_config(variant->families[0], 266666666), 1000);
}

static void test_table(void)
{
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);
	tap_is(count, 17, "seventeen variants");
	for (unsigned i = 0; i < count; i++) {
		const struct driver_variant *variant = &variants[i];
		const struct driver_ops *ops = variant->ops;
		tap_ok(driver_variant_find(variant->name) == variant, "%s: found by its name, which is its own",
		       variant->name);
		tap_ok(variant->kernels && variant->set_rule && variant->default_rule && variant->poll_rule,
		       "%s: has its sentences", variant->name);
		tap_ok(!ops->get == !ops->set && !ops->get == !variant->supported,
		       "%s: get, set and a mask, or none of them", variant->name);
		tap_ok(!ops->get_queue == !ops->set_queue && !ops->get_queue == !variant->per_queue,
		       "%s: single queues likewise", variant->name);
		tap_ok(ops->plan.cause_offset && ops->plan.weight == 64, "%s: a cause register and the usual weight",
		       variant->name);
		tap_ok(variant->rx_ring && variant->tx_ring, "%s: rings", variant->name);
	}
	tap_ok(driver_variant_find("fec") == NULL && driver_variant_find("") == NULL, "no variant without its version");
}

static void test_init(void)
{
	struct driver driver;
	struct err err = { "" };
	struct driver_config config = testing_config(CHIP_MACB, 0);
	tap_is(driver_init(&driver, driver_variant_find("fec@6.12"), &config, &err), -EINVAL,
	       "a driver refuses another family's chip");
	tap_ok(strstr(err.text, "fec@6.12"), "and says who");
	config = testing_config(CHIP_TSNEP, 0);
	config.queues = 99;
	driver_init(&driver, driver_variant_find("tsnep@6.12"), &config, NULL);
	tap_is(driver.config.queues, CHIP_QUEUES_MAX, "too many queues are brought into range");
	config.queues = 0;
	driver_init(&driver, driver_variant_find("tsnep@6.12"), &config, NULL);
	tap_is(driver.config.queues, 1, "so are none");
	config = testing_config(CHIP_STMMAC, 0);
	driver_init(&driver, driver_variant_find("stmmac@6.12"), &config, NULL);
	tap_ok(testing_get(&driver)[0] == 'r', "stmmac without a clock does not divide by 0");
	config = testing_config(CHIP_FEC, 0);
	driver_init(&driver, driver_variant_find("fec@6.12"), &config, NULL);
	tap_ok(driver_adopt_register(&driver, 0x100, 0xcc80080e), "nor does fec");
}

static void test_core(void)
{
	struct driver driver = any(driver_variant_find("fec@6.12"));
	struct driver_result result = testing_set(&driver, "tx-frames-irq 0 adaptive-rx off rx-usecs 5");
	tap_is(result.error, -EINVAL, "an unsupported field is EINVAL, even with the value it has");
	tap_ok(result.core_refused, "from the core");
	tap_is(result.field, COALESCE_TX_FRAMES_IRQ, "which names the first by the kernel's numbers");
	tap_is_text(testing_get(&driver), "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "and changes nothing");
	result = testing_set(&driver, "");
	tap_ok(result.unchanged, "an empty request changes nothing");
	result = testing_set(&driver, "rx-usecs 1000 tx-frames 200");
	tap_ok(result.unchanged && !result.write_count && !result.warning_count, "nor does asking for what is there");

	driver = any(driver_variant_find("macb@6.1"));
	result = testing_set(&driver, "adaptive-rx on");
	tap_is(result.error, -EOPNOTSUPP, "without operations everything is EOPNOTSUPP");
	tap_ok(result.core_refused && result.why[0], "from the core, with a sentence");
	struct coalesce request = testing_request("rx-usecs 1"), reported;
	driver_set_queue(&driver, 0, &request, &result);
	tap_is(result.error, -EOPNOTSUPP, "single queues too");
	tap_is(driver_get_queue(&driver, 0, &reported), -EOPNOTSUPP, "and their get");
	tap_ok(!driver_adopt_register(&driver, 0x24, 1), "no register means anything to it");
	tap_is(driver_rx_frame_flags(&driver), CHIP_FRAME_INTERRUPT,
	       "receive descriptors ask for an interrupt by default");
}

static void test_ioctl(void)
{
	struct driver driver = any(driver_variant_find("fec@6.12"));
	struct driver_result result;
	struct coalesce request = testing_request("rx-usecs 5 tx-frames-irq 0 adaptive-rx off");
	driver_set_by_ioctl(&driver, &request, &result);
	tap_is(result.error, 0, "an ioctl's zeros in unsupported fields are not seen");
	tap_is_text(testing_get(&driver), "rx-usecs 5 rx-frames 200 tx-usecs 1000 tx-frames 200",
		    "and what was not given is sent as it is reported");
	driver_set_by_ioctl(&driver, &request, &result);
	tap_ok(!result.unchanged && result.write_count > 0, "the driver is called even if nothing changes");
	request = testing_request("rx-usecs 6 tx-frames-irq 1");
	driver_set_by_ioctl(&driver, &request, &result);
	tap_ok(result.error == -EOPNOTSUPP && result.core_refused && result.field == COALESCE_TX_FRAMES_IRQ,
	       "another value there is EOPNOTSUPP");
	tap_is(testing_request(testing_get(&driver)).value[COALESCE_RX_USECS], 5, "and changes nothing");

	driver = any(driver_variant_find("macb@6.1"));
	driver_set_by_ioctl(&driver, &request, &result);
	tap_is(result.error, -EOPNOTSUPP, "so is everything without operations");
}

static void test_nearest(void)
{
	struct driver driver = testing_driver("r8169@6.12", testing_config(CHIP_RTL8168, 0), 1000);
	struct coalesce request = testing_request("rx-usecs 2401");
	uint32_t value = 0;
	tap_ok(driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 10, &value),
	       "2401 us on r8169: there is one below");
	tap_is(value, 2400, "2400");
	tap_ok(!driver_nearest_above(&driver, &request, COALESCE_RX_USECS, 3000000, &value),
	       "and none within 3000000 above");
	request = testing_request("rx-frames 4");
	tap_ok(driver_nearest_above(&driver, &request, COALESCE_RX_USECS, 10, &value),
	       "frames without a time: a field that was not given");
	tap_is(value, 1, "can be searched from what is reported");
	tap_ok(!driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 10, &value), "not below 0");
	request = testing_request("rx-usecs 2401");
	tap_ok(!driver_nearest_below(&driver, &request, COALESCE_TX_USECS_IRQ, 10, &value),
	       "an unsupported field has no near values");
	request = testing_request("rx-usecs 2405");
	tap_ok(!driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 4, &value),
	       "4 steps do not reach 2400 from 2405");
	tap_ok(driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 5, &value), "5 do");
	request = testing_request("rx-usecs 4294967295");
	tap_ok(!driver_nearest_above(&driver, &request, COALESCE_RX_USECS, UINT32_MAX, &value),
	       "there is nothing above 2^32 - 1");
	tap_is_text(testing_get(&driver), "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1", "searching changes nothing");

	driver = testing_driver("e1000e@6.1", testing_config(CHIP_E1000E, 0), 1000);
	request = testing_request("rx-usecs 7");
	tap_ok(driver_nearest_below(&driver, &request, COALESCE_RX_USECS, 10, &value) && value == 4,
	       "e1000e: 4 below 7");
	tap_ok(driver_nearest_above(&driver, &request, COALESCE_RX_USECS, 10, &value) && value == 10, "10 above");
}

/* A value that is likely to hit a rule: small, near a power of two, or anything. */
static uint32_t odd_value(struct random *random)
{
	uint32_t near = UINT32_C(1) << random_below(random, 32);
	switch (random_below(random, 4)) {
	case 0:
		return (uint32_t)random_below(random, 300);
	case 1:
		return (uint32_t)random_below(random, 40000);
	case 2:
		return near + (uint32_t)random_below(random, 9) - 4;
	default:
		return (uint32_t)random_below(random, UINT64_C(1) << 32);
	}
}

static struct coalesce odd_request(struct random *random, uint32_t supported)
{
	struct coalesce request = { 0 };
	for (enum coalesce_field field = COALESCE_RX_USECS; field < COALESCE_FIELDS; field++) {
		bool wanted = supported & COALESCE_BIT(field) ? random_below(random, 2) : random_below(random, 40) == 0;
		if (wanted) {
			coalesce_put(&request, field, odd_value(random));
		}
	}
	return request;
}

/* The first thing that does not hold for this request, or NULL. */
static const char *broken(struct driver *driver, const struct coalesce *request)
{
	static const unsigned speeds[] = { 0, 10, 100, 1000 };
	struct driver before = *driver;
	struct driver_result result, other;
	struct coalesce reported;
	driver_set(driver, request, &result);
	bool writes = result.write_count > 0;
	if (result.error && (result.unchanged || !result.why[0])) {
		return "a refusal has a sentence and is not 'unchanged'";
	}
	if (result.error && !writes && memcmp(driver->state, before.state, sizeof(before.state)) != 0) {
		return "a refusal without writes changes nothing";
	}
	if (result.error && writes && strncmp(driver->variant->name, "stmmac", 6) != 0) {
		return "only stmmac writes when it refuses";
	}
	for (unsigned i = 0; i < result.warning_count; i++) {
		if (strlen(result.warnings[i]) + 1 >= sizeof(result.warnings[i])) {
			return "a warning is not cut";
		}
	}
	if (driver->variant->supported && driver_get(driver, &reported)) {
		return "what was set can be reported";
	}
	if (driver->variant->supported && reported.present != driver->variant->supported) {
		return "every supported field is reported";
	}
	driver_set(&before, request, &other);
	if (memcmp(&before, driver, sizeof(before)) != 0 || memcmp(&other, &result, sizeof(other)) != 0) {
		return "the same request on a copy gives the same bytes";
	}
	driver_open(driver, &result);
	driver_link(driver, speeds[request->value[COALESCE_RX_USECS] % 4], &result);
	return NULL;
}

static void test_everything(void)
{
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);
	for (unsigned i = 0; i < count; i++) {
		struct random random;
		struct driver driver = any(&variants[i]);
		const char *what = NULL;
		unsigned accepted = 0;
		random_init(&random, 1, i);
		for (unsigned k = 0; k < 20000 && !what; k++) {
			struct coalesce request = odd_request(&random, variants[i].supported);
			struct driver copy = driver;
			struct driver_result result;
			driver_set(&copy, &request, &result);
			accepted += !result.error;
			what = broken(&driver, &request);
		}
		tap_ok(!what, "%s: 20000 odd requests%s%s", variants[i].name, what ? ": not so: " : "",
		       what ? what : "");
		tap_ok(variants[i].supported ? accepted > 200 : true, "%s: enough of them were accepted (%u)",
		       variants[i].name, accepted);
	}
}

/* The accepted and refused values around every near value that is found. */
static void test_nearest_is_nearest(void)
{
	unsigned count, found = 0, wrong = 0;
	const struct driver_variant *variants = driver_variants(&count);
	struct random random;
	random_init(&random, 7, 0);
	for (unsigned k = 0; k < 3000; k++) {
		const struct driver_variant *variant = &variants[random_below(&random, count)];
		struct driver driver = any(variant);
		struct driver_result result;
		struct coalesce request = { 0 };
		uint32_t start = (uint32_t)random_below(&random, 3000), value;
		coalesce_put(&request, COALESCE_RX_USECS, start);
		bool up = random_below(&random, 2);
		if (!(up ? driver_nearest_above : driver_nearest_below)(&driver, &request, COALESCE_RX_USECS, 100,
									&value)) {
			continue;
		}
		found++;
		for (uint32_t at = start; at != value;) {
			at = up ? at + 1 : at - 1;
			coalesce_put(&request, COALESCE_RX_USECS, at);
			struct driver copy = driver;
			driver_set(&copy, &request, &result);
			wrong += (result.error == 0) != (at == value);
		}
	}
	tap_ok(found > 500, "%u near values were found", found);
	tap_is(wrong, 0, "each is accepted, and nothing between is");
}

int main(void)
{
	test_table();
	test_init();
	test_core();
	test_ioctl();
	test_nearest();
	test_everything();
	test_nearest_is_nearest();
	return tap_done();
}
