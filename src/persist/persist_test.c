/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds of every format: which one a text is, and that what is written reads back. */
#include <errno.h>

#include "base/random.h"
#include "persist/persist_testing.h"

static const struct persist_match device = { "enp1s0", "02:00:00:00:00:01", "pci-0000:00:03.0", "igb" };

static const char *const file_names[] = {
	[PERSIST_SYSTEMD_LINK] = "10-x.link",
	[PERSIST_NETWORKMANAGER] = "x.nmconnection",
	[PERSIST_UDEV] = "99-x.rules",
	[PERSIST_ETHTOOL] = "x.sh",
};

static void test_guess(void)
{
	static const struct {
		const char *name, *text;
		enum persist_format format;
	} cases[] = {
		{ "a.link", "", PERSIST_SYSTEMD_LINK },
		{ "-", "# c\n[Match]\n", PERSIST_SYSTEMD_LINK },
		{ "-", "[Link]\nRxCoalesceSec=1us\n", PERSIST_SYSTEMD_LINK },
		{ "a.nmconnection", "", PERSIST_NETWORKMANAGER },
		{ "-", "[connection]\nid=x\n", PERSIST_NETWORKMANAGER },
		{ "a.rules", "", PERSIST_UDEV },
		{ "-", "SUBSYSTEM==\"net\", RUN+=\"/usr/sbin/ethtool -C $name rx-usecs 1\"\n", PERSIST_UDEV },
		{ "-", "ethtool -C eth0 rx-usecs 1\n", PERSIST_ETHTOOL },
		{ "-", "Coalesce parameters for eth0:\n", PERSIST_ETHTOOL },
		{ "a.yaml", "network:\n  version: 2\n", PERSIST_NETPLAN },
		{ "a.yaml", "services:\n", PERSIST_FORMATS },
		{ "-", "", PERSIST_FORMATS },
		{ "-", "# ethtool\nhello\n", PERSIST_FORMATS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tap_is(persist_guess(cases[i].name, cases[i].text), cases[i].format, "format of text %zu", i);
	}
	struct err err = { "" };
	static struct persist_file file;
	tap_is(persist_read(&file, "a.txt", "hello\n", &err), -EINVAL, "none of the formats is an error");
	tap_ok(strstr(err.text, "a.txt: this is neither"), "which says so: %s", err.text);
}

/* Writes, and reads what was written. */
static bool turn_round(enum persist_format format, const struct persist_match *match, const struct coalesce *settings,
		       uint32_t *left_out, struct persist_file *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const out = open_memstream(&text, &size);
	const int ret = persist_write(out, format, match, settings, left_out);

	fclose(out);
	const bool is_read = ret == 0 && persist_read(file, file_names[format], text, NULL) == 0;
	if (!is_read || file->finding_count) {
		tap_note("returned %d: %s%s", ret, text, is_read ? file->findings[0].text : "");
	}
	free(text);
	return is_read;
}

/* Random settings without what lint finds odd about them: values beside adaptive modes, pairs of zeros, a low
 * above a high. */
static struct coalesce random_settings(struct random *random)
{
	struct coalesce settings = { 0 };

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const unsigned bits = (unsigned)random_below(random, 33);
		const uint32_t value =
			1 + (uint32_t)random_below(random, UINT64_C(1) << (bits ? bits : 1)) % UINT32_MAX;

		if (random_below(random, 3) == 0) {
			coalesce_put(&settings, field,
				     coalesce_fields[field].unit == COALESCE_UNIT_SWITCH ? value & 1 : value);
		}
	}
	settings.value[COALESCE_ADAPTIVE_RX] = settings.value[COALESCE_ADAPTIVE_TX] = 0;
	settings.present &= ~(COALESCE_BIT(COALESCE_RX_USECS_LOW) | COALESCE_BIT(COALESCE_TX_USECS_LOW) |
			      COALESCE_BIT(COALESCE_PKT_RATE_LOW));
	coalesce_put(&settings, COALESCE_RX_USECS, (uint32_t)random_u64(random));
	settings.present &= ~COALESCE_BIT(COALESCE_RX_FRAMES);
	return settings;
}

