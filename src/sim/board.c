/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boards as data. A file has [board] with the keys below and, where the board is known to differ from a model
 * choice's default, [assume] with rows NAME = VALUE as --assume takes them. What is checked here is that the parts
 * fit together (the driver drives the chip, the speed is one that the chip has); clocks and limits are the file's to
 * know, with its source.
 */
#include "sim/board.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ini/ini.h"
#include "sim/source.h"

#define NAMES_MAX 128
#define TX_FRAMES_LOOK 1024 /* more frames than a driver sends without asking for an interrupt */

/* A board as its file spells it. */
struct board_file {
	struct board board;
	char chip[16];
	uint32_t speed_mbps, max_speed_mbps, queues;
	uint64_t driver_clock_hz;
	uint64_t seen;
};

#define MEMBER(member) offsetof(struct board_file, member), sizeof(((struct board_file *)0)->member)

const struct ini_key board_keys[] = {
	{ "title", INI_TEXT, MEMBER(board.title), 0, 0, true, "what it is, for people" },
	{ "source", INI_TEXT, MEMBER(board.source), 0, 0, true, "where clocks and limits are from" },
	{ "chip", INI_TEXT, MEMBER(chip), 0, 0, true, "chip family" },
	{ "driver", INI_TEXT, MEMBER(board.driver), 0, 0, true, "default driver variant" },
	{ "host", INI_TEXT, MEMBER(board.host), 0, 0, true, "default host profile" },
	{ "speed", INI_U32, MEMBER(speed_mbps), 0, 0, true, "default link speed in Mb/s" },
	{ "max-speed", INI_U32, MEMBER(max_speed_mbps), 0, 0, false,
	  "highest link speed in Mb/s; the default speed if not given" },
	{ "queues", INI_U32, MEMBER(queues), 1, CHIP_QUEUES_MAX, true, "pairs of queues" },
	{ "driver-clock", INI_HZ, MEMBER(driver_clock_hz), 1, UINT32_MAX, false,
	  "clock that the driver converts with" },
	{ "coalesce", INI_BOOL, MEMBER(board.has_coalesce), 0, 0, true, "the driver offers coalescing on this board" },
	{ "multi-queues", INI_BOOL, MEMBER(board.has_multi_queues), 0, 0, false, "fec: rings 1 and 2 exist" },
	{ "packet-counter-disable", INI_BOOL, MEMBER(board.has_packet_counter_disable), 0, 0, false,
	  "r8169: CPlusCmd bit 7 switches the frame counter (RTL8168E-VL and later)" },
	{ "msix", INI_BOOL, MEMBER(board.has_msix), 0, 0, false,
	  "e1000e: the driver uses MSI-X vectors, each with a throttle of its own (82574)" },
	{ "rx-usecs-default", INI_U32, MEMBER(board.rx_usecs_default), 0, 0, false,
	  "fec@seed: the default of this SoC" },
	{ "rx-frames", INI_U32, MEMBER(board.rx_frames), 0, 255, false,
	  "e1000e: so many received frames end a delay, which only a virtual one can do" },
	{ "rx-ring", INI_U32, MEMBER(board.rx_ring), 16, BOARD_RING_MAX, false,
	  "receive descriptors, where they are not the driver's default" },
	{ "tx-ring", INI_U32, MEMBER(board.tx_ring), 16, BOARD_RING_MAX, false, "transmit descriptors, likewise" },
	{ "gap-in-frame", INI_BOOL, MEMBER(board.has_gap_in_frame), 0, 0, false,
	  "a frame has left and arrived only with the gap behind it, as on the wire of a virtual NIC" },
};

const unsigned board_key_count = sizeof(board_keys) / sizeof(board_keys[0]);

static bool is_link_speed(uint32_t mbps)
{
	return mbps == 10 || mbps == 100 || mbps == 1000 || mbps == 2500 || mbps == 10000;
}

static int chip_unknown(const char *chip, struct err *err)
{
	const char *names[CHIP_FAMILIES];

	for (unsigned i = 0; i < CHIP_FAMILIES; i++) {
		names[i] = chip_family_name((enum chip_family)i);
	}
	const char *nearest = text_nearest(chip, names, CHIP_FAMILIES);
	return err_set(err, -EINVAL, "unknown chip \"%s\"%s%s%s", chip, nearest ? ": did you mean " : "",
		       nearest ? nearest : "",
		       nearest ? "?" : ": fec, tsnep, rtl8169, rtl8168, stmmac, e1000e or macb");
}

static int driver_unknown(const char *driver, struct err *err)
{
	const char *names[NAMES_MAX];
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	for (unsigned i = 0; i < count; i++) {
		names[i] = variants[i].name;
	}
	const char *nearest = text_nearest(driver, names, count);
	return err_set(err, -EINVAL, "unknown driver \"%s\"%s%s%s", driver, nearest ? ": did you mean " : "",
		       nearest ? nearest : "", nearest ? "?" : ": see holdoff boards --drivers");
}

