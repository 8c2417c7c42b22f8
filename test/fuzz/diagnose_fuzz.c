/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a pasted text: pieces lie in order and do not overlap;
 * what is kept of the text is printable; the figures that were made of it make sense. The first byte says into how many
 * texts the rest is cut.
 */
#include <stdio.h>
#include <stdlib.h>

#include "diagnose/diagnosis.h"
#include "fuzz/fuzz.h"

static struct diagnosis diagnosis;

static void check_text(const char *text, size_t size)
{
	fuzz_require(memchr(text, '\0', size) != NULL);
	for (const char *at = text; *at; at++) {
		fuzz_require((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
	}
}

static void check_pieces(void)
{
	unsigned file = 0, last = 0;

	for (unsigned i = 0; i < diagnosis.piece_count; i++) {
		const struct diagnose_piece *const piece = &diagnosis.pieces[i];

		fuzz_require(piece->file >= file && piece->file < diagnosis.file_count);
		last = piece->file == file ? last : 0;
		file = piece->file;
		fuzz_require(piece->first > last && piece->last >= piece->first && piece->kind < DIAGNOSE_KINDS);
		fuzz_require(piece->device >= -1 && piece->device < (int)diagnosis.device_count);
		last = piece->last;
	}
	for (unsigned i = 0; i < diagnosis.unread_count; i++) {
		fuzz_require(diagnosis.unread[i].last >= diagnosis.unread[i].first);
	}
}

static void check_devices(void)
{
	for (unsigned i = 0; i < diagnosis.device_count; i++) {
		struct diagnose_device *const device = &diagnosis.devices[i];

		fuzz_require(memchr(device->name, '\0', sizeof(device->name)) != NULL);
		fuzz_require(memchr(device->driver, '\0', sizeof(device->driver)) != NULL);
		fuzz_require(device->register_count <= DIAGNOSE_REGISTERS_MAX &&
			     device->queue_count <= DIAGNOSE_QUEUES_MAX);
		/* As the owner would have found it. */
		device->has_worst[CHIP_RX] = device->has_worst[CHIP_TX] = device->has_settings;
		device->worst_ns[CHIP_RX] = (int64_t)device->settings.value[COALESCE_RX_USECS] * 1000;
		device->worst_ns[CHIP_TX] = device->settings.value[COALESCE_TX_USECS] ? NEVER_AT_NS : 0;
	}
	for (unsigned i = 0; i < diagnosis.vector_count; i++) {
		fuzz_require(diagnosis.vectors[i].devices >> diagnosis.device_count == 0);
	}
}

static void check_measured(void)
{
	for (unsigned i = 0; i < diagnosis.ping_count; i++) {
		struct diagnose_span span;

		if (diagnosis.pings[i].samples && diagnose_ping_span(&diagnosis.pings[i], &span)) {
			fuzz_require(span.min_ns >= 0 && span.min_ns <= span.mean_ns && span.mean_ns <= span.max_ns);
		}
	}
	for (unsigned i = 0; i < diagnosis.pair_count; i++) {
		fuzz_require(diagnosis.pairs_ns[i] >= 0);
	}
}

static void check_remarks(void)
{
	for (unsigned i = 0; i < diagnosis.remark_count; i++) {
		const struct diagnose_remark *const remark = &diagnosis.remarks[i];

		fuzz_require(remark->kind < DIAGNOSE_REMARK_KINDS && remark->text[0] && remark->rule && remark->source);
		fuzz_require(remark->device >= -1 && remark->device < (int)diagnosis.device_count);
		check_text(remark->text, sizeof(remark->text));
		check_text(remark->command, sizeof(remark->command));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned texts = size ? 1 + data[0] % 3 : 1;
	const size_t each = size ? (size - 1) / texts : 0;
	const struct diagnose_options options = { .interval_ns = texts > 1 ? 10000000000 : 0 };
	char *copies[3];

	diagnosis_begin(&diagnosis, &options);
	for (unsigned i = 0; i < texts; i++) {
		const size_t length = i + 1 < texts || !size ? each : size - 1 - i * each;

		copies[i] = fuzz_text(size ? data + 1 + i * each : data, length);
		fuzz_require(diagnosis_read(&diagnosis, i ? "ethtool_-c_eth1" : "text", copies[i], length, NULL) == 0);
	}
	diagnosis_assign(&diagnosis);
	check_pieces();
	check_devices();
	check_measured();
	diagnosis_conclude(&diagnosis);
	check_remarks();
	for (unsigned i = 0; i < texts; i++) {
		free(copies[i]);
	}
	return 0;
}
