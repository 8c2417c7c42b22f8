/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts are made from profile_keys, so that a new key is tested without a word. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/profile.c"
#include "tap.h"

#define TEXT_MAX 8192

/* A whole profile but for one key (NULL: whole), with a line for that key instead ("": none). */
static const char *profile_text(const char *without, const char *instead)
{
	static char text[TEXT_MAX];
	size_t length = (size_t)snprintf(text, sizeof(text), "[host]\n%s\n", instead);

	for (unsigned i = 0; i < profile_key_count; i++) {
		const struct ini_key *key = &profile_keys[i];
		const char *value = key->type == INI_DURATION ? "3us" : "2";

		if (key->required && (!without || strcmp(without, key->name) != 0)) {
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s = %s\n", key->name, value);
		}
	}
	return text;
}

/* Texts that others build on: "whole" stands alone, "half" and "loop" have a base. */
static const char *find_base(const char *name, struct err *err)
{
	static char whole[TEXT_MAX];

	if (strcmp(name, "whole") == 0) {
		strcpy(whole, profile_text(NULL, "irq-jitter = 8us\nhz = 1000\n"));
		return whole;
	}
	if (strcmp(name, "half") == 0) {
		return "[host]\nbase = whole\nscale-percent = 50\nsource = x\ncpus = 1\n";
	}
	if (strcmp(name, "loop") == 0) {
		return "[host]\nbase = loop\nscale-percent = 50\nsource = x\ncpus = 1\n";
	}
	err_set(err, -EINVAL, "no base %s", name);
	return NULL;
}

static int read_text(const char *text, struct profile *profile, struct err *err)
{
	err->text[0] = '\0';
	return profile_parse(profile, text, "dir/mine.ini", find_base, err);
}

static bool refused(const char *text, const char *part)
{
	struct profile profile;
	struct err err;
	const int ret = read_text(text, &profile, &err);

	if (ret == -EINVAL || ret == -ERANGE) {
		if (strstr(err.text, part)) {
			return true;
		}
	}
	tap_note("returned %d: \"%s\", expected part \"%s\"", ret, err.text, part);
	return false;
}

static void test_whole(void)
{
	struct profile profile;
	struct err err;

	tap_is(read_text(profile_text(NULL, ""), &profile, &err), 0, "a profile with every required key is read: %s",
	       err.text);
	tap_is_text(profile.name, "mine", "it is named after its file");
	tap_is(profile.irq_handler_ns, 3000, "durations have units");
	tap_is(profile.rx_byte_ps, 2, "what is per byte is in ps");
	tap_is(profile.hz, 250, "HZ is 250 unless given");
	tap_is(profile.netdev_budget, 300, "netdev_budget is 300 unless given");
	tap_is(profile.netdev_budget_ns, 8000000, "its time is 2 jiffies unless given");
	tap_is((int64_t)profile.rcvbuf_bytes, 212992, "a socket holds 212992 bytes unless given");
	tap_is(profile.irq_jitter_ns + profile.cold_max_ns, 0, "jitter and cold are none unless given");
	tap_is(profile.idle_states, 0, "no idle state unless given");
	tap_is(read_text(profile_text(NULL, "hz = 100"), &profile, &err), 0, "HZ can be given");
	tap_is(profile.netdev_budget_ns, 20000000, "2 jiffies follow HZ");
	tap_is(read_text(profile_text(NULL, "netdev-budget-time = 5ms\nhz = 100"), &profile, &err), 0,
	       "so can the time of the budget");
	tap_is(profile.netdev_budget_ns, 5000000, "and is kept then");
}

static void test_every_required_key(void)
{
	for (unsigned i = 0; i < profile_key_count; i++) {
		if (profile_keys[i].required) {
			tap_ok(refused(profile_text(profile_keys[i].name, ""), profile_keys[i].name),
			       "a profile without %s is refused", profile_keys[i].name);
		}
	}
}

