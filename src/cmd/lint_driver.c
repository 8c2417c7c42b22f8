/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a driver makes of a file's settings. A .link file and a rule act when the device appears, before the interface
 * is up; a profile and a command when it is. systemd and NetworkManager use the old ioctl, which passes a zero for
 * what the driver does not have; ethtool's netlink request is refused with any field that the driver lacks.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "cmd/lint.h"
#include "nic/model.h"
#include "nic/quirk.h"
#include "sim/board.h"

#define NEAREST_REACH 5000

/* ---- the target ---- */

static bool drives(const struct driver_variant *variant, const struct board *board)
{
	return variant->families[0] == board->family || variant->families[1] == board->family;
}

/* The first board that has a chip for it and settings at all. */
static int find_board(struct board *board, const struct driver_variant *variant, struct err *err)
{
	for (const struct board_text *text = embedded_boards; text->name; text++) {
		const int ret = board_load(board, text->name, err);

		if (ret < 0) {
			return ret;
		}
		if (drives(variant, board) && board->has_coalesce) {
			return 0;
		}
	}
	return err_set(err, -ENODEV, "no board has a chip for %s", variant->name);
}

/* The name of a driver alone is no variant, but tells which are meant. */
static int complain_variant(const char *name, struct err *err)
{
	const size_t length = strlen(name);
	char names[200] = "";
	size_t used = 0;
	unsigned count;
	const struct driver_variant *const variants = driver_variants(&count);

	for (unsigned i = 0; i < count && used < sizeof(names); i++) {
		const char *const variant = variants[i].name;

		if (strncmp(variant, name, length) == 0 && variant[length] == '@') {
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", variant);
		}
	}
	if (names[0]) {
		return err_set(err, -EINVAL, "which %.40s? There are %s", name, names);
	}
	return err_set(err, -EINVAL, "unknown driver \"%.40s\": holdoff boards --drivers lists them", name);
}

int lint_target_of_board(struct lint_target *target, const char *name, const char *variant_name, struct err *err)
{
	const struct driver_variant *const variant = variant_name ? driver_variant_find(variant_name) : NULL;
	struct board board;
	int ret = 0;

	if (name) {
		ret = board_load(&board, name, err);
	} else if (variant) {
		ret = find_board(&board, variant, err);
	} else if (driver_rules_find(variant_name)) {
		target->rules = driver_rules_find(variant_name);
		snprintf(target->note, sizeof(target->note), "%s: Linux %.150s", variant_name, target->rules->kernels);
		return 0;
	} else {
		return complain_variant(variant_name, err);
	}
	if (ret == 0 && variant_name) {
		ret = board_set_driver(&board, variant_name, err);
	}
	if (ret < 0) {
		return ret;
	}
	target->has_model = true;
	target->variant = driver_variant_find(board.driver);
	target->link_mbps = board.speed_mbps;
	board_driver_config(&board, &target->config);
	snprintf(target->note, sizeof(target->note), "%s, as on %s at %u Mb/s", target->variant->name, board.name,
		 board.speed_mbps);
	return 0;
}

static void take_model(struct lint_target *target)
{
	struct nic_model model;

	nic_model_find(&model, &target->identity, target->get_error ? NULL : &target->reported);
	target->has_model = model.is_known;
	snprintf(target->note, sizeof(target->note), "%s%s%.150s", model.is_known ? model.driver.variant->name : "",
		 model.is_known ? ": " : "", model.note);
	target->rules = model.is_known ? NULL : driver_rules_find(target->identity.driver);
	if (model.is_known) {
		target->variant = model.driver.variant;
		target->config = model.driver.config;
		target->link_mbps = model.driver.link_mbps;
	}
}

static int read_device(struct lint_target *target, const char *device, struct err *err)
{
	struct nic nic;
	int ret = nic_open(&nic, device, err);

	if (ret < 0) {
		return ret;
	}
	ret = nic_identify(&nic, &target->identity, err);
	if (ret == 0) {
		target->get_error = nic_coalesce_get(&nic, &target->reported, NULL);
		target->has_device = true;
	}
	nic_close(&nic);
	return ret;
}

int lint_target_of_device(struct lint_target *target, const char *device, const char *netns, struct err *err)
{
	int ret = netns ? nic_enter_netns(netns, err) : 0;

	if (ret == 0) {
		ret = read_device(target, device, err);
	}
	if (ret == 0) {
		take_model(target);
	}
	return ret;
}

/* ---- the model ---- */

static bool is_by_ioctl(enum persist_format format)
{
	return format == PERSIST_SYSTEMD_LINK || format == PERSIST_NETWORKMANAGER;
}

static bool is_before_ifup(enum persist_format format)
{
	return format == PERSIST_SYSTEMD_LINK || format == PERSIST_UDEV;
}

/* What becomes of the request in the way in which this kind of file is applied. */
static void set_as_applied(const struct persist_file *file, struct driver *driver, struct driver_result *result)
{
	if (is_by_ioctl(file->format)) {
		driver_set_by_ioctl(driver, &file->settings, result);
	} else {
		driver_set(driver, &file->settings, result);
	}
}

