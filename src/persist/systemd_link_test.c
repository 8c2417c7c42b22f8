/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "persist/persist_testing.h"

#define MATCH "[Match]\nPermanentMACAddress=02:00:00:00:00:01\n[Link]\nNamePolicy=keep kernel\n"

/* Values by hand: a bare number is seconds, 2^32 - 1 us are 4294.967295 s. */
static void test_values(void)
{
	static const struct reading_case cases[] = {
		{ "10-a.link", MATCH "RxCoalesceSec=100us\n", "rx-usecs 100", "" },
		{ "10-a.link", MATCH "RxCoalesceSec=0\nTxCoalesceSec=0\n", "rx-usecs 0 tx-usecs 0", "" },
		{ "10-a.link", MATCH "RxCoalesceSec=100\n", "rx-usecs 100000000",
		  "5 warning RxCoalesceSec=100 has no unit and means seconds: rx-usecs 100000000 (it fits 32 bits, "
		  "nothing wraps); RxCoalesceSec=100us is rx-usecs 100" },
		{ "10-a.link", MATCH "RxCoalesceSec=4294\n", "rx-usecs 4294000000", "5 warning no unit" },
		{ "10-a.link", MATCH "RxCoalesceSec=4295\n", "",
		  "5 wrong 4295000000 us do not fit 32 bits, and systemd ignores the line (nothing wraps); "
		  "RxCoalesceSec=4295us is rx-usecs 4295" },
		{ "10-a.link", MATCH "RxCoalesceSec=0.0001\n", "rx-usecs 100", "5 warning rx-usecs 100 (" },
		{ "10-a.link", MATCH "RxCoalesceSec=4294967295us\n", "rx-usecs 4294967295", "" },
		{ "10-a.link", MATCH "RxCoalesceSec=4294967296us\n", "", "5 wrong more than 4294967295 us" },
		{ "10-a.link", MATCH "RxCoalesceSec=infinity\n", "", "5 wrong more than 4294967295 us" },
		{ "10-a.link", MATCH "RxCoalesceSec=100m\n", "", "5 wrong m are minutes, ms are milliseconds" },
		{ "10-a.link", MATCH "RxCoalesceSec=1m\n", "rx-usecs 60000000", "5 warning m are minutes" },
		{ "10-a.link", MATCH "RxCoalesceSec=1.5us\n", "rx-usecs 1", "5 warning rounded to whole us, down" },
		{ "10-a.link", MATCH "RxCoalesceSec=100u\n", "", "5 wrong is no time span" },
		{ "10-a.link", MATCH "RxCoalesceSec=-1\n", "", "5 wrong nothing negative" },
		{ "10-a.link", MATCH "RxCoalesceSec=100us # quick\n", "",
		  "5 wrong comments stand on lines of their own" },
		{ "10-a.link", MATCH "RxCoalesceSec=1us\nRxCoalesceSec=2us\n", "rx-usecs 2",
		  "6 warning given in line 5 already" },
		{ "10-a.link", MATCH "RxCoalesceSec=1us\nRxCoalesceSec=\n", "", "" },
		{ "10-a.link", MATCH "RxCoalesceSec=1us\\\n5us\n", "rx-usecs 6", "" },
		{ "10-a.link", MATCH "RxMaxCoalescedFrames=0x10\n", "rx-frames 16", "" },
		{ "10-a.link", MATCH "RxMaxCoalescedFrames=010\n", "rx-frames 8", "5 warning octal: rx-frames 8" },
		{ "10-a.link", MATCH "RxMaxCoalescedFrames=08\n", "", "5 wrong is no number" },
		{ "10-a.link", MATCH "RxMaxCoalescedFrames=-1\n", "", "5 wrong is no number" },
		{ "10-a.link", MATCH "RxMaxCoalescedFrames=4294967296\n", "", "5 wrong is no number" },
		{ "10-a.link", MATCH "UseAdaptiveRxCoalesce=Off\nUseAdaptiveTxCoalesce=y\n",
		  "adaptive-rx off adaptive-tx on", "" },
		{ "10-a.link", MATCH "UseAdaptiveRxCoalesce=2\n", "", "5 wrong is no boolean" },
		{ "10-a.link", MATCH "StatisticsBlockCoalesceSec=0\n", "", "5 wrong must not be 0" },
		{ "10-a.link", MATCH "StatisticsBlockCoalesceSec=1s\n", "stats-block-usecs 1000000", "" },
		{ "10-a.link", MATCH "CoalescePacketRateSampleIntervalSec=5\n", "sample-interval 5", "" },
		{ "10-a.link", MATCH "CoalescePacketRateSampleIntervalSec=1500ms\n", "sample-interval 2",
		  "5 warning rounded to whole seconds, up" },
		{ "10-a.link", MATCH "CoalescePacketRateSampleIntervalSec=0\n", "", "5 wrong must not be 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

static void test_keys(void)
{
	static const struct reading_case cases[] = {
		{ "10-a.link", MATCH "RxCoalesceUSec=100us\n", "",
		  "5 wrong systemd ignores the line; RxCoalesceSec may" },
		{ "10-a.link", MATCH "rxcoalescesec=100us\n", "", "5 wrong RxCoalesceSec may be meant" },
		{ "10-a.link", MATCH "RxUsecs=100\n", "", "5 wrong there is no key \"RxUsecs\"" },
		{ "10-a.link", MATCH "TransmitQueues=256\n", "", "5 warning TxBufferSize=256 is the ring" },
		{ "10-a.link", MATCH "TransmitQueues=255\nMTUBytes=9000\n", "", "" },
		{ "10-a.link", "RxCoalesceSec=1us\n" MATCH, "", "1 wrong stands before any section" },
		{ "10-a.link", MATCH "[Links]\nRxCoalesceSec=1us\n", "", "5 wrong no section [Links]" },
		{ "10-a.link", MATCH "[X-Mine]\nRxCoalesceSec=1us\n", "", "" },
		{ "10-a.link", MATCH "rubbish\n", "", "5 wrong neither [section] nor key=value" },
		{ "10-a.link", "# c\r\n; c\r\n\r\n" MATCH "RxCoalesceSec=1us\r\n", "rx-usecs 1", "" },
		{ "10-a.link", "\xef\xbb\xbf" MATCH "RxCoalesceSec=1us\n", "rx-usecs 1", "" },
		{ "10-a.link", "", "", "" },
		{ "99-holdoff.link", MATCH "RxCoalesceSec=1us\n", "rx-usecs 1",
		  "1 wrong sorts behind 99-default.link" },
		{ "99-default.link", MATCH, "", "" },
		{ "/etc/systemd/network/10-a.conf", MATCH, "", "1 note names end in .link" },
		{ "/x/10-a.link.d/b.conf", "[Link]\nRxCoalesceSec=1us\n", "rx-usecs 1", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

static void test_match(void)
{
	static const struct reading_case cases[] = {
		{ "10-a.link", "[Link]\nName=lan0\nRxCoalesceSec=1us\n", "rx-usecs 1", "1 warning every interface" },
		{ "10-a.link", "[Match]\nDriver=ena\n[Link]\nRxCoalesceSec=1us\n", "rx-usecs 1",
		  "1 note no NamePolicy= or Name=" },
		{ "10-a.link", "[Match]\nOriginalName=eth0\n[Link]\nName=a\n", "", "2 warning happens to call" },
		{ "10-a.link", "[Match]\nOriginalName=enp1s0\n[Link]\nName=a\n", "", "2 wrong never matches at boot" },
		{ "10-a.link", "[Match]\nOriginalName=can0\n[Link]\nName=a\n", "", "" },
		{ "10-a.link", "[Match]\nOriginalName=*\n[Link]\nName=a\n", "", "2 note every interface" },
		{ "10-a.link", "[Match]\nOriginalName=DEV\n[Link]\nName=a\n", "", "2 warning was to be put here" },
		{ "10-a.link", "[Match]\nMac=02:00:00:00:00:01\n[Link]\nName=a\n", "",
		  "1 warning every interface|2 wrong no key \"Mac\" in [Match]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		testing_reading(&cases[i]);
	}
}

int main(void)
{
	test_values();
	test_keys();
	test_match();
	testing_sample("50-good.link", "rx-usecs 0 tx-usecs 0 adaptive-rx off", "1 note no NamePolicy=");
	testing_sample(
		"51-wrong-key.link", "rx-usecs 150",
		"1 note no NamePolicy=|5 warning RxBufferSize=4096 is the ring|6 warning TxBufferSize=4096 is the "
		"ring");
	return tap_done();
}
