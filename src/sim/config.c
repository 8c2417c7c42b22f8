/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a setup to a config that can be run: boards and profiles are loaded, and what no single key can get wrong is checked.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "driver/driver.h"
#include "sim/setup.h"

static bool given(const struct setup *setup, enum setup_key key)
{
	return setup->given & (1u << key);
}

static void take_assumes(const struct setup *setup, struct assume *assume)
{
	for (unsigned i = 0; i < ASSUME_COUNT; i++) {
		if (setup->assume_given & (1u << i)) {
			assume->value[i] = setup->assume.value[i];
		}
	}
}

static int config_register(struct end_config *end, const char *key, char *item, struct err *err)
{
	char *equals = strchr(item, '=');

	if (!equals || equals == item) {
		return err_set(err, -EINVAL, "%s: \"%s\" is not NAME=VALUE", key, item);
	}
	if (end->poke_count == sizeof(end->poke) / sizeof(end->poke[0])) {
		return err_set(err, -EINVAL, "%s: at most %u of them", key, end->poke_count);
	}
	*equals = '\0';
	const struct chip_register *row = chip_register_named(end->board.family, item);
	if (!row) {
		return err_set(err, -EINVAL, "%s: %s has no register \"%s\": holdoff boards %s lists them", key,
			       end->board.name, item, end->board.name);
	}
	struct driver_write *poke = &end->poke[end->poke_count++];

	poke->offset = row->offset;
	return text_parse_u32(equals + 1, item, &poke->value, err);
}

static int config_registers(struct end_config *end, const char *key, const char *registers, struct err *err)
{
	char copy[sizeof(((struct setup *)0)->registers)], *rest = copy, *item;
	int ret = 0;

	strcpy(copy, registers);
	while (ret == 0 && (item = strtok_r(rest, " \t,", &rest))) {
		ret = config_register(end, key, item, err);
	}
	return ret;
}

static int config_board(const struct setup *setup, struct end_config *end, struct err *err)
{
	int ret = board_load(&end->board, setup->board, err);

	if (ret == 0) {
		ret = board_load_host(&end->profile, given(setup, SETUP_HOST) ? setup->host : end->board.host, err);
	}
	if (ret < 0) {
		return ret;
	}
	memcpy(end->driver, setup->driver, sizeof(end->driver));
	end->request = setup->request;
	end->cpus = setup->cpus ? setup->cpus : end->profile.cpus;
	end->irq_cpu = setup->irq_cpu;
	end->app_cpu = given(setup, SETUP_APP_CPU) ? setup->app_cpu : setup->irq_cpu;
	end->gro_flush_timeout_given = given(setup, SETUP_GRO_FLUSH_TIMEOUT);
	end->defer_hard_irqs_given = given(setup, SETUP_DEFER_HARD_IRQS);
	end->gro_flush_timeout_ns = setup->gro_flush_timeout_ns;
	end->defer_hard_irqs = setup->defer_hard_irqs;
	if (end->irq_cpu >= end->cpus || end->app_cpu >= end->cpus) {
		return err_set(err, -EINVAL, "there is no CPU %u: the host has %u, numbered from 0",
			       end->irq_cpu >= end->cpus ? end->irq_cpu : end->app_cpu, end->cpus);
	}
	return config_registers(end, "registers", setup->registers, err);
}

/* A second NIC of the board's host: CPUs, costs and NAPI's deferral are the board's. */
static int config_shared_host(const struct setup *setup, struct world_config *config, struct err *err)
{
	const struct end_config *board = &config->end[0];
	struct end_config *peer = &config->end[1];

	if (peer->ideal) {
		return err_set(err, -EINVAL, "shared-host needs a peer that is a board");
	}
	if (given(setup, SETUP_PEER_HOST)) {
		return err_set(err, -EINVAL, "peer-host: with shared-host the peer has the board's");
	}
	config->shared_host = true;
	peer->profile = board->profile;
	peer->cpus = board->cpus;
	peer->irq_cpu = board->irq_cpu;
	peer->app_cpu = board->app_cpu;
	peer->gro_flush_timeout_given = board->gro_flush_timeout_given;
	peer->defer_hard_irqs_given = board->defer_hard_irqs_given;
	peer->gro_flush_timeout_ns = board->gro_flush_timeout_ns;
	peer->defer_hard_irqs = board->defer_hard_irqs;
	return 0;
}

