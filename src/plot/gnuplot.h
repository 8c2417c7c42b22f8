/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures by gnuplot, as a child: nothing of the user's own settings for it has a part in them. */
#ifndef HOLDOFF_PLOT_GNUPLOT_H
#define HOLDOFF_PLOT_GNUPLOT_H

#include "base/err.h"

/*
 * What gnuplot (the one in PATH) writes to standard output for a script: an SVG document, when the script sets that
 * terminal. The caller frees *svg. -ENOENT: it is not installed; -EPROTO: it failed or gave no SVG; -ETIME: it took more
 * than a minute of CPU time; -ENOMEM.
 */
int gnuplot_draw(const char *script, char **svg, struct err *err);

#endif
