/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff calibrate found, for people and as a document. */
#include <math.h>
#include <string.h>

#include "cmd/calibrate.h"
#include "cmd/cmd.h"
#include "report/json_writer.h"

#define LABEL_WIDTH 10

/* "kernel, byte": those of a mask. */
static void print_names(uint32_t parameters, char *buffer, size_t size)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		if (parameters & (1u << i)) {
			length += (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "",
						   calibrate_parameters[i].name);
		}
	}
}

static void print_value(const struct calibration *calibration, enum calibrate_parameter parameter, FILE *out)
{
	const struct calibrate_value *const value = &calibration->value[parameter];
	const struct calibrate_parameter_info *const info = &calibrate_parameters[parameter];
	const double unit = info->is_time ? 1000 : 1;
	const char *const suffix = info->is_time ? " us" : "";
	char others[96];

	if (!value->is_free) {
		return;
	}
	print_names(value->with, others, sizeof(others));
	fprintf(out, "%-*s%8.3f%s  (%.3f .. %.3f)  %s\n", LABEL_WIDTH, info->name, value->value / unit, suffix,
		value->low / unit, value->high / unit, info->meaning);
	if (value->with) {
		fprintf(out, "%-*s          cannot be told apart from %s\n", LABEL_WIDTH, "", others);
	}
	if (!value->is_known) {
		fprintf(out, "%-*s          hardly known: these runs say little about it\n", LABEL_WIDTH, "");
	}
}

static void print_point(const struct calibrate_point *point, FILE *out)
{
	char workload[WORKLOAD_TEXT_MAX], measured[FIGURE_TEXT_MAX], modelled[FIGURE_TEXT_MAX];

	workload_print(&point->config.workload, workload);
	fprintf(out, "%s\n", workload);
	for (unsigned i = 0; i < point->count; i++) {
		const struct calibrate_observed *const observed = &point->observed[i];

		fprintf(out, "  %-14s measured %-16s model %-16s %+6.1f %% (+/- %.0f %%)\n", observed->figure->name,
			figure_print(observed->measured, observed->figure->unit, measured),
			figure_print(observed->modelled, observed->figure->unit, modelled),
			100 * ((double)observed->modelled / (double)observed->measured - 1), 100 * observed->tolerance);
	}
}

static void print_other_driver(const struct calibrate_session *session, FILE *out)
{
	const struct end_config *const end = &session->points[0].config.end[0];
	const char *const modelled = end->driver[0] ? end->driver : end->board.driver;
	const size_t length = strcspn(modelled, "@");

	if (strncmp(session->driver, modelled, length) != 0 || session->driver[length] != '\0') {
		fprintf(out, "a model of %.*s, and the runs are of %s: its settings are not those of the model\n",
			(int)length, modelled, session->driver);
	}
}

void calibrate_print_text(const struct calibrate_session *session, const char *path, FILE *out)
{
	const struct calibration *const calibration = &session->calibration;

	fprintf(out, "%s: %u figures of %u run%s, weighted residual %.1f %%\n", session->subject, calibration->observed,
		calibration->points, calibration->points == 1 ? "" : "s", 100 * calibration->residual);
	print_other_driver(session, out);
	fputs("\nfactors on the base's costs and times, with what holds them with 95 %:\n", out);
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		print_value(calibration, (enum calibrate_parameter)i, out);
	}
	fputs("\n", out);
	for (unsigned i = 0; i < session->count; i++) {
		print_point(&session->points[i], out);
	}
	if (calibration->spread > CALIBRATE_SPREAD_MAX) {
		cmd_print_labelled(
			out, LABEL_WIDTH, "\ndoubt",
			"the model is off by %.1f times what it may be: another board, base or end describes this "
			"machine better, or something else was at work",
			calibration->spread);
	}
	fprintf(out, "\nwritten to %s: holdoff predict --profile %s rx-usecs=0,50,100 --workload ...\n", path, path);
}

/* ---- JSON ---- */

static int64_t milli(double value)
{
	return llround(fmin(value, 1e15) * 1000);
}

static void put_parameter(struct json_writer *writer, const struct calibration *calibration,
			  enum calibrate_parameter parameter)
{
	const struct calibrate_value *const value = &calibration->value[parameter];
	const bool is_time = calibrate_parameters[parameter].is_time;

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", calibrate_parameters[parameter].name);
	json_put_boolean(writer, "is_known", value->is_known);
	if (is_time) {
		json_put_integer(writer, "value_ns", llround(value->value));
		json_put_integer(writer, "low_ns", llround(value->low));
		json_put_integer(writer, "high_ns", llround(value->high));
	} else {
		json_put_signed_milli(writer, "factor", milli(value->value));
		json_put_signed_milli(writer, "low", milli(value->low));
		json_put_signed_milli(writer, "high", milli(value->high));
	}
	if (value->with) {
		json_begin_array(writer, "cannot_be_told_from");
		for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
			if (value->with & (1u << i)) {
				json_put_string(writer, NULL, calibrate_parameters[i].name);
			}
		}
		json_end_array(writer);
	}
	json_end_object(writer);
}

static void put_point(struct json_writer *writer, const struct calibrate_point *point)
{
	char workload[WORKLOAD_TEXT_MAX];

	json_begin_object(writer, NULL);
	json_put_string(writer, "workload", workload_print(&point->config.workload, workload));
	json_begin_array(writer, "figures");
	for (unsigned i = 0; i < point->count; i++) {
		const struct calibrate_observed *const observed = &point->observed[i];

		json_begin_object(writer, NULL);
		json_put_string(writer, "name", observed->figure->name);
		json_put_string(writer, "unit", observed->figure->unit);
		json_put_signed_milli(writer, "measured", observed->measured);
		json_put_signed_milli(writer, "model", observed->modelled);
		json_put_signed_milli(writer, "tolerance_percent", milli(100 * observed->tolerance));
		json_end_object(writer);
	}
	json_end_array(writer);
	json_end_object(writer);
}

void calibrate_print_json(const struct calibrate_session *session, const char *path, FILE *out)
{
	const struct calibration *const calibration = &session->calibration;
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.calibration/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	json_put_string(&writer, "subject", session->subject);
	json_put_string(&writer, "profile", path);
	json_put_signed_milli(&writer, "residual_percent", milli(100 * calibration->residual));
	json_put_signed_milli(&writer, "spread", milli(calibration->spread));
	json_put_boolean(&writer, "is_doubtful", calibration->spread > CALIBRATE_SPREAD_MAX);
	json_begin_array(&writer, "parameters");
	for (unsigned i = 0; i < CALIBRATE_PARAMETERS; i++) {
		if (calibration->value[i].is_free) {
			put_parameter(&writer, calibration, (enum calibrate_parameter)i);
		}
	}
	json_end_array(&writer);
	json_begin_array(&writer, "runs");
	for (unsigned i = 0; i < session->count; i++) {
		put_point(&writer, &session->points[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}
