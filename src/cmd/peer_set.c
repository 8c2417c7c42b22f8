/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/peer_set.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "change/change.h"
#include "live/address.h"
#include "nic/nic.h"

/* A process has one of them. */
static struct {
	bool has_nic, is_begun;
	struct nic nic;
	struct change change;
	int lost;            /* what was there did not come back: why, from then on; */
	struct err lost_err; /* its journal entry is kept */
} series;

/* ---- the interface ---- */

static int find_device(const char *text, char device[IF_NAMESIZE], struct err *err)
{
	struct address address;
	const int ret = address_parse(text, &address, err);

	if (ret) {
		return ret;
	}
	const int ifindex = address_interface(&address);

	return ifindex && if_indextoname((unsigned)ifindex, device)
		       ? 0
		       : err_set(err, -ENODEV, "no interface of the far end has the address %s", text);
}

static int open_nic(const char *address, struct err *err)
{
	char device[IF_NAMESIZE];
	int ret = find_device(address, device, err);

	if (ret == 0 && series.has_nic && strcmp(series.nic.name, device) != 0) {
		ret = err_set(err, -EINVAL, "the far end has begun to set %s, and sets no other interface",
			      series.nic.name);
	}
	if (ret || series.has_nic) {
		return ret;
	}
	ret = nic_open(&series.nic, device, err);
	series.has_nic = ret == 0;
	return ret;
}

/* ---- the series ---- */

static int end_series(struct err *err)
{
	if (series.is_begun) {
		series.is_begun = false;
		series.lost = change_revert(&series.change, &series.lost_err);
	}
	if (series.lost) {
		*err = series.lost_err;
	}
	return series.lost;
}

/* A field that the series was not begun with begins another one. */
static int begin_series(const struct change_set *wanted, struct err *err)
{
	bool stale;
	int ret = 0;

	if (series.is_begun && wanted->device.present & ~series.change.old.device.present) {
		ret = end_series(err);
	}
	if (ret == 0 && !series.is_begun) {
		ret = change_begin_series(&series.change, &series.nic, wanted, &stale, err);
		series.is_begun = ret == 0;
	}
	return ret;
}

static int try_words(const char *words, struct err *err)
{
	struct change_set wanted = { 0 };
	int ret = coalesce_parse_text(&wanted.device, words, err);

	if (ret == 0 && series.lost) {
		*err = series.lost_err;
		ret = series.lost;
	}
	if (ret || (!words[0] && !series.is_begun)) {
		return ret;
	}
	ret = begin_series(&wanted, err);
	if (ret == 0) {
		change_series_signals(false);
		ret = change_try(&series.change, &wanted, err);
		change_series_signals(true);
	}
	return ret;
}

static int set(const char *address, const char *words, char device[16], struct coalesce *reported, struct err *err)
{
	int ret = open_nic(address, err);

	ret = ret ? ret : try_words(words, err);
	if (ret == 0) {
		snprintf(device, 16, "%.15s", series.nic.name);
		*reported = series.is_begun ? series.change.reported.device : (struct coalesce){ 0 };
	}
	return ret;
}

const struct peer_setter *peer_setter(void)
{
	static const struct peer_setter setter = { .set = set };

	return &setter;
}

int peer_put_back(void)
{
	struct err err = { "" };
	const int ret = end_series(&err);

	if (ret) {
		fprintf(stderr, "holdoff: %s\n", err.text);
	}
	if (series.has_nic) {
		nic_close(&series.nic);
	}
	series.has_nic = false;
	return ret;
}
