/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change/request.h"
#include "cmd/sweep_live.h"

/* Of a plan, what a real interface has no use for. */
static int check_keys(const struct plan *plan, struct err *err)
{
	static const uint32_t usable = 1u << SETUP_WORKLOAD | 1u << SETUP_DURATION | 1u << SETUP_WARMUP |
				       1u << SETUP_SEED | 1u << SETUP_SET | 1u << SETUP_GRO_FLUSH_TIMEOUT |
				       1u << SETUP_DEFER_HARD_IRQS;

	for (enum setup_key key = 0; key < SETUP_KEYS; key++) {
		if (!(usable & (1u << key)) && (plan->setup.given & (1u << key))) {
			return err_set(err, -EINVAL, "%s belongs to a model: a real interface is what it is",
				       setup_keys[key].name);
		}
	}
	for (unsigned i = 0; i < plan->axis_count; i++) {
		if (!setup_is_word(plan->axes[i].name)) {
			return err_set(err, -EINVAL, "%s cannot be swept on a real interface, only settings can",
				       plan->axes[i].name);
		}
	}
	return 0;
}

/* The kernel's words for NAPI are of an instance: of each of them. */
static int put_deferral(struct change_set *set, const struct setup *setup, const struct nic_napi *napis, unsigned count,
			struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		struct nic_napi *const napi = change_set_napi(set, napis[i].id, true);

		if (!napi) {
			return err_set(err, -EINVAL, "more than %d NAPI instances: they cannot all be put back",
				       CHANGE_NAPIS_MAX);
		}
		if (setup->given & (1u << SETUP_DEFER_HARD_IRQS)) {
			change_napi_put(napi, NIC_NAPI_DEFER_HARD_IRQS, setup->defer_hard_irqs);
		}
		if (setup->given & (1u << SETUP_GRO_FLUSH_TIMEOUT)) {
			change_napi_put(napi, NIC_NAPI_GRO_FLUSH_TIMEOUT, (uint64_t)setup->gro_flush_timeout_ns);
		}
	}
	return 0;
}

static int make_setting(struct live_sweep *sweep, uint32_t number, const struct nic_napi *napis, unsigned count,
			struct err *err)
{
	struct live_setting *const setting = &sweep->setting[number];
	struct setup setup;
	int ret = plan_cell(sweep->request->plan, number, &setup, setting->label, err);

	setting->wanted.device = setup.request;
	if (ret == 0 && (setup.given & (1u << SETUP_DEFER_HARD_IRQS | 1u << SETUP_GRO_FLUSH_TIMEOUT))) {
		ret = put_deferral(&setting->wanted, &setup, napis, count, err);
	}
	return ret;
}

static int make_workloads(struct live_sweep *sweep, struct err *err)
{
	const struct plan *const plan = sweep->request->plan;
	int ret = 0;

	sweep->workloads = plan->workload_count;
	for (unsigned i = 0; ret == 0 && i < plan->workload_count; i++) {
		ret = workload_parse(&sweep->workload[i], plan->workloads[i], err);
		ret = ret ? ret : measuring_take_workload(&sweep->measuring, &sweep->workload[i], err);
	}
	return ret;
}

int live_settings_make(struct live_sweep *sweep, struct err *err)
{
	static struct nic_napi napis[NIC_NAPIS_MAX];
	unsigned count = 0;
	uint32_t cells;
	int ret = check_keys(sweep->request->plan, err);

	ret = ret ? ret : plan_cells(sweep->request->plan, &cells, err);
	ret = ret ? ret : make_workloads(sweep, err);
	if (ret) {
		return ret;
	}
	sweep->settings = cells / sweep->workloads;
	if (sweep->settings > SWEEP_SETTINGS_MAX) {
		return err_set(err, -ERANGE, "%u settings: at most %d are swept on a real interface", sweep->settings,
			       SWEEP_SETTINGS_MAX);
	}
	sweep->setting = calloc(sweep->settings, sizeof(*sweep->setting));
	sweep->cell = calloc((size_t)(sweep->settings + 1) * sweep->workloads, sizeof(*sweep->cell));
	if (!sweep->setting || !sweep->cell) {
		return err_set(err, -ENOMEM, "no memory for %u settings", sweep->settings);
	}
	nic_napi_list(&sweep->measuring.nic, napis, NIC_NAPIS_MAX, &count, NULL);
	for (uint32_t i = 0; ret == 0 && i < sweep->settings; i++) {
		ret = make_setting(sweep, i, napis, count, err);
	}
	return ret;
}

/* ---- the same in hardware ---- */

static void leave_out(struct live_setting *setting, const char *why, const struct live_setting *other)
{
	setting->is_out = true;
	snprintf(setting->why, sizeof(setting->why), "%s %s", why, other->label);
}

static bool writes_the_same(const struct driver_result *a, const struct driver_result *b)
{
	bool same = a->write_count == b->write_count;

	for (unsigned i = 0; same && i < a->write_count; i++) {
		same = a->writes[i].offset == b->writes[i].offset && a->writes[i].value == b->writes[i].value;
	}
	return same;
}

static bool defers_the_same(const struct change_set *a, const struct change_set *b)
{
	bool same = a->napi_count == b->napi_count;

	for (unsigned i = 0; same && i < a->napi_count; i++) {
		same = !change_napi_difference(&a->napis[i], &b->napis[i]);
	}
	return same;
}

static void ask_model(const struct nic_model *model, const struct live_setting *setting, struct driver_result *result)
{
	struct nic_model scratch = *model;

	*result = (struct driver_result){ 0 };
	driver_set(&scratch.driver, &setting->wanted.device, result);
}

void live_settings_judge(struct live_sweep *sweep, const struct nic_model *model)
{
	static struct driver_result result, earlier;

	for (uint32_t i = 0; model->is_known && i < sweep->settings; i++) {
		struct live_setting *const setting = &sweep->setting[i];

		if (!setting->wanted.device.present) {
			continue;
		}
		ask_model(model, setting, &result);
		if (result.error) {
			continue; /* the driver itself is asked */
		}
		for (uint32_t k = 0; k < i && !setting->is_out; k++) {
			ask_model(model, &sweep->setting[k], &earlier);
			if (!sweep->setting[k].is_out && !earlier.error && !result.unchanged && !earlier.unchanged &&
			    writes_the_same(&result, &earlier) &&
			    defers_the_same(&setting->wanted, &sweep->setting[k].wanted)) {
				leave_out(setting, "the driver rounds it to the same as", &sweep->setting[k]);
			}
		}
	}
}

static bool is_reported_alike(const struct change_set *a, const struct change_set *b)
{
	return !coalesce_difference(&a->device, &b->device) && defers_the_same(a, b);
}

void live_settings_judge_reported(struct live_sweep *sweep, uint32_t number)
{
	struct live_setting *const setting = &sweep->setting[number];

	setting->has_read_back = true;
	setting->reported = sweep->change.reported;
	for (uint32_t i = 0; i < sweep->settings && !setting->is_out; i++) {
		const struct live_setting *const other = &sweep->setting[i];

		if (i != number && !other->is_out && other->has_read_back &&
		    is_reported_alike(&setting->reported, &other->reported)) {
			leave_out(setting, "reads back the same as", other);
		}
	}
}

void live_settings_touched(const struct live_sweep *sweep, struct change_set *touched)
{
	*touched = (struct change_set){ 0 };
	for (uint32_t i = 0; i < sweep->settings; i++) {
		change_set_merge(touched, &sweep->setting[i].wanted);
	}
}
