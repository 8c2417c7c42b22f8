/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "tap.h"

static struct workload parsed(const char *text)
{
	struct workload workload = { 0 };
	struct err err = { "" };

	tap_is(workload_parse(&workload, text, &err), 0, "\"%s\" is understood%s%s", text, err.text[0] ? ": " : "",
	       err.text);
	return workload;
}

static void test_defaults(void)
{
	struct workload workload = parsed("ping");

	tap_ok(workload.kind == WORKLOAD_PING && workload.size == 56 && workload.interval_ns == NS_PER_S,
	       "ping: 56 bytes each second");
	workload = parsed("rr");
	tap_ok(workload.size == 64 && workload.connections == 1, "rr: 64 bytes, one connection");
	workload = parsed("udp rate=20k");
	tap_ok(workload.size == 64 && workload.rate_per_s == 20000 && workload.pattern == WORKLOAD_CBR &&
		       workload.direction == WORKLOAD_RX,
	       "udp: 64 bytes, constant, received by the board");
	workload = parsed("tcp");
	tap_ok(workload.window_bytes == 262144 && workload.mss == 1448 && workload.delayed_ack && workload.gro,
	       "tcp: 256Ki in flight, 1448 a segment, delayed ACKs, GRO");
	workload = parsed("tftp");
	tap_ok(workload.size == 512 && workload.total_bytes == 1000000 && workload.direction == WORKLOAD_RX,
	       "tftp: 512-byte blocks of a megabyte to the board");
	workload = parsed("voip");
	tap_ok(workload.size == 160 && workload.rate_per_s == 500, "voip: 160 bytes each 2 ms");
	workload = parsed("fieldbus");
	tap_ok(workload.size == 64 && workload.interval_ns == NS_PER_MS, "fieldbus: 64 bytes each ms");
}

static void test_values(void)
{
	struct workload workload = parsed(" ping\tsize=82  interval=0 ");

	tap_ok(workload.size == 82 && workload.interval_ns == 0, "ping: size and interval 0");
	workload = parsed("udp rate=max xdp=on");
	tap_ok(workload.xdp_drop && !parsed("udp rate=max").xdp_drop,
	       "xdp=on drops in the driver; it is off unless given");
	workload = parsed("udp size=18 pattern=burst count=32 every=5ms dir=tx");
	tap_ok(workload.pattern == WORKLOAD_BURST && workload.burst_count == 32 && workload.burst_every_ns == 5000000 &&
		       workload.direction == WORKLOAD_TX && workload.rate_per_s == 0,
	       "udp: bursts of 32 each 5 ms, sent by the board");
	workload = parsed("udp rate=max");
	tap_is((int64_t)workload.rate_per_s, 0, "udp: as fast as the wire");
	tap_is((int64_t)parsed("udp rate=line").rate_per_s, 0, "udp: line rate is the same");
	tap_is((int64_t)parsed("udp rate=0").rate_per_s, 0, "udp: 0 is the same");
	/* 64 bytes and 20 of preamble and gap: 672 bits. */
	tap_is((int64_t)parsed("udp size=18 rate=1Gbps").rate_per_s, 1488095, "udp: a gigabit of the smallest frames");
	tap_is((int64_t)parsed("udp rate=100Mbps size=1472").rate_per_s, 8127,
	       "udp: 100 Mb/s of the largest, size given later");
	workload = parsed("tcp window=256k mss=1000 delack=off gro=no dir=tx");
	tap_ok(workload.window_bytes == 256000 && workload.mss == 1000 && !workload.delayed_ack && !workload.gro &&
		       workload.direction == WORKLOAD_TX,
	       "tcp: every key");
	workload = parsed("tftp blksize=1468 bytes=0");
	tap_ok(workload.size == 1468 && workload.total_bytes == 0, "tftp: the largest block, no end");
	tap_is(parsed("rr connections=64").connections, 64, "rr: the most connections");
	tap_is(parsed("ping size=1472").size, 1472, "ping: the largest");
	tap_is(parsed("fieldbus size=1500").size, 1500, "fieldbus: the largest");
}