static int board_key(struct board_file *file, const struct ini_entry *entry, struct err *err)
{
	int ret = ini_store(board_keys, board_key_count, file, &file->seen, entry, err);

	if (ret < 0) {
		return ret;
	}
	if (strcmp(entry->key, "chip") == 0) {
		file->board.family = chip_family_find(file->chip);
		return file->board.family == CHIP_FAMILIES ? chip_unknown(file->chip, err) : 0;
	}
	if (strcmp(entry->key, "driver") == 0 && !driver_variant_find(file->board.driver)) {
		return driver_unknown(entry->value, err);
	}
	if ((strcmp(entry->key, "speed") == 0 && !is_link_speed(file->speed_mbps)) ||
	    (strcmp(entry->key, "max-speed") == 0 && !is_link_speed(file->max_speed_mbps))) {
		return err_set(err, -EINVAL, "%s %s is no link speed: 10, 100, 1000, 2500 or 10000 (Mb/s)", entry->key,
			       entry->value);
	}
	return 0;
}

static int board_entry(void *context, const struct ini_entry *entry, struct err *err)
{
	struct board_file *file = context;

	if (strcmp(entry->section, "board") == 0) {
		return board_key(file, entry, err);
	}
	if (strcmp(entry->section, "assume") == 0) {
		return board_set_assume(&file->board, entry->key, entry->value, err);
	}
	return err_set(err, -EINVAL, "unknown section [%s]: a board has [board] and [assume]", entry->section);
}

static bool drives(const struct driver_variant *variant, enum chip_family family)
{
	return variant->families[0] == family || variant->families[1] == family;
}

/* "driver fec@old does not drive chip tsnep: tsnep@none, tsnep@seed or ..." */
static int driver_mismatch(const char *driver, enum chip_family family, struct err *err)
{
	char list[160] = "";
	unsigned count;
	const struct driver_variant *variants = driver_variants(&count);

	for (unsigned i = 0; i < count; i++) {
		const size_t length = strlen(list);

		if (drives(&variants[i], family) && length + strlen(variants[i].name) + 2 < sizeof(list)) {
			snprintf(list + length, sizeof(list) - length, " %s", variants[i].name);
		}
	}
	return err_set(err, -EINVAL, "driver %s does not drive chip %s; these do:%s", driver, chip_family_name(family),
		       list);
}

/* What no single line can get wrong. */
static int board_check(const struct board *board, struct err *err)
{
	if (!drives(driver_variant_find(board->driver), board->family)) {
		return driver_mismatch(board->driver, board->family, err);
	}
	if (board->max_speed_mbps < board->speed_mbps) {
		return err_set(err, -EINVAL, "max-speed %u is below speed %u", board->max_speed_mbps,
			       board->speed_mbps);
	}
	if (board->driver_clock_hz == 0 && board->has_coalesce &&
	    (board->family == CHIP_FEC || board->family == CHIP_STMMAC)) {
		return err_set(err, -EINVAL, "chip %s needs a driver-clock", chip_family_name(board->family));
	}
	return 0;
}

int board_set_driver(struct board *board, const char *name, struct err *err)
{
	const struct driver_variant *variant = driver_variant_find(name);

	if (!variant) {
		return driver_unknown(name, err);
	}
	if (!drives(variant, board->family)) {
		return driver_mismatch(name, board->family, err);
	}
	snprintf(board->driver, sizeof(board->driver), "%s", variant->name);
	return 0;
}

int board_set_speed(struct board *board, const char *mbps, struct err *err)
{
	uint32_t speed_mbps;
	int ret = text_parse_u32(mbps, "speed", &speed_mbps, err);

	if (ret < 0) {
		return ret;
	}
	if (!is_link_speed(speed_mbps)) {
		return err_set(err, -EINVAL, "speed %u is no link speed: 10, 100, 1000, 2500 or 10000 (Mb/s)",
			       speed_mbps);
	}
	if (speed_mbps > board->max_speed_mbps) {
		return err_set(err, -EINVAL, "speed %u is more than board %s has: at most %u Mb/s", speed_mbps,
			       board->name, board->max_speed_mbps);
	}
	board->speed_mbps = speed_mbps;
	return 0;
}

int board_set_assume(struct board *board, const char *name, const char *value, struct err *err)
{
	const enum assume_name which = assume_find(name);

	if (which == ASSUME_COUNT) {
		const char *names[ASSUME_COUNT];

		for (unsigned i = 0; i < ASSUME_COUNT; i++) {
			names[i] = assume_infos[i].name;
		}
		const char *nearest = text_nearest(name, names, ASSUME_COUNT);
		return err_set(err, -EINVAL, "unknown model choice \"%s\"%s%s%s", name,
			       nearest ? ": did you mean " : "",
			       nearest ? nearest : ": holdoff boards NAME lists those of a board", nearest ? "?" : "");
	}
	const struct assume_info *info = &assume_infos[which];
	return text_parse_i64(value, info->name, info->min, info->max, &board->assume.value[which], err);
}

