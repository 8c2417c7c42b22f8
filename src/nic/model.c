/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. The driver's name leads to a chooser, which picks the variant by the kernel's release and
 * fills in what the board would say. Then the model is brought into the state that the reported settings stand
 * for: where registers decide what is reported (r8169, stmmac) by trying register words, else by finding a request
 * that reads back so. Several states may report the same; the one that a fresh request would make is taken.
 *
 * Model choices, each told in the note. fec: the rule of June 2025 is in 6.17, and by their announcements (August
 * 2025) in 6.6.103, 6.1.149, 5.15.190 and 5.4.297; of 6.12 the tree of 6.12.117 was looked at. Any older release,
 * and those whose trees were not looked at, count as fec@old. r8169: the get and set of 6.1 stand for 5.9 and
 * later; the border to 6.12 is where software deferral came, 6.2 (which speed counts after ifdown changed somewhere
 * between the two). stmmac: the rule for rx-usecs 0 and the default tx-usecs changed between 6.1 and 6.12, and 6.7
 * is taken for the border as it is that of the transmit timer. e1000e: the 82574 of the model stands for all chips
 * of that driver: their set rule is the same. fsl_enetc: without settings before 5.9, else as 5.9. Links without a speed count as the driver counts them.
 */
#include "nic/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic/read_back.h"

#define RELEASE(major, minor, patch) ((major)*1000000u + (minor)*1000u + (patch))

/* ---- the kernel's release ---- */

static const char *read_number(const char *text, unsigned *number)
{
	char *end;

	*number = 0;
	if (*text < '0' || *text > '9') {
		return text;
	}
	const unsigned long value = strtoul(text, &end, 10);

	*number = value < 1000 ? (unsigned)value : 999;
	return end;
}

/* "6.1.192-1 ..." as 6001192; 0 if it does not begin so. */
static unsigned parse_release(const char *text)
{
	unsigned major, minor, patch = 0;
	const char *rest = read_number(text, &major);

	if (rest == text || *rest != '.') {
		return 0;
	}
	rest = read_number(rest + 1, &minor);
	if (*rest == '.') {
		read_number(rest + 1, &patch);
	}
	return RELEASE(major, minor, patch);
}

/*
 * Debian's uname -r has 6.1.0 for all of 6.1; its stable release stands behind the distribution's name in uname
 * -v.
 */
static unsigned release_of(const struct nic_identity *identity)
{
	static const char mark[] = "Debian ";
	const char *const behind = strstr(identity->build, mark);
	const unsigned release = parse_release(identity->kernel),
		       stable = behind ? parse_release(behind + strlen(mark)) : 0;

	return stable / 1000 == release / 1000 && stable > release ? stable : release;
}

/* ---- which variant ---- */

struct choice {
	const char *variant; /* NULL: none, the note says why */
	struct driver_config config;
};

static void note(struct nic_model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct nic_model *model, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(model->note, sizeof(model->note), format, arguments);
	va_end(arguments);
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool needs_clock(struct nic_model *model, const struct nic_identity *identity, const char *what)
{
	if (identity->has & NIC_HAS_CLOCK) {
		return true;
	}
	note(model, "%s converts times with a clock whose rate only debugfs tells (as root)", what);
	return false;
}

static void note_clock(struct nic_model *model, const struct nic_identity *identity, const char *rule)
{
	if (identity->has & NIC_HAS_CLOCK) {
		note(model, "kernel %.40s has the %s; clock %s%s%u Hz from debugfs", identity->kernel, rule,
		     identity->clock, identity->clock[0] ? " " : "", identity->clock_hz);
	} else {
		note(model, "kernel %.40s has the %s", identity->kernel, rule);
	}
}

static bool fec_allows_disable(unsigned release)
{
	static const unsigned first[] = { RELEASE(5, 4, 297), RELEASE(5, 15, 190), RELEASE(6, 1, 149),
					  RELEASE(6, 6, 103), RELEASE(6, 12, 117) };

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		if (release / 1000 == first[i] / 1000) {
			return release >= first[i];
		}
	}
	return release >= RELEASE(6, 17, 0);
}

/* Only boards whose device tree name leads to these rows of the driver's table lack further rings. */
static bool fec_has_one_ring(const char *compatible)
{
	static const char *const names[] = { "fsl,imx6ul-fec", "fsl,imx6ull-fec", "fsl,imx8ulp-fec", "fsl,imx6q-fec",
					     "fsl,imx25-fec",  "fsl,imx27-fec",   "fsl,imx28-fec",   "fsl,mvf600-fec" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(compatible, names[i]) == 0) {
			return true;
		}
	}
	return false;
}

