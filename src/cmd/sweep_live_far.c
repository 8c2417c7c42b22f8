/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The far end's settings in a sweep of a real interface: its peer sets them, and puts them back when it ends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/sweep_live.h"
#include "live/address.h"
#include "sweep/schedule.h"

static int tell(struct live_sweep *sweep, const struct coalesce *wanted, struct err *err)
{
	char words[COALESCE_TEXT_MAX], text[ADDRESS_TEXT_MAX];
	struct address address;
	struct coalesce reported;
	struct err why = { "" };
	int ret = address_resolve(sweep->request->options.peer_host, &address, err);

	if (ret) {
		return ret;
	}
	ret = remote_set(&sweep->measuring.remote, address_print(&address, text), coalesce_print(wanted, words),
			 &reported, &why);
	return ret ? err_set(err, ret, "at the far end: %.400s", why.text) : 0;
}

int live_far_read(struct live_sweep *sweep, struct err *err)
{
	const char *const words = sweep->request->peer_set;
	struct err why = { "" };

	if (!words) {
		return 0;
	}
	if (!sweep->measuring.has_remote) {
		return err_set(
			err, -EINVAL,
			"--peer-set needs somebody at the far end who sets: --peer 'ssh root@HOST holdoff peer'");
	}
	sweep->sets_peer_same = strcmp(words, "same") == 0;
	if (!sweep->sets_peer_same &&
	    (coalesce_parse_text(&sweep->peer_wanted, words, &why) || !sweep->peer_wanted.present)) {
		return err_set(err, -EINVAL, "--peer-set: %.300s",
			       why.text[0] ? why.text : "expected settings, such as \"rx-usecs 0\", or same");
	}
	sweep->sets_peer = true;
	return 0;
}

int live_far_begin(struct live_sweep *sweep, struct err *err)
{
	return sweep->sets_peer && !sweep->sets_peer_same ? tell(sweep, &sweep->peer_wanted, err) : 0;
}

struct coalesce live_far_requested(const struct live_sweep *sweep, uint32_t setting)
{
	static const struct coalesce nothing;

	if (!sweep->sets_peer) {
		return nothing;
	}
	return !sweep->sets_peer_same     ? sweep->peer_wanted
	       : setting == SWEEP_CONTROL ? nothing
					  : sweep->setting[setting].wanted.device;
}

int live_far_set(struct live_sweep *sweep, uint32_t setting, struct err *err)
{
	const struct coalesce wanted = live_far_requested(sweep, setting);

	return sweep->sets_peer_same ? tell(sweep, &wanted, err) : 0;
}

int live_far_end(struct live_sweep *sweep, struct err *err)
{
	static const struct coalesce as_before;
	const int ret = sweep->sets_peer ? tell(sweep, &as_before, err) : 0;

	return ret == -EREMOTEIO ? err_prefix(err, -EUCLEAN, "what was set there COULD NOT BE PUT BACK") : 0;
}