/* Texts of the model begin with the name of the field that they are about, or speak of all. */
static unsigned line_of(const struct persist_file *file, const char *text)
{
	char word[40];
	unsigned first = 0;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, " :"), text);
	const enum coalesce_field field = coalesce_field_find(word);
	if (field != COALESCE_FIELDS && coalesce_has(&file->settings, field)) {
		return file->lines[field];
	}
	for (enum coalesce_field other = 0; other < COALESCE_FIELDS; other++) {
		const unsigned line = file->lines[other];

		if (coalesce_has(&file->settings, other) && (first == 0 || line < first)) {
			first = line;
		}
	}
	return first;
}

static void add_warnings(struct persist_file *file, const struct lint_target *target,
			 const struct driver_result *result)
{
	for (unsigned i = 0; i < result->warning_count; i++) {
		persist_find(file, line_of(file, result->warnings[i]), PERSIST_WARNING, "%s: %s", target->variant->name,
			     result->warnings[i]);
	}
}

static void add_refusal(struct persist_file *file, const struct lint_target *target, const struct driver *driver,
			const struct driver_result *result)
{
	const struct coalesce *const request = &file->settings;
	const enum coalesce_field field = result->field;
	char below[24] = "", above[24] = "", name[ERR_NAME_MAX];
	uint32_t value;
	const bool is_value = !result->core_refused && field != COALESCE_FIELDS && coalesce_has(request, field);

	if (is_value && driver_nearest_below(driver, request, field, NEAREST_REACH, &value)) {
		snprintf(below, sizeof(below), "; below: %" PRIu32, value);
	}
	if (is_value && driver_nearest_above(driver, request, field, NEAREST_REACH, &value)) {
		snprintf(above, sizeof(above), "; above: %" PRIu32, value);
	}
	persist_find(file, field == COALESCE_FIELDS ? line_of(file, "") : line_of(file, coalesce_fields[field].name),
		     PERSIST_WRONG, "%s refuses all of it with %s: %.140s%s%s", target->variant->name,
		     err_name(result->error, name), result->why, below, above);
}

/* What is reported when the interface is up with what the driver had before. */
static void check_ifup(struct persist_file *file, const struct lint_target *target, struct driver *driver)
{
	struct driver_result result;
	struct coalesce before = { 0 }, after = { 0 };
	const int ret = driver_get(driver, &before);

	driver_open(driver, &result);
	driver_link(driver, target->link_mbps, &(struct driver_result){ 0 });
	if (ret || driver_get(driver, &after)) {
		return;
	}
	const uint32_t lost = coalesce_difference(&before, &after) & file->settings.present;

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (lost & COALESCE_BIT(field)) {
			persist_find(
				file, file->lines[field], PERSIST_WARNING,
				"%s: this is applied before the interface is up, and ifup loses it: %s is then %" PRIu32
				", not %" PRIu32,
				target->variant->name, coalesce_fields[field].name, after.value[field],
				before.value[field]);
		}
	}
}

void lint_check_driver(struct persist_file *file, const struct lint_target *target)
{
	struct driver driver, before;
	struct driver_result result;

	if (!target->has_model || file->is_readout || !file->settings.present ||
	    driver_init(&driver, target->variant, &target->config, NULL)) {
		return;
	}
	if (!is_before_ifup(file->format)) {
		driver_open(&driver, &result);
		driver_link(&driver, target->link_mbps, &result);
	}
	before = driver;
	set_as_applied(file, &driver, &result);
	if (result.error) {
		add_refusal(file, target, &before, &result);
		return;
	}
	add_warnings(file, target, &result);
	if (is_before_ifup(file->format)) {
		check_ifup(file, target, &driver);
	}
}

/* ---- rules without a model ---- */

/* The ioctl passes a zero in a field that the driver lacks, and what is not given as it is reported. */
static struct coalesce as_sent(const struct persist_file *file, const struct driver_rules *rules)
{
	struct coalesce sent = file->settings;

	for (enum coalesce_field field = 0; is_by_ioctl(file->format) && field < COALESCE_FIELDS; field++) {
		if (sent.value[field] == 0 && !(rules->supported & COALESCE_BIT(field))) {
			sent.present &= ~COALESCE_BIT(field);
		}
	}
	return sent;
}

static void add_rule_refusal(struct persist_file *file, const struct driver_rules *rules,
			     const struct rules_state *state, const struct coalesce *sent,
			     const struct driver_result *result)
{
	const enum coalesce_field field = result->field;
	const char *const about = field == COALESCE_FIELDS ? "" : coalesce_fields[field].name;
	char below[24] = "", above[24] = "", name[ERR_NAME_MAX];
	uint32_t value;

	if (!result->core_refused && driver_rules_nearest(rules, state, sent, field, false, &value)) {
		snprintf(below, sizeof(below), "; below: %" PRIu32, value);
	}
	if (!result->core_refused && driver_rules_nearest(rules, state, sent, field, true, &value)) {
		snprintf(above, sizeof(above), "; above: %" PRIu32, value);
	}
	persist_find(file, line_of(file, about), rules->is_conditional ? PERSIST_WARNING : PERSIST_WRONG,
		     "%s refuses all of it with %s: %.140s%s%s", rules->drivers[0], err_name(result->error, name),
		     result->why, below, above);
}

