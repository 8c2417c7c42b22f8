/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows to cells: what is mapped to what, what cannot be, and how errors are counted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "validate/summary.h"

#define HEAD                                                                                                          \
	"cell,nic_mode,topo,link_mbps,ns_per_insn,rx_usecs,smp,workload,payload_bytes,traffic_ns,sent,received,lost," \
	"lat_kind,lat_avg_ns,irq_dut,busy_net_ns,idle_valid,stable\n"

/* The first row of a table with these fields behind its name. */
static struct cell read_row(const char *fields, struct world_config *config)
{
	char text[1024];
	struct csv csv;
	struct cell cell = { 0 };

	snprintf(text, sizeof(text), "%sa,%s\n", HEAD, fields);
	if (csv_open(&csv, text, "t", NULL) == 0 && csv_next(&csv, NULL) == 1) {
		cell_read(&cell, config, &csv);
	}
	return cell;
}

static void test_csv(void)
{
	char text[] = "# said\r\none,two\r\n1,\"a \"\"b\"\", c\"\r\n\n2\n";
	struct csv csv;
	struct err err = { "" };

	tap_is(csv_open(&csv, text, "t.csv", &err), 0, "a table behind a comment");
	tap_is(csv_next(&csv, &err), 1, "a row");
	tap_is_text(csv_field(&csv, "two"), "a \"b\", c", "quotes and a comma within them");
	tap_is_text(csv_field(&csv, "three"), "", "no such column: empty");
	tap_is(csv_next(&csv, &err), -EINVAL, "a row that is too short");
	tap_is_text(err.text, "t.csv:5: 1 fields, but 2 columns", "is said with its line");
	char nothing[] = "# only this\n";

	tap_is(csv_open(&csv, nothing, "t.csv", &err), -EINVAL, "no names of columns");
}

static void test_mapped(void)
{
	struct world_config config;
	struct cell cell = read_row(
		"itr,t1,1000,1,100,1,cbr2000,64,1000000000,2000,2000,0,oneway_wire_to_user,10000,2001,25000000,1,1",
		&config);

	tap_ok(cell.is_mapped, "a throttled cell is mapped: %s", cell.why_not);
	tap_is_text(config.end[0].board.name, "refnic-throttle", "to the throttle");
	tap_ok(config.end[1].ideal && cell.use == CELL_FIT && cell.is_stable, "ideal peer, fit, stable");
	tap_is((int64_t)config.workload.rate_per_s, 2000, "its rate");
	cell = read_row("delay+frames4,t2,100,8,250,1,poi10000,64,1000000000,9876,9876,0,oneway_user_to_user,1,1,1,1,0",
			&config);
	tap_ok(cell.is_mapped && cell.is_shared && config.shared_host, "two NICs on one host: %s", cell.why_not);
	tap_is(config.end[1].board.rx_frames, 4, "the peer counts frames as well");
	tap_is((int64_t)config.workload.rate_per_s, 9876, "the rate that the sample had");
	tap_is(config.end[0].profile.irq_handler_ns, 8 * 292, "a slow core: each cost eight times");
	tap_is(config.end[0].profile.slice_ns, 3000000, "but not what the kernel has in ms");
	tap_ok(cell.use == CELL_PREDICT && !cell.is_stable, "predicted, not repeatable");
	cell = read_row("delay,t1,1000,1,100,1,cbr10000,64,1000000000,10000,10000,0,oneway_wire_to_user,1,1,1,1,1",
			&config);
	tap_is(cell.kind, CELL_RESONANCE, "a period of the hold-off is a resonance");
	cell = read_row("itr,t1,1000,1,10,1,udp_pp64_1ms,64,1000000000,10,10,0,rtt_udp,1,1,1,1,", &config);
	tap_ok(cell.is_mapped && cell.workload.interval_ns == 1000000 && cell.is_stable,
	       "request and response each ms");
}