static void choose_fec(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
		       struct choice *choice)
{
	const bool is_new = fec_allows_disable(release_of(identity));

	choice->config.family = CHIP_FEC;
	choice->config.has_coalesce = reported != NULL;
	choice->config.has_multi_queues = !fec_has_one_ring(identity->compatible);
	if (reported && !needs_clock(model, identity, "fec")) {
		return;
	}
	choice->variant = is_new ? "fec@6.12" : "fec@old";
	note_clock(model, identity,
		   is_new ? "rule that lets coalescing be disabled" : "rule that skips a write with a zero");
}

static void choose_tsnep(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			 struct choice *choice)
{
	choice->config.family = CHIP_TSNEP;
	choice->variant = reported ? "tsnep@6.12" : "tsnep@none";
	note(model, "by what it reports, kernel %.60s: %s", identity->kernel, choice->variant);
}

/* PCI ids of conventional PCI chips; the rest of the driver's table is PCI Express. */
static bool is_rtl8169(const struct nic_identity *identity)
{
	return (identity->has & NIC_HAS_PCI_ID) && (identity->pci_device == 0x8169 || identity->pci_device == 0x8167 ||
						    identity->pci_device == 0x8110 || identity->pci_vendor != 0x10ec);
}

static void choose_r8169(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			 struct choice *choice)
{
	const unsigned release = release_of(identity);

	choice->config.family = is_rtl8169(identity) ? CHIP_RTL8169 : CHIP_RTL8168;
	choice->config.has_coalesce = reported != NULL;
	if (release < RELEASE(4, 15, 0) && !reported) {
		choice->variant = "r8169@4.13";
	} else if (release >= RELEASE(5, 9, 0)) {
		choice->variant = release < RELEASE(6, 2, 0) ? "r8169@6.1" : "r8169@6.12";
	}
	if (choice->variant) {
		note(model, "kernel %s has its rule; timer table of %s", identity->kernel,
		     chip_family_name(choice->config.family));
	} else {
		note(model, "the rule of r8169 in kernel %s is not modelled", identity->kernel);
	}
}

static void choose_stmmac(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			  struct choice *choice)
{
	const bool is_new = release_of(identity) >= RELEASE(6, 7, 0);

	choice->config.family = CHIP_STMMAC;
	choice->config.has_coalesce = true;
	if (!reported) {
		note(model, "st_gmac without settings is not modelled");
		return;
	}
	if (needs_clock(model, identity, "st_gmac")) {
		choice->variant = is_new ? "stmmac@6.12" : "stmmac@6.1";
		note_clock(model, identity,
			   is_new ? "rule that refuses rx-usecs 0" : "rule that takes rx-usecs 0 and skips it");
	}
}

/* The only chips of this driver with MSI-X. */
enum { PCI_82574L = 0x10d3, PCI_82574LA = 0x10f6 };

static void choose_e1000e(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			  struct choice *choice)
{
	(void)reported;
	choice->config.family = CHIP_E1000E;
	choice->config.has_msix = (identity->has & NIC_HAS_PCI_ID) &&
				  (identity->pci_device == PCI_82574L || identity->pci_device == PCI_82574LA);
	choice->config.has_coalesce = true;
	choice->variant = "e1000e@6.1";
	note(model, "kernel %s, chip as an 82574", identity->kernel);
}

static void choose_macb(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			struct choice *choice)
{
	choice->config.family = CHIP_MACB;
	choice->variant = reported ? NULL : "macb@6.1";
	note(model, "macb of kernel %s: %s", identity->kernel,
	     reported ? "its settings are not modelled" : "no moderation");
}

/* The cycles that LS1028A's enetc counts; enetc v4 (i.MX95) has another clock. */
#define ENETC_CLOCK_HZ 400000000

static void choose_enetc(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
			 struct choice *choice)
{
	choice->config.family = CHIP_FEC;
	choice->config.has_coalesce = reported != NULL;
	choice->config.clock_hz = ENETC_CLOCK_HZ;
	choice->variant = reported ? "enetc@5.9" : "enetc@none";
	note(model, "kernel %.40s: %s, enetc of LS1028A on the registers of FEC, which are not its own",
	     identity->kernel, choice->variant);
}

