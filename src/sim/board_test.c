/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/board.c"
#include "tap.h"

#define GOOD                                                                                                         \
	"[board]\ntitle = t\nsource = s\nchip = fec\ndriver = fec@old\nhost = cortex-a53\nspeed = 100\nmax-speed = " \
	"1000\nqueues = 3\n"                                                                                         \
	"driver-clock = 132MHz\ncoalesce = on\nmulti-queues = on\n"

static bool fails(int ret, int expected, const struct err *err, const char *part)
{
	if (ret == expected && strstr(err->text, part)) {
		return true;
	}
	tap_note("returned %d: \"%s\", expected %d: \"%s\"", ret, err->text, expected, part);
	return false;
}

static bool refused(const char *text, const char *part)
{
	struct board board;
	struct err err = { "" };

	const int ret = board_parse(&board, text, "x/mine.ini", &err);

	return fails(ret == -ERANGE ? -EINVAL : ret, -EINVAL, &err, part);
}

/* Every built-in file is whole, and what it names exists. */
static void test_built_in(void)
{
	static const char *const names[] = { "imx6q",  "imx6ul", "imx6sx",      "imx7d",    "imx8mq",
					     "imx8mm", "imx8mp", "imx8mp-eqos", "imx8qxp",  "imx8qm",
					     "tsnep",  "macb",   "rtl8169",     "rtl8168d", "e1000e",
					     "imx25",  "imx27",  "imx28",       "mvf600",   "s32v234" };
	struct board board;
	struct profile profile;
	struct err err = { "" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tap_is(board_load(&board, names[i], &err), 0, "board %s is there: %s", names[i], err.text);
	}
	for (const struct board_text *text = embedded_boards; text->name; text++) {
		tap_is(board_load(&board, text->name, &err), 0, "board %s is whole: %s", text->name, err.text);
		tap_is_text(board.name, text->name, "and keeps its name");
		tap_is(board_load_host(&profile, board.host, &err), 0, "its host %s is there: %s", board.host,
		       err.text);
	}
	for (const struct board_text *text = embedded_hosts; text->name; text++) {
		tap_is(board_load_host(&profile, text->name, &err), 0, "host %s is whole: %s", text->name, err.text);
	}
}

static void test_parse(void)
{
	struct board board;
	struct err err = { "" };

	tap_is(board_parse(&board, GOOD "[assume]\nfec-timer-clock = 250000000\n", "x/mine.ini", &err), 0,
	       "a board is read: %s", err.text);
	tap_is_text(board.name, "mine", "it is named after its file");
	tap_is(board.family, CHIP_FEC, "chip");
	tap_is(board.speed_mbps, 100, "speed");
	tap_is(board.max_speed_mbps, 1000, "highest speed");
	tap_is(board.queues, 3, "queues");
	tap_is(board.driver_clock_hz, 132000000, "clock");
	tap_ok(board.has_coalesce && board.has_multi_queues && !board.has_packet_counter_disable && !board.has_msix,
	       "switches");
	tap_is(board.assume.value[ASSUME_FEC_TIMER_CLOCK], 250000000, "its own model choice");
	tap_is(board.assume.value[ASSUME_FEC_RX_SCALE], assume_infos[ASSUME_FEC_RX_SCALE].initial,
	       "the others are the defaults");
}

