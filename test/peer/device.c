/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device behind the peer: one of our driver models, or a store; its options, and its state as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "peer/peer.h"
#include "peer/peer_private.h"

const char *const peer_misbehaviour_names[PEER_MISBEHAVIOURS] = {
	[PEER_WELL] = "none",
	[PEER_MISSING] = "missing",
	[PEER_UNKNOWN] = "unknown",
	[PEER_SHORT_ATTRIBUTE] = "short-attribute",
	[PEER_REORDERED] = "reordered",
	[PEER_CUT_ATTRIBUTE] = "cut-attribute",
	[PEER_TRUNCATED] = "truncated",
	[PEER_EMPTY] = "empty",
	[PEER_HUGE] = "huge",
	[PEER_STALE] = "stale",
	[PEER_WRONG_SEQUENCE] = "wrong-sequence",
	[PEER_WRONG_PORT] = "wrong-port",
	[PEER_MULTIPART] = "multipart",
	[PEER_PACKED] = "packed",
	[PEER_EARLY_ACK] = "early-ack",
	[PEER_NO_ACK] = "no-ack",
	[PEER_NO_REPLY] = "no-reply",
	[PEER_BAD_ERRNO] = "bad-errno",
	[PEER_OVERRUN] = "overrun",
	[PEER_INTERRUPTED] = "interrupted",
	[PEER_SILENT] = "silent",
	[PEER_HANG_UP] = "hang-up",
	[PEER_HANG_UP_AFTER] = "hang-up-after",
	[PEER_GONE] = "gone",
	[PEER_BUSY] = "busy",
	[PEER_FORBIDDEN] = "forbidden",
};

const char *const peer_extack_names[PEER_EXTACKS] = { "full", "uncapped", "policy", "message", "none" };

#define BASICS                                                                                                  \
	(COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_RX_FRAMES) | COALESCE_BIT(COALESCE_TX_USECS) | \
	 COALESCE_BIT(COALESCE_TX_FRAMES))

/* ---- options ---- */

struct peer_config peer_config_default(void)
{
	return (struct peer_config){
		.device = "r8169@6.12",
		.speed_mbps = 1000,
		.queues = 1,
		.napis = 1,
		.supported = BASICS,
		.has_per_queue = true,
	};
}

static int find_name(const char *const *names, unsigned count, const char *name, size_t length)
{
	for (unsigned i = 0; i < count; i++) {
		if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) {
			return (int)i;
		}
	}
	return -1;
}

/* "silent", or "silent@3": only in the third request. */
static int parse_misbehaviour(struct peer_config *config, const char *value, struct err *err)
{
	const size_t length = strcspn(value, "@");
	const int found = find_name(peer_misbehaviour_names, PEER_MISBEHAVIOURS, value, length);

	if (found < 0) {
		return err_set(err, -EINVAL, "unknown misbehaviour \"%s\"", value);
	}
	config->misbehaviour = (enum peer_misbehaviour)found;
	config->misbehave_at = 0;
	return value[length] ? text_parse_u32(value + length + 1, "request", &config->misbehave_at, err) : 0;
}

/* Names between commas. */
static int parse_fields(const char *value, uint32_t *fields, struct err *err)
{
	*fields = 0;
	while (*value) {
		char name[32];
		const size_t length = strcspn(value, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, value);
		const enum coalesce_field field = coalesce_field_find(name);

		if (field == COALESCE_FIELDS) {
			return err_set(err, -EINVAL, "unknown field \"%s\"", name);
		}
		*fields |= COALESCE_BIT(field);
		value += length + (value[length] == ',');
	}
	return 0;
}

int peer_config_option(struct peer_config *config, const char *name, const char *value, struct err *err)
{
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = {
		{ "--speed", &config->speed_mbps }, { "--queues", &config->queues }, { "--napis", &config->napis },
		{ "--clock", &config->clock_hz },   { "--pci-id", &config->pci_id }, { "--delay", &config->delay_ms },
	};
	const struct {
		const char *name;
		char *text;
		size_t size;
	} texts[] = {
		{ "--driver", config->device, sizeof(config->device) },
		{ "--kernel", config->kernel, sizeof(config->kernel) },
		{ "--compatible", config->compatible, sizeof(config->compatible) },
	};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(name, numbers[i].name) == 0) {
			return text_parse_u32(value, name, numbers[i].number, err);
		}
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(name, texts[i].name) == 0) {
			return snprintf(texts[i].text, texts[i].size, "%s", value) < (int)texts[i].size
				       ? 0
				       : err_set(err, -EINVAL, "%s is too long", name);
		}
	}
	if (strcmp(name, "--supported") == 0) {
		return parse_fields(value, &config->supported, err);
	}
	if (strcmp(name, "--misbehave") == 0) {
		return parse_misbehaviour(config, value, err);
	}
	if (strcmp(name, "--extack") == 0) {
		const int found = find_name(peer_extack_names, PEER_EXTACKS, value, strlen(value));

		config->extack = found < 0 ? PEER_EXTACK_FULL : (enum peer_extack)found;
		return found < 0 ? err_set(err, -EINVAL, "unknown form \"%s\"", value) : 0;
	}
	return -ENOENT;
}

