/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Theory of operation. Everything is read first and judged: a field that reads as it was needs nothing; one that reads as holdoff left it
 * is ours to put back; anything else somebody changed since, or the driver lost it. Of a layer that was not applied nobody knows what
 * was left, so all of it is ours.
 *
 * The device comes before its queues, since setting it sets all queues. A field of the device has its old read-back again only if a request
 * is found that leads to it: with a driver model by nic_model_request_for, else the old value itself is tried. Where the old state
 * was adaptive, a driver may refuse a static value and a mode in one message: then they are sent one after the other.
 *
 * Some drivers compute what they report from registers and the link's speed (r8169). If the speed is another one than when the layer was
 * made, old and left values are converted through the driver model.
 */
#include "change/put_back.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "change/request.h"

#define MODES                                                                      \
	(COALESCE_BIT(COALESCE_ADAPTIVE_RX) | COALESCE_BIT(COALESCE_ADAPTIVE_TX) | \
	 COALESCE_BIT(COALESCE_CQE_MODE_RX) | COALESCE_BIT(COALESCE_CQE_MODE_TX))

static bool is_on(const struct coalesce *settings, enum coalesce_field field)
{
	return coalesce_has(settings, field) && settings->value[field];
}

uint32_t put_back_volatile(const struct coalesce *settings)
{
	uint32_t fields = 0;

	if (is_on(settings, COALESCE_ADAPTIVE_RX)) {
		fields |= COALESCE_BIT(COALESCE_RX_USECS) | COALESCE_BIT(COALESCE_RX_FRAMES);
	}
	if (is_on(settings, COALESCE_ADAPTIVE_TX)) {
		fields |= COALESCE_BIT(COALESCE_TX_USECS) | COALESCE_BIT(COALESCE_TX_FRAMES);
	}
	return fields;
}

/* ---- what is ours ---- */

/* left NULL: nobody knows what was left. */
static void judge_settings(const struct put_back *work, const struct coalesce *old, const struct coalesce *left,
			   const struct coalesce *now, uint32_t fields, struct coalesce *target,
			   struct coalesce *foreign)
{
	const uint32_t drifts_now = put_back_volatile(now), drifted_before = put_back_volatile(old);

	for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
		const uint32_t bit = COALESCE_BIT(field);

		if (!(fields & old->present & now->present & bit) || now->value[field] == old->value[field] ||
		    (drifts_now & drifted_before & bit)) {
			continue;
		}
		const bool is_ours = !left || work->force || !coalesce_has(left, field) ||
				     now->value[field] == left->value[field] || (drifts_now & bit);

		coalesce_put(is_ours ? target : foreign, field, is_ours ? old->value[field] : now->value[field]);
	}
}

static void judge_napi(const struct put_back *work, const struct nic_napi *old, const struct nic_napi *left,
		       const struct nic_napi *now, struct nic_napi *target, struct nic_napi *foreign)
{
	for (unsigned i = 0; i < CHANGE_NAPI_FIELDS; i++) {
		const enum nic_napi_field field = change_napi_fields[i].field;

		if (!(old->present & now->present & field) ||
		    change_napi_value(now, field) == change_napi_value(old, field)) {
			continue;
		}
		const bool is_ours = !left || work->force || !(left->present & field) ||
				     change_napi_value(now, field) == change_napi_value(left, field);

		change_napi_put(is_ours ? target : foreign, field, change_napi_value(is_ours ? old : now, field));
	}
}

/* As the driver would report the same registers at another speed; left alone without a model that tells. */
static struct coalesce at_speed(const struct put_back *work, const struct coalesce *settings, unsigned then_mbps)
{
	struct nic_identity then = *work->identity;
	struct driver_result result = { .quiet = true };
	struct coalesce converted = { 0 };
	struct nic_model model;