static void test_refusals(void)
{
	struct board board = { .name = "untouched" };
	struct err err = { "" };

	tap_ok(refused("[board]\nchip = fecc\n", "x/mine.ini:2: unknown chip \"fecc\": did you mean fec?"),
	       "unknown chip, nearest named");
	tap_ok(refused("[board]\n\ndriver = fec@6.21\n",
		       "x/mine.ini:3: unknown driver \"fec@6.21\": did you mean fec@6.12?"),
	       "unknown driver");
	tap_ok(refused("[board]\nspeed = 110\n", "x/mine.ini:2: speed 110 is no link speed"),
	       "a speed that no link has");
	tap_ok(refused("[board]\nmax-speed = 40000\n", "x/mine.ini:2: max-speed 40000"), "nor at most");
	tap_ok(refused("[board]\nqueues = 0\n", "x/mine.ini:2"), "no queue");
	tap_ok(refused("[board]\nrx-ring = 8\n", "x/mine.ini:2: rx-ring"), "a ring of too few descriptors");
	tap_ok(refused("[board]\ntx-ring = 1025\n", "x/mine.ini:2: tx-ring"), "and of more than can be simulated");
	tap_ok(refused("[board]\nspede = 10\n", "speed"), "an unknown key names the nearest");
	tap_ok(refused("[baord]\nspeed = 10\n", "unknown section [baord]"), "unknown section");
	tap_ok(refused("[assume]\nfec-timer-clok = 1\n", "did you mean fec-timer-clock?"), "unknown model choice");
	tap_ok(refused(GOOD "[assume]\nfec-event-delayed = 2\n", "x/mine.ini:14: fec-event-delayed"),
	       "a model choice out of its range");
	tap_ok(board_parse(&board, "[board]\n", "m.ini", &err) < 0, "an empty board");
	tap_is_text(board.name, "untouched", "a board that is refused is not written");
	tap_ok(refused("[board]\ntitle = t\n", "x/mine.ini: "), "keys are missing");
	tap_ok(refused("[board]\ntitle=t\nsource=s\nchip=tsnep\ndriver=fec@old\nhost=h\nspeed=100\nqueues=1\ncoalesce="
		       "on\n",
		       "driver fec@old does not drive chip tsnep; these do: tsnep@none tsnep@seed tsnep@6.12"),
	       "a driver of another chip");
	tap_ok(refused("[board]\ntitle=t\nsource=s\nchip=fec\ndriver=fec@old\nhost=h\nspeed=100\nqueues=1\ncoalesce="
		       "on\n",
		       "driver-clock"),
	       "an FEC with coalescing needs its clock");
	tap_ok(refused("[board]\ntitle=t\nsource=s\nchip=macb\ndriver=macb@6.1\nhost=h\nspeed=1000\nmax-speed="
		       "100\nqueues=1\ncoalesce=off\n",
		       "max-speed 100 is below speed 1000"),
	       "speeds the wrong way round");
}

static void test_load(void)
{
	struct board board;
	struct profile profile;
	struct err err = { "" };
	char path[] = "/tmp/holdoff-board-XXXXXX.ini";
	const int fd = mkstemps(path, 4);

	tap_ok(fails(board_load(&board, "imx8qpx", &err), -ENODEV, &err, "did you mean imx8qxp?"),
	       "an unknown board names the nearest");
	tap_ok(fails(board_load(&board, "zzzzzzzzzz", &err), -ENODEV, &err, "holdoff boards"), "or where to look");
	tap_ok(fails(board_load_host(&profile, "cortex-a35x", &err), -ENODEV, &err, "did you mean cortex-a35?"),
	       "so does a host");
	tap_ok(fails(board_load(&board, "./missing.ini", &err), -ENOENT, &err, "missing.ini"),
	       "a file that is not there");
	tap_ok(fd >= 0 && write(fd, GOOD, sizeof(GOOD) - 1) == sizeof(GOOD) - 1, "a file of the user's own");
	close(fd);
	tap_is(board_load(&board, path, &err), 0, "is read: %s", err.text);
	tap_ok(strncmp(board.name, "holdoff-board-", 14) == 0 && !strchr(board.name, '.'), "and gives the name");
	unlink(path);
}

static void test_changes(void)
{
	struct board board;
	struct err err = { "" };

	board_load(&board, "imx8mp", &err);
	tap_is(board_set_driver(&board, "fec@seed", &err), 0, "another driver of the chip");
	tap_is_text(board.driver, "fec@seed", "is taken");
	tap_ok(fails(board_set_driver(&board, "r8169@6.12", &err), -EINVAL, &err, "does not drive chip fec"),
	       "one of another chip is not");
	tap_ok(fails(board_set_driver(&board, "fec@sede", &err), -EINVAL, &err, "did you mean fec@seed?"),
	       "nor one that nobody knows");
	tap_is_text(board.driver, "fec@seed", "nothing changed");
	tap_is(board_set_speed(&board, "1000", &err), 0, "up to the highest speed");
	tap_is(board.speed_mbps, 1000, "is taken");
	tap_ok(fails(board_set_speed(&board, "2500", &err), -EINVAL, &err, "at most 1000"), "more is not");
	tap_ok(fails(board_set_speed(&board, "50", &err), -EINVAL, &err, "no link speed"), "nor what no link has");
	tap_ok(fails(board_set_speed(&board, "100x", &err), -EINVAL, &err, "speed"), "nor rubbish");
	tap_is(board.speed_mbps, 1000, "nothing changed");
	tap_is(board_set_assume(&board, "fec-rx-scale", "900000", &err), 0, "a model choice");
	tap_is(board.assume.value[ASSUME_FEC_RX_SCALE], 900000, "is taken");
	tap_ok(board_set_assume(&board, "fec-rx-scale", "0", &err) < 0 && strstr(err.text, "fec-rx-scale"),
	       "within its range");
}