void lint_check_rules(struct persist_file *file, const struct lint_target *target)
{
	const struct driver_rules *const rules = target->rules;
	struct driver_result result;
	struct rules_state state;

	if (!rules || file->is_readout || !file->settings.present) {
		return;
	}
	rules_state_init(&state, rules);
	state.is_up = !is_before_ifup(file->format);
	if (target->has_device && !target->get_error) {
		state.reported = target->reported;
	}
	const struct rules_state before = state;
	const struct coalesce sent = as_sent(file, rules);

	driver_rules_set(rules, &state, &sent, &result);
	if (result.error) {
		add_rule_refusal(file, rules, &before, &sent, &result);
	}
	for (unsigned i = 0; i < result.warning_count; i++) {
		persist_find(file, line_of(file, result.warnings[i]), PERSIST_WARNING, "%s: %s", rules->drivers[0],
			     result.warnings[i]);
	}
}

/* ---- the device ---- */

static const char *print_value(char buffer[16], enum coalesce_field field, uint32_t value)
{
	snprintf(buffer, 16, "%" PRIu32, value);
	if (coalesce_fields[field].unit == COALESCE_UNIT_SWITCH) {
		return value ? "on" : "off";
	}
	return buffer;
}

static void check_value(struct persist_file *file, const struct lint_target *target, enum coalesce_field field)
{
	const char *const name = coalesce_fields[field].name;
	const uint32_t wanted = file->settings.value[field], present = target->reported.value[field];
	char present_text[16], wanted_text[16];

	if (!coalesce_has(&target->reported, field)) {
		persist_find(file, file->lines[field], PERSIST_WARNING, "%s has no %s", target->identity.name, name);
	} else if (wanted != present) {
		persist_find(file, file->lines[field], PERSIST_WARNING, "%s has %s %s now, the file says %s",
			     target->identity.name, name, print_value(present_text, field, present),
			     print_value(wanted_text, field, wanted));
	}
}

static bool is_address(const char *text, const uint8_t *bytes, unsigned count)
{
	char address[3 * NIC_ADDRESS_MAX + 1] = "";

	for (unsigned i = 0; i < count && i < NIC_ADDRESS_MAX; i++) {
		sprintf(address + strlen(address), "%s%02x", i ? ":" : "", bytes[i]);
	}
	return strcasecmp(text, address) == 0;
}

/* One name or address; patterns, lists and variables are not compared. */
static bool is_plain(const char *text)
{
	return text[0] && !strpbrk(text, "*?[]|!$ ");
}

/* That the file is not for this interface, where that is plain. */
static void check_match(struct persist_file *file, const struct lint_target *target)
{
	const struct persist_match *const match = &file->match;
	const struct nic_identity *const identity = &target->identity;
	const char *is_for = NULL;

	if (is_plain(match->permanent_address) &&
	    !is_address(match->permanent_address, identity->permanent_address, identity->permanent_address_bytes) &&
	    !is_address(match->permanent_address, identity->address, identity->address_bytes)) {
		is_for = match->permanent_address;
	} else if (is_plain(match->driver) && identity->has & NIC_HAS_DRIVER &&
		   strcmp(match->driver, identity->driver) != 0) {
		is_for = match->driver;
	} else if (is_plain(match->name) && strcmp(match->name, identity->name) != 0) {
		is_for = match->name;
	}
	if (is_for) {
		persist_find(file, line_of(file, ""), PERSIST_NOTE, "this is for %s, which %s is not", is_for,
			     identity->name);
	}
}

void lint_check_device(struct persist_file *file, const struct lint_target *target)
{
	if (!target->has_device || !file->settings.present) {
		return;
	}
	check_match(file, target);
	if (target->get_error) {
		persist_find(file, line_of(file, ""), PERSIST_WARNING, "%s has no coalescing settings",
			     target->identity.name);
		return;
	}
	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		if (coalesce_has(&file->settings, field)) {
			check_value(file, target, field);
		}
	}
}

void lint_check_quirks(struct persist_file *file, const char *driver)
{
	static const enum coalesce_field fields[] = { COALESCE_RX_USECS, COALESCE_TX_USECS };
	const struct nic_quirk *const quirk = nic_quirk_find(driver);

	for (size_t i = 0; quirk && i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct nic_mode_code *const code =
			coalesce_has(&file->settings, fields[i])
				? nic_quirk_code(quirk, file->settings.value[fields[i]])
				: NULL;

		if (code && !file->is_readout) {
			persist_find(file, file->lines[fields[i]], PERSIST_WARNING,
				     "on %s %s %" PRIu32 " is no time but a mode: %s", driver,
				     coalesce_fields[fields[i]].name, code->value, code->name);
		}
	}
}