static void test_errors(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *sentence;
	} cases[] = {
		{ "", -EINVAL, "the workload is empty, expected one of ping, rr, udp, tcp, tftp, voip, fieldbus" },
		{ "pign", -EINVAL, "unknown workload \"pign\", did you mean ping?" },
		{ "iperf", -EINVAL,
		  "unknown workload \"iperf\", expected one of ping, rr, udp, tcp, tftp, voip, fieldbus" },
		{ "size=5", -EINVAL,
		  "unknown workload \"size=5\", expected one of ping, rr, udp, tcp, tftp, voip, fieldbus" },
		{ "ping sise=5", -EINVAL, "ping takes no sise, did you mean size?" },
		{ "ping colour=5", -EINVAL, "ping takes no colour, its keys are size interval mtu" },
		{ "ping rate=5", -EINVAL, "ping takes no rate, that is for udp" },
		{ "rr dir=tx", -EINVAL, "rr takes no dir, that is for udp, tcp, tftp, voip" },
		{ "voip rate=5", -EINVAL, "voip takes no rate, that is for udp" },
		{ "ping size", -EINVAL, "size lacks its value, expected size=BYTES" },
		{ "ping size=", -EINVAL,
		  "size: the value is empty, expected bytes such as 1500 or 64Ki (k M G, Ki Mi Gi)" },
		{ "ping size=56 size=56", -EINVAL, "size is given twice" },
		{ "ping size=5x", -EINVAL,
		  "size: \"x\" is no unit in \"5x\", expected bytes such as 1500 or 64Ki (k M G, Ki Mi Gi)" },
		{ "ping size=-5", -EINVAL, "size: \"-5\" must not be negative" },
		{ "ping size=1473", -ERANGE,
		  "size: 1473 bytes do not fit one frame of a 1500-byte MTU, the largest for ping is 1472" },
		{ "ping size=99999999999", -ERANGE,
		  "size: 99999999999 is out of range, expected at least 0, and no more than fits a frame" },
		{ "tcp mss=1449", -ERANGE,
		  "mss: 1449 bytes do not fit one frame of a 1500-byte MTU, the largest for tcp is 1448" },
		{ "tcp mss=63", -ERANGE,
		  "mss: 63 is out of range, expected at least 64, and no more than fits a frame" },
		{ "tftp blksize=1469", -ERANGE,
		  "blksize: 1469 bytes do not fit one frame of a 1500-byte MTU, the largest for tftp is 1468" },
		{ "tftp blksize=7", -ERANGE,
		  "blksize: 7 is out of range, expected at least 8, and no more than fits a frame" },
		{ "fieldbus size=1501", -ERANGE,
		  "size: 1501 bytes do not fit one frame of a 1500-byte MTU, the largest for fieldbus is 1500" },
		{ "ping interval=5", -EINVAL,
		  "interval: 5 lacks its unit, expected a time such as 30us (ns us ms s min h d)" },
		{ "ping interval=2d", -ERANGE, "interval: 2d is out of range, expected 0ns to 86400s" },
		{ "fieldbus interval=0", -ERANGE, "interval: fieldbus needs one above 0" },
		{ "udp", -EINVAL, "udp needs a rate, as in rate=20k or rate=max, or pattern=burst" },
		{ "udp pattern=poisson", -EINVAL, "udp needs a rate, as in rate=20k or rate=max, or pattern=burst" },
		{ "udp rate=0 pattern=poisson", -EINVAL, "pattern=poisson needs a rate above 0" },
		{ "udp rate=5 pattern=random", -EINVAL, "pattern: \"random\" is neither cbr, poisson nor burst" },
		{ "udp rate=5 count=3", -EINVAL, "count and every go with pattern=burst only" },
		{ "udp rate=5 every=3s", -EINVAL, "count and every go with pattern=burst only" },
		{ "udp pattern=burst count=3", -EINVAL,
		  "pattern=burst needs count and every, as in count=32 every=5ms" },
		{ "udp pattern=burst every=3s", -EINVAL,
		  "pattern=burst needs count and every, as in count=32 every=5ms" },
		{ "udp pattern=burst count=3 every=3s rate=5", -EINVAL,
		  "pattern=burst takes no rate, but count and every" },
		{ "udp pattern=burst count=0 every=3s", -ERANGE, "count: 0 is out of range, expected 1 to 1000000" },
		{ "udp pattern=burst count=3 every=0", -ERANGE, "every: 0 is out of range, expected 1ns to 86400s" },
		{ "udp rate=2G", -ERANGE, "rate: 2G is out of range, expected 0 to 1000000000" },
		{ "udp rate=20q", -EINVAL,
		  "rate: \"q\" is no unit in \"20q\", expected a number per second such as 20k (k M G)" },
		{ "udp rate=100bps", -ERANGE,
		  "rate: 100 bps of 1040-bit frames is out of range, expected 1 to 1000000000 frames per second" },
		{ "udp rate=5 dir=up", -EINVAL, "dir: \"up\" is neither rx nor tx" },
		{ "rr connections=65", -ERANGE, "connections: 65 is out of range, expected 1 to 64" },
		{ "rr connections=0", -ERANGE, "connections: 0 is out of range, expected 1 to 64" },
		{ "tcp gro=maybe", -EINVAL, "gro: \"maybe\" is neither on nor off" },
		{ "tcp window=1000", -ERANGE, "window: 1000 bytes are less than one segment of 1448" },
		{ "tcp window=2Gi", -ERANGE, "window: 2Gi is out of range, expected 1 to 1073741824" },
		{ "ping size=0000000000000000000000000000000000000000000000000000000000001", -EINVAL,
		  "a word of 66 characters is no key=value of a workload" },
	};

	for (unsigned row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
		struct workload workload = { .size = 4242 };
		struct err err = { "" };

		tap_is(workload_parse(&workload, cases[row].text, &err), cases[row].ret, "\"%s\" is refused",
		       cases[row].text);
		tap_is_text(err.text, cases[row].sentence, "\"%s\": the sentence", cases[row].text);
		tap_ok(workload.size == 4242, "\"%s\": the workload is untouched", cases[row].text);
	}
}

