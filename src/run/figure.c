/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "base/wide.h"

static int64_t saturated(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static const struct histogram *observed(const struct run *run, const struct figure *figure)
{
	const struct histogram *histogram = &run->findings.latency[figure->latency];

	return (run->findings.has & (1u << figure->latency)) && histogram->count > 0 ? histogram : NULL;
}

static bool read_min(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct histogram *histogram = observed(run, figure);

	*thousandths = histogram ? histogram->min_ns : 0;
	return histogram != NULL;
}

static bool read_mean(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct histogram *histogram = observed(run, figure);

	*thousandths = histogram ? histogram_mean(histogram) : 0;
	return histogram != NULL;
}

static bool read_max(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct histogram *histogram = observed(run, figure);

	*thousandths = histogram ? histogram->max_ns : 0;
	return histogram != NULL;
}

static bool read_stddev(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct histogram *histogram = observed(run, figure);

	*thousandths = histogram ? histogram_stddev(histogram) : 0;
	return histogram != NULL;
}

static bool read_percentile(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct histogram *histogram = observed(run, figure);

	*thousandths = histogram ? histogram_percentile(histogram, figure->ppm) : 0;
	return histogram != NULL;
}

/* The two stages meet at the same interrupt, so their means add up to the mean of the whole. */
static bool read_xmit_to_completion(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct figure first = { .latency = RUN_XMIT_TO_IRQ }, second = { .latency = RUN_IRQ_TO_COMPLETION };
	int64_t first_ns, second_ns;

	(void)figure;
	const bool both = read_mean(run, &first, &first_ns) && read_mean(run, &second, &second_ns);

	*thousandths = both ? first_ns + second_ns : 0;
	return both;
}

/* The same from the start of the driver's xmit, where somebody measured that. */
static bool read_xmit_start_to_irq(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct figure from_return = { .latency = RUN_XMIT_TO_IRQ };
	const bool is_known = read_mean(run, &from_return, thousandths) && run->conditions.xmit_ns > 0;

	(void)figure;
	*thousandths = is_known ? *thousandths + run->conditions.xmit_ns : 0;
	return is_known;
}

static bool read_xmit_start_to_completion(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const bool is_known = read_xmit_to_completion(run, figure, thousandths) && run->conditions.xmit_ns > 0;

	*thousandths = is_known ? *thousandths + run->conditions.xmit_ns : 0;
	return is_known;
}

/* Those that read a histogram have the row's latency; of the others that member says nothing. */
uint64_t figure_samples(const struct run *run, const struct figure *figure)
{
	const bool is_latency = figure->read == read_min || figure->read == read_mean || figure->read == read_max ||
				figure->read == read_stddev || figure->read == read_percentile;
	const struct histogram *const histogram = is_latency ? observed(run, figure) : NULL;

	return histogram ? histogram->count : 0;
}

static bool read_irq_rate(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = saturated(run_irq_rate_milli_hz(run));
	return !run_lacks(run, RUN_LACKS_IRQS);
}

static bool read_irq_interval(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const uint64_t count = run->findings.irq_count;

	(void)figure;
	*thousandths = count ? (int64_t)(((uint64_t)run->conditions.duration_ns + count / 2) / count) : 0;
	return count > 0;
}

static bool read_frames_per_irq(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = saturated(run_milli(run->findings.irq_frames, run->findings.irq_count));
	return run->findings.irq_count > 0;
}

static bool read_frames_per_poll(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = saturated(run_milli(run->findings.napi_frames, run->findings.napi_polls));
	return run->findings.napi_polls > 0;
}

/* A rate per second of a count of the run. */
static int64_t per_second_milli(const struct run *run, uint64_t count)
{
	const uint64_t duration_ns = (uint64_t)run->conditions.duration_ns;

	if (duration_ns == 0) {
		return 0;
	}
	const uint64_t rate = wide_scale_to_nearest(count, 1000 * (uint64_t)NS_PER_S, duration_ns);

	return rate > INT64_MAX ? INT64_MAX : (int64_t)rate;
}

static bool read_rx_rate(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = per_second_milli(run, run->findings.rx_frames);
	return !run_lacks(run, RUN_LACKS_FRAMES);
}

static bool read_tx_rate(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = per_second_milli(run, run->findings.tx_frames);
	return !run_lacks(run, RUN_LACKS_FRAMES);
}

static bool read_drop_rate(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = per_second_milli(run, run->findings.rx_dropped + run->findings.socket_dropped);
	return !run_lacks(run, RUN_LACKS_FRAMES) && !run_lacks(run, RUN_LACKS_SOCKET_DROPS);
}

static bool read_goodput(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = saturated((run_goodput_bps(run) + 500) / 1000);
	return run->findings.app_bytes_span_ns > 0;
}

static bool read_goodput_bytes(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = saturated((run_goodput_bps(run) + 4) / 8);
	return run->findings.app_bytes_span_ns > 0;
}

/* Percent in thousandths: ten times fewer digits than ppm has. */
static int64_t percent_milli(int64_t part_ns, int64_t whole_ns)
{
	return run_ppm(part_ns, whole_ns) / 10;
}

static bool read_cpu_busy(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = percent_milli(run_busy_ns(run), run->conditions.duration_ns);
	return run->findings.cpus > 0;
}

static bool read_one_cpu_busy(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	for (unsigned i = 0; i < run->findings.cpus; i++) {
		const struct run_cpu *cpu = &run->findings.cpu[i];

		if (cpu->number == figure->ppm) {
			*thousandths = percent_milli(run_cpu_busy_ns(cpu), run->conditions.duration_ns);
			return true;
		}
	}
	*thousandths = 0;
	return false;
}

static bool read_machine_busy(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const unsigned cpus = run->findings.cpus + run->findings.other_cpus;

	(void)figure;
	*thousandths = percent_milli(run_busy_ns(run), run->conditions.duration_ns * cpus);
	return cpus > 0;
}

static bool read_cpu_per_frame(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = run_cpu_per_frame_ns(run);
	return *thousandths > 0;
}

/* Of whatever process the rest is: on a machine that does other things too this is the NIC's. */
static bool read_irq_time_per_frame(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	const struct run_findings *const findings = &run->findings;
	const uint64_t frames = findings->rx_frames + findings->tx_frames;
	int64_t busy_ns = findings->other_cpu.hardirq_ns + findings->other_cpu.softirq_ns;

	(void)figure;
	for (unsigned i = 0; i < findings->cpus; i++) {
		busy_ns += findings->cpu[i].hardirq_ns + findings->cpu[i].softirq_ns;
	}
	*thousandths = frames ? (int64_t)(((uint64_t)busy_ns + frames / 2) / frames) : 0;
	return *thousandths > 0 && !run_lacks(run, RUN_LACKS_CPUS) && !run_lacks(run, RUN_LACKS_FRAMES);
}

static bool read_irq_masked(const struct run *run, const struct figure *figure, int64_t *thousandths)
{
	(void)figure;
	*thousandths = percent_milli(run->findings.irq_masked_ns, run->conditions.duration_ns);
	return !run_lacks(run, RUN_LACKS_POLL_KINDS);
}

/* clang-format off */
#define LATENCY(prefix, which, title)                                                    \
	{ prefix "-min", "us", title ", least", read_min, which, 0 },                    \
	{ prefix "-mean", "us", title ", mean", read_mean, which, 0 },                   \
	{ prefix "-max", "us", title ", greatest", read_max, which, 0 },                 \
	{ prefix "-stddev", "us", title ", standard deviation", read_stddev, which, 0 }, \
	{ prefix "-p50", "us", title ", median", read_percentile, which, 500000 },       \
	{ prefix "-p99", "us", title ", 99th percentile", read_percentile, which, 990000 }
/* clang-format on */

static const struct figure table[] = {
	LATENCY("rtt", RUN_RTT, "round trip"),
	LATENCY("one-way", RUN_ONE_WAY, "wire to application"),
	LATENCY("send-to-recv", RUN_SEND_TO_RECV, "send call to application"),
	LATENCY("xmit-to-irq", RUN_XMIT_TO_IRQ, "return of xmit to its interrupt"),
	LATENCY("irq-to-completion", RUN_IRQ_TO_COMPLETION, "that interrupt to the freeing of the frame"),
	LATENCY("frame-to-irq", RUN_FRAME_TO_IRQ, "last bit at the NIC to its interrupt"),
	LATENCY("irq-to-poll", RUN_IRQ_TO_POLL, "that interrupt to the taking of the frame"),
	LATENCY("poll-to-app", RUN_POLL_TO_APP, "the taking of the frame to the return of receive"),
	{ "xmit-to-completion", "us", "return of xmit to the freeing of the frame", read_xmit_to_completion, 0, 0 },
	{ "xmit-start-to-irq", "us", "start of xmit to its interrupt", read_xmit_start_to_irq, 0, 0 },
	{ "xmit-start-to-completion", "us", "start of xmit to the freeing of the frame", read_xmit_start_to_completion,
	  0, 0 },
	{ "irq-rate", "/s", "hard interrupts of the NIC", read_irq_rate, 0, 0 },
	{ "irq-interval", "us", "duration over number of interrupts", read_irq_interval, 0, 0 },
	{ "frames-per-irq", "frames", "frames received for each interrupt", read_frames_per_irq, 0, 0 },
	{ "frames-per-poll", "frames", "frames received in a poll", read_frames_per_poll, 0, 0 },
	{ "irq-masked", "%", "share of the time with the NIC's interrupt masked", read_irq_masked, 0, 0 },
	{ "rx-rate", "/s", "frames taken from the receive ring", read_rx_rate, 0, 0 },
	{ "tx-rate", "/s", "frames sent", read_tx_rate, 0, 0 },
	{ "drop-rate", "/s", "frames dropped at the ring and at the socket", read_drop_rate, 0, 0 },
	{ "goodput", "Mb/s", "payload that reached the application", read_goodput, 0, 0 },
	{ "goodput-bytes", "kB/s", "the same in thousands of bytes", read_goodput_bytes, 0, 0 },
	{ "cpu-busy", "%", "busy time of all CPUs, as a share of one", read_cpu_busy, 0, 0 },
	{ "machine-busy", "%", "busy time as a share of all CPUs together", read_machine_busy, 0, 0 },
	{ "cpu-per-frame", "us", "busy time of all CPUs over frames received and sent", read_cpu_per_frame, 0, 0 },
	{ "irq-time-per-frame", "us", "time in interrupts and softirqs over frames received and sent",
	  read_irq_time_per_frame, 0, 0 },
	{ "cpu0-busy", "%", "busy time of CPU 0", read_one_cpu_busy, 0, 0 },
	{ "cpu1-busy", "%", "busy time of CPU 1", read_one_cpu_busy, 0, 1 },
};

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

const struct figure *figures(unsigned *count)
{
	*count = TABLE_COUNT;
	return table;
}

int figure_find(const char *name, const struct figure **figure, struct err *err)
{
	const char *names[TABLE_COUNT];

	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (strcmp(table[i].name, name) == 0) {
			*figure = &table[i];
			return 0;
		}
		names[i] = table[i].name;
	}
	const char *nearest = text_nearest(name, names, TABLE_COUNT);

	return err_set(err, -EINVAL, "unknown figure \"%s\": %s%s%s", name,
		       nearest ? "did you mean " : "figures are rtt-mean, irq-rate, cpu-busy and others",
		       nearest ? nearest : "", nearest ? "?" : "");
}

