/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors/modelled.h"

#include <errno.h>
#include <stdio.h>

static struct vector_modelled *modelled_of(struct vector_subject *subject)
{
	return (struct vector_modelled *)subject;
}

static void perform(struct vector_modelled *modelled, const struct driver_result *result)
{
	const struct chip_config config = modelled->chip.config;

	if (result->resets_chip) {
		chip_init(&modelled->chip, &config);
	}
	for (unsigned i = 0; i < result->write_count; i++) {
		chip_write(&modelled->chip, 0, result->writes[i].offset, result->writes[i].value);
	}
}

static void link_at(struct vector_modelled *modelled, unsigned mbps)
{
	struct driver_result result;

	chip_set_link(&modelled->chip, 0, mbps);
	driver_link(&modelled->driver, mbps, &result);
	perform(modelled, &result);
}

static int set_up(struct vector_subject *subject, bool is_up, struct err *err)
{
	struct vector_modelled *const modelled = modelled_of(subject);
	struct driver_result result;

	(void)err;
	if (!is_up) {
		chip_set_link(&modelled->chip, 0, 0);
		driver_close(&modelled->driver, &result);
		perform(modelled, &result);
		return 0;
	}
	driver_open(&modelled->driver, &result);
	perform(modelled, &result);
	link_at(modelled, 0);
	link_at(modelled, modelled->mbps);
	return 0;
}

static int set_link(struct vector_subject *subject, unsigned mbps, struct err *err)
{
	struct vector_modelled *const modelled = modelled_of(subject);

	(void)err;
	modelled->mbps = mbps;
	link_at(modelled, 0);
	link_at(modelled, mbps);
	return 0;
}

/* fec prints which limit was passed; its words for the two directions differ. */
static void note_log(const struct vector_modelled *modelled, const struct driver_result *result,
		     struct vector_answer *answer)
{
	if (!modelled->subject.kind->has_log || !result->error || result->core_refused) {
		return;
	}
	snprintf(answer->log, sizeof(answer->log), "%s exceed hardware limitation",
		 result->field == COALESCE_RX_FRAMES   ? "Rx coalesced frames"
		 : result->field == COALESCE_TX_FRAMES ? "Tx coalesced frame"
		 : result->field == COALESCE_RX_USECS  ? "Rx coalesced usec"
						       : "Tx coalesced usec");
}

static int request(struct vector_subject *subject, const struct vector_step *step, struct vector_answer *answer,
		   struct err *err)
{
	struct vector_modelled *const modelled = modelled_of(subject);
	struct driver_result result;

	(void)err;
	switch (step->action) {
	case VECTOR_SET_IOCTL:
		driver_set_by_ioctl(&modelled->driver, &step->request, &result);
		break;
	case VECTOR_SET_QUEUE:
		driver_set_queue(&modelled->driver, step->number, &step->request, &result);
		break;
	default:
		driver_set(&modelled->driver, &step->request, &result);
	}
	perform(modelled, &result);
	*answer = (struct vector_answer){ .error = result.error };
	if (step->action == VECTOR_SET && result.core_refused && result.field < COALESCE_FIELDS) {
		answer->unsupported = true;
		answer->offset = vector_step_offset(step, result.field);
	}
	note_log(modelled, &result, answer);
	return 0;
}

static int report(struct vector_subject *subject, struct coalesce *reported, int *error, struct err *err)
{
	(void)err;
	*error = driver_get(&modelled_of(subject)->driver, reported);
	return 0;
}

static int read_registers(struct vector_subject *subject, uint32_t words[VECTOR_REGISTERS_MAX], struct err *err)
{
	struct vector_modelled *const modelled = modelled_of(subject);

	(void)err;
	for (unsigned i = 0; i < subject->kind->register_count; i++) {
		words[i] = chip_read(&modelled->chip, 0, subject->kind->registers[i].offset);
	}
	return 0;
}

int vector_modelled_init(struct vector_modelled *modelled, const char *driver, const struct board *board,
			 struct err *err)
{
	static const struct vector_subject_ops ops = {
		.set_up = set_up,
		.set_link = set_link,
		.request = request,
		.report = report,
		.read_registers = read_registers,
	};
	const struct driver_variant *const variant = driver_variant_find(board->driver);
	struct driver_config driver_config;
	struct chip_config chip_config;

	*modelled = (struct vector_modelled){ .subject = { .ops = &ops, .kind = vector_kind_find(driver) } };
	if (!modelled->subject.kind) {
		return err_set(err, -EINVAL, "there is nothing about vectors of the driver \"%.40s\"", driver);
	}
	board_driver_config(board, &driver_config);
	board_chip_config(board, variant, &chip_config);
	const int ret = driver_init(&modelled->driver, variant, &driver_config, err);

	if (ret) {
		return ret;
	}
	chip_init(&modelled->chip, &chip_config);
	modelled->mbps = modelled->subject.kind->speeds[0];
	return set_up(&modelled->subject, true, err);
}
