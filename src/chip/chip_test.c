/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chip.c"

#include "tap.h"

static struct chip_config config_of(enum chip_family family)
{
	return (struct chip_config){
		.family = family,
		.queues = 1,
		.timer_clock_hz = 250000000,
		.rx_ring = 256,
		.assume = assume_defaults(),
	};
}

static void test_tables(void)
{
	for (unsigned family = 0; family < CHIP_FAMILIES; family++) {
		const char *name = chip_family_name((enum chip_family)family);
		unsigned count, wrong = 0;
		const struct chip_register *registers = chip_registers((enum chip_family)family, &count);

		tap_is(chip_family_find(name), family, "family %s is found by its name", name);
		for (unsigned i = 0; i < count; i++) {
			wrong += chip_register_named((enum chip_family)family, registers[i].name) != &registers[i];
			wrong += chip_register_at((enum chip_family)family, registers[i].offset) != &registers[i];
			for (unsigned j = 0; j < registers[i].field_count; j++) {
				const struct chip_register_field *field = &registers[i].fields[j];

				wrong += field->high < field->low || field->high >= registers[i].width_bits;
			}
		}
		tap_ok(count > 0 && wrong == 0, "its %u registers are found by name and offset, and their fields fit",
		       count);
	}
	tap_is(chip_family_find("fecx"), CHIP_FAMILIES, "an unknown family");
	tap_ok(chip_register_named(CHIP_FEC, "rxic0") == chip_register_named(CHIP_FEC, "RXIC0"),
	       "case does not matter");
	tap_ok(chip_register_named(CHIP_FEC, "RXIC") == NULL, "the start of a name is no name");
	tap_ok(chip_register_at(CHIP_FEC, 0x102) == NULL, "between two registers is none");
}

static void test_clamping(void)
{
	struct chip chip;
	struct chip_config config = config_of(CHIP_FEC);

	config.queues = 99;
	config.assume.value[ASSUME_FEC_RX_SCALE] = -5;
	config.assume.value[ASSUME_TSNEP_DELAY_RUNS] = 77;
	chip_init(&chip, &config);
	tap_is(chip.config.queues, 3, "queues come down to what the family has");
	tap_is(chip.config.assume.value[ASSUME_FEC_RX_SCALE], assume_infos[ASSUME_FEC_RX_SCALE].min,
	       "choices up to their minimum");
	tap_is(chip.config.assume.value[ASSUME_TSNEP_DELAY_RUNS], 2, "and down to their maximum");
	config.queues = 0;
	config.family = (enum chip_family)1000;
	chip_init(&chip, &config);
	tap_is(chip.config.queues, 1, "no queue becomes one");
	tap_is(chip.config.family, CHIP_MACB, "an unknown family becomes the plainest");
	chip_frame_received(&chip, 0, 1000, 64, 0);
	chip_set_link(&chip, 0, 999);
	tap_is(chip.link_mbps, 100, "an unknown speed counts as the next one below");
}

static void test_time(void)
{
	struct chip chip, late;
	struct chip_config config = config_of(CHIP_RTL8168);

	chip_init(&chip, &config);
	chip_write(&chip, 0, 0xe2, 0x0050);
	chip_frame_received(&chip, 1000, 0, 1518, 0);
	late = chip;
	chip_frame_received(&late, 500, 0, 1518, 0);
	tap_is(late.now_at_ns, 1000, "time does not go back");
	late = chip;
	for (int64_t at_ns = 1000; at_ns < 60000; at_ns += 7) {
		chip_advance(&chip, at_ns);
	}
	chip_frame_received(&chip, 60000, 0, 1518, 0);
	chip_frame_received(&late, 60000, 0, 1518, 0);
	tap_ok(memcmp(&chip, &late, sizeof(chip)) == 0, "advancing often and rarely end in the same state");
	tap_is(chip_deadline(&chip), 85000, "with the same deadline");
	chip_advance(&chip, NEVER_AT_NS);
	tap_is(chip_deadline(&chip), NEVER_AT_NS, "the end of time is survived");
	chip_frame_received(&chip, NEVER_AT_NS, 0, 1518, 0);
	tap_ok(chip_deadline(&chip) > chip.now_at_ns, "and what comes then still has a later deadline");
	tap_is(chip_check(&chip), 0, "invariants");
}

static void test_late_chain(void)
{
	struct chip chip, late;
	struct chip_config config = config_of(CHIP_E1000E);

	chip_init(&chip, &config);
	chip_write(&chip, 0, 0xc4, 4);
	chip_write(&chip, 0, 0xd0, 0x80);
	chip_frame_received(&chip, 10, 0, 64, 0);
	chip_frame_received(&chip, 20, 0, 64, 0);
	late = chip;
	chip_advance(&chip, 10 + 1024 - 1);
	tap_is(chip_deadline(&chip), 1034, "a deadline is not run before its instant");
	chip_advance(&chip, 1034);
	tap_is(chip_deadline(&chip), 2058, "it is run at its instant, and begets the next");
	chip_advance(&late, 1500);
	tap_is(chip_deadline(&late), 2058, "run late, it begets the same");
	chip_advance(&late, 9000);
	chip_advance(&chip, 9000);
	tap_ok(memcmp(&chip, &late, sizeof(chip)) == 0, "in the end nobody can tell");
}

