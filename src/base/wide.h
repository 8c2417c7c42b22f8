/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unsigned numbers of 128 bits, for products that do not fit 64: compilers for 32-bit machines have no __int128. All of
 * it is modulo 2^128. Nothing else in the sources names __int128.
 */
#ifndef HOLDOFF_BASE_WIDE_H
#define HOLDOFF_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t high, low;
};

static inline struct wide wide_of(uint64_t value)
{
	return (struct wide){ 0, value };
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
	const uint64_t low = a.low + b.low;

	return (struct wide){ a.high + b.high + (low < a.low), low };
}

static inline struct wide wide_subtract(struct wide a, struct wide b)
{
	return (struct wide){ a.high - b.high - (a.low < b.low), a.low - b.low };
}

/* The long ways, from halves; what follows takes the compiler's own where it has one. */
struct wide wide_product_of_halves(uint64_t a, uint64_t b);

static inline bool wide_less_by_parts(struct wide a, struct wide b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

#ifdef __SIZEOF_INT128__

static inline struct wide wide_product(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (struct wide){ (uint64_t)(product >> 64), (uint64_t)product };
}

/* Without a branch. */
static inline bool wide_less(struct wide a, struct wide b)
{
	return ((unsigned __int128)a.high << 64 | a.low) < ((unsigned __int128)b.high << 64 | b.low);
}

#else

static inline struct wide wide_product(uint64_t a, uint64_t b)
{
	return wide_product_of_halves(a, b);
}

static inline bool wide_less(struct wide a, struct wide b)
{
	return wide_less_by_parts(a, b);
}

#endif

static inline struct wide wide_times(struct wide a, uint64_t b)
{
	const struct wide product = wide_product(a.low, b);

	return (struct wide){ product.high + a.high * b, product.low };
}

/* bits: 1 to 63 */
static inline struct wide wide_shift_right(struct wide a, unsigned bits)
{
	return (struct wide){ a.high >> bits, a.high << (64 - bits) | a.low >> bits };
}

/* At most UINT64_MAX. */
static inline uint64_t wide_saturated(struct wide a)
{
	return a.high ? UINT64_MAX : a.low;
}

/* Rounded down; divisor > 0; *rest, if wanted, is what is left. Slow: bit by bit where the dividend needs more than 64. */
struct wide wide_divide(struct wide dividend, uint64_t divisor, uint64_t *rest);

/* value * numerator / denominator, rounded down, or to nearest with halves upwards; at most UINT64_MAX; denominator > 0. */
uint64_t wide_scale(uint64_t value, uint64_t numerator, uint64_t denominator);
uint64_t wide_scale_to_nearest(uint64_t value, uint64_t numerator, uint64_t denominator);

#endif
