/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the HTML page looks: on paper, on a phone, by day and by night. */
#ifndef HOLDOFF_PAGE_STYLE_H
#define HOLDOFF_PAGE_STYLE_H

extern const char page_style[];

#endif
