#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A load whose other end means harm: load_hostile.c. On the loopback interface of a namespace of its own. Needs root.
. "$(dirname "$0")/alone"

cd "$(dirname "$0")/../.." || exit 1
ip link set lo up
exec "$BUILD/test/netns/load_hostile" "$(realpath "${HOLDOFF:-build/holdoff}")"