static void test_print(void)
{
	static const char *const canonical[] = {
		"ping",
		"ping size=82 interval=0ns",
		"ping size=0 interval=1.5ms",
		"rr",
		"rr size=1472 connections=64",
		"udp rate=20000",
		"udp rate=max dir=tx",
		"udp size=18 rate=1488095 pattern=poisson",
		"udp pattern=burst count=32 every=5ms",
		"tcp",
		"tcp window=256000 mss=1000 delack=off gro=off dir=tx",
		"tftp",
		"tftp blksize=1468 bytes=0 dir=tx",
		"voip",
		"voip size=20 dir=tx",
		"fieldbus size=1500 interval=250us",
	};
	char text[WORKLOAD_TEXT_MAX];

	for (unsigned row = 0; row < sizeof(canonical) / sizeof(canonical[0]); row++) {
		const struct workload workload = parsed(canonical[row]);

		tap_is_text(workload_print(&workload, text), canonical[row], "\"%s\" is printed as it was read",
			    canonical[row]);
	}
	const struct workload workload = parsed("ping interval=1s size=56");

	tap_is_text(workload_print(&workload, text), "ping", "what is usual is not printed");
}

/* What a workload is without a key is what the table says of it. */
static void test_key_defaults(void)
{
	unsigned count;
	char value[WORKLOAD_DEFAULT_MAX];
	const struct workload_key_info *keys = workload_keys(&count);

	for (unsigned kind = 0; kind < WORKLOAD_KINDS; kind++) {
		for (unsigned key = 0; key < count; key++) {
			const bool takes = keys[key].kinds >> kind & 1;
			char without[80], with[160];

			workload_key_default((enum workload_kind)kind, key, value);
			snprintf(without, sizeof(without), "%s%s", workload_kind_name((enum workload_kind)kind),
				 kind == WORKLOAD_UDP ? " rate=1k" : "");
			snprintf(with, sizeof(with), "%s %s=%s", without, keys[key].name, value);
			if (value[0]) {
				const struct workload a = parsed(without), b = parsed(with);
				char text_a[WORKLOAD_TEXT_MAX], text_b[WORKLOAD_TEXT_MAX];

				tap_is_text(workload_print(&b, text_b), workload_print(&a, text_a), "\"%s\" is \"%s\"",
					    with, without);
			} else {
				tap_ok(!takes || kind == WORKLOAD_UDP, "\"%s\" has no such default", with);
			}
		}
	}
}