struct chooser {
	const char *driver; /* as ETHTOOL_GDRVINFO says it */
	void (*choose)(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
		       struct choice *choice);
};

static const struct chooser choosers[] = {
	{ "fec", choose_fec },         { "tsnep", choose_tsnep },
	{ "r8169", choose_r8169 },     { "st_gmac", choose_stmmac },
	{ "stmmac", choose_stmmac },   { "stmmaceth", choose_stmmac },
	{ "e1000e", choose_e1000e },   { "macb", choose_macb },
	{ "fsl_enetc", choose_enetc }, { "fsl_enetc_vf", choose_enetc },
};

static const struct chooser *find_chooser(const char *driver)
{
	for (size_t i = 0; i < sizeof(choosers) / sizeof(choosers[0]); i++) {
		if (strcmp(choosers[i].driver, driver) == 0) {
			return &choosers[i];
		}
	}
	return has_prefix(driver, "dwmac-") ? find_chooser("st_gmac") : NULL;
}

/* ---- requests with a given read-back ---- */

/*
 * What ethtool would send along for the other fields may be refused or drift (r8169 at 1229): then these are asked
 * for too, as they are.
 */
static bool find_whole_request(const struct driver *driver, const struct coalesce *wanted, struct coalesce *request)
{
	struct coalesce reported;

	if (driver_get(driver, &reported)) {
		return false;
	}
	const struct coalesce goal = coalesce_merge(&reported, wanted);

	return read_back_find(driver, &goal, &goal, request) || read_back_find(driver, &goal, wanted, request);
}

int nic_model_request_for(const struct nic_model *model, const struct coalesce *wanted, struct coalesce *request,
			  struct err *err)
{
	char text[COALESCE_TEXT_MAX];

	*request = *wanted;
	if (!model->is_known || !wanted->present || read_back_find(&model->driver, wanted, wanted, request)) {
		return 0;
	}
	if (find_whole_request(&model->driver, wanted, request)) {
		return 0;
	}
	return err_set(err, -EINVAL, "no request makes %s report \"%.200s\" again", model->driver.variant->name,
		       coalesce_print(wanted, text));
}

/* ---- the state that reported settings stand for ---- */

enum {
	R8169_CPLUS_CMD = 0xe0,
	R8169_INTR_MITIGATE = 0xe2,
	R8169_CPLUS_INITIAL = 0x2060,
	STMMAC_RX_WATCHDOG = 0x1138,
	STMMAC_CHANNEL_STEP = 0x80,
	STMMAC_WATCHDOG_WORDS = 256,
};

static bool reports(const struct driver *driver, const struct coalesce *wanted, uint32_t mask)
{
	struct coalesce reported;

	if (driver_get(driver, &reported)) {
		return false;
	}
	return !(coalesce_difference(&reported, wanted) & mask);
}

/* The bits of `shift` in IntrMitigate so that the fields of mask are reported as wanted; -1 if none does. */
static int find_r8169_byte(struct driver *driver, const struct coalesce *wanted, unsigned shift, uint32_t mask)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		driver_adopt_register(driver, R8169_INTR_MITIGATE, byte << shift);
		if (reports(driver, wanted, mask)) {
			return (int)byte;
		}
	}
	return -1;
}

/* Receive and transmit are a byte each, under one scale. */
static bool adopt_r8169(struct driver *driver, const struct coalesce *reported)
{
	const uint32_t rx = COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_RX_FRAMES);
	const uint32_t tx = COALESCE_BIT(COALESCE_TX_USECS) | COALESCE_BIT(COALESCE_TX_FRAMES);

	for (uint32_t scale = 0; scale < 4; scale++) {
		driver_adopt_register(driver, R8169_CPLUS_CMD, R8169_CPLUS_INITIAL | scale);
		const int rx_byte = find_r8169_byte(driver, reported, 0, rx);
		const int tx_byte = find_r8169_byte(driver, reported, 8, tx);

		if (rx_byte >= 0 && tx_byte >= 0) {
			driver_adopt_register(driver, R8169_INTR_MITIGATE, (uint32_t)tx_byte << 8 | (uint32_t)rx_byte);
			return true;
		}
	}
	return false;
}

/*
 * The transmit part and rx-frames are the driver's numbers and come by a set, whatever watchdog that programs;
 * then the watchdog.
 */