	if (!(work->identity->has & NIC_HAS_SPEED) || !then_mbps || then_mbps == work->identity->speed_mbps ||
	    !settings->present) {
		return *settings;
	}
	then.speed_mbps = then_mbps;
	nic_model_find(&model, &then, settings);
	if (!model.is_known) {
		return *settings;
	}
	driver_link(&model.driver, work->identity->speed_mbps, &result);
	return driver_get(&model.driver, &converted) == 0 ? change_only(&converted, settings->present) : *settings;
}

/* What is not reported any more can neither be judged nor be seen to come back. */
static int check_reported(const struct put_back *work, const char *what, const struct coalesce *old,
			  const struct coalesce *now, uint32_t fields, struct err *err)
{
	const uint32_t missing = fields & old->present & ~now->present;
	enum coalesce_field field = 0;

	if (!missing || work->force) {
		return 0;
	}
	while (!(missing & COALESCE_BIT(field))) {
		field++;
	}
	return err_set(err, -EUCLEAN,
		       "%s of %s is not reported any more, so whether it is as it was cannot be told (--force gives it "
		       "up)",
		       coalesce_fields[field].name, what);
}

/* Drivers report of the device what one of its queues has: where that is what holdoff left in a queue, nobody else has changed it. */
static void take_from_queues(const struct journal_layer *layer, const struct coalesce *now, struct coalesce *left)
{
	for (unsigned i = 0; i < layer->left.queue_count; i++) {
		const struct coalesce *const queue = &layer->left.queues[i].settings;

		for (enum coalesce_field field = 0; field < COALESCE_FIELDS; field++) {
			if (coalesce_has(queue, field) && coalesce_has(now, field) &&
			    queue->value[field] == now->value[field]) {
				coalesce_put(left, field, queue->value[field]);
			}
		}
	}
}

static int judge_device(struct put_back *work, struct err *err)
{
	const struct journal_layer *const layer = work->layer;
	const struct coalesce old = at_speed(work, &layer->old.device, layer->speed_mbps);
	struct coalesce left = at_speed(work, &layer->left.device, layer->speed_mbps);

	take_from_queues(layer, &work->now.device, &left);
	const uint32_t fields = layer->is_applied ? layer->device_changed : old.present;

	judge_settings(work, &old, layer->is_applied ? &left : NULL, &work->now.device, fields, &work->target.device,
		       &work->foreign.device);
	return check_reported(work, work->nic->name, &old, &work->now.device, fields, err);
}

static int judge_queue(struct put_back *work, const struct change_queue *old, struct err *err)
{
	struct change_queue *const now = change_set_queue(&work->now, old->queue, true);
	struct change_queue *const target = change_set_queue(&work->target, old->queue, true);
	struct change_queue *const foreign = change_set_queue(&work->foreign, old->queue, true);
	const struct coalesce *const left = change_set_queue_settings(&work->layer->left, old->queue);
	const int ret = nic_queue_coalesce_get(work->nic, old->queue, work->now.device.present, &now->settings, err);
	char what[32];

	if (ret) {
		return ret == -EINVAL ? 0 : ret; /* there may be fewer queues than there were */
	}
	judge_settings(work, &old->settings, work->layer->is_applied ? left : NULL, &now->settings,
		       old->settings.present, &target->settings, &foreign->settings);
	snprintf(what, sizeof(what), "queue %" PRIu32, old->queue);
	return check_reported(work, what, &old->settings, &now->settings, old->settings.present, err);
}

/* A row of number 0 stands for the whole device. */
static bool has_instances(const struct nic_napi *napis, unsigned count)
{
	return count && napis[0].id;
}

/*
 * An instance that is missing among others has gone for good, with its settings. While the interface is down there are none, and the
 * kernel may give them their settings back when it comes up (6.13).
 */