static void test_configs(void)
{
	struct board board;
	struct chip_config chip;
	struct driver_config driver;
	struct err err = { "" };

	board_load(&board, "imx8qxp", &err);
	const struct driver_variant *variant = driver_variant_find(board.driver);
	board_chip_config(&board, variant, &chip);
	board_driver_config(&board, &driver);
	tap_is(driver.clock_hz, 333333333, "the driver converts with its clock");
	tap_is(chip.timer_clock_hz, 250000000, "the chip counts the assumed one");
	tap_is(chip.rx_ring, variant->rx_ring, "the ring is the driver's");
	board_set_assume(&board, "fec-timer-clock", "0", &err);
	board_chip_config(&board, variant, &chip);
	tap_is(chip.timer_clock_hz, 333333333, "unless none is assumed");
	board_load(&board, "standin-ixgbe", &err);
	board_chip_config(&board, driver_variant_find(board.driver), &chip);
	tap_is(chip.rx_ring, 512, "or the board's own");
}

static struct chip_hold stmmac_hold(enum coalesce_field field, uint32_t value, enum chip_direction direction)
{
	struct board board;
	struct chip_config chip_config;
	struct driver_config driver_config;
	struct driver_result result;
	struct coalesce request = { 0 };
	struct driver driver;
	struct chip chip;
	struct err err = { "" };

	board_load(&board, "imx8mp-eqos", &err);
	board_chip_config(&board, driver_variant_find(board.driver), &chip_config);
	board_driver_config(&board, &driver_config);
	chip_init(&chip, &chip_config);
	driver_init(&driver, driver_variant_find(board.driver), &driver_config, &err);
	driver_open(&driver, &result);
	for (unsigned i = 0; i < result.write_count; i++) {
		chip_write(&chip, 0, result.writes[i].offset, result.writes[i].value);
	}
	coalesce_put(&request, field, value);
	driver_set(&driver, &request, &result);
	return board_hold(&chip, &driver, 0, direction);
}

/* What only driver and chip together say. */
static void test_hold(void)
{
	struct chip_hold hold = stmmac_hold(COALESCE_TX_USECS, 500, CHIP_TX);

	tap_is(hold.kind, CHIP_HOLD_RESTART, "stmmac finds out about sent frames by a timer that restarts");
	tap_is(hold.hold_ns, 500000, "of tx-usecs");
	hold = stmmac_hold(COALESCE_TX_FRAMES, 7, CHIP_TX);
	tap_is(hold.frames, 7, "or at every tx-frames-th frame");
	hold = stmmac_hold(COALESCE_TX_USECS, 0, CHIP_TX);
	tap_ok(hold.hold_ns == NEVER_AT_NS, "without tx-usecs only then");
	hold = stmmac_hold(COALESCE_TX_FRAMES, 1, CHIP_TX);
	tap_is(hold.kind, CHIP_HOLD_NONE, "each frame asks with tx-frames 1");
	hold = stmmac_hold(COALESCE_RX_FRAMES, 4, CHIP_RX);
	tap_is(hold.kind, CHIP_HOLD_NONE, "any rx-frames but 0 makes every received frame ask");
	hold = stmmac_hold(COALESCE_RX_FRAMES, 0, CHIP_RX);
	tap_is(hold.kind, CHIP_HOLD_OFF, "with 0 the watchdog holds it");
}

int main(void)
{
	test_built_in();
	test_parse();
	test_refusals();
	test_load();
	test_changes();
	test_configs();
	test_hold();
	return tap_done();
}
