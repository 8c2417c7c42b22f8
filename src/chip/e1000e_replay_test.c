/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plays what a real driver did to an e1000e, and when, through the chip: it must raise its line at exactly the
 * instants when the logged machine saw its interrupts, and show the logged causes. Frames, reads and writes are
 * input; interrupts are predicted, but for two of the hold-off log that show when the watchdog wrote (see the
 * head of that file).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "tap.h"

/* What Linux unmasks (IMS_ENABLE_MASK): RXT0, TXDW, RXDMT0, RXSEQ, LSC. */
#define DRIVER_CAUSES 0x9du
#define INT_ASSERTED (1u << 31)

#define RAISED_MAX 10000

struct replay {
	struct chip chip;
	int64_t raised_at_ns[RAISED_MAX]; /* as the chip did */
	unsigned raised_count, logged_count;
	unsigned exact, wrong_causes, reads, broken;
	bool line;
};

static void note_line(struct replay *replay, int64_t at_ns)
{
	const bool line = chip_irq_lines(&replay->chip) != 0;

	if (line && !replay->line && replay->raised_count < RAISED_MAX) {
		replay->raised_at_ns[replay->raised_count++] = at_ns;
	}
	replay->line = line;
	replay->broken += chip_check(&replay->chip) != 0;
}

static void run_until(struct replay *replay, int64_t at_ns)
{
	while (chip_deadline(&replay->chip) <= at_ns) {
		const int64_t due_at_ns = chip_deadline(&replay->chip);

		chip_advance(&replay->chip, due_at_ns);
		note_line(replay, due_at_ns);
	}
}

static void write_named(struct chip *chip, int64_t at_ns, const char *name, uint32_t value)
{
	chip_write(chip, at_ns, chip_register_named(CHIP_E1000E, name)->offset, value);
}

static void flush_delays(struct chip *chip, int64_t at_ns)
{
	static const char *const names[] = { "TIDV", "RDTR" };

	for (unsigned i = 0; i < 2; i++) {
		const uint32_t offset = chip_register_named(CHIP_E1000E, names[i])->offset;

		chip_write(chip, at_ns, offset, chip_read(chip, at_ns, offset) | 1u << 31);
	}
}

static void read_causes(struct replay *replay, int64_t at_ns, uint32_t logged)
{
	const uint32_t causes = chip_read(&replay->chip, at_ns, chip_register_named(CHIP_E1000E, "ICR")->offset);

	replay->reads++;
	if ((causes & ~INT_ASSERTED) != logged) {
		replay->wrong_causes++;
		tap_note("at %" PRId64 " ICR was 0x%x, logged 0x%x", at_ns, causes, logged);
	}
}

static void compare_irq(struct replay *replay, int64_t at_ns)
{
	const unsigned i = replay->logged_count++;

	if (i < replay->raised_count && replay->raised_at_ns[i] == at_ns) {
		replay->exact++;
	} else if (replay->logged_count - replay->exact < 10) {
		tap_note("interrupt %u logged at %" PRId64 ", raised at %" PRId64, i, at_ns,
			 i < replay->raised_count ? replay->raised_at_ns[i] : -1);
	}
}

static void play_line(struct replay *replay, const char *line)
{
	struct chip *chip = &replay->chip;
	char event[16], name[16];
	int64_t at_ns;
	uint32_t value = 0;

	if (sscanf(line, "set %15s %" SCNu32, name, &value) == 2) {
		write_named(chip, 0, name, value);
		return;
	}
	if (line[0] == '#' || sscanf(line, "%" SCNd64 " %15s %" SCNu32, &at_ns, event, &value) < 2) {
		return;
	}
	run_until(replay, at_ns);
	if (strcmp(event, "RX") == 0) {
		chip_frame_received(chip, at_ns, 0, 110, 0);
	} else if (strcmp(event, "TX_END") == 0) {
		chip_frame_sent(chip, at_ns, 0, 110, CHIP_FRAME_INTERRUPT);
	} else if (strcmp(event, "ICR_READ") == 0) {
		read_causes(replay, at_ns, value);
	} else if (strcmp(event, "UNMASK") == 0) {
		write_named(chip, at_ns, "IMS", DRIVER_CAUSES);
	} else if (strcmp(event, "ICS") == 0) {
		write_named(chip, at_ns, "ICS", value);
	} else if (strcmp(event, "FLUSH") == 0) {
		flush_delays(chip, at_ns);
	} else if (strcmp(event, "IRQ") == 0) {
		compare_irq(replay, at_ns);
	}
	note_line(replay, at_ns);
}

static void replay_file(const char *path, unsigned interrupts)
{
	static struct replay replay;
	const struct chip_config config = {
		.family = CHIP_E1000E,
		.queues = 1,
		.rx_ring = 256,
		.assume = assume_defaults(),
	};
	char line[200];
	FILE *file = fopen(path, "r");

	if (!tap_ok(file != NULL, "%s is there", path)) {
		return;
	}
	memset(&replay, 0, sizeof(replay));
	chip_init(&replay.chip, &config);
	write_named(&replay.chip, 0, "CTRL_EXT", 1u << 27);
	write_named(&replay.chip, 0, "IAM", UINT32_MAX);
	write_named(&replay.chip, 0, "IMS", DRIVER_CAUSES);
	while (fgets(line, sizeof(line), file)) {
		play_line(&replay, line);
	}
	fclose(file);
	tap_is(replay.logged_count, interrupts, "%s holds the interrupts", path);
	tap_is(replay.exact, replay.logged_count, "%s: every logged interrupt comes at its ns", path);
	tap_is(replay.raised_count, replay.logged_count, "%s: there is no other interrupt", path);
	tap_is(replay.wrong_causes, 0, "%s: the causes in ICR are the logged ones at each of %u reads", path,
	       replay.reads);
	tap_is(replay.broken, 0, "%s: the invariants hold throughout", path);
	tap_note("%s: %u of %u interrupts exact to the ns", path, replay.exact, replay.logged_count);
}

int main(void)
{
	replay_file("test/data/e1000e_itr_100.txt", 1551);
	replay_file("test/data/e1000e_delay_100.txt", 1411);
	return tap_done();
}