static void test_fitted(void)
{
	struct world_config config;
	struct cell cell = read_row("itr,t2,1000,1,100,1,tftp1m,512,90000000,,2049,,,1,1,1,1,1", &config);

	tap_is(cell.use, CELL_FIT, "what TFTP does with a block is fitted at rx-usecs 100 ...");
	cell = read_row("delay,t2,1000,1,100,1,tftp1m,512,90000000,,2049,,,1,1,1,1,1", &config);
	tap_is(cell.use, CELL_PREDICT, "... of the throttled NIC");
}

static void not_mapped(const char *fields, const char *part)
{
	struct world_config config;
	const struct cell cell = read_row(fields, &config);

	tap_ok(!cell.is_mapped && strstr(cell.why_not, part), "%s: %s", fields, cell.why_not);
}

static void test_not_mapped(void)
{
	not_mapped("itr,t1,1000,1,100,1,idle,,500000000,,,,,,1,1,1,0", "no traffic");
	not_mapped("stock-msix-eitr,t1,1000,1,100,1,cbr500,64,1000000000,500,500,0,,1,1,1,1,1", "none of itr");
	not_mapped("itr,t3,1000,1,100,1,cbr500,64,1000000000,500,500,0,,1,1,1,1,1", "none of t1 and t2");
	not_mapped("itr,t1,1000,1,100,2,cbr500,64,1000000000,500,500,0,,1,1,1,1,1", "one CPU");
	not_mapped("itr,t1,1000,1,100,1,quake,64,1000000000,500,500,0,,1,1,1,1,1", "no workload");
	not_mapped("itr,t1,1000,1,100,1,cbr500,64,,500,500,0,,1,1,1,1,1", "traffic_ns");
	not_mapped("itr,t1,1000,1,100,1,cbr500,64,1000000000,,,,,1,1,1,1,1", "sent is missing");
	not_mapped("itr,t1,1000,1,5,1,cbr500,64,1000000000,500,500,0,,1,1,1,1,1", "rx-usecs 5");
	not_mapped("itr,t1,40,1,100,1,cbr500,64,1000000000,500,500,0,,1,1,1,1,1", "speed");
}

static struct cell with_irqs(int64_t measured, int64_t modelled)
{
	struct cell cell = { .is_mapped = true, .is_stable = true, .use = CELL_PREDICT };

	cell.value[CELL_IRQS] = (struct cell_value){ true, true, measured, modelled };
	return cell;
}

static void test_errors(void)
{
	struct cell cells[] = { with_irqs(100, 96), with_irqs(100, 108), with_irqs(100, 50), with_irqs(0, 1),
				with_irqs(100, 1) };
	const struct summary_of predicted = { .use = CELL_PREDICT };
	int64_t errors[5], error;

	cells[4].is_stable = false;
	tap_ok(cell_error(&cells[0], CELL_IRQS, &error) && error == -4000, "96 for 100 is -4 %%");
	tap_ok(!cell_error(&cells[3], CELL_IRQS, &error), "of nothing there is no error");
	const struct summary summary = summary_make(cells, 5, &predicted, CELL_IRQS, errors);

	tap_ok(summary.count == 3 && summary.within_5 == 1 && summary.within_10 == 2 && summary.within_20 == 2,
	       "three cells, one within 5 %%, two within 10 and 20");
	tap_ok(summary.median_milli_percent == 8000 && summary.worst == &cells[2], "median and worst");
	tap_ok(!summary_reaches_aim(&summary), "far from the aim");
	cells[0].sent = 200;
	cells[0].value[CELL_LOST] = (struct cell_value){ true, true, 0, 10 };
	tap_ok(cell_error(&cells[0], CELL_LOST, &error) && error == 5000, "losses are a share of what was sent");
}

int main(void)
{
	test_csv();
	test_mapped();
	test_fitted();
	test_not_mapped();
	test_errors();
	return tap_done();
}
