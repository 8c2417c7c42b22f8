/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"

#include <assert.h>

#include "base/wide.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

void random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = stream;

	/* The stream is mixed first: neighbouring streams of one seed start far apart. */
	state = splitmix64(&state) ^ seed;
	for (unsigned word = 0; word < 4; word++) {
		random->state[word] = splitmix64(&state);
	}
}

static uint64_t rotate_left(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

uint64_t random_u64(struct random *random)
{
	uint64_t *state = random->state;
	const uint64_t result = rotate_left(state[1] * 5, 7) * 9;
	const uint64_t shifted = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= shifted;
	state[3] = rotate_left(state[3], 45);
	return result;
}

/* Lemire, "Fast random integer generation in an interval" (2019): the high half of a product; a low half
 * under 2^64 mod bound belongs to the values that would come up once too often. */
uint64_t random_below(struct random *random, uint64_t bound)
{
	assert(bound > 0);
	struct wide product = wide_product(random_u64(random), bound);

	if (product.low < bound) {
		const uint64_t excess = (0 - bound) % bound;

		while (product.low < excess) {
			product = wide_product(random_u64(random), bound);
		}
	}
	return product.high;
}

/* Logarithms are fixed-point numbers with 57 bits behind the point: 64 * ln 2 still fits. */
#define LOG_BITS 57
#define LOG_OF_2 UINT64_C(99893036290645747)

/* ln((64 + i) / 64) */
/* clang-format off */
static const uint64_t log_of_step[64] = {
	0, 2234388758593785, 4434663376165248, 6601849900817660,
	8736928775103142, 10840837499364257, 12914473103447703, 14958694443100871,
	16974324335764940, 18962151549057382, 20922932653970573, 22857393753683066,
	24766232097869647, 26650117591491620, 28509694206237394, 30345581302054859,
	32158374865561735, 33948648671529880, 35716955373107370, 37463827525961499,
	39189778551091312, 40895303640664877, 42580880610879877, 44246970705522510,
	45894019353605652, 47522456884199784, 49132699201326675, 50725148421563766,
	52300193476804661, 53858210684435995, 55399564287021782, 56924606963431382,
	58433680313205344, 59927115315823180, 61405232766417684, 62868343689370592,
	64316749731123469, 65750743533444779, 67170609088308486, 68576622075460671,
	69969050183677798, 71348153416653047, 72714184384385004, 74067388580885509,
	75408004648970283, 76736264632846704, 78052394219167387, 79356612967175917,
	80649134528531716, 81930166857364520, 83199912411074991, 84458568342366396,
	85706326682962914, 86943374519442737, 88169894161588635, 89386063303634858,
	90592055178767078, 91788038707211304, 92974178638228400, 94150635686312714,
	95317566661876399, 96475124596685204, 97623458864296656, 98762715295737687,
};
/* clang-format on */

/* Of two numbers with 63 bits behind the point. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	return wide_shift_right(wide_product(a, b), 63).low;
}

/* ln(1 + t) for t < 1/64, 63 bits behind the point: six terms of the series leave an error below 2^-44. */
static uint64_t log_near_one(uint64_t t)
{
	const uint64_t one = UINT64_C(1) << 63;
	uint64_t sum = one / 6;

	for (unsigned term = 5; term >= 1; term--) {
		sum = one / term - multiply(t, sum);
	}
	return multiply(t, sum);
}

/* -ln(word / 2^64), LOG_BITS behind the point; word > 0. */
static uint64_t minus_log(uint64_t word)
{
	const unsigned zeros = (unsigned)__builtin_clzll(word);
	const uint64_t mantissa = word << zeros; /* 2^63 * (1 + f) = 2^57 * (64 + step) + rest */
	const unsigned step = (unsigned)(mantissa >> 57) - 64;
	const uint64_t rest = mantissa & ((UINT64_C(1) << 57) - 1);
	const uint64_t t = (rest << 6) / (64 + step);
	const uint64_t whole = (zeros + 1) * LOG_OF_2;
	const uint64_t part = log_of_step[step] + (log_near_one(t) >> (63 - LOG_BITS));

	return whole > part ? whole - part : 0; /* rounding may cross zero next to word = 2^64 */
}

static int64_t exponential_quantile(uint64_t word, int64_t mean_ns)
{
	const struct wide product = wide_product(minus_log(word), (uint64_t)mean_ns);
	const struct wide half = wide_of(UINT64_C(1) << (LOG_BITS - 1));

	return (int64_t)wide_shift_right(wide_add(product, half), LOG_BITS).low;
}

int64_t random_exponential(struct random *random, int64_t mean_ns)
{
	assert(mean_ns >= 0 && mean_ns <= INT64_C(1) << 40);
	const uint64_t word = random_u64(random);

	return exponential_quantile(word ? word : 1, mean_ns);
}

int64_t random_normal(struct random *random, int64_t mean_ns, int64_t sd_ns)
{
	assert(sd_ns >= 0 && sd_ns <= INT64_C(1) << 40);
	/* Each of the twelve is uniform in 0 .. 2^32 - 1: variance 1/12 of 2^64, mean (2^32 - 1) / 2. */
	int64_t sum = -6 * (int64_t)UINT32_MAX;

	for (unsigned draw = 0; draw < 6; draw++) {
		const uint64_t word = random_u64(random);

		sum += (int64_t)(word >> 32) + (int64_t)(word & UINT32_MAX);
	}
	const struct wide product = wide_product((uint64_t)(sum < 0 ? -sum : sum), (uint64_t)sd_ns);
	const int64_t deviation_ns = (int64_t)wide_shift_right(wide_add(product, wide_of(UINT64_C(1) << 31)), 32).low;

	return sum < 0 ? mean_ns - deviation_ns : mean_ns + deviation_ns;
}