/* The few words for rows of tables. */
static void test_fit(void)
{
	static const struct {
		const char *lines, *fit;
	} cases[] = {
		{ "source = scaled from a53 x 1.29 (1.78 DMIPS/MHz)\nfit = scaled from a53", "scaled from a53" },
		{ "source = scaled from a53 x 1.29 (1.78 DMIPS/MHz)", "scaled from a53 x 1.29" },
		{ "source = measured: a trace", "measured" },
		{ "source = 3 values fitted, the rest guessed", "3 values fitted" },
		{ "source = (no words before the bracket)", "(no words before the bracket)" },
		{ "source = words and words and words and words and words and words",
		  "words and words and words and words and words a" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile profile;
		struct err err;

		tap_is(read_text(profile_text("source", cases[i].lines), &profile, &err), 0, "%s: %s", cases[i].lines,
		       err.text);
		tap_is_text(profile.fit, cases[i].fit, "in a few words");
	}
}

static void test_bad_values(void)
{
	tap_ok(refused(profile_text("poll", "poll = -1us"), "dir/mine.ini:2"),
	       "a negative cost is refused, with file and line");
	tap_ok(refused(profile_text("poll", "poll = 1s"), "dir/mine.ini:2"), "a second is refused");
	tap_ok(refused(profile_text("poll", "poll = 12"), "dir/mine.ini:2"), "so is a duration without unit");
	tap_ok(refused(profile_text("poll", "poll = 12usx"), "dir/mine.ini:2"), "and rubbish behind it");
	tap_ok(refused(profile_text("send", "send = 0ns"), "send is 0"), "a send takes time, or it would never end");
	tap_ok(refused("[host]\nbase = whole\nscale-percent = 100\nsource = x\ncpus = 1\nsend = 0s\n", "send is 0"),
	       "over a base as well");
	tap_ok(refused(profile_text("cpus", "cpus = 0"), "dir/mine.ini:2"), "a host has a CPU");
	tap_ok(refused(profile_text("cpus", "cpus = 9"), "dir/mine.ini:2"), "and at most 8");
	tap_ok(refused(profile_text(NULL, "hz = 0"), "dir/mine.ini:2"),
	       "HZ 0 is refused before anything is divided by it");
	tap_ok(refused(profile_text("rx-byte-ps", "rx-byte-ps = 5ns"), "dir/mine.ini:2"), "ps are bare numbers");
	tap_ok(refused(profile_text(NULL, "irq-handlr = 1us"), "irq-handler"), "an unknown key names the nearest");
	tap_ok(refused("poll = 1us\n", "section"), "a key before [host] is refused");
	tap_ok(refused("[hots]\npoll = 1us\n", "unknown section [hots]"), "so is an unknown section");
}

static const char *with_idle(const char *idle)
{
	static char text[TEXT_MAX + 1024];

	snprintf(text, sizeof(text), "%s%s", profile_text(NULL, ""), idle);
	return text;
}

static void test_idle_states(void)
{
	struct profile profile;
	struct err err;

	tap_is(read_text(
		       with_idle(
			       "[idle C1]\nexit = 2us\nresidency = 2us\n[idle C6]\nresidency = 600us\nexit = 133us\n"),
		       &profile, &err),
	       0, "idle states are read: %s", err.text);
	tap_is(profile.idle_states, 2, "both");
	tap_is(profile.idle[0].exit_ns, 2000, "the first is the lightest");
	tap_is(profile.idle[1].exit_ns, 133000, "the second comes behind it");
	tap_is(profile.idle[1].residency_ns, 600000, "with its residency");
	tap_ok(refused(with_idle("[idle C1]\nexit = 2us\n"), "residency"), "a state without residency is refused");
	tap_ok(refused(with_idle("[idle C1]\nexit = 2us\n[idle C6]\nexit = 2us\nresidency = 2us\n"), "residency"),
	       "also when another one follows");
	tap_ok(refused(with_idle("[idle a]\nexit=2us\nresidency=9us\n[idle b]\nexit=3us\nresidency=9us\n"),
		       "lightest first"),
	       "two states of equal residency are refused");
	tap_ok(refused(with_idle("[idle a]\nexit=1us\nresidency=1us\n[idle b]\nexit=1us\nresidency=2us\n[idle "
				 "c]\nexit=1us\nresidency=3us\n"
				 "[idle d]\nexit=1us\nresidency=4us\n[idle e]\nexit=1us\nresidency=5us\n"),
		       "too many"),
	       "a fifth state is refused");
	tap_ok(refused(with_idle("[idle]\nexit = 2us\n"), "unknown section"), "an idle state has a name");
}

static void test_scale(void)
{
	struct profile profile;
	struct err err;

	read_text(profile_text(NULL, "cold-half = 7us"), &profile, &err);
	profile_scale(&profile, 8, 1);
	tap_is(profile.irq_handler_ns, 24000, "a clock of an eighth makes a cost eight times as long");
	tap_is(profile.rx_byte_ps, 16, "also per byte");
	tap_is(profile.dma_latency_ns, 3000, "DMA is no CPU time");
	tap_is(profile.cold_half_ns, 7000, "nor is the gap that half cools");
	tap_is(profile.netdev_budget_ns, 8000000, "constants of the kernel stay");
	tap_is(profile.hz, 250, "HZ too");
	profile_scale(&profile, 1, 7);
	tap_is(profile.irq_handler_ns, 3429, "quotients are rounded to nearest");
	profile.irq_handler_ns = INT64_MAX;
	profile_scale(&profile, 8, 1);
	tap_ok(profile.irq_handler_ns == INT64_MAX, "no overflow");
}

static void test_name(void)
{
	struct profile profile;
	struct err err;
	const char *text = profile_text(NULL, "");

	tap_is(profile_parse(&profile, text, "cortex-a53", find_base, &err), 0,
	       "a name without folder and .ini is fine");
	tap_is_text(profile.name, "cortex-a53", "and kept");
	tap_is(profile_parse(&profile, text, "a-name-that-has-more-than-31-letters.ini", find_base, &err), -EINVAL,
	       "a name that does not fit is refused");
	tap_is(profile_parse(&profile, text, "dir/", find_base, &err), -EINVAL, "so is none");
}

static void test_base(void)
{
	struct profile profile;
	struct err err;

	tap_is(read_text("[host]\nbase = whole\nscale-percent = 150\nsource = mine\ncpus = 4\nirq-handler = 7us\n",
			 &profile, &err),
	       0, "a profile that builds on another gives only what differs: %s", err.text);
	tap_is(profile.irq_exit_ns, 4500, "what it leaves out is 150 %% of the base's 3 us");
	tap_is(profile.irq_jitter_ns, 12000, "so is a cost that has a default");
	tap_is(profile.irq_handler_ns, 7000, "what it gives is as given");
	tap_is(profile.hz, 1000, "constants of the kernel are taken over");
	tap_is(profile.netdev_budget_ns, 2 * NS_PER_MS, "two jiffies stay two jiffies");
	tap_is_text(profile.name, "mine", "the name is its own");
	tap_is_text(profile.source, "mine", "and so is the source");
	tap_is_text(profile.fit, "mine", "which says it in rows too");
	tap_is(read_text("[host]\nbase = half\nscale-percent = 50\nsource = mine\ncpus = 4\n", &profile, &err), 0,
	       "a base may have a base");
	tap_is(profile.irq_exit_ns, 750, "both scales count");
	tap_ok(refused("[host]\nbase = whole\nscale-percent = 50\ncpus = 4\n", "source"), "the source has to be given");
	tap_ok(refused("[host]\nbase = whole\nsource = x\ncpus = 4\n", "has to stand before") ||
		       refused("[host]\nbase = whole\nsource = x\ncpus = 4\n", "scale-percent"),
	       "a base needs a scale");
	tap_ok(refused("[host]\ncpus = 4\nbase = whole\n", "before the other keys"), "the base comes first");
	tap_ok(refused("[host]\nbase = nobody\nscale-percent = 50\n", "no base nobody"), "an unknown base is refused");
	tap_ok(refused("[host]\nbase = loop\nscale-percent = 50\n", "build on one another"),
	       "a base that is its own base is refused");
	tap_ok(refused("[host]\nbase = whole\nscale-percent = 0\n", "scale-percent"), "a scale of 0 is refused");
}

int main(void)
{
	test_base();
	test_whole();
	test_every_required_key();
	test_fit();
	test_bad_values();
	test_idle_states();
	test_scale();
	test_name();
	return tap_done();
}
