/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare_rtl8168 SLOT drive|scribble [SEED COUNT]: an RTL8168 without its driver, for what the driver never does. SLOT is that of
 * the PCI device, unbound (0000:00:02.0).
 *
 * drive	goes through what is left of the card, and prints a line for each thing that it found
 * scribble	writes COUNT random values to its registers and descriptors
 *
 * All memory that the card is told of lies in the 2 MB at 128 MB, which the kernel has to be told to leave alone:
 * memmap=2M$0x8000000.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"

#define MEMORY_AT 0x8000000u
#define MEMORY_BYTES 0x200000u
#define TX_RING 0x0u
#define RX_RING 0x4000u
#define COUNTERS 0xc000u
#define TX_BUFFER 0x10000u
#define RX_BUFFER 0x20000u

#define MAC0 0x00u
#define CounterAddrLow 0x10u
#define CounterAddrHigh 0x14u
#define TxDescStartAddrLow 0x20u
#define ChipCmd 0x37u
#define TxPoll 0x38u
#define IntrMask 0x3cu
#define IntrStatus 0x3eu
#define TxConfig 0x40u
#define RxConfig 0x44u
#define Cfg9346 0x50u
#define PHYAR 0x60u
#define PHYstatus 0x6cu
#define RxMaxSize 0xdau
#define CPlusCmd 0xe0u
#define RxDescAddrLow 0xe4u

#define DescOwn 0x80000000u
#define RingEnd 0x40000000u
#define FirstFrag 0x20000000u
#define LastFrag 0x10000000u

static volatile uint8_t *registers;
static uint8_t *memory;

static uint32_t get32(uint32_t offset)
{
	return *(volatile uint32_t *)(registers + offset);
}

static unsigned get16(uint32_t offset)
{
	return *(volatile uint16_t *)(registers + offset);
}

static unsigned get8(uint32_t offset)
{
	return registers[offset];
}

static void put32(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(registers + offset) = value;
}

static void put16(uint32_t offset, unsigned value)
{
	*(volatile uint16_t *)(registers + offset) = (uint16_t)value;
}

static void put8(uint32_t offset, unsigned value)
{
	registers[offset] = (uint8_t)value;
}

static volatile uint32_t *descriptor(uint32_t ring, unsigned index)
{
	return (volatile uint32_t *)(void *)(memory + ring + index * 16);
}

static void set_descriptor(uint32_t ring, unsigned index, uint32_t opts1, uint32_t buffer)
{
	volatile uint32_t *const words = descriptor(ring, index);

	words[1] = 0;
	words[2] = MEMORY_AT + buffer;
	words[3] = 0;
	words[0] = opts1;
}

static void start_card(void)
{
	put8(ChipCmd, 0x10);
	put8(Cfg9346, 0xc0);
	put32(TxDescStartAddrLow, MEMORY_AT + TX_RING);
	put32(TxDescStartAddrLow + 4, 0);
	put32(RxDescAddrLow, MEMORY_AT + RX_RING);
	put32(RxDescAddrLow + 4, 0);
	put16(RxMaxSize, 0x4000);
	put8(ChipCmd, 0x0c);
	put32(RxConfig, 0x0a);
}

/* The driver has left the PHY without power. */
static void wait_for_link(void)
{
	put32(PHYAR, 0x80000000 | 0x1200);
	for (unsigned tries = 0; tries < 500 && !(get8(PHYstatus) & 2); tries++) {
		usleep(10000);
	}
}

/* ---- drive ---- */