/* Every instant of one that is twice as slow is twice the other's. */
static void test_slow_clock(void)
{
	for (unsigned family = 0; family < CHIP_FAMILIES; family++) {
		struct chip_config config = config_of((enum chip_family)family);
		struct chip chip, slow;
		unsigned count, wrong = 0, waits = 0;
		const struct chip_register *const registers = chip_registers((enum chip_family)family, &count);
		uint64_t random = 0x9e3779b97f4a7c15;

		chip_init(&chip, &config);
		config.assume.value[ASSUME_TIMER_PPM] = 2 * ASSUME_TIMER_PPM_NOMINAL;
		chip_init(&slow, &config);
		chip_set_link(&chip, 0, 1000);
		chip_set_link(&slow, 0, 1000);
		for (int64_t at_ns = 0; at_ns < NS_PER_S; at_ns += (int64_t)(random >> 44)) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			const uint32_t offset = registers[random % count].offset, value = (uint32_t)(random >> 32);

			if (at_ns < NS_PER_S / 20) {
				chip_write(&chip, at_ns, offset, value);
				chip_write(&slow, 2 * at_ns, offset, value);
			}
			chip_frame_received(&chip, at_ns, 0, 1518, CHIP_FRAME_INTERRUPT);
			chip_frame_received(&slow, 2 * at_ns, 0, 1518, CHIP_FRAME_INTERRUPT);
			const int64_t deadline_at_ns = chip_deadline(&chip);

			waits += deadline_at_ns != NEVER_AT_NS;
			wrong += chip_irq_lines(&slow) != chip_irq_lines(&chip);
			wrong += chip_deadline(&slow) !=
				 (deadline_at_ns == NEVER_AT_NS ? NEVER_AT_NS : 2 * deadline_at_ns);
			wrong += chip_hold(&slow, 0, CHIP_RX).hold_ns != 2 * chip_hold(&chip, 0, CHIP_RX).hold_ns;
			chip_read(&chip, at_ns, offset);
			chip_read(&slow, 2 * at_ns, offset);
		}
		tap_is(wrong, 0, "%s: with timer-ppm 2000000 all takes twice as long",
		       chip_family_name((enum chip_family)family));
		tap_ok(waits > 0 || family == CHIP_MACB || family == CHIP_STMMAC,
		       "and there was something to wait for (%u)", waits);
	}
}

/* A clock that does not go evenly into ns: at its deadline nothing is still due, and before it all of it is. */
static void test_odd_clock(void)
{
	struct chip_config config = config_of(CHIP_RTL8168);
	struct chip chip;
	unsigned wrong = 0;

	for (int64_t ppm = 100001; ppm < 10000000; ppm += 98765) {
		config.assume.value[ASSUME_TIMER_PPM] = ppm;
		chip_init(&chip, &config);
		chip_write(&chip, 0, 0xe2, 0x0050);
		chip_write(&chip, 0, 0x3c, 0xffff);
		chip_frame_received(&chip, 1000, 0, 1518, 0);
		const int64_t deadline_at_ns = chip_deadline(&chip), span_ns = deadline_at_ns - 1000;

		wrong += span_ns < 25000 * ppm / 1000000 - 10 || span_ns > 25000 * ppm / 1000000 + 10;
		chip_advance(&chip, deadline_at_ns - 1);
		wrong += chip_irq_lines(&chip) != 0;
		chip_advance(&chip, deadline_at_ns);
		wrong += chip_irq_lines(&chip) != 1 || chip_deadline(&chip) != NEVER_AT_NS;
	}
	tap_is(wrong, 0, "odd clocks: the interrupt comes at the deadline, neither before nor after");
}

static void test_unknown_registers(void)
{
	for (unsigned family = 0; family < CHIP_FAMILIES; family++) {
		const struct chip_config config = config_of((enum chip_family)family);
		struct chip chip, before;
		unsigned wrong = 0;

		chip_init(&chip, &config);
		before = chip;
		for (uint32_t offset = 0; offset < 0x4000; offset++) {
			if (!chip_register_at((enum chip_family)family, offset)) {
				chip_write(&chip, 0, offset, UINT32_MAX);
				wrong += chip_read(&chip, 0, offset) != 0;
			}
		}
		tap_ok(wrong == 0 && memcmp(&chip, &before, sizeof(chip)) == 0,
		       "%s: unknown offsets read 0 and ignore writes", chip_family_name((enum chip_family)family));
	}
}

static void test_assume(void)
{
	const struct assume assume = assume_defaults();
	unsigned wrong = 0;

	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		const struct assume_info *info = &assume_infos[i];

		wrong += assume_find(info->name) != (enum assume_name)i;
		wrong += assume.value[i] != info->initial || info->initial < info->min || info->initial > info->max;
		wrong += !info->meaning[0] || !info->source[0];
	}
	tap_is(wrong, 0, "each model choice has a name, a default within its range, a meaning and a source");
	tap_is(assume_find("fec-timer"), ASSUME_COUNT, "an unknown choice");
}

int main(void)
{
	test_tables();
	test_clamping();
	test_time();
	test_late_chain();
	test_slow_clock();
	test_odd_clock();
	test_unknown_registers();
	test_assume();
	return tap_done();
}