static void test_frames(void)
{
	tap_is(workload_frame_bytes(WORKLOAD_UDP, 0), 64, "no frame is shorter than 64 bytes");
	tap_is(workload_frame_bytes(WORKLOAD_UDP, 18), 64, "18 bytes of UDP just fill it");
	tap_is(workload_frame_bytes(WORKLOAD_UDP, 19), 65, "19 do not");
	tap_is(workload_frame_bytes(WORKLOAD_PING, 82), 128, "82 bytes of ping make 128");
	tap_is(workload_frame_bytes(WORKLOAD_PING, 1472), 1518, "the largest ping");
	tap_is(workload_frame_bytes(WORKLOAD_TCP, 1448), 1518, "the largest segment");
	tap_is(workload_frame_bytes(WORKLOAD_TCP, 0), 70, "an ACK with time stamps");
	tap_is(workload_frame_bytes(WORKLOAD_FIELDBUS, 46), 64, "a field bus frame has no IP");
	const struct workload tftp = parsed("tftp blksize=1468"), tcp = parsed("tcp mss=1000");

	tap_is(workload_payload(&tftp), 1468, "the payload of a block");
	tap_is(workload_data_frame_bytes(&tftp), 1518, "its frame has 4 bytes of TFTP too");
	tap_is(workload_data_frame_bytes(&tcp), 1070, "the frame of a segment");
	tap_is(workload_largest_payload(WORKLOAD_TFTP, 1500), 1468,
	       "a block shares its datagram with opcode and number");
	tap_is(workload_largest_payload(WORKLOAD_PING, 9000), 8972, "a jumbo frame holds a ping of 8972");
	tap_is(parsed("tcp mtu=9000").mss, 8948, "segments fill the MTU");
	tap_is(parsed("tcp mss=1000 mtu=9000").mss, 1000, "unless mss says otherwise");
	tap_is(parsed("ping size=8972 mtu=9000").size, 8972, "size and mtu in any order");
}

static void test_help(void)
{
	unsigned count = 0, kinds = 0;
	const struct workload_key_info *const keys = workload_keys(&count);

	for (unsigned key = 0; key < count; key++) {
		kinds |= keys[key].kinds;
		tap_ok(keys[key].name[0] && keys[key].value[0] && keys[key].meaning[0], "%s is documented",
		       keys[key].name);
	}
	tap_is(kinds, (1 << WORKLOAD_KINDS) - 1, "every kind has keys");
	for (enum workload_kind kind = 0; kind < WORKLOAD_KINDS; kind++) {
		tap_ok(workload_kind_name(kind)[0] && workload_kind_meaning(kind)[0], "%s is documented",
		       workload_kind_name(kind));
	}
}

int main(void)
{
	test_defaults();
	test_values();
	test_errors();
	test_print();
	test_key_defaults();
	test_frames();
	test_help();
	return tap_done();
}
