/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is at the other end of the wire, from text: a board, or "ideal:DELAY[~SD][,MIN..MAX]": an end without a host that
 * answers after a delay.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/world.h"

#define IDEAL "ideal:"
#define DELAY_TEXT_MAX 128

static int parse_range(struct end_config *end, char *range, struct err *err)
{
	char *dots = strstr(range, "..");

	if (!dots) {
		return err_set(err, -EINVAL, "peer: \"%s\" is no range: MIN..MAX, such as 600us..900us", range);
	}
	*dots = '\0';
	int ret = text_parse_duration(range, "peer: shortest delay", &end->delay_min_ns, err);
	if (ret == 0) {
		ret = text_parse_duration(dots + 2, "peer: longest delay", &end->delay_max_ns, err);
	}
	if (ret == 0 && (end->delay_max_ns == 0 || end->delay_max_ns < end->delay_min_ns)) {
		ret = err_set(err, -EINVAL,
			      "peer: the longest delay has to be more than 0 and no less than the shortest");
	}
	return ret;
}

static int parse_ideal(struct end_config *end, const char *text, struct err *err)
{
	char copy[DELAY_TEXT_MAX];

	if (strlen(text) >= sizeof(copy)) {
		return err_set(err, -EINVAL, "peer: \"" IDEAL "\" takes DELAY[~SPREAD][,MIN..MAX]");
	}
	strcpy(copy, text);
	char *range = strchr(copy, ',');
	if (range) {
		*range++ = '\0';
	}
	char *spread = strchr(copy, '~');
	if (spread) {
		*spread++ = '\0';
	}
	int ret = text_parse_duration(copy, "peer: delay", &end->delay_ns, err);
	if (ret == 0 && spread) {
		ret = text_parse_duration(spread, "peer: spread of the delay", &end->delay_sd_ns, err);
	}
	if (ret == 0 && end->delay_sd_ns > NS_PER_S * 100) {
		ret = err_set(err, -EINVAL, "peer: a spread of more than 100 s");
	}
	return ret == 0 && range ? parse_range(end, range, err) : ret;
}

int world_config_peer(struct world_config *config, const char *text, struct err *err)
{
	struct end_config end = { 0 };

	if (strncmp(text, IDEAL, strlen(IDEAL)) == 0) {
		end.ideal = true;
		const int ret = parse_ideal(&end, text + strlen(IDEAL), err);

		if (ret < 0) {
			return ret;
		}
	} else {
		int ret = board_load(&end.board, text, err);

		if (ret == 0) {
			ret = board_load_host(&end.profile, end.board.host, err);
		}
		if (ret < 0) {
			return err_prefix(err, ret, "peer");
		}
	}
	config->end[1] = end;
	return 0;
}
