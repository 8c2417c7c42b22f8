#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reads and sets real interfaces (veth, tap) of this kernel, in a network namespace made for it. Needs root. In a mount
# namespace of its own, so that nothing of it is left behind or seen from outside.
. "$(dirname "$0")/alone"

mkdir -p /run/netns && mount -t tmpfs none /run/netns || exit 1
ip netns add holdoff-test || exit 1
ip -n holdoff-test link add hv0 type veth peer name hv1 || exit 1
ip -n holdoff-test link property add dev hv0 altname holdoff-alternative-name || exit 1
ip -n holdoff-test link set hv0 up
ip -n holdoff-test link set hv1 up
case $BUILD in
/*) exec "$BUILD/test/netns/nic_live" holdoff-test ;;
*) exec "$(dirname "$0")/../../$BUILD/test/netns/nic_live" holdoff-test ;;
esac
