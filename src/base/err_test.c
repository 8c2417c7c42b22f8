/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "tap.h"

int main(void)
{
	struct err err = { "" };
	char long_text[2 * ERR_TEXT_MAX];

	tap_is(err_set(&err, -ERANGE, "rx-usecs %d is too large", 300), -ERANGE, "the code comes back");
	tap_is_text(err.text, "rx-usecs 300 is too large", "the sentence is formatted");
	tap_is(err_prefix(&err, -ERANGE, "%s:%u", "a.ini", 7), -ERANGE, "a prefix keeps the code");
	tap_is_text(err.text, "a.ini:7: rx-usecs 300 is too large", "a prefix stands before the sentence");

	err_set(&err, -EINVAL, "<%s>", err.text);
	tap_is_text(err.text, "<a.ini:7: rx-usecs 300 is too large>", "a sentence may quote the one before");

	err_set(&err, -EINVAL, "bad\n\x1b[1m word\x7f");
	tap_is_text(err.text, "bad??[1m word?", "control characters of quoted input are not passed on");

	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", long_text);
	tap_is((int64_t)strlen(err.text), ERR_TEXT_MAX - 1, "a long sentence is cut");
	err_prefix(&err, -EINVAL, "%s", long_text);
	tap_is((int64_t)strlen(err.text), ERR_TEXT_MAX - 1, "a long prefix is cut");

	tap_is(err_set(NULL, -EPERM, "nobody listens"), -EPERM, "no place for the sentence: the code alone");
	tap_is(err_prefix(NULL, -EPERM, "nobody"), -EPERM, "no place for the prefix: the code alone");

	char name[ERR_NAME_MAX];

	tap_is_text(err_name(-ERANGE, name), "ERANGE", "the name of a negative errno");
	tap_is_text(err_name(EOPNOTSUPP, name), "EOPNOTSUPP", "of a positive one");
	tap_is_text(err_name(-4000, name), "errno -4000", "and of none");
	return tap_done();
}
