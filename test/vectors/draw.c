/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors/draw.h"

#include <inttypes.h>

#include "base/random.h"

struct draw {
	const struct vector_kind *kind;
	struct random random;
	bool is_up;
	unsigned mbps;
};

static bool chance(struct draw *draw, unsigned percent)
{
	return random_below(&draw->random, 100) < percent;
}

static uint32_t below(struct draw *draw, uint32_t bound)
{
	return (uint32_t)random_below(&draw->random, bound);
}

/* ---- values ---- */

static unsigned count_of(const uint32_t *borders)
{
	unsigned count = 0;

	while (borders[count]) {
		count++;
	}
	return count;
}

/* At most two beside it: on both sides, and on it. */
static uint32_t near(struct draw *draw, uint32_t border)
{
	return border + below(draw, 5) - 2;
}

static uint32_t draw_value(struct draw *draw, const uint32_t *borders)
{
	static const uint32_t extremes[] = { 0,         0,          1,          1,          UINT16_MAX,
					     0x10000,   INT32_MAX,  0x80000000, UINT32_MAX, UINT32_MAX,
					     999999999, 1000000000, 4294967,    4294968 };
	const uint32_t border = borders[below(draw, count_of(borders))];
	const unsigned choice = below(draw, 100);

	if (choice < 45) {
		return near(draw, border);
	}
	if (choice < 85) {
		return below(draw, border);
	}
	if (choice < 93) {
		return extremes[below(draw, sizeof(extremes) / sizeof(extremes[0]))];
	}
	return (uint32_t)(random_u64(&draw->random) >> (32 + below(draw, 32)));
}

/* ---- requests ---- */

static bool is_frames(enum coalesce_field field)
{
	return coalesce_fields[field].unit == COALESCE_UNIT_FRAMES;
}

static void put_field(struct draw *draw, struct coalesce *request, enum coalesce_field field)
{
	if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
		coalesce_put(request, field, chance(draw, 50));
	} else {
		coalesce_put(request, field,
			     draw_value(draw,
					is_frames(field) ? draw->kind->frames_borders : draw->kind->usecs_borders));
	}
}

/*
 * Of the fields that every kernel from 5.15 on has: later ones are refused by the parser of older kernels. The
 * ioctls have no place for the last two.
 */
static enum coalesce_field any_field(struct draw *draw, bool over_netlink)
{
	const unsigned count = over_netlink ? COALESCE_CQE_MODE_RX + 1 : COALESCE_CQE_MODE_TX;

	return chance(draw, 30) ? COALESCE_ADAPTIVE_RX + below(draw, 2) : (enum coalesce_field)below(draw, count);
}

static struct coalesce draw_request(struct draw *draw, bool over_netlink)
{
	const struct vector_kind *const kind = draw->kind;
	struct coalesce request = { 0 };

	for (unsigned i = 0; i < kind->field_count; i++) {
		if (chance(draw, kind->field_count > 1 ? 35 : 95)) {
			put_field(draw, &request, kind->fields[i]);
		}
	}
	if (!request.present && chance(draw, 60)) {
		put_field(draw, &request, kind->fields[below(draw, kind->field_count)]);
	}
	if (!request.present || chance(draw, 5)) {
		put_field(draw, &request, any_field(draw, over_netlink));
	}
	return request;
}

/* ---- lines ---- */

static void print_speed(const struct draw *draw, bool goes_on, FILE *out)
{
	if (draw->is_up) {
		fprintf(out, "%s%u|", goes_on ? "=" : "", draw->mbps);
	} else {
		fprintf(out, "%sdown|", goes_on ? "=" : "");
	}
}

static unsigned draw_speed(struct draw *draw)
{
	unsigned count = 0;

	while (draw->kind->speeds[count]) {
		count++;
	}
	return draw->kind->speeds[below(draw, count)];
}

static bool draw_ifup(struct draw *draw, FILE *out)
{
	if (draw->is_up ? !chance(draw, 2) : !chance(draw, 30)) {
		return false;
	}
	draw->is_up = !draw->is_up;
	print_speed(draw, true, out);
	fprintf(out, "%s\n", draw->is_up ? "ifup" : "ifdown");
	return true;
}

static bool draw_link(struct draw *draw, FILE *out)
{
	if (!draw->is_up || !draw->kind->speeds[1] || !chance(draw, 3)) {
		return false;
	}
	draw->mbps = draw_speed(draw);
	print_speed(draw, true, out);
	fprintf(out, "link %u\n", draw->mbps);
	return true;
}

/* Most go over netlink: true. Queues that there are, and one more. */
static bool draw_way(struct draw *draw, FILE *out)
{
	if (chance(draw, 15)) {
		fprintf(out, "ioctl ");
		return false;
	}
	if (chance(draw, draw->kind->queues ? 30 : 2)) {
		fprintf(out, "queue %u ", below(draw, draw->kind->queues + 1));
		return false;
	}
	return true;
}

static void draw_line(struct draw *draw, bool is_first, FILE *out)
{
	char words[COALESCE_TEXT_MAX];
	const bool goes_on = !is_first && !chance(draw, 8);

	if (goes_on && (draw_ifup(draw, out) || draw_link(draw, out))) {
		return;
	}
	if (!goes_on) {
		draw->is_up = !chance(draw, 4);
		draw->mbps = draw->is_up ? draw_speed(draw) : draw->kind->speeds[0];
	}
	print_speed(draw, goes_on, out);
	const struct coalesce request = draw_request(draw, draw_way(draw, out));

	fprintf(out, "%s\n", coalesce_print(&request, words));
}

void vector_draw(const struct vector_kind *kind, uint64_t seed, unsigned count, FILE *out)
{
	struct draw draw = { .kind = kind, .is_up = true, .mbps = kind->speeds[0] };

	random_init(&draw.random, seed, 0);
	fprintf(out, "# %s: seed %" PRIu64 ", %u lines\n", kind->driver, seed, count);
	for (unsigned i = 0; i < count; i++) {
		draw_line(&draw, i == 0, out);
	}
}