static int judge_napis(struct put_back *work, struct err *err)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	const struct change_set *const old = &work->layer->old;
	unsigned count = 0;
	const int ret = old->napi_count ? nic_napi_list(work->nic, napis, NIC_NAPIS_MAX, &count, err) : 0;

	if (ret == 0 && old->napi_count && !has_instances(napis, count) && old->napis[0].id) {
		return err_set(err, -ENETDOWN,
			       "%s has no NAPI instance now (is it down?): what they were set to cannot be put back",
			       work->nic->name);
	}
	for (unsigned i = 0; ret == 0 && i < old->napi_count; i++) {
		const uint32_t id = old->napis[i].id;

		for (unsigned k = 0; k < count && k < NIC_NAPIS_MAX; k++) {
			if (napis[k].id == id) {
				judge_napi(work, &old->napis[i],
					   work->layer->is_applied ? change_set_napi_settings(&work->layer->left, id)
								   : NULL,
					   &napis[k], change_set_napi(&work->target, id, true),
					   change_set_napi(&work->foreign, id, true));
			}
		}
	}
	return ret;
}

static int judge(struct put_back *work, struct err *err)
{
	const struct change_set *const old = &work->layer->old;
	int ret = 0;

	if (old->device.present || old->queue_count) {
		ret = nic_coalesce_get(work->nic, &work->now.device, err);
	}
	if (ret == 0 && old->device.present) {
		ret = judge_device(work, err);
	}
	for (unsigned i = 0; ret == 0 && i < old->queue_count; i++) {
		ret = judge_queue(work, &old->queues[i], err);
	}
	return ret ? ret : judge_napis(work, err);
}

/* ---- sending ---- */

static int complain_verify(const char *what, const struct coalesce *target, const struct coalesce *now, uint32_t wrong,
			   struct err *err)
{
	const struct coalesce was = change_only(target, wrong), is = change_only(now, wrong);
	char was_text[COALESCE_TEXT_MAX], is_text[COALESCE_TEXT_MAX];

	return err_set(err, -EUCLEAN, "%s does not come back: it was %.120s and reads %.120s", what,
		       coalesce_print(&was, was_text), is.present ? coalesce_print(&is, is_text) : "as unsupported");
}

static int verify(const char *what, const struct coalesce *target, const struct coalesce *now, struct err *err)
{
	const struct coalesce seen = change_only(now, target->present);
	const uint32_t wrong = coalesce_difference(target, &seen) & ~put_back_volatile(now);

	return wrong ? complain_verify(what, target, now, wrong, err) : 0;
}

/* Fields of the request that would change nothing are not sent. */
static struct coalesce that_differ(const struct coalesce *request, const struct coalesce *now)
{
	const struct coalesce same_fields = change_only(now, request->present);

	return change_only(request, coalesce_difference(request, &same_fields));
}

/* Static values and modes one after the other: a static value has to come while the mode is off. */
static int send_apart(struct nic *nic, const struct coalesce *request, struct err *err)
{
	const struct coalesce modes = change_only(request, MODES), values = change_only(request, ~MODES);
	const bool modes_last = is_on(request, COALESCE_ADAPTIVE_RX) || is_on(request, COALESCE_ADAPTIVE_TX);
	const struct coalesce *const parts[] = { modes_last ? &values : &modes, modes_last ? &modes : &values };
	int ret = 0;

	for (unsigned i = 0; ret == 0 && i < 2; i++) {
		ret = nic_coalesce_set(nic, parts[i], err);
	}
	return ret;
}

static int send_device(struct nic *nic, const struct coalesce *request, struct err *err)
{
	const int ret = nic_coalesce_set(nic, request, err);
	const bool is_mixed = (request->present & MODES) && (request->present & ~MODES);

	return (ret == -EINVAL || ret == -EOPNOTSUPP) && is_mixed ? send_apart(nic, request, err) : ret;
}

/*
 * Fields depend on one another: beside a value of somebody else an old one may not be possible (r8169 reports rx-frames 1 only while
 * rx-usecs is 0). What does not come back then stays journalled with it.
 */
