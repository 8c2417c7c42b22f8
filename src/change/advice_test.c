/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said before a change, for drivers that people reported about; without any kernel. */
#include <stdio.h>
#include <string.h>

#include "change/advice.h"
#include "change/request.h"
#include "tap.h"

static struct change change;
static struct change_advice advice;

static void ask(const char *driver, bool is_up, const char *old, const char *wanted)
{
	memset(&change, 0, sizeof(change));
	snprintf(change.identity.driver, sizeof(change.identity.driver), "%s", driver);
	change.identity.is_up = is_up;
	change.is_needed = true;
	coalesce_parse_text(&change.old.device, old, NULL);
	coalesce_parse_text(&change.wanted.device, wanted, NULL);
	change_advise(&change, &advice);
}

static bool says(enum change_advice_kind kind, const char *part)
{
	for (unsigned i = 0; i < advice.count; i++) {
		if (advice.items[i].kind == kind && strstr(advice.items[i].text, part)) {
			return true;
		}
	}
	return false;
}

static const struct {
	const char *driver;
	bool is_up;
	const char *old, *wanted;
	enum change_advice_kind kind;
	const char *part;
} cases[] = {
	{ "iavf", true, "rx-usecs 50 tx-usecs 50", "rx-usecs 9000", CHANGE_REFUSED, "0 to 8160" },
	{ "iavf", true, "rx-usecs 50 adaptive-rx on", "rx-usecs 60", CHANGE_REFUSED, "adaptive-rx off" },
	{ "ice", true, "rx-usecs 50", "rx-usecs 51", CHANGE_WARNING, "becomes 50us" },
	{ "ice", true, "rx-usecs-high 0", "rx-usecs-high 3", CHANGE_REFUSED, "takes 0, 4 to 236; below: 0; above: 4" },
	{ "i40e", true, "rx-usecs 50", "rx-usecs 51", CHANGE_WARNING, "becomes 52us" },
	{ "be2net", true, "rx-frames 0", "rx-frames 1", CHANGE_WARNING, "turns LRO off" },
	{ "be2net", true, "rx-usecs-low 0 rx-usecs-high 96", "rx-usecs-low 40 rx-usecs-high 8", CHANGE_REFUSED,
	  "above rx-usecs-high 8" },
	{ "mcp251xfd", true, "rx-usecs-irq 0", "rx-usecs-irq 10000", CHANGE_REFUSED, "bring it down first" },
	{ "am65-cpsw-nuss", true, "tx-usecs 0", "tx-usecs 5", CHANGE_REFUSED, "below the 20us" },
	{ "am65-cpsw-nuss", true, "tx-usecs 0", "tx-usecs 100", CHANGE_WARNING, "queue LIST" },
	{ "ixgbe", true, "rx-usecs 1", "rx-usecs 100", CHANGE_INTERRUPTS, "the link drops" },
	{ "fsl_enetc", true, "adaptive-rx on", "adaptive-rx off", CHANGE_INTERRUPTS, "restarts the interface" },
	{ "r8152", true, "rx-usecs 15000", "rx-usecs 100", CHANGE_INTERRUPTS, "carrier drops" },
	{ "r8152", true, "rx-usecs 15000", "rx-usecs 100", CHANGE_WARNING,
	  "is 96ns: the number is one of nanoseconds" },
	{ "r8152", true, "rx-usecs 15000", "rx-usecs 524281", CHANGE_REFUSED, "0 to 524280; below: 524280" },
	{ "mlx5_core", true, "rx-usecs 8", "rx-usecs 4096", CHANGE_REFUSED, "ERANGE" },
	{ "igb", true, "rx-usecs 3", "rx-usecs 5", CHANGE_REFUSED, "takes 0, 1, 3, 10 to 10000; below: 3; above: 10" },
	{ "igc", true, "rx-usecs 3 tx-usecs 3", "rx-usecs 10 tx-usecs 20", CHANGE_REFUSED, "one timer serves both" },
	{ "bcmgenet", true, "rx-usecs 0 rx-frames 1 tx-frames 1", "rx-usecs 100", CHANGE_WARNING, "becomes 106.496us" },
	{ "virtio_net", true, "rx-usecs 0 rx-frames 1", "rx-usecs 100", CHANGE_WARNING, "on most devices" },
	{ "mvneta", true, "tx-frames 0", "tx-frames 16", CHANGE_WARNING, "no timer for sent frames" },
	{ "unknown", true, "rx-usecs 9 rx-frames 9", "rx-usecs 0 rx-frames 0", CHANGE_WARNING, "both 0" },
	{ "unknown", true, "rx-usecs 9 rx-frames 0", "rx-usecs 0", CHANGE_WARNING, "both 0" },
	{ "unknown", true, "tx-frames 9 adaptive-tx on", "tx-frames 8", CHANGE_REFUSED, "adaptive-tx off" },
};

/* What must not be said. */
static void check_silence(void)
{
	ask("mcp251xfd", false, "rx-usecs-irq 0", "rx-usecs-irq 10000");
	tap_ok(!advice.is_refused, "mcp251xfd takes it while it is down");
	ask("unknown", true, "rx-usecs 9 adaptive-rx on", "rx-usecs 9");
	tap_ok(!advice.is_refused, "a static value that is there already is no change");
	ask("unknown", true, "rx-usecs 9 adaptive-rx on", "rx-usecs 8 adaptive-rx off");
	tap_ok(!advice.is_refused, "nor is one that comes with adaptive off refused");
	ask("unknown", true, "rx-usecs 0 rx-frames 0 tx-usecs 5", "tx-usecs 6");
	tap_is(advice.count, 0, "both zero is not said of the direction that is not asked for");
	ask("unknown", true, "rx-usecs 0", "rx-usecs 5");
	tap_is(advice.count, 0, "nothing is said where nothing is known");
	ask("ixgbe", true, "rx-usecs 100", "rx-usecs 100");
	tap_ok(!says(CHANGE_INTERRUPTS, ""), "no link drops for what is so already");
	ask("e1000e", true, "rx-usecs 3", "rx-usecs 20");
	tap_ok(says(CHANGE_NOTE, "modes"), "what the numbers of a driver mean is a note");
	change.is_needed = false;
	change_advise(&change, &advice);
	tap_is(advice.count, 0, "nothing is said of what is not needed");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ask(cases[i].driver, cases[i].is_up, cases[i].old, cases[i].wanted);
		tap_ok(says(cases[i].kind, cases[i].part), "%s, %s on %s: %s: \"%s\"", cases[i].driver, cases[i].wanted,
		       cases[i].old, change_advice_word(cases[i].kind), cases[i].part);
		tap_ok(advice.is_refused == (cases[i].kind == CHANGE_REFUSED), "%s, %s: it is %srefused",
		       cases[i].driver, cases[i].wanted, cases[i].kind == CHANGE_REFUSED ? "" : "not ");
	}
	check_silence();
	return tap_done();
}