/* A rule says in a note that it runs early; nothing else may be found in what we write. */
static bool is_clean(const struct persist_file *file)
{
	return file->finding_count == 0 ||
	       (file->format == PERSIST_UDEV && file->finding_count == 1 && file->findings[0].severity == PERSIST_NOTE);
}

static bool same_after(const struct persist_file *file, const struct coalesce *settings, uint32_t left_out)
{
	struct coalesce expressed = *settings;

	expressed.present &= ~left_out;
	return coalesce_difference(&file->settings, &expressed) == 0;
}

/* What a format leaves out is what it has no key for, and what its key cannot hold. */
static uint32_t expected_left_out(enum persist_format format, const struct coalesce *settings)
{
	const uint32_t keyless = ~(COALESCE_BIT(COALESCE_SAMPLE_INTERVAL + 1) - 1);
	const uint32_t interval = settings->value[COALESCE_SAMPLE_INTERVAL];
	uint32_t left_out = format <= PERSIST_NETWORKMANAGER ? settings->present & keyless : 0;

	if (format == PERSIST_SYSTEMD_LINK && interval > 4294) {
		left_out |= settings->present & COALESCE_BIT(COALESCE_SAMPLE_INTERVAL);
	}
	return left_out;
}

static void test_round_trip(void)
{
	const char *const seed_text = getenv("SEED");
	const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	static struct persist_file file;
	struct random random;

	random_init(&random, seed, 0);
	for (enum persist_format format = 0; format < PERSIST_NETPLAN; format++) {
		unsigned failed = 0;

		for (unsigned i = 0; i < 500; i++) {
			const struct coalesce settings = random_settings(&random);
			uint32_t left_out = 0;

			if (!turn_round(format, &device, &settings, &left_out, &file) || !is_clean(&file) ||
			    !same_after(&file, &settings, left_out) ||
			    left_out != expected_left_out(format, &settings)) {
				failed++;
			}
		}
		tap_is(failed, 0,
		       "%s: 500 random settings are written, read back the same, without a finding (SEED=%llu)",
		       persist_format_name(format), (unsigned long long)seed);
	}
}

/* By hand from systemd.link(5): two keys take no 0, and seconds are held as 32 bits of us. */
static bool is_beyond(enum persist_format format, enum coalesce_field field, uint32_t value)
{
	return format == PERSIST_SYSTEMD_LINK && ((field == COALESCE_STATS_BLOCK_USECS && value == 0) ||
						  (field == COALESCE_SAMPLE_INTERVAL && (value == 0 || value > 4294)));
}

static void check_limit(enum persist_format format, enum coalesce_field field, uint32_t value)
{
	static struct persist_file file;
	struct coalesce one = { 0 };
	uint32_t left_out = 0;
	char why[PERSIST_WHY_MAX];

	coalesce_put(&one, field, value);
	const bool is_written = turn_round(format, &device, &one, &left_out, &file);

	if (is_beyond(format, field, value)) {
		tap_ok(!is_written && left_out == one.present, "%s", persist_why_left_out(format, field, value, why));
	} else {
		tap_ok(is_written && left_out == 0 && same_after(&file, &one, 0), "%s: %s %u",
		       persist_format_name(format), coalesce_fields[field].name, value);
	}
}

static void test_limits(void)
{
	static const uint32_t values[] = { 0, 1, 4294, 4294967295 };

	for (enum persist_format format = 0; format < PERSIST_NETPLAN; format++) {
		for (enum coalesce_field field = 0; field <= COALESCE_SAMPLE_INTERVAL; field++) {
			const bool is_switch = coalesce_fields[field].unit == COALESCE_UNIT_SWITCH;

			for (size_t i = 0; i < (is_switch ? 2 : sizeof(values) / sizeof(values[0])); i++) {
				check_limit(format, field, values[i]);
			}
		}
	}
}

