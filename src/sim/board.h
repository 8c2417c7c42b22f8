/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board: chip, clocks, driver, host profile, link: what one has to know to simulate it. Data files in
 * profiles/boards, built into the program; users name their own file instead (a name with a slash or a dot).
 */
#ifndef HOLDOFF_SIM_BOARD_H
#define HOLDOFF_SIM_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "chip/chip.h"
#include "driver/driver.h"
#include "host/profile.h"

struct board {
	char name[32];
	char title[96];   /* "NXP i.MX8QXP, ENET" */
	char source[200]; /* of clocks and limits */
	enum chip_family family;
	char driver[32];     /* default variant */
	char host[32];       /* default host profile */
	unsigned speed_mbps; /* default link speed */
	unsigned max_speed_mbps;
	unsigned queues;
	uint32_t driver_clock_hz; /* what the driver converts with */
	bool has_coalesce, has_multi_queues, has_packet_counter_disable, has_msix;
	uint32_t rx_usecs_default; /* for fec@seed */
	uint32_t rx_frames;        /* e1000e: received frames that end a delay, in a virtual NIC; 0: only timers do */
	uint32_t rx_ring, tx_ring; /* descriptors, as `ethtool -G` changes them; 0: the driver's default */
	bool has_gap_in_frame;     /* on its wire a frame has left and arrived only with the gap behind it */
	struct assume assume;      /* defaults, with the board's own over them */
};

#define BOARD_RING_MAX 1024 /* descriptors that a simulated ring has at most */

/* The keys of [board] in a board file. */
extern const struct ini_key board_keys[];
extern const unsigned board_key_count;

/* A text that lives in the program or was read from a file. */
struct board_text {
	const char *name, *text;
};

/* What is built in: boards, host profiles, scenarios; ended by a row with name NULL. Made by tools/embed. */
extern const struct board_text embedded_boards[], embedded_hosts[], embedded_scenarios[], embedded_plans[];

/*
 * By built-in name, or from a file when the name holds a '/' or ends in ".ini". -ENODEV with the nearest name when
 * unknown.
 */
int board_load(struct board *board, const char *name, struct err *err);
int board_parse(struct board *board, const char *text, const char *name, struct err *err);
int board_load_host(struct profile *profile, const char *name, struct err *err);

/*
 * What --driver, --speed and --assume change, checked: a driver variant that exists and drives this chip, a speed in
 * Mb/s that the board has, a model choice NAME with a value in its range. -EINVAL with what would be right; the board
 * is unchanged then.
 */
int board_set_driver(struct board *board, const char *variant, struct err *err);
int board_set_speed(struct board *board, const char *mbps, struct err *err);
int board_set_assume(struct board *board, const char *name, const char *value, struct err *err);

/* chip and driver configuration of a board under its driver variant. */
void board_chip_config(const struct board *board, const struct driver_variant *variant, struct chip_config *config);
void board_driver_config(const struct board *board, struct driver_config *config);

/*
 * What chip and driver together do to a lone frame: chip_hold, but for a driver whose descriptors ask for their
 * interrupt at once, or that finds out about sent frames by a timer of its own (both stmmac). hold_ns is NEVER_AT_NS
 * where only frames end the wait.
 */
struct chip_hold board_hold(const struct chip *chip, const struct driver *driver, unsigned queue,
			    enum chip_direction direction);

#endif
