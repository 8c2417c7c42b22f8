/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which model stands for a driver, and requests with a given read-back: for every state that a driver model can be
 * brought into, what it reports must lead to a model that reports the same, and to a request that makes it report
 * so again.
 */
#include "nic/model.c"

#include "tap.h"

static struct coalesce settings_of(const char *words)
{
	struct coalesce settings = { 0 };
	struct err err = { "" };

	if (coalesce_parse_text(&settings, words, &err)) {
		tap_ok(false, "%s: %s", words, err.text);
	}
	return settings;
}

static struct nic_identity identity_of(const char *driver, const char *kernel, unsigned speed_mbps)
{
	struct nic_identity identity = { .has = NIC_HAS_DRIVER, .is_up = true, .has_carrier = speed_mbps != 0 };

	snprintf(identity.driver, sizeof(identity.driver), "%s", driver);
	snprintf(identity.kernel, sizeof(identity.kernel), "%s", kernel);
	identity.has |= speed_mbps ? NIC_HAS_SPEED : 0;
	identity.speed_mbps = speed_mbps;
	return identity;
}

/* ---- which variant ---- */

struct choice_row {
	const char *driver, *kernel, *build;
	uint32_t clock_hz;
	const char *reported; /* NULL: no coalescing */
	const char *variant;  /* NULL: unknown */
	const char *note;     /* part of it */
};