static bool adopt_stmmac(struct driver *driver, const struct coalesce *reported)
{
	struct coalesce request = *reported, now;
	struct driver_result result = { 0 };

	if (driver_get(driver, &now)) {
		return false;
	}
	request.value[COALESCE_RX_USECS] = now.value[COALESCE_RX_USECS];
	driver_set(driver, &request, &result);
	for (uint32_t units = 0; units < STMMAC_WATCHDOG_WORDS && !result.error; units++) {
		for (unsigned queue = 0; queue < driver->config.queues; queue++) {
			driver_adopt_register(driver, STMMAC_RX_WATCHDOG + queue * STMMAC_CHANNEL_STEP, units);
		}
		if (reports(driver, reported, reported->present)) {
			return true;
		}
	}
	return false;
}

static bool adopt(struct driver *driver, const struct coalesce *reported)
{
	struct coalesce request;

	if (reports(driver, reported, reported->present)) {
		return true;
	}
	switch (driver->config.family) {
	case CHIP_RTL8169:
	case CHIP_RTL8168:
		return adopt_r8169(driver, reported);
	case CHIP_STMMAC:
		return adopt_stmmac(driver, reported);
	default:
		return read_back_find(driver, reported, reported, &request) &&
		       read_back_holds(driver, &request, reported);
	}
}

/* ---- together ---- */

static unsigned queues_of(const struct nic_identity *identity)
{
	const unsigned receiving = identity->rx_channels + identity->combined_channels;

	return receiving < 1 ? 1 : receiving < CHIP_QUEUES_MAX ? receiving : CHIP_QUEUES_MAX;
}

static void fill_chip(struct nic_model *model, const struct nic_identity *identity)
{
	const struct driver_config *const config = &model->driver.config;

	model->chip = (struct chip_config){
		.family = config->family,
		.queues = config->queues,
		.timer_clock_hz = config->clock_hz,
		.rx_ring = identity->has & NIC_HAS_RINGS ? identity->rx_ring : model->driver.variant->rx_ring,
		.assume = config->assume,
	};
}

/*
 * r8169 up to 6.1 goes on converting for the speed that the link had before ifdown, which nothing but the values
 * tells.
 */
static bool adopt_at_last_speed(struct nic_model *model, const struct nic_identity *identity,
				const struct coalesce *reported)
{
	static const unsigned speeds_mbps[] = { 100, 10 };
	struct driver_result result = { 0 };

	for (size_t i = 0; !identity->is_up && i < sizeof(speeds_mbps) / sizeof(speeds_mbps[0]); i++) {
		driver_link(&model->driver, speeds_mbps[i], &result);
		if (adopt(&model->driver, reported)) {
			note(model,
			     "kernel %s has its rule; the interface is down, and its times are taken for those of %u "
			     "Mb/s",
			     identity->kernel, speeds_mbps[i]);
			return true;
		}
	}
	return false;
}

static void start(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported,
		  const struct choice *choice)
{
	struct driver_result result = { 0 };
	struct err err = { "" };

	if (driver_init(&model->driver, driver_variant_find(choice->variant), &choice->config, &err)) {
		note(model, "%s", err.text);
		return;
	}
	if (identity->is_up) {
		driver_open(&model->driver, &result);
	}
	driver_link(&model->driver, identity->has & NIC_HAS_SPEED ? identity->speed_mbps : 0, &result);
	if (reported && !adopt(&model->driver, reported) && !adopt_at_last_speed(model, identity, reported)) {
		char text[COALESCE_TEXT_MAX];

		coalesce_print(reported, text);
		note(model, "%s cannot report \"%.90s\": it is not this driver as modelled", choice->variant, text);
		return;
	}
	fill_chip(model, identity);
	model->is_known = true;
}

void nic_model_find(struct nic_model *model, const struct nic_identity *identity, const struct coalesce *reported)
{
	*model = (struct nic_model){ 0 };
	struct choice choice = { .config = { .queues = queues_of(identity),
					     .clock_hz = identity->has & NIC_HAS_CLOCK ? identity->clock_hz : 0,
					     .assume = assume_defaults() } };
	const struct chooser *const chooser = identity->has & NIC_HAS_DRIVER ? find_chooser(identity->driver) : NULL;

	if (!chooser) {
		note(model, "there is no model of the driver \"%s\"", identity->driver);
		return;
	}
	chooser->choose(model, identity, reported, &choice);
	if (choice.variant) {
		start(model, identity, reported, &choice);
	}
}