/* ---- the device ---- */

static void init_store(struct peer *peer)
{
	const bool is_virtio = strcmp(peer->config.device, "virtio") == 0;

	peer->supported = is_virtio ? BASICS | COALESCE_BIT(COALESCE_ADAPTIVE_RX) : peer->config.supported;
	for (unsigned queue = 0; queue < PEER_QUEUES_MAX; queue++) {
		peer->stored[queue].present = peer->supported;
		if (is_virtio) {
			peer->stored[queue].value[COALESCE_RX_FRAMES] = peer->stored[queue].value[COALESCE_TX_FRAMES] =
				1;
		}
	}
}

static int init_model(struct peer *peer, const struct driver_variant *variant, struct err *err)
{
	const struct driver_config config = {
		.family = variant->families[1],
		.has_coalesce = true,
		.has_multi_queues = peer->config.has_multi_queues,
		.queues = peer->config.queues,
		.clock_hz = peer->config.clock_hz,
		.assume = assume_defaults(),
	};
	struct driver_result result;
	const int ret = driver_init(&peer->driver, variant, &config, err);

	if (ret) {
		return ret;
	}
	driver_open(&peer->driver, &result);
	driver_link(&peer->driver, peer->config.speed_mbps, &result);
	peer->has_model = true;
	peer->supported = variant->supported;
	return 0;
}

static unsigned parse_kernel(const char *text)
{
	char *rest;
	const unsigned long major = strtoul(text, &rest, 10), minor = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;

	return (unsigned)(major * 1000000 + minor * 1000);
}

/* One that has the rule of the variant, and else a recent one: it decides what other families there are. */
static const char *kernel_of(const char *device)
{
	static const char *const old[] = { "fec@old", "stmmac@6.1", "tsnep@none", "r8169@6.1" };

	return find_name(old, sizeof(old) / sizeof(old[0]), device, strlen(device)) < 0 ? "6.18.0" : "6.1.100";
}

int peer_init(struct peer *peer, const struct peer_config *config, struct err *err)
{
	*peer = (struct peer){ .config = *config };
	if (!peer->config.kernel[0]) {
		snprintf(peer->config.kernel, sizeof(peer->config.kernel), "%s", kernel_of(config->device));
	}
	peer->kernel = parse_kernel(peer->config.kernel);
	if (config->queues < 1 || config->queues > PEER_QUEUES_MAX || config->napis > PEER_NAPIS_MAX) {
		return err_set(err, -EINVAL, "1 to %d queues and up to %d NAPI instances are possible", PEER_QUEUES_MAX,
			       PEER_NAPIS_MAX);
	}
	for (unsigned i = 0; i < config->napis; i++) {
		peer->napis[i] = (struct peer_napi){ .id = 8193 + i, .irq = 50 + i };
	}
	const bool is_named_store = strncmp(config->device, "store@", 6) == 0;

	if (is_named_store || strcmp(config->device, "store") == 0 || strcmp(config->device, "virtio") == 0) {
		init_store(peer);
		return 0;
	}
	const struct driver_variant *const variant = driver_variant_find(config->device);

	if (!variant) {
		return err_set(err, -EINVAL, "unknown device \"%s\"", config->device);
	}
	const bool needs_clock = variant->families[0] == CHIP_FEC || variant->families[0] == CHIP_STMMAC;

	if (needs_clock && !config->clock_hz) {
		peer->config.clock_hz = 266666666;
	}
	return init_model(peer, variant, err);
}

int peer_get(const struct peer *peer, struct coalesce *reported)
{
	if (peer->has_model) {
		return driver_get(&peer->driver, reported);
	}
	*reported = peer->stored[0];
	return peer->supported ? 0 : -EOPNOTSUPP;
}

/* virtio_net refuses to change a static value while it adapts. */
static bool store_refuses(const struct peer *peer, const struct coalesce *before, const struct coalesce *after)
{
	const uint32_t statics = COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_RX_FRAMES);

	return strcmp(peer->config.device, "virtio") == 0 && after->value[COALESCE_ADAPTIVE_RX] &&
	       (coalesce_difference(before, after) & statics);
}

static int store(struct peer *peer, unsigned first, unsigned last, const struct coalesce *request)
{
	for (unsigned queue = first; queue <= last; queue++) {
		const struct coalesce after = coalesce_merge(&peer->stored[queue], request);

		if (store_refuses(peer, &peer->stored[queue], &after)) {
			return -EINVAL;
		}
		peer->stored[queue] = after;
	}
	peer->sets++;
	return 0;
}