static const struct choice_row choice_rows[] = {
	{ "fec", "6.17.0", "", 266666666, "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "fec@6.12",
	  "266666666 Hz" },
	{ "fec", "6.16.9", "", 266666666, "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "fec@old",
	  "6.16.9" },
	{ "fec", "6.12.117", "", 132000000, "rx-usecs 0 rx-frames 0 tx-usecs 1 tx-frames 1", "fec@6.12", "" },
	{ "fec", "6.12.116", "", 132000000, "rx-usecs 0 rx-frames 0 tx-usecs 1 tx-frames 1", "fec@old", "" },
	{ "fec", "6.6.103", "", 132000000, "rx-usecs 0 rx-frames 0 tx-usecs 1 tx-frames 1", "fec@6.12", "" },
	{ "fec", "6.6.102", "", 132000000, "rx-usecs 0 rx-frames 0 tx-usecs 1 tx-frames 1", "fec@old", "" },
	{ "fec", "5.15.190", "", 132000000, "rx-usecs 0 rx-frames 0 tx-usecs 1 tx-frames 1", "fec@6.12", "" },
	{ "fec", "6.1.0-60-arm64", "#1 SMP Debian 6.1.149-1 (2025-09-01)", 266666666,
	  "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "fec@6.12", "" },
	{ "fec", "6.1.0-50-armmp", "#1 SMP Debian 6.1.148-1 (2025-08-01)", 132000000,
	  "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "fec@old", "skips a write with a zero" },
	{ "fec", "6.1.0-50-armmp", "#1 SMP Debian 6.12.192-1 (2025-01-01)", 132000000,
	  "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", "fec@old", "" },
	{ "fec", "6.12.117", "", 0, "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200", NULL, "debugfs" },
	{ "fec", "6.12.117", "", 0, NULL, "fec@6.12", "" },
	{ "tsnep", "6.1.0", "", 0, NULL, "tsnep@none", "" },
	{ "tsnep", "6.12.95", "", 0, "rx-usecs 64 tx-usecs 64", "tsnep@6.12", "" },
	{ "tsnep", "6.12.95", "", 0, "rx-usecs 65 tx-usecs 65", NULL, "cannot report" },
	{ "r8169", "4.13.0", "", 0, NULL, "r8169@4.13", "" },
	{ "r8169", "5.10.0", "", 0, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1", "r8169@6.1", "rtl8168" },
	{ "r8169", "6.2.0", "", 0, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1", "r8169@6.12", "rtl8168" },
	{ "r8169", "5.8.18", "", 0, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1", NULL, "not modelled" },
	{ "r8169", "rubbish", "", 0, "rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1", NULL, "not modelled" },
	{ "r8169", "6.18.0", "", 0, NULL, "r8169@6.12", "" },
	{ "st_gmac", "6.1.0", "", 266666666, "rx-usecs 153 rx-frames 0 tx-usecs 1000 tx-frames 25", "stmmac@6.1", "" },
	{ "st_gmac", "6.12.0", "", 266666666, "rx-usecs 153 rx-frames 0 tx-usecs 5000 tx-frames 25", "stmmac@6.12",
	  "" },
	{ "dwmac-imx", "6.12.0", "", 266666666, "rx-usecs 153 rx-frames 0 tx-usecs 5000 tx-frames 25", "stmmac@6.12",
	  "" },
	{ "st_gmac", "6.12.0", "", 0, "rx-usecs 153 rx-frames 0 tx-usecs 5000 tx-frames 25", NULL, "debugfs" },
	{ "st_xgmac", "6.12.0", "", 0, "rx-usecs 153", NULL, "no model" },
	{ "e1000e", "6.1.0-57-amd64", "", 0, "rx-usecs 3", "e1000e@6.1", "82574" },
	{ "e1000e", "6.1.0-57-amd64", "", 0, "rx-usecs 3012", "e1000e@6.1", "" },
	{ "e1000e", "6.1.0-57-amd64", "", 0, "rx-usecs 3011", NULL, "cannot report \"rx-usecs 3011\"" },
	{ "macb", "6.1.0", "", 0, NULL, "macb@6.1", "" },
	{ "macb", "7.1.0", "", 0, "rx-usecs 5", NULL, "not modelled" },
	{ "fsl_enetc", "5.4.0", "", 0, NULL, "enetc@none", "not its own" },
	{ "fsl_enetc", "6.12.0", "", 0, "rx-usecs 0 rx-frames 256 tx-usecs 600 tx-frames 128 adaptive-rx on",
	  "enetc@5.9", "" },
	{ "fsl_enetc", "6.12.0", "", 0, "rx-usecs 64 rx-frames 256 tx-usecs 600 tx-frames 128 adaptive-rx off",
	  "enetc@5.9", "" },
	{ "fsl_enetc", "6.12.0", "", 0, "rx-usecs 64 rx-frames 64 tx-usecs 600 tx-frames 128 adaptive-rx off", NULL,
	  "cannot report" },
	{ "fsl_enetc4", "6.18.0", "", 0, "rx-usecs 0", NULL, "no model of the driver \"fsl_enetc4\"" },
	{ "virtio_net", "6.18.0", "", 0, "rx-usecs 0", NULL, "no model of the driver \"virtio_net\"" },
};

static void test_choice(const struct choice_row *row)
{
	struct nic_identity identity = identity_of(row->driver, row->kernel, 1000);
	struct nic_model model;

	snprintf(identity.build, sizeof(identity.build), "%s", row->build);
	identity.clock_hz = row->clock_hz;
	identity.has |= row->clock_hz ? NIC_HAS_CLOCK : 0;
	const struct coalesce reported = settings_of(row->reported ? row->reported : "");

	nic_model_find(&model, &identity, row->reported ? &reported : NULL);
	tap_is_text(model.is_known ? model.driver.variant->name : "", row->variant ? row->variant : "", "%s of %s: %s",
		    row->driver, row->kernel, model.note);
	tap_ok(strstr(model.note, row->note) && model.note[0], "%s of %s: the note has \"%s\"", row->driver,
	       row->kernel, row->note);
	if (model.is_known && row->reported) {
		struct coalesce now;

		tap_ok(!driver_get(&model.driver, &now) && !coalesce_difference(&now, &reported),
		       "%s of %s: it reports the same", row->driver, row->kernel);
	}
}

static void test_families(void)
{
	static const struct {
		uint16_t vendor, device;
		enum chip_family family;
	} rows[] = {
		{ 0x10ec, 0x8168, CHIP_RTL8168 },
		{ 0x10ec, 0x8169, CHIP_RTL8169 },
		{ 0x10ec, 0x8136, CHIP_RTL8168 },
		{ 0x1186, 0x4300, CHIP_RTL8169 },
	};
	const struct coalesce reported = settings_of("rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nic_identity identity = identity_of("r8169", "6.12.95", 1000);
		struct nic_model model;

		identity.has |= NIC_HAS_PCI_ID;
		identity.pci_vendor = rows[i].vendor;
		identity.pci_device = rows[i].device;
		nic_model_find(&model, &identity, &reported);
		tap_is(model.chip.family, rows[i].family, "chip of %04x:%04x", rows[i].vendor, rows[i].device);
	}
}

/* Down, r8169 of 6.1 reports by the last speed: 205 is no time of 1000 Mb/s. */
static void test_last_speed(void)
{
	const struct coalesce fast = settings_of("rx-usecs 120 rx-frames 0 tx-usecs 0 tx-frames 1"),
			      slow = settings_of("rx-usecs 4916 rx-frames 4 tx-usecs 0 tx-frames 1");
	struct nic_identity identity = identity_of("r8169", "6.1.0", 0);
	struct nic_model model;

	nic_model_find(&model, &identity, &slow);
	tap_ok(!model.is_known, "up without a link, 4916 us cannot be: %s", model.note);
	identity.is_up = false;
	nic_model_find(&model, &identity, &slow);
	tap_ok(model.is_known && model.driver.link_mbps == 10 && strstr(model.note, "taken for those of 10 Mb/s"),
	       "down, they are of 10 Mb/s: %s", model.note);
	nic_model_find(&model, &identity, &fast);
	tap_is(model.is_known ? model.driver.link_mbps : 1, 0, "120 us are taken for a time of 1000 Mb/s");
}

/* ---- the way back ---- */

/* A driver of the machine, in the state that the request made. */
struct machine {
	const char *driver, *kernel, *variant;
	enum chip_family family;
	uint32_t clock_hz;
};

static const struct machine machines[] = {
	{ "r8169", "6.12.95", "r8169@6.12", CHIP_RTL8168, 0 },
	{ "fec", "6.1.100", "fec@old", CHIP_FEC, 132000000 },
	{ "fec", "6.17.0", "fec@6.12", CHIP_FEC, 266666666 },
	{ "tsnep", "6.12.0", "tsnep@6.12", CHIP_TSNEP, 0 },
	{ "st_gmac", "6.1.0", "stmmac@6.1", CHIP_STMMAC, 266666666 },
	{ "st_gmac", "6.12.0", "stmmac@6.12", CHIP_STMMAC, 125000000 },
	{ "e1000e", "6.1.0", "e1000e@6.1", CHIP_E1000E, 0 },
};

static const unsigned speeds[] = { 10, 100, 1000 };

static struct driver make_driver(const struct machine *machine, unsigned speed_mbps)
{
	const struct driver_config config = { .family = machine->family,
					      .has_coalesce = true,
					      .has_multi_queues = true,
					      .queues = 1,
					      .clock_hz = machine->clock_hz,
					      .assume = assume_defaults() };
	struct driver driver;
	struct driver_result result;

	if (driver_init(&driver, driver_variant_find(machine->variant), &config, NULL)) {
		abort();
	}
	driver_open(&driver, &result);
	driver_link(&driver, speed_mbps, &result);
	return driver;
}

/* Values that lie around the steps of all these drivers. */
static uint32_t draw(uint64_t *random, bool is_time)
{
	static const uint32_t tops[] = { 4, 16, 300, 1300, 20000, 45000 };

	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const uint32_t number = (uint32_t)(*random >> 33);

	return is_time ? number % tops[number / 65536 % 6] : number % 62;
}

/* Brings a driver somewhere; false when the request is refused. */
static bool wander(struct driver *driver, uint64_t *random)
{
	struct coalesce request = { 0 };
	struct driver_result result;

	for (enum coalesce_field field = COALESCE_RX_USECS; field <= COALESCE_TX_FRAMES; field++) {
		if (driver->variant->supported & COALESCE_BIT(field)) {
			coalesce_put(&request, field,
				     draw(random, field == COALESCE_RX_USECS || field == COALESCE_TX_USECS));
		}
	}
	driver_set(driver, &request, &result);
	return !result.error;
}

/* Model of the state that was, then away from there, then back by the request that the model names. */
static bool comes_back(const struct machine *machine, unsigned speed_mbps, uint64_t *random, char *story)
{
	struct driver driver = make_driver(machine, speed_mbps);
	struct nic_identity identity = identity_of(machine->driver, machine->kernel, speed_mbps);
	struct nic_model model;
	struct coalesce old, now, request;
	struct err err = { "" };
	char text[COALESCE_TEXT_MAX];

	identity.clock_hz = machine->clock_hz;
	identity.has |= machine->clock_hz ? NIC_HAS_CLOCK : 0;
	while (!wander(&driver, random)) {
	}
	if (driver_get(&driver, &old)) {
		return false;
	}
	while (!wander(&driver, random)) {
	}
	driver_get(&driver, &now);
	nic_model_find(&model, &identity, &now);
	sprintf(story, "%.200s: %.150s", coalesce_print(&old, text), model.note);
	if (!model.is_known || nic_model_request_for(&model, &old, &request, &err)) {
		strcat(story, err.text);
		return false;
	}
	return read_back_holds(&driver, &request, &old);
}

#define WALKS 300

static void test_way_back(const struct machine *machine, unsigned speed_mbps)
{
	uint64_t random = 1;
	unsigned good = 0;
	char story[1024] = "", bad[1024] = "";

	for (unsigned i = 0; i < WALKS; i++) {
		const bool is_good = comes_back(machine, speed_mbps, &random, story);

		good += is_good;
		if (!is_good) {
			snprintf(bad, sizeof(bad), "%s", story);
		}
	}
	tap_is(good, WALKS, "%s at %u Mb/s: every read-back can be had again%s%s", machine->variant, speed_mbps,
	       bad[0] ? "; " : "", bad);
}

/* The case that the issue of rounding is known by: 1229 is read, 1228 must be asked. */
static void test_1229(void)
{
	const struct coalesce old = settings_of("rx-usecs 1229 rx-frames 0 tx-usecs 0 tx-frames 1"),
			      now = settings_of("rx-usecs 103 rx-frames 0 tx-usecs 0 tx-frames 1"),
			      part = settings_of("tx-usecs 103"), high = settings_of("rx-usecs 1230");
	struct nic_identity identity = identity_of("r8169", "6.12.95", 100);
	struct nic_model model;
	struct coalesce request;
	struct err err = { "" };
	char text[COALESCE_TEXT_MAX];

	nic_model_find(&model, &identity, &now);
	tap_is(nic_model_request_for(&model, &old, &request, &err), 0, "a request for 1229 exists");
	tap_is_text(coalesce_print(&request, text), "rx-usecs 1228 rx-frames 0 tx-usecs 0 tx-frames 1", "it is 1228");
	tap_is(nic_model_request_for(&model, &high, &request, &err), -EINVAL, "none for 1230: %s", err.text);
	nic_model_find(&model, &identity, &old);
	tap_is(nic_model_request_for(&model, &part, &request, &err), -EINVAL,
	       "tx-usecs 103 beside 1229: units of one scale serve both: %s", err.text);
	const struct coalesce fits = settings_of("tx-usecs 1229");

	tap_is(nic_model_request_for(&model, &fits, &request, &err), 0,
	       "tx-usecs 1229 beside rx-usecs 1229, which would be refused");
	tap_is_text(coalesce_print(&request, text), "rx-usecs 1228 rx-frames 0 tx-usecs 1228 tx-frames 1",
		    "so both are asked for");
}

static void test_unknown(void)
{
	const struct coalesce wanted = settings_of("rx-usecs 7 adaptive-rx on"), none = { 0 };
	struct nic_identity identity = identity_of("igb", "6.12.0", 1000);
	struct nic_model model;
	struct coalesce request;

	nic_model_find(&model, &identity, &none);
	tap_ok(!model.is_known, "igb has no model");
	tap_is(nic_model_request_for(&model, &wanted, &request, NULL), 0, "then the wanted values are the request");
	tap_is(coalesce_difference(&request, &wanted), 0, "just these");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(choice_rows) / sizeof(choice_rows[0]); i++) {
		test_choice(&choice_rows[i]);
	}
	test_families();
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (size_t k = 0; k < sizeof(speeds) / sizeof(speeds[0]); k++) {
			test_way_back(&machines[i], speeds[k]);
		}
	}
	test_last_speed();
	test_1229();
	test_unknown();
	return tap_done();
}
