/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a config to two ends that traffic can begin on: memory, chip and driver as after probe, ifup and link, the user's
 * settings, NAPI's deferral. The only place of a simulation that allocates.
 */
#include <errno.h>
#include <stdlib.h>

#include "sim/world_private.h"

#define RX_RING_FRAMES BOARD_RING_MAX
#define TX_RING_FRAMES BOARD_RING_MAX
#define QDISC_FRAMES 1024 /* txqueuelen is 1000 */
#define SOCKET_FRAMES 8192
#define FLIGHT_FRAMES 16384

static void roles(const struct workload *workload, enum app_role *board, enum app_role *peer)
{
	const bool rx = workload->direction == WORKLOAD_RX;

	switch (workload->kind) {
	case WORKLOAD_PING:
		*board = APP_PING;
		*peer = APP_NONE;
		break;
	case WORKLOAD_RR:
		*board = APP_CLIENT;
		*peer = APP_SERVER;
		break;
	case WORKLOAD_FIELDBUS:
		*board = APP_CLIENT;
		*peer = APP_NONE;
		break;
	case WORKLOAD_TCP:
		*board = rx ? APP_TCP_RECEIVER : APP_TCP_SENDER;
		*peer = rx ? APP_TCP_SENDER : APP_TCP_RECEIVER;
		break;
	case WORKLOAD_TFTP:
		*board = rx ? APP_CLIENT : APP_SERVER;
		*peer = rx ? APP_SERVER : APP_CLIENT;
		break;
	default:
		*board = rx ? APP_SINK : APP_SOURCE;
		*peer = rx ? APP_SOURCE : APP_SINK;
		break;
	}
}

static bool frames_allocate(struct frames *frames, uint32_t count)
{
	*frames = (struct frames){ .frame = calloc(count, sizeof(struct frame)), .mask = count - 1 };
	return frames->frame != NULL;
}

static bool end_allocate(struct end *end)
{
	return frames_allocate(&end->rx_ring, RX_RING_FRAMES) && frames_allocate(&end->tx_ring, TX_RING_FRAMES) &&
	       frames_allocate(&end->qdisc, QDISC_FRAMES) && frames_allocate(&end->socket, SOCKET_FRAMES);
}

void world_free(struct world *world)
{
	for (unsigned e = 0; e < 2; e++) {
		free(world->end[e].rx_ring.frame);
		free(world->end[e].tx_ring.frame);
		free(world->end[e].qdisc.frame);
		free(world->end[e].socket.frame);
		free(world->in_flight[e].frame);
	}
	free(world);
}

static uint32_t ring_size(unsigned descriptors, uint32_t most)
{
	return descriptors == 0 || descriptors > most ? most : descriptors;
}
static void perform(struct world *world, struct end *end, const struct driver_write *writes, unsigned count)
{
	nic_writes(world, end, writes, count);
	record_programmed(world, end, writes, count);
}

/* Probe, link, ifup, and what the user sets then. */
static int nic_bring_up(struct world *world, struct end *end, struct err *err)
{
	const struct end_config *config = end->config;
	const char *name = config->driver[0] ? config->driver : config->board.driver;
	const struct driver_variant *variant = driver_variant_find(name);
	struct driver_config driver_config;
	struct driver_result result;
	struct chip_config chip_config;

	if (!variant) {
		return err_set(err, -EINVAL, "unknown driver \"%s\"", name);
	}
	board_driver_config(&config->board, &driver_config);
	board_chip_config(&config->board, variant, &chip_config);
	const int ret = driver_init(&end->driver, variant, &driver_config, err);
	if (ret < 0) {
		return ret;
	}
	chip_init(&end->chip, &chip_config);
	chip_set_link(&end->chip, 0, world->config->speed_mbps);
	end->plan = driver_plan(&end->driver);
	end->tells_rx_free = config->board.family == CHIP_E1000E;
	end->rx_ring_size = ring_size(chip_config.rx_ring, RX_RING_FRAMES);
	end->tx_ring_size = ring_size(config->board.tx_ring ? config->board.tx_ring : variant->tx_ring, TX_RING_FRAMES);
	driver_open(&end->driver, &result);
	perform(world, end, result.writes, result.write_count);
	driver_link(&end->driver, world->config->speed_mbps, &result);
	perform(world, end, result.writes, result.write_count);
	if (config->request.present) {
		driver_set(&end->driver, &config->request, &result);
		if (result.error) {
			return err_set(err, result.error, "%s refuses the settings: %s", variant->name, result.why);
		}
		perform(world, end, result.writes, result.write_count);
	}
	perform(world, end, config->poke, config->poke_count);
	end->level = driver_level(&end->driver);
	end->rx_frame_flags = driver_rx_frame_flags(&end->driver);
	nic_ifup(end);
	return 0;
}