/* Digits up to 15 places, a point, up to three digits; *end is set behind them. */
static bool scan_milli(const char *text, int64_t *thousandths, const char **end)
{
	const bool negative = *text == '-';
	unsigned digits = 0, decimals = 0;
	int64_t value = 0;

	text += negative;
	for (; *text >= '0' && *text <= '9' && digits < 15; text++, digits++) {
		value = 10 * value + (*text - '0');
	}
	if (digits > 0 && *text == '.') {
		for (text++; *text >= '0' && *text <= '9' && decimals < 3; text++, decimals++) {
			value = 10 * value + (*text - '0');
		}
		if (decimals == 0) {
			return false;
		}
	}
	for (; decimals < 3; decimals++) {
		value *= 10;
	}
	*thousandths = negative ? -value : value;
	*end = text;
	return digits > 0;
}

int figure_parse(const char *text, const char *unit, const char *what, int64_t *thousandths, struct err *err)
{
	const char *end;

	if (strcmp(unit, "us") == 0) {
		int64_t value_ns;
		const bool negative = *text == '-';
		const int ret = text_parse_duration(text + negative, what, &value_ns, err);

		if (ret == 0) {
			*thousandths = negative ? -value_ns : value_ns;
		}
		return ret;
	}
	int64_t value;

	if (scan_milli(text, &value, &end)) {
		end += *end == ' ';
		if (*end == '\0' || strcmp(end, unit) == 0) {
			*thousandths = value;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "%s: '%s' is no number with at most three decimals%s%s", what, text,
		       *unit ? " in " : "", unit);
}

char *figure_print(int64_t thousandths, const char *unit, char buffer[FIGURE_TEXT_MAX])
{
	const uint64_t size = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
	char digits[8];

	snprintf(digits, sizeof(digits), ".%03u", (unsigned)(size % 1000));
	for (size_t length = 4; length > 0 && (digits[length - 1] == '0' || digits[length - 1] == '.'); length--) {
		digits[length - 1] = '\0';
	}
	snprintf(buffer, FIGURE_TEXT_MAX, "%s%" PRIu64 "%s%s%s", thousandths < 0 ? "-" : "", size / 1000, digits,
		 *unit ? " " : "", unit);
	return buffer;
}