/* The thing that survives renaming is what is written, and is read back. */
static void test_match(void)
{
	static const struct {
		enum persist_format format;
		struct persist_match match;
		const char *address, *path, *name;
	} cases[] = {
		{ PERSIST_SYSTEMD_LINK, { "a", "02:00:00:00:00:01", "p", "" }, "02:00:00:00:00:01", "", "" },
		{ PERSIST_SYSTEMD_LINK, { "a", "", "p", "" }, "", "p", "" },
		{ PERSIST_SYSTEMD_LINK, { "a", "", "", "" }, "", "", "a" },
		{ PERSIST_NETWORKMANAGER, { "a", "02:00:00:00:00:01", "p", "" }, "02:00:00:00:00:01", "", "" },
		{ PERSIST_NETWORKMANAGER, { "a", "", "p", "" }, "", "p", "" },
		{ PERSIST_NETWORKMANAGER, { "a", "", "", "" }, "", "", "a" },
		{ PERSIST_UDEV, { "a", "02:00:00:00:00:01", "p", "" }, "", "p", "" },
		{ PERSIST_UDEV, { "a", "02:00:00:00:00:01", "", "" }, "02:00:00:00:00:01", "", "" },
		{ PERSIST_UDEV, { "a", "", "", "" }, "", "", "a" },
		{ PERSIST_ETHTOOL, { "a", "02:00:00:00:00:01", "p", "" }, "", "", "a" },
		{ PERSIST_ETHTOOL, { "", "", "", "" }, "", "", "DEV" },
		{ PERSIST_SYSTEMD_LINK, { "", "", "", "" }, "", "", "DEV" },
	};
	static struct persist_file file;
	struct coalesce one = { 0 };
	uint32_t left_out;

	coalesce_put(&one, COALESCE_RX_USECS, 100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tap_ok(turn_round(cases[i].format, &cases[i].match, &one, &left_out, &file), "match %zu is read", i);
		tap_is_text(file.match.permanent_address, cases[i].address, "match %zu: address", i);
		tap_is_text(file.match.path, cases[i].path, "match %zu: path", i);
		tap_is_text(file.match.name, cases[i].name, "match %zu: name", i);
	}
}

static void test_nothing(void)
{
	struct coalesce one = { 0 };
	char *text = NULL;
	size_t size = 0;
	uint32_t left_out = 0;
	FILE *const out = open_memstream(&text, &size);

	coalesce_put(&one, COALESCE_CQE_MODE_RX, 1);
	tap_is(persist_write(out, PERSIST_SYSTEMD_LINK, &device, &one, &left_out), -EOPNOTSUPP, "nothing to express");
	tap_is(left_out, COALESCE_BIT(COALESCE_CQE_MODE_RX), "it is said");
	coalesce_put(&one, COALESCE_RX_USECS, 1);
	tap_is(persist_write(out, PERSIST_NETPLAN, &device, &one, &left_out), -EOPNOTSUPP, "netplan expresses nothing");
	tap_is(left_out, one.present, "all of it is left out");
	fclose(out);
	tap_is((int64_t)size, 0, "nothing was written");
	free(text);
}

static void test_findings(void)
{
	static struct persist_file file;

	memset(&file, 0, sizeof(file));
	persist_find(&file, 5, PERSIST_NOTE, "five\n\x1b[31m");
	persist_find(&file, 3, PERSIST_NOTE, "three");
	persist_find(&file, 5, PERSIST_NOTE, "again");
	tap_is_text(file.findings[0].text, "three", "findings are in order of lines");
	tap_is_text(file.findings[1].text, "five??[31m", "control characters are replaced");
	tap_is_text(file.findings[2].text, "again", "of one line, in order");
	for (unsigned i = 0; i < 2 * PERSIST_FINDINGS_MAX; i++) {
		persist_find(&file, 9, i == PERSIST_FINDINGS_MAX ? PERSIST_WRONG : PERSIST_NOTE, "more");
	}
	tap_is(file.finding_count, PERSIST_FINDINGS_MAX, "there is a most");
	tap_is(file.findings[PERSIST_FINDINGS_MAX - 1].severity, PERSIST_WRONG, "the worst of those left out is kept");
}

int main(void)
{
	test_guess();
	test_round_trip();
	test_limits();
	test_match();
	test_nothing();
	test_findings();
	testing_sample("netplan_ring_only.yaml", "", "7 wrong coalesce is no key of netplan");
	testing_reading(&(struct reading_case){ "a.yaml", "network:\n  mtu: 9000 # coalesce: x\n", "", "" });
	return tap_done();
}