/* Who has 10.0.0.2? Tell 10.0.0.1. */
static unsigned write_request(uint8_t *frame)
{
	static const uint8_t to_all[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t request[] = { 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1 };
	static const uint8_t sender[] = { 10, 0, 0, 1 };
	static const uint8_t target[] = { 0, 0, 0, 0, 0, 0, 10, 0, 0, 2 };
	uint8_t mac[6];

	for (unsigned i = 0; i < 6; i++) {
		mac[i] = registers[MAC0 + i];
	}
	memcpy(frame, to_all, 6);
	memcpy(frame + 6, mac, 6);
	memcpy(frame + 12, request, sizeof(request));
	memcpy(frame + 22, mac, 6);
	memcpy(frame + 28, sender, sizeof(sender));
	memcpy(frame + 32, target, sizeof(target));
	return 42;
}

/* A request out of three fragments. Its answer has time to come. */
static void ask(unsigned first)
{
	const unsigned bytes = write_request(memory + TX_BUFFER);

	set_descriptor(TX_RING, first + 2, DescOwn | LastFrag | (bytes - 17), TX_BUFFER + 17);
	set_descriptor(TX_RING, first + 1, DescOwn | 10, TX_BUFFER + 7);
	set_descriptor(TX_RING, first, DescOwn | FirstFrag | 7, TX_BUFFER);
	put8(TxPoll, 0x40);
	usleep(1000);
}

static void tell_owner(const char *what, unsigned first, unsigned count)
{
	printf("%s", what);
	for (unsigned i = first; i < first + count; i++) {
		printf(" %s", *descriptor(TX_RING, i) & DescOwn ? "card" : "driver");
	}
	printf("\n");
}

static void registers_of_any_width(void)
{
	put16(IntrMask, 0);
	put8(IntrMask, 0x34);
	put8(IntrMask + 1, 0x12);
	printf("IntrMask by bytes 0x%04x, with its neighbour 0x%04x\n", get16(IntrMask),
	       (unsigned)(get32(IntrMask) & 0xffff));
	put32(CPlusCmd, 0x51512061);
	printf("CPlusCmd and IntrMitigate at once 0x%04x 0x%04x\n", get16(CPlusCmd), get16(CPlusCmd + 2));
	put32(CPlusCmd, 0x00002060);
	put16(IntrMask, 0);
	put8(Cfg9346, 0);
	const unsigned before = get8(MAC0 + 5);

	put8(MAC0 + 5, before + 1);
	printf("locked MAC %s\n", get8(MAC0 + 5) == before ? "stays" : "changes");
	put32(TxConfig, 0xffffffff);
	printf("XID %03x\n", (unsigned)(get32(TxConfig) >> 20 & 0xfcf));
}

/* The answer has 60 bytes and FCS: 30, 30 and 4 of them. */
static void fragments(void)
{
	for (unsigned i = 0; i < 4; i++) {
		set_descriptor(RX_RING, i, DescOwn | (i == 3 ? RingEnd : 0) | 30, RX_BUFFER + i * 32);
	}
	ask(0);
	tell_owner("three fragments sent, back to", 0, 3);
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t status = *descriptor(RX_RING, i);

		printf("received %u: %s%s%s%u bytes\n", i, status & DescOwn ? "not used " : "",
		       status & FirstFrag ? "first " : "", status & LastFrag ? "last " : "", status & 0x3fff);
	}
	printf("IntrStatus 0x%04x\n", get16(IntrStatus));
	put16(IntrStatus, 0xffff);
}

/* One descriptor is left, and the answer takes three. */
static void missed(void)
{
	const uint8_t *const counters = memory + COUNTERS;

	ask(3);
	printf("missed: IntrStatus 0x%04x, descriptor 3 of %s\n", get16(IntrStatus),
	       *descriptor(RX_RING, 3) & DescOwn ? "card" : "driver");
	put16(IntrStatus, 0xffff);
	put32(CounterAddrHigh, 0);
	put32(CounterAddrLow, (MEMORY_AT + COUNTERS) | 8);
	printf("sent %u received %u missed %u\n", (unsigned)counters[0], (unsigned)counters[8], (unsigned)counters[28]);
}

static void poll_ring(void)
{
	put8(TxPoll, 0x40);
	usleep(1000);
}

static void mistakes(void)
{
	put8(TxPoll, 1);
	printf("FSWInt: IntrStatus 0x%04x\n", get16(IntrStatus));
	put16(IntrStatus, 0xffff);
	set_descriptor(TX_RING, 6, DescOwn | LastFrag | 60, TX_BUFFER);
	poll_ring();
	tell_owner("without a first fragment, back to", 6, 1);
	set_descriptor(TX_RING, 7, DescOwn | FirstFrag | 60, TX_BUFFER);
	set_descriptor(TX_RING, 8, 0, TX_BUFFER);
	poll_ring();
	tell_owner("without a last fragment, left to", 7, 1);
	set_descriptor(TX_RING, 8, DescOwn | LastFrag | 60, 0x10000000);
	poll_ring();
	tell_owner("a fragment where there is no memory, back to", 7, 2);
}

static void drive(void)
{
	start_card();
	registers_of_any_width();
	start_card();
	wait_for_link();
	printf("PHYstatus 0x%02x\n", get8(PHYstatus));
	put16(IntrStatus, 0xffff);
	fragments();
	missed();
	mistakes();
	put8(ChipCmd, 0x10);
	printf("reset: ChipCmd 0x%02x IntrMask 0x%04x IntrStatus 0x%04x\n", get8(ChipCmd), get16(IntrMask),
	       get16(IntrStatus));
}

/* ---- scribble ---- */

