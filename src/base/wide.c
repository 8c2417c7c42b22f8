/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wide.h"

#include <assert.h>
#include <stddef.h>

struct wide wide_product_of_halves(uint64_t a, uint64_t b)
{
	const uint64_t a_high = a >> 32, a_low = a & UINT32_MAX, b_high = b >> 32, b_low = b & UINT32_MAX;
	const uint64_t low = a_low * b_low;
	/* Neither sum overflows: (2^32 - 1)^2 + 2 * (2^32 - 1) is 2^64 - 1. */
	const uint64_t middle = a_high * b_low + (low >> 32);
	const uint64_t other = a_low * b_high + (middle & UINT32_MAX);

	return (struct wide){ a_high * b_high + (middle >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX) };
}

/* High half first, then long division of the rest, which is below the divisor. */
struct wide wide_divide(struct wide dividend, uint64_t divisor, uint64_t *rest)
{
	assert(divisor > 0);
	struct wide quotient = { dividend.high / divisor, 0 };
	uint64_t remaining = dividend.high % divisor;

	if (remaining == 0) {
		quotient.low = dividend.low / divisor;
		remaining = dividend.low % divisor;
	} else {
		for (unsigned bit = 64; bit-- > 0;) {
			const bool carry = remaining >> 63;

			remaining = remaining << 1 | (dividend.low >> bit & 1);
			if (carry || remaining >= divisor) {
				remaining -= divisor;
				quotient.low |= UINT64_C(1) << bit;
			}
		}
	}
	if (rest) {
		*rest = remaining;
	}
	return quotient;
}

uint64_t wide_scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	return wide_saturated(wide_divide(wide_product(value, numerator), denominator, NULL));
}

uint64_t wide_scale_to_nearest(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	const struct wide product = wide_product(value, numerator);

	return wide_saturated(wide_divide(wide_add(product, wide_of(denominator / 2)), denominator, NULL));
}
