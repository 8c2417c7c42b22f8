#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff trace --from: the thread's own figures, other forms, and what is refused.
. "$(dirname "$0")/table.sh"

data=test/data/trace
check 0 "trace --from $data/trace_fec_imx8mm.txt" "xmit returned to irq 1 1.011ms" "xmit returned to completion 1 1.034ms" \
	"wait 1.011ms (median of 1) for their interrupt: tx hold-off" "DONE, not START" "rx hold-off not observed"
check 0 "trace --from $data/trace_fec_imx6q.txt" "xmit returned to irq 1 34us" "xmit returned to completion 1 72us"
check 0 "trace --from $data/veth_ping_6.18.txt vb" "vb, from" "request to reply's xmit" "without a completion"
check 0 "trace --from $data/trace_cmd_form.txt eth0 --per-queue --histogram" "irq 27 eth0-rx-0" "lost 12 events" "below 131.072us"
check 2 "trace --from $data/veth_ping_6.18.txt" "2:name one: va, vb"
check 2 "trace --from $data/veth_ping_6.18.txt eth9" "2:no event of eth9, but of va, vb"
check 2 "trace --from $data/README.md" "2:no event of the kernel's tracer"
check 2 "trace --from /nonexistent" "2:No such file"
check 2 "trace --from $data va vb" "2:one interface at a time"
check 2 "trace" "2:an interface is needed, or a trace"
check 2 "trace --from $data/README.md --for 1s" "2:--from reads what there is"
check 2 "trace lo --for 0" "2:for: 0 is out of range"
check 2 "trace lo --filter sctp" "2:sctp" "2:expected icmp, udp, tcp"
check 2 "trace lo --filter 'icmp port 3'" "2:expected icmp"
check 2 "trace lo --filter 'udp port 0'" "2:port: 0 is none"
check 2 "trace lo --filter 'host ::1'" "2:no IPv4 address"
check 2 "trace lo --only tx,ry" "2:only: \"ry\" is no part, expected some of tx, rx, echo, irq"
check 2 "trace lo --max-cost 5" "2:no share of a CPU"
check 2 "trace lo --max-cost 0%" "2:no share of a CPU"
check 2 "trace lo --backend dtrace" "2:expected bpf or tracefs"
check 5 "trace nosuch0 --for 10ms" "2:nosuch0"
check 0 "trace --help" "--from" "holdoff.trace/1"

finish
