#!/bin/sh
ethtool -Q eth0 queue_mask 0x3 --coalesce rx-usecs 3
ethtool -C eth1 rx-usec 1; ethtool -C eth1 cqe-mode-rx on