int board_parse(struct board *board, const char *text, const char *name, struct err *err)
{
	struct board_file file = { .board = { .assume = assume_defaults() } };
	int ret = source_name(file.board.name, sizeof(file.board.name), name, "board", err);

	if (ret == 0) {
		ret = ini_parse_text(text, name, board_entry, &file, err);
	}
	if (ret < 0) {
		return ret;
	}
	file.board.speed_mbps = file.speed_mbps;
	file.board.max_speed_mbps = file.max_speed_mbps ? file.max_speed_mbps : file.speed_mbps;
	file.board.queues = file.queues;
	file.board.driver_clock_hz = (uint32_t)file.driver_clock_hz;
	ret = ini_required(board_keys, board_key_count, file.seen, "board", err);
	if (ret == 0) {
		ret = board_check(&file.board, err);
	}
	if (ret < 0) {
		return err_prefix(err, ret, "%s", name);
	}
	*board = file.board;
	return 0;
}

static const struct source_kind boards = { "board", embedded_boards, "holdoff boards" };
static const struct source_kind hosts = { "host profile", embedded_hosts, "holdoff boards --hosts" };

int board_load(struct board *board, const char *name, struct err *err)
{
	struct source source;
	int ret = source_open(&source, &boards, name, err);

	if (ret == 0) {
		ret = board_parse(board, source.text, name, err);
		source_close(&source);
	}
	return ret;
}

/* Bases are built-in profiles only: a file of a user may build on them. */
static const char *find_base(const char *name, struct err *err)
{
	return source_embedded(&hosts, name, err);
}

int board_load_host(struct profile *profile, const char *name, struct err *err)
{
	struct source source;
	int ret = source_open(&source, &hosts, name, err);

	if (ret == 0) {
		ret = profile_parse(profile, source.text, name, find_base, err);
		source_close(&source);
	}
	return ret;
}

void board_chip_config(const struct board *board, const struct driver_variant *variant, struct chip_config *config)
{
	const int64_t timer_clock_hz = board->assume.value[ASSUME_FEC_TIMER_CLOCK];
	const bool is_assumed = board->family == CHIP_FEC && timer_clock_hz > 0;

	*config = (struct chip_config){
		.family = board->family,
		.queues = board->queues,
		.timer_clock_hz = is_assumed ? (uint32_t)timer_clock_hz : board->driver_clock_hz,
		.rx_frames = board->rx_frames,
		.rx_ring = board->rx_ring ? board->rx_ring : variant->rx_ring,
		.assume = board->assume,
	};
}

void board_driver_config(const struct board *board, struct driver_config *config)
{
	*config = (struct driver_config){
		.family = board->family,
		.has_coalesce = board->has_coalesce,
		.has_multi_queues = board->has_multi_queues,
		.queues = board->queues,
		.clock_hz = board->driver_clock_hz,
		.rx_usecs_default = board->rx_usecs_default,
		.has_packet_counter_disable = board->has_packet_counter_disable,
		.has_msix = board->has_msix,
		.assume = board->assume,
	};
}

/* Sends frames on a copy of the driver until a descriptor asks for an interrupt. */
static struct chip_hold transmit_hold(const struct chip *chip, const struct driver *driver, unsigned queue)
{
	const struct driver_input input = { 0 };
	struct driver copy = *driver;
	struct driver_actions actions;
	struct chip_hold hold = { .kind = CHIP_HOLD_RESTART, .hold_ns = NEVER_AT_NS };

	driver_step(&copy, DRIVER_XMIT, &input, &actions);
	if (actions.frame_flags & CHIP_FRAME_INTERRUPT) {
		return chip_hold(chip, queue, CHIP_TX);
	}
	if (actions.tx_timer_ns > 0) {
		hold.hold_ns = actions.tx_timer_ns;
	}
	for (unsigned frames = 2; frames <= TX_FRAMES_LOOK && hold.frames == 0; frames++) {
		driver_step(&copy, DRIVER_XMIT, &input, &actions);
		hold.frames = actions.frame_flags & CHIP_FRAME_INTERRUPT ? frames : 0;
	}
	return hold;
}

struct chip_hold board_hold(const struct chip *chip, const struct driver *driver, unsigned queue,
			    enum chip_direction direction)
{
	if (direction == CHIP_TX) {
		return transmit_hold(chip, driver, queue);
	}
	if (chip->config.family == CHIP_STMMAC && (driver_rx_frame_flags(driver) & CHIP_FRAME_INTERRUPT)) {
		return (struct chip_hold){ .kind = CHIP_HOLD_NONE };
	}
	return chip_hold(chip, queue, direction);
}