static uint32_t below(struct random *random, uint32_t limit)
{
	return (uint32_t)random_below(random, limit);
}

/* Nothing, everything, one bit, noise. */
static uint32_t any_value(struct random *random)
{
	switch (below(random, 4)) {
	case 0:
		return 0;
	case 1:
		return UINT32_MAX;
	case 2:
		return UINT32_C(1) << below(random, 32);
	default:
		return (uint32_t)random_u64(random);
	}
}

/* Inside of the memory that is ours and behind the rings, or where there is none. */
static uint32_t any_buffer(struct random *random)
{
	const uint32_t inside = MEMORY_AT + TX_BUFFER + below(random, MEMORY_BYTES - 2 * TX_BUFFER);

	return below(random, 16) ? inside : 0x40000000 + inside;
}

static uint32_t any_ring(struct random *random)
{
	const uint32_t inside = MEMORY_AT + (below(random, 2) ? TX_RING : RX_RING) + below(random, 4) * 128;

	return below(random, 16) ? inside : 0x40000000 + inside;
}

static bool is_address(uint32_t offset)
{
	return (offset >= CounterAddrLow && offset < 0x30) || (offset >= RxDescAddrLow && offset < 0xec);
}

/* Addresses are written whole and out of what is ours, or the card would write where the kernel lives. */
static void write_any_address(struct random *random)
{
	switch (below(random, 3)) {
	case 0:
		put32(CounterAddrHigh, 0);
		put32(CounterAddrLow, (any_buffer(random) & ~0x3fu) | below(random, 16));
		break;
	case 1:
		put32(TxDescStartAddrLow, any_ring(random));
		break;
	default:
		put32(RxDescAddrLow, any_ring(random));
		break;
	}
}

static void write_any_register(struct random *random)
{
	const uint32_t offset = below(random, 256), value = any_value(random);

	if (is_address(offset)) {
		write_any_address(random);
		return;
	}
	switch (below(random, 3)) {
	case 0:
		put8(offset, value);
		break;
	case 1:
		put16(offset & ~1u, value);
		break;
	default:
		put32(offset & ~3u, value);
		break;
	}
}

static void write_any_descriptor(struct random *random)
{
	const uint32_t ring = below(random, 2) ? TX_RING : RX_RING, index = below(random, 32);
	volatile uint32_t *const words = descriptor(ring, index);

	words[1] = below(random, 2) ? any_value(random) : 0;
	words[2] = any_buffer(random);
	words[3] = 0;
	words[0] = any_value(random) | (below(random, 4) ? DescOwn : 0) | (index == 31 ? RingEnd : 0);
}

static void scribble_once(struct random *random)
{
	switch (below(random, 8)) {
	case 0:
	case 1:
	case 2:
		write_any_register(random);
		break;
	case 3:
	case 4:
		write_any_descriptor(random);
		break;
	case 5:
		put8(TxPoll, 0x40);
		break;
	case 6:
		(void)get32(below(random, 64) * 4);
		break;
	default:
		if (below(random, 16) == 0) {
			start_card();
		}
		break;
	}
}

static void scribble(uint64_t seed, unsigned long count)
{
	struct random random;

	random_init(&random, seed, 0);
	start_card();
	wait_for_link();
	for (unsigned long i = 0; i < count; i++) {
		if (i % 128 == 0) {
			usleep(100);
		}
		scribble_once(&random);
	}
	put8(ChipCmd, 0x10);
	put32(PHYAR, 0x801f0000);
	printf("scribbled %lu\n", count);
}

/* ---- the card ---- */

/* I/O, memory, bus mastering; no INTx, for which there is no handler. */
static bool enable(const char *slot)
{
	static const uint8_t command[] = { 0x07, 0x04 };
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", slot);
	const int fd = open(path, O_RDWR);
	const bool done = pwrite(fd, command, sizeof(command), 4) == sizeof(command);

	close(fd);
	return done;
}

static bool map(const char *slot)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2", slot);
	const int card_fd = open(path, O_RDWR | O_SYNC), memory_fd = open("/dev/mem", O_RDWR | O_SYNC);
	void *const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, card_fd, 0);
	void *const own = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, MEMORY_AT);

	if (mapped == MAP_FAILED || own == MAP_FAILED || !enable(slot)) {
		perror("bare_rtl8168");
		return false;
	}
	registers = mapped;
	memory = own;
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 3 || !map(argv[1])) {
		return 2;
	}
	if (strcmp(argv[2], "drive") == 0) {
		drive();
	} else if (argc == 5) {
		scribble(strtoull(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	}
	return 0;
}