static void napi_bring_up(struct end *end)
{
	const struct end_config *config = end->config;
	const bool defers = end->driver.variant->defers_by_default; /* netdev_sw_irq_coalesce_default_on */
	const uint32_t defer_hard_irqs = config->defer_hard_irqs_given ? config->defer_hard_irqs : defers ? 1 : 0;
	const int64_t gro_flush_timeout_ns = config->gro_flush_timeout_given ? config->gro_flush_timeout_ns
					     : defers                        ? 20 * NS_PER_US
									     : 0;

	napi_init(&end->napi, defer_hard_irqs, gro_flush_timeout_ns);
}

static int host_bring_up(struct world *world, struct end *end, struct err *err)
{
	const struct end_config *config = end->config;
	const unsigned cpus = config->cpus ? config->cpus : config->profile.cpus;

	if (cpus < 1 || cpus > RUN_CPUS_MAX || config->irq_cpu >= cpus || config->app_cpu >= cpus) {
		return err_set(err, -EINVAL, "irq-cpu %u and app-cpu %u have to be among %u CPUs, of 1 to %d",
			       config->irq_cpu, config->app_cpu, cpus, RUN_CPUS_MAX);
	}
	end->profile = &config->profile;
	end->irq_cpu = &end->host->cpu[config->irq_cpu];
	end->app_cpu = &end->host->cpu[config->app_cpu];
	end->irq_cpu_slot = end->host->index * SLOTS_PER_END + SLOT_CPU + config->irq_cpu;
	end->app_cpu_slot = end->host->index * SLOTS_PER_END + SLOT_CPU + config->app_cpu;
	const int ret = nic_bring_up(world, end, err);
	if (ret < 0) {
		return ret;
	}
	napi_bring_up(end);
	return 0;
}

static int end_bring_up(struct world *world, unsigned index, struct err *err)
{
	struct end *end = &world->end[index];

	end->index = index;
	end->config = &world->config->end[index];
	end->ideal = end->config->ideal;
	end->masked_since_at_ns = NEVER_AT_NS;
	end->host = &world->host[world->config->shared_host ? 0 : index];
	random_init(&end->random, world->config->seed, index);
	wire_init(&world->wire[index], world->config->speed_mbps, world->config->hops, world->config->propagation_ns);
	world->wire[index].has_gap_in_frame = world->config->end[0].board.has_gap_in_frame;
	if (!end_allocate(end) || !frames_allocate(&world->in_flight[index], FLIGHT_FRAMES)) {
		return err_set(err, -ENOMEM, "out of memory");
	}
	return end->ideal ? 0 : host_bring_up(world, end, err);
}

static void host_init(struct world *world, unsigned index)
{
	struct host *host = &world->host[index];

	host->index = index;
	host->shared = world->config->shared_host;
	host->ends = host->shared ? 2 : 1;
	host->profile = &world->config->end[index].profile;
	for (unsigned i = 0; i < RUN_CPUS_MAX; i++) {
		cpu_init(&host->cpu[i]);
		host->counts_idle_since_at_ns[i] = NEVER_AT_NS;
	}
}

int world_bring_up(struct world *world, struct err *err)
{
	int ret = 0;

	host_init(world, 0);
	host_init(world, 1);

	roles(world->workload, &world->end[0].app.role, &world->end[1].app.role);
	for (unsigned e = 0; e < 2 && ret == 0; e++) {
		ret = end_bring_up(world, e, err);
	}
	if (ret == 0 && world->workload->kind == WORKLOAD_TCP) {
		tcp_init(world);
	}
	return ret;
}
