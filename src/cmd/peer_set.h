/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coalescing settings of the far end's interface, changed for as long as holdoff peer runs. */
#ifndef HOLDOFF_CMD_PEER_SET_H
#define HOLDOFF_CMD_PEER_SET_H

#include "live/peer.h"

/* For peer_serve: one series of changes, of one interface. */
const struct peer_setter *peer_setter(void);
/*
 * Puts back what was there; 0 also when nothing was changed. Else a negative errno, with a sentence on stderr. What a peer that
 * is killed has changed its helper puts back.
 */
int peer_put_back(void);

#endif
