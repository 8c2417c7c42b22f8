/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holdoff lint found, as text and as JSON. */
#include "cmd/cmd.h"
#include "cmd/lint.h"
#include "report/json_writer.h"
#include "report/run_json.h"

#define LABEL_WIDTH 11

const char *lint_when(const struct persist_file *file)
{
	if (file->is_readout) {
		return NULL;
	}
	switch (file->format) {
	case PERSIST_SYSTEMD_LINK:
		return "once, when the device appears, before it is up; again by udevadm trigger --action=add, not by "
		       "networkctl reload";
	case PERSIST_NETWORKMANAGER:
		return "each time the profile is activated";
	case PERSIST_UDEV:
		return "at the event that the rule names";
	case PERSIST_ETHTOOL:
		return "when the command is run; a restart forgets it";
	default:
		return NULL;
	}
}

static void print_match(const struct persist_match *match, FILE *out)
{
	const struct {
		const char *what, *value;
	} rows[] = {
		{ "address ", match->permanent_address },
		{ "path ", match->path },
		{ "driver ", match->driver },
		{ "name ", match->name },
	};
	char text[320];
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].value[0]) {
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s%s", length ? ", " : "",
						   rows[i].what, rows[i].value);
		}
	}
	if (length) {
		cmd_print_labelled(out, LABEL_WIDTH, "  device", "%s", text);
	}
}

static void print_file(const struct lint_file *file, FILE *out)
{
	const struct persist_file *const content = &file->content;
	const char *const when = lint_when(content);
	char settings[COALESCE_TEXT_MAX];

	fprintf(out, "%s: %s%s\n", file->name, persist_format_name(content->format),
		content->is_readout ? " (what ethtool -c shows)" : "");
	print_match(&content->match, out);
	cmd_print_labelled(out, LABEL_WIDTH, "  ethtool", "%s",
			   content->settings.present ? coalesce_print(&content->settings, settings)
						     : "no coalescing setting has effect");
	if (when && content->settings.present) {
		cmd_print_labelled(out, LABEL_WIDTH, "  applied", "%s", when);
	}
	for (unsigned i = 0; i < content->finding_count; i++) {
		const struct persist_finding *const finding = &content->findings[i];

		fprintf(out, "%s:%u: %s: %s\n", file->name, finding->line, persist_severity_name(finding->severity),
			finding->text);
	}
}

void lint_print(const struct lint_file *files, unsigned count, const struct lint_target *target, FILE *out)
{
	if (target->note[0]) {
		cmd_print_labelled(out, LABEL_WIDTH, "driver", "%s", target->note);
	}
	for (unsigned i = 0; i < count; i++) {
		fputs(i || target->note[0] ? "\n" : "", out);
		print_file(&files[i], out);
	}
}

/* ---- JSON ---- */

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	if (text && text[0]) {
		json_put_string(writer, key, text);
	}
}

static void put_match(struct json_writer *writer, const struct persist_match *match)
{
	json_begin_object(writer, "match");
	put_text(writer, "name", match->name);
	put_text(writer, "permanent_address", match->permanent_address);
	put_text(writer, "path", match->path);
	put_text(writer, "driver", match->driver);
	json_end_object(writer);
}

static void put_finding(struct json_writer *writer, const struct persist_finding *finding)
{
	json_begin_object(writer, NULL);
	json_put_unsigned(writer, "line", finding->line);
	json_put_string(writer, "severity", persist_severity_name(finding->severity));
	json_put_string(writer, "text", finding->text);
	json_end_object(writer);
}

static void put_file(struct json_writer *writer, const struct lint_file *file)
{
	const struct persist_file *const content = &file->content;

	json_begin_object(writer, NULL);
	json_put_string(writer, "name", file->name);
	json_put_string(writer, "format", persist_format_name(content->format));
	json_put_boolean(writer, "is_readout", content->is_readout);
	put_match(writer, &content->match);
	run_json_put_settings(writer, "settings", &content->settings);
	put_text(writer, "applied", content->settings.present ? lint_when(content) : NULL);
	json_begin_array(writer, "findings");
	for (unsigned i = 0; i < content->finding_count; i++) {
		put_finding(writer, &content->findings[i]);
	}
	json_end_array(writer);
	json_end_object(writer);
}

void lint_print_json(const struct lint_file *files, unsigned count, const struct lint_target *target, FILE *out)
{
	struct json_writer writer;

	json_begin(&writer, out);
	json_begin_object(&writer, NULL);
	json_put_string(&writer, "schema", "holdoff.lint/1");
	json_put_string(&writer, "version", HOLDOFF_VERSION);
	put_text(&writer, "driver", target->note);
	json_begin_array(&writer, "files");
	for (unsigned i = 0; i < count; i++) {
		put_file(&writer, &files[i]);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	json_end(&writer);
}