static int verify_device(struct put_back *work, const struct coalesce *seen, struct err *err)
{
	const struct coalesce same_fields = change_only(seen, work->target.device.present);
	const uint32_t wrong = coalesce_difference(&work->target.device, &same_fields) & ~put_back_volatile(seen);

	if (wrong && work->foreign.device.present) {
		const struct coalesce stuck = change_only(seen, wrong);

		work->foreign.device = coalesce_merge(&work->foreign.device, &stuck);
		work->target.device = change_only(&work->target.device, ~wrong);
		return 0;
	}
	return verify("the interface", &work->target.device, seen, err);
}

static int put_device(struct put_back *work, struct err *err)
{
	const struct coalesce *const now = &work->now.device, whole = coalesce_merge(now, &work->target.device);
	struct coalesce request, seen = { 0 };
	struct nic_model model;

	if (!work->target.device.present) {
		return 0;
	}
	nic_model_find(&model, work->identity, now);
	if (nic_model_request_for(&model, &whole, &request, NULL)) {
		request = work->target.device; /* the model may be wrong: the read-back will tell */
	}
	request = that_differ(&request, now);
	int ret = request.present ? send_device(work->nic, &request, err) : 0;

	if (ret == 0) {
		ret = nic_coalesce_get(work->nic, &seen, err);
	}
	return ret ? ret : verify_device(work, &seen, err);
}

/* The device may just have set it: what somebody else had changed there is then put back too. */
static int put_queue(struct put_back *work, unsigned index, struct err *err)
{
	const struct change_queue *const target = &work->target.queues[index];
	const struct coalesce *const foreign = change_set_queue_settings(&work->foreign, target->queue);
	const struct coalesce wanted = foreign ? coalesce_merge(&target->settings, foreign) : target->settings;
	const struct coalesce *const before = change_set_queue_settings(&work->now, target->queue);
	/* With the device also what was right there already. */
	const struct coalesce *const old = change_set_queue_settings(&work->layer->old, target->queue);
	struct coalesce goal = work->target.device.present && old ? coalesce_merge(old, &wanted) : wanted;
	struct coalesce now = { 0 };
	char what[32];

	if (!before || !before->present || !goal.present) {
		return 0;
	}
	const uint32_t supported = work->now.device.present;
	int ret = nic_queue_coalesce_get(work->nic, target->queue, supported, &now, err);
	struct coalesce whole = coalesce_merge(&now, &goal);

	if (ret == 0 && coalesce_difference(&whole, &now)) {
		ret = nic_queue_coalesce_set(work->nic, target->queue, &whole, err);
		ret = ret ? ret : nic_queue_coalesce_get(work->nic, target->queue, supported, &now, err);
	}
	snprintf(what, sizeof(what), "queue %" PRIu32, target->queue);
	return ret ? ret : verify(what, &goal, &now, err);
}

static int put_napi(struct put_back *work, const struct nic_napi *target, struct err *err)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;

	if (!target->present) {
		return 0;
	}
	int ret = nic_napi_set(work->nic, target, err);

	ret = ret ? ret : nic_napi_list(work->nic, napis, NIC_NAPIS_MAX, &count, err);
	for (unsigned i = 0; ret == 0 && i < count && i < NIC_NAPIS_MAX; i++) {
		char was[CHANGE_NAPI_TEXT_MAX], is[CHANGE_NAPI_TEXT_MAX];

		if (napis[i].id == target->id && change_napi_difference(&napis[i], target)) {
			ret = err_set(err, -EUCLEAN,
				      "NAPI instance %" PRIu32 " does not come back: it was %s and reads %s",
				      target->id, change_napi_print(target, was), change_napi_print(&napis[i], is));
		}
	}
	return ret;
}

static int put_all(struct put_back *work, struct err *err)
{
	int ret = put_device(work, err);

	for (unsigned i = 0; ret == 0 && i < work->target.queue_count; i++) {
		ret = put_queue(work, i, err);
	}
	for (unsigned i = 0; ret == 0 && i < work->target.napi_count; i++) {
		ret = put_napi(work, &work->target.napis[i], err);
	}
	return ret;
}

