/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile that calibrate writes: [host] is what profiles/hosts have, with every cost as it was fitted, and [model] the ends in the
 * words of a plan, with what was fitted of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "chip/assume.h"
#include "cmd/calibrate.h"
#include "cmd/whole_file.h"
#include "host/profile.h"

static void put_values(const struct calibration *calibration, FILE *out)
{
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		const struct calibrate_value *const value = &calibration->value[i];
		const struct calibrate_parameter_info *const info = &calibrate_parameters[i];
		const double unit = info->is_time ? 1000 : 1;

		if (!value->is_free) {
			continue;
		}
		fprintf(out, "# %s %.3f%s, 95 %% from %.3f to %.3f%s: %s\n", info->name, value->value / unit,
			info->is_time ? " us" : "", value->low / unit, value->high / unit,
			value->is_known ? "" : ", hardly known", info->meaning);
	}
}

static void put_cost(const struct ini_key *key, const void *member, FILE *out)
{
	switch (key->type) {
	case INI_TEXT:
		fprintf(out, "%s = %s\n", key->name, (const char *)member);
		break;
	case INI_U32:
		fprintf(out, "%s = %" PRIu32 "\n", key->name, *(const uint32_t *)member);
		break;
	case INI_I64:
		fprintf(out, "%s = %" PRId64 "\n", key->name, *(const int64_t *)member);
		break;
	case INI_DURATION:
		fprintf(out, "%s = %" PRId64 "ns\n", key->name, *(const int64_t *)member);
		break;
	case INI_BYTES:
	case INI_RATE:
	case INI_HZ:
		fprintf(out, "%s = %" PRIu64 "\n", key->name, *(const uint64_t *)member);
		break;
	case INI_BOOL:
		fprintf(out, "%s = %s\n", key->name, *(const bool *)member ? "on" : "off");
		break;
	}
}

static void put_host(const struct calibrate_session *session, FILE *out)
{
	const struct calibration *const calibration = &session->calibration;
	struct profile profile = session->points[0].config.end[0].profile;

	fputs("[host]\n", out);
	char source[2 * sizeof(profile.source)];

	snprintf(source, sizeof(source),
		 "fitted by holdoff calibrate on %s from %u runs on %s, base %s, weighted residual %.1f %%",
		 session->date, calibration->points, session->subject, profile.name, 100 * calibration->residual);
	snprintf(profile.source, sizeof(profile.source), "%.*s", (int)sizeof(profile.source) - 1, source);
	snprintf(profile.fit, sizeof(profile.fit), "fitted by calibrate, base %.20s", profile.name);
	for (unsigned i = 0; i < profile_key_count; i++) {
		put_cost(&profile_keys[i], (const char *)&profile + profile_keys[i].offset, out);
	}
	for (unsigned i = 0; i < profile.idle_states; i++) {
		fprintf(out, "\n[idle %u]\nexit = %" PRId64 "ns\nresidency = %" PRId64 "ns\n", i + 1,
			profile.idle[i].exit_ns, profile.idle[i].residency_ns);
	}
}

/* Where no run shows the chip's times they are taken for the documented ones. */
static void put_assumes(const struct calibrate_session *session, FILE *out)
{
	const char *const given = session->text[SETUP_ASSUME];
	const bool has_timer = session->calibration.value[CALIBRATE_TIMER].is_known;

	if (given || has_timer) {
		fprintf(out, "assume = %s%s", given ? given : "", given && has_timer ? " " : "");
	}
	if (has_timer) {
		fprintf(out, "timer-ppm=%" PRId64,
			session->points[0].config.end[0].board.assume.value[ASSUME_TIMER_PPM]);
	}
	fputs(given || has_timer ? "\n" : "", out);
}

static void put_model(const struct calibrate_session *session, FILE *out)
{
	const struct world_config *const config = &session->points[0].config;

	fputs("\n[model]\n", out);
	for (enum setup_key key = 0; key < SETUP_KEYS; key++) {
		if (session->text[key] && key != SETUP_HOST && key != SETUP_ASSUME) {
			fprintf(out, "%s = %s\n", setup_keys[key].name, session->text[key]);
		}
	}
	put_assumes(session, out);
	if (!session->text[SETUP_SPEED]) {
		fprintf(out, "speed = %u\n", config->speed_mbps);
	}
	/* As it was measured: drivers have other defaults in other kernels. */
	fprintf(out, "gro-flush-timeout = %" PRId64 "\ndefer-hard-irqs = %" PRIu32 "\n",
		config->end[0].gro_flush_timeout_ns, config->end[0].defer_hard_irqs);
	if (config->end[1].ideal) {
		fprintf(out, "peer = ideal:%" PRId64 "ns\n", config->end[1].delay_ns);
	}
}

static int write_all(const void *context, FILE *out)
{
	const struct calibrate_session *const session = context;

	fprintf(out, "# %s: the model fitted to it. The base costs, times these factors:\n", session->subject);
	put_values(&session->calibration, out);
	put_host(session, out);
	put_model(session, out);
	return ferror(out) ? -EIO : 0;
}

int calibrate_write_profile(const struct calibrate_session *session, const char *path, struct err *err)
{
	return whole_file_write(path, NULL, write_all, session, err);
}
