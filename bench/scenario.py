# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark's scenario: UDP datagrams of 18 bytes (64-byte frames) at the line rate of 1 Gb/s, received by one
board whose NIC, interrupts, NAPI and CPU are modelled. Used by bench/run and bench/instructions."""

import json
import resource
import subprocess

WORKLOAD = "udp size=18 rate=1488095"
ECHO = "ping interval=0 size=18"
BOARDS = {
    "e1000e": ["--board", "e1000e", "--host", "icount-1ns"],
    "imx8qxp": ["--board", "imx8qxp", "--host", "desktop"],
}


def command(holdoff, board, duration, workload=WORKLOAD):
    return [holdoff, "simulate", *BOARDS[board], "--peer", "ideal:0", "--workload", workload,
            "--duration", duration, "--json"]


def run(argv):
    """What a program printed and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def frames(output):
    """Frames that the wire delivered to the NIC, those that found the ring full included; how many were received."""
    rx = json.loads(output)["rx"]
    return rx["frames"] + rx["dropped"], rx["frames"]