/* ---- outcome ---- */

static bool holds_settings(const struct change_set *set)
{
	uint32_t present = set->device.present;

	for (unsigned i = 0; i < set->queue_count; i++) {
		present |= set->queues[i].settings.present;
	}
	for (unsigned i = 0; i < set->napi_count; i++) {
		present |= set->napis[i].present;
	}
	return present;
}

/* What stays journalled of one half of a layer: the fields that somebody else has changed. */
static void restrict_to(struct change_set *set, struct change_set *foreign)
{
	unsigned queues = 0, napis = 0;

	for (unsigned i = 0; i < set->queue_count; i++) {
		const struct coalesce *const fields = change_set_queue_settings(foreign, set->queues[i].queue);

		if (fields && fields->present) {
			set->queues[queues].settings = change_only(&set->queues[i].settings, fields->present);
			set->queues[queues++].queue = set->queues[i].queue;
		}
	}
	for (unsigned i = 0; i < set->napi_count; i++) {
		const struct nic_napi *const fields = change_set_napi(foreign, set->napis[i].id, false);

		if (fields && fields->present) {
			set->napis[napis] = set->napis[i];
			set->napis[napis++].present &= fields->present;
		}
	}
	set->queue_count = queues;
	set->napi_count = napis;
}

static void keep_foreign(struct journal_layer *layer, struct change_set *foreign)
{
	layer->device_changed = foreign->device.present;
	if (!layer->device_changed) {
		layer->old.device = layer->left.device = (struct coalesce){ 0 };
	}
	restrict_to(&layer->old, foreign);
	restrict_to(&layer->left, foreign);
}

static int complain_foreign(const struct change_set *foreign, struct err *err)
{
	char text[COALESCE_TEXT_MAX];

	if (foreign->device.present) {
		return err_set(err, -ESTALE,
			       "%.200s is not what holdoff left there: somebody else changed it since, or the driver "
			       "lost it (ifdown, a reset). It is left as it is",
			       coalesce_print(&foreign->device, text));
	}
	return err_set(err, -ESTALE,
		       "a queue or NAPI instance is not as holdoff left it: somebody else changed it since. It is left "
		       "as it is");
}

static void forget_left(struct change_set *left, struct change_set *foreign)
{
	left->device = change_only(&left->device, foreign->device.present);
	for (unsigned i = 0; i < left->queue_count; i++) {
		const struct coalesce *const fields = change_set_queue_settings(foreign, left->queues[i].queue);

		left->queues[i].settings = change_only(&left->queues[i].settings, fields ? fields->present : 0);
	}
	for (unsigned i = 0; i < left->napi_count; i++) {
		const struct nic_napi *const fields = change_set_napi(foreign, left->napis[i].id, false);

		left->napis[i].present &= fields ? fields->present : 0;
	}
}

int put_back_begin(struct put_back *work, struct nic *nic, const struct nic_identity *identity,
		   struct journal_layer *layer, bool force, struct err *err)
{
	memset(work, 0, sizeof(*work));
	work->nic = nic;
	work->identity = identity;
	work->layer = layer;
	work->force = force;
	const int ret = judge(work, err);

	if (ret == 0) {
		forget_left(&layer->left, &work->foreign);
	}
	return ret;
}

int put_back_send(struct put_back *work, struct change_reverted *reverted, struct err *err)
{
	const int ret = put_all(work, err);

	if (ret) {
		return ret;
	}
	if (reverted) {
		change_set_merge(&reverted->back, &work->target);
		change_set_merge(&reverted->foreign, &work->foreign);
	}
	if (!holds_settings(&work->foreign)) {
		return 0;
	}
	keep_foreign(work->layer, &work->foreign);
	return complain_foreign(&work->foreign, err);
}