static int config_peer(const struct setup *setup, struct world_config *config, struct err *err)
{
	struct end_config *peer = &config->end[1];
	int ret = given(setup, SETUP_PEER) ? world_config_peer(config, setup->peer, err) : 0;

	if (ret < 0) {
		return ret;
	}
	if (peer->ideal) {
		const enum setup_key only_boards[] = { SETUP_PEER_DRIVER, SETUP_PEER_SET, SETUP_PEER_HOST,
						       SETUP_PEER_REGISTERS };

		for (unsigned i = 0; i < sizeof(only_boards) / sizeof(only_boards[0]); i++) {
			if (given(setup, only_boards[i])) {
				return err_set(err, -EINVAL, "%s needs a peer that is a board",
					       setup_keys[only_boards[i]].name);
			}
		}
		return 0;
	}
	ret = board_load_host(&peer->profile, given(setup, SETUP_PEER_HOST) ? setup->peer_host : peer->board.host, err);
	if (ret < 0) {
		return ret;
	}
	memcpy(peer->driver, setup->peer_driver, sizeof(peer->driver));
	peer->request = setup->peer_request;
	peer->cpus = peer->profile.cpus;
	take_assumes(setup, &peer->board.assume);
	return config_registers(peer, "peer-registers", setup->peer_registers, err);
}

static int config_speed(const struct setup *setup, struct world_config *config, struct err *err)
{
	const struct board *board = &config->end[0].board, *peer = &config->end[1].board;
	const bool peer_is_board = !config->end[1].ideal;

	if (!given(setup, SETUP_SPEED)) {
		const bool is_peer_slower = peer_is_board && peer->max_speed_mbps < board->speed_mbps;

		config->speed_mbps = is_peer_slower ? peer->max_speed_mbps : board->speed_mbps;
		return 0;
	}
	config->speed_mbps = setup->speed_mbps;
	if (setup->speed_mbps > board->max_speed_mbps) {
		return err_set(err, -EINVAL, "%s does at most %u Mb/s", board->name, board->max_speed_mbps);
	}
	if (peer_is_board && setup->speed_mbps > peer->max_speed_mbps) {
		return err_set(err, -EINVAL, "the peer %s does at most %u Mb/s", peer->name, peer->max_speed_mbps);
	}
	return 0;
}

/* The driver drives the chip of its board. */
static int check_driver_fits(const struct end_config *end, struct err *err)
{
	struct board scratch = end->board;

	return end->ideal || !end->driver[0] ? 0 : board_set_driver(&scratch, end->driver, err);
}

int setup_config(const struct setup *setup, struct world_config *config, struct err *err)
{
	if (!given(setup, SETUP_BOARD)) {
		return err_set(err, -EINVAL, "no board is given: holdoff boards lists them");
	}
	if (!given(setup, SETUP_WORKLOAD)) {
		return err_set(err, -EINVAL, "no workload is given, such as \"ping size=56 interval=1ms\"");
	}
	world_config_init(config);
	int ret = config_board(setup, &config->end[0], err);

	if (ret == 0) {
		take_assumes(setup, &config->end[0].board.assume);
		ret = config_peer(setup, config, err);
	}
	if (ret == 0 && setup->shared_host) {
		ret = config_shared_host(setup, config, err);
	}
	if (ret == 0) {
		ret = config_speed(setup, config, err);
	}
	for (unsigned i = 0; ret == 0 && i < 2; i++) {
		ret = check_driver_fits(&config->end[i], err);
	}
	if (ret < 0) {
		return ret;
	}
	config->hops = setup->hops;
	config->propagation_ns = setup->propagation_ns;
	config->workload = setup->workload;
	config->duration_ns = given(setup, SETUP_DURATION) ? setup->duration_ns : config->duration_ns;
	config->warmup_ns = given(setup, SETUP_WARMUP) ? setup->warmup_ns : config->warmup_ns;
	config->seed = given(setup, SETUP_SEED) ? setup->seed : config->seed;
	return 0;
}

static int try_end(const struct end_config *end, unsigned speed_mbps, bool *unsupported, struct err *err)
{
	const struct driver_variant *variant = driver_variant_find(end->driver[0] ? end->driver : end->board.driver);
	struct driver_config driver_config;
	struct driver driver;
	struct driver_result result = { 0 };

	board_driver_config(&end->board, &driver_config);
	const int ret = driver_init(&driver, variant, &driver_config, err);

	if (ret < 0) {
		return ret;
	}
	driver_open(&driver, &result);
	driver_link(&driver, speed_mbps, &result);
	driver_set(&driver, &end->request, &result);
	*unsupported = result.core_refused || result.error == -EOPNOTSUPP;
	if (strncmp(result.why, variant->name, strlen(variant->name)) == 0) {
		return result.error ? err_set(err, result.error, "%s", result.why) : 0;
	}
	return result.error ? err_set(err, result.error, "%s: %s", variant->name, result.why) : 0;
}

int setup_try_request(const struct world_config *config, bool *unsupported, struct err *err)
{
	*unsupported = false;
	for (unsigned i = 0; i < 2; i++) {
		const struct end_config *end = &config->end[i];
		const int ret =
			end->ideal || !end->request.present ? 0 : try_end(end, config->speed_mbps, unsupported, err);

		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}