int peer_set(struct peer *peer, const struct coalesce *request)
{
	if (peer->has_model) {
		struct driver_result result;

		driver_set(&peer->driver, request, &result);
		peer->sets += !result.error && !result.unchanged;
		return result.error;
	}
	if (request->present & ~peer->supported) {
		return peer->supported ? -EINVAL : -EOPNOTSUPP;
	}
	const struct coalesce after = coalesce_merge(&peer->stored[0], request);

	if (!coalesce_difference(&after, &peer->stored[0])) {
		return 0;
	}
	return store(peer, 0, peer->config.queues - 1, request);
}

int peer_get_queue(const struct peer *peer, unsigned queue, struct coalesce *reported)
{
	if (peer->has_model) {
		return driver_get_queue(&peer->driver, queue, reported);
	}
	if (!peer->config.has_per_queue || !peer->supported) {
		return -EOPNOTSUPP;
	}
	if (queue >= peer->config.queues) {
		return -EINVAL;
	}
	*reported = peer->stored[queue];
	return 0;
}

int peer_set_queue(struct peer *peer, unsigned queue, const struct coalesce *settings)
{
	if (peer->has_model) {
		struct driver_result result;

		driver_set_queue(&peer->driver, queue, settings, &result);
		peer->sets += !result.error;
		return result.error;
	}
	struct coalesce before;
	const int ret = peer_get_queue(peer, queue, &before);

	if (ret) {
		return ret;
	}
	return settings->present & ~peer->supported ? -EOPNOTSUPP : store(peer, queue, queue, settings);
}

/* ---- state as text ---- */

static void save_queues(const struct peer *peer, FILE *file)
{
	char text[COALESCE_TEXT_MAX];
	struct coalesce reported;

	for (unsigned queue = 0; queue < peer->config.queues; queue++) {
		if (!peer_get_queue(peer, queue, &reported)) {
			fprintf(file, "queue %u %s\n", queue, coalesce_print(&reported, text));
		}
	}
}

static void save_file(const struct peer *peer, FILE *file)
{
	char text[COALESCE_TEXT_MAX];
	struct coalesce reported;

	fprintf(file, "device %s\n", peer->config.device);
	if (!peer_get(peer, &reported)) {
		fprintf(file, "reported %s\n", coalesce_print(&reported, text));
	}
	save_queues(peer, file);
	for (unsigned i = 0; i < peer->config.napis; i++) {
		const struct peer_napi *const napi = &peer->napis[i];

		fprintf(file, "napi %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", napi->id,
			napi->defer_hard_irqs, napi->gro_flush_timeout_ns, napi->irq_suspend_timeout_ns,
			napi->threaded);
	}
	for (unsigned i = 0; peer->has_model && i < DRIVER_STATE_WORDS; i++) {
		if (!peer->driver.state[i]) {
			continue;
		}
		fprintf(file, "word %u %" PRIx64 "\n", i, peer->driver.state[i]);
	}
	fprintf(file, "sets %u\n", peer->sets);
}

void peer_save(const struct peer *peer, const char *path)
{
	char temporary[4096];

	snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid());
	FILE *const file = fopen(temporary, "we");

	if (!file) {
		return;
	}
	save_file(peer, file);
	if (fclose(file) == 0) {
		rename(temporary, path);
	}
}

static void load_line(struct peer *peer, const char *line)
{
	struct coalesce settings;
	struct peer_napi napi = { 0 };
	unsigned number;
	uint64_t word;
	int offset = 0;

	if (sscanf(line, "word %u %" SCNx64, &number, &word) == 2 && peer->has_model && number < DRIVER_STATE_WORDS) {
		peer->driver.state[number] = word;
	} else if (sscanf(line, "queue %u %n", &number, &offset) == 1 && offset && !peer->has_model &&
		   number < PEER_QUEUES_MAX && !coalesce_parse_text(&settings, line + offset, NULL)) {
		peer->stored[number] = settings;
	} else if (strncmp(line, "reported ", 9) == 0 && !peer->has_model &&
		   !coalesce_parse_text(&settings, line + 9, NULL)) {
		peer->stored[0] = settings;
	} else if (sscanf(line, "napi %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu32, &napi.id,
			  &napi.defer_hard_irqs, &napi.gro_flush_timeout_ns, &napi.irq_suspend_timeout_ns,
			  &napi.threaded) == 5) {
		for (unsigned i = 0; i < peer->config.napis; i++) {
			if (peer->napis[i].id == napi.id) {
				napi.irq = peer->napis[i].irq;
				peer->napis[i] = napi;
			}
		}
	} else if (sscanf(line, "sets %u", &number) == 1) {
		peer->sets = number;
	}
}

void peer_load(struct peer *peer, const char *path)
{
	FILE *const file = fopen(path, "re");
	char line[COALESCE_TEXT_MAX + 64];
	bool is_ours = false;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "device ", 7) == 0) {
			is_ours = strcmp(line + 7, peer->config.device) == 0;
			if (is_ours) {
				memset(peer->driver.state, 0, sizeof(peer->driver.state)); /* words of 0 are left out */
			}
		} else if (is_ours) {
			load_line(peer, line);
		}
	}
	if (file) {
		fclose(file);
	}
}
