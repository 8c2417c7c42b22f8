#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff diagnose: the texts of public reports, alone and put together as they are pasted, and what is made of them.
. "$(dirname "$0")/table.sh"

tables=test/data/persist
cases=test/data/cases
irqs=test/data/interrupts

# Puts a text together from lines and files (@FILE).
paste_of() { # NAME PART...
	paste=$scratch/$1
	shift
	: >"$paste"
	for part; do
		case $part in
		@*) cat "${part#@}" >>"$paste" ;;
		*) printf '%s\n' "$part" >>"$paste" ;;
		esac
	done
}

# What was read and what was not.
check 0 "diagnose $tables/c_igb_tab_cqe.txt" "lines 1 to 28: ethtool -c, enp1s0" "rx-usecs 3 tx-usecs 3" "!not read"
paste_of mail "Hello," "" "> root@box:~# ethtool -i eth0" "> driver: igb" "> version: 5.15.0-91-generic" "> ethtool -c eth0" \
	"> Coalesce parameters for eth0:" "> rx-usecs: 3" "> tx-usecs: 0" "" "What is wrong?"
check 0 "diagnose $scratch/mail" "line 3: a command, eth0" "lines 4 to 5: ethtool -i, eth0" "lines 7 to 9: ethtool -c, eth0" \
	'not read line 1: "Hello,"' 'not read line 11: "What is wrong?"' "rx-usecs 3 of igb is a mode, dynamic, conservative"
check 6 "diagnose - </dev/null" "nothing of it was recognised"
check 6 "diagnose LICENSE" "nothing of it was recognised"
check 2 "diagnose" "2:needs a file"
check 2 "diagnose $scratch/missing" "2:missing"
check 2 "diagnose --interval 10 -" "2:unit"

# A folder is all of its files; what an interface is named in one of them counts in the others.
mkdir "$scratch/report"
cp $tables/c_ixgbevf_mode1_ioctl.txt "$scratch/report/1-c"
printf 'driver: ixgbevf\nversion: 4.1.0\n' >"$scratch/report/2-i"
check 0 "diagnose $scratch/report" "report/1-c: read lines 1 to 26: ethtool -c, eth0" "report/2-i: read lines 1 to 2: ethtool -i, eth0" \
	"rx-usecs 1 of ixgbevf is a mode, adaptive" "it is not 1 us"
check 0 "diagnose $tables/c_tg3_ioctl.txt --driver tg3" "rx-usecs 20 rx-frames 5 rx-frames-irq 5 tx-usecs 72 tx-frames 53" "!is a mode"

# FEC: 1000 us against 100 us, and what TFTP makes of either.
paste_of fec "driver: fec" @$tables/c_fec_1000_nl.txt @$cases/ping_fec_1000.txt "# ethtool -C eth0 rx-usecs 100 tx-usecs 100" \
	@$cases/ping_fec_100.txt
check 1 "diagnose $scratch/fec" "rx-usecs 1000 to 100 moved the mean round trip by 812.3us" "n 4 and 4" "0.90 of the change" \
	"honoured, and one direction of one host pays it" "!both ends" "not the cause: - of these 812.3us: idle states of the CPU, ASPM of the bus, a slow server or path" "512 bytes a round trip of 1.323ms gets 387.1 kB/s" \
	"512 bytes a round trip of 510.3us gets 1003.4 kB/s" "rx-usecs 1000 of eth0 can be 1ms" "ethtool -C eth0 rx-usecs 100" \
	"ethtool -C eth0 tx-usecs 100"
check 0 "diagnose $cases/ping_fec_1000.txt --block 1468" "1468 bytes a round trip of 1.323ms gets 1110.0 kB/s" "!512 bytes"

# FEC: where a sent frame's time goes.
check 1 "diagnose test/data/trace/trace_fec_imx8mm.txt test/data/trace/trace_fec_imx6q.txt" "the mark \"DONE\"" \
	"to the interrupt 1.011ms (n 1), to completion 1.034ms (n 1)" "to the interrupt 34us (n 1), to completion 72us (n 1)" \
	"differs by 977us: a transmit hold-off of about that, consistent with 1ms"

# r8169: registers, the step at 128 bytes, rounds of a flood.
check 0 "diagnose $cases/regs_r8169_5151_1g.txt" "IntrMitigate=0x5151" "rx hold-off 200us" "rx-usecs 200 rx-frames 4 tx-usecs 200 tx-frames 4" \
	"one of 82 bytes (-s 82) is the first that does" "1000 Mb/s"
check 0 "diagnose $cases/regs_r8169_off_1g.txt" "rx no hold; tx no hold; rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1" "!(-s 82)"
check 0 "diagnose $cases/ping_r8169_82_before.txt" "82 bytes (frame 128 with FCS)" \
	"5906 requests in 2999 ms are a round each 507.8us, and it prints ipg 508us: they agree" "1 of 5906 lost"
# 10 ms are beyond any hold-off of the chip.
paste_of stall @$cases/regs_r8169_off_1g.txt "PING a (192.0.2.1) 56(84) bytes of data." "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.2 ms" \
	"64 bytes from 192.0.2.1: icmp_seq=2 ttl=64 time=10.1 ms"
check 0 "diagnose $scratch/stall" "not the cause: - interrupt coalescing" "impossible for this chip's register, which holds at most 2.4ms at 1000 Mb/s"
check 0 "diagnose $cases/regs_fec_1000_200.txt" "200 frames, or 1953 x 64 cycles"
paste_of fecregs @$tables/c_fec_1000_nl.txt "# ethtool -d eth0" @$cases/regs_fec_1000_200.txt
check 0 "diagnose $scratch/fecregs" "it agrees with rx-usecs 1000 if the clock is about 124.9 MHz"
check 0 "diagnose $cases/regs_e1000e_default.txt" "RDTR=0x0,TIDV=0x8" "does not stand in this dump"

# Not coalescing: values that are as small as can be.
paste_of soem "Coalesce parameters for eth0:" "Adaptive RX: off  TX: off" "rx-usecs: 1" "rx-frames: 1" "rx-usecs-irq: 0" "rx-frames-irq: 5" \
	"tx-usecs: 1" "tx-frames: 1" "tx-usecs-irq: 0" "tx-frames-irq: 5" "PING a (192.0.2.1) 56(84) bytes of data." \
	"64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.080 ms" "64 bytes from 192.0.2.1: icmp_seq=2 ttl=64 time=0.480 ms"
check 0 "diagnose $scratch/soem" "interrupt coalescing of eth0: the round trips are spread over 400us (n 2)" "it can explain at most 1us at this end; look elsewhere" \
	"the -irq values only hold while an interrupt is in service" "!what to try"

paste_of faraway "Coalesce parameters for eth0:" "rx-usecs: 50" "rx-frames: 0" "tx-usecs: 50" "tx-frames: 0"
printf 'PING far (192.0.2.9) 56(84) bytes of data.\n64 bytes from 192.0.2.9: icmp_seq=1 ttl=60 time=25.0 ms\n' >>"$scratch/faraway"
check 0 "diagnose $scratch/faraway" "of a round trip of 25ms (n 1) it can explain at most 50us at this end; the path or the other end has the rest"
# ... and what moves with the setting is nobody else's, so this end is not acquitted where it can be the cause.
check 1 "diagnose $scratch/fec" "!it can explain at most"

# Modes, units, adaptive, support.
check 0 "diagnose $tables/c_e1000e_ioctl.txt --driver e1000e" "rx-usecs 3 of e1000e is a mode, dynamic, conservative" "it is not 3 us"
check 0 "diagnose $tables/c_r8152_usb_tab.txt --driver r8152" "rx-usecs 15000 of r8152 is a number of nanoseconds: 15us"
check 0 "diagnose $tables/c_ena_dim_nlcqe.txt --driver ena" "adaptive-rx is on" "rx-usecs 20 is not in force"
check 0 "diagnose $tables/c_all_zero_ioctl.txt" "every field is 0: support unknown"
check 0 "diagnose $tables/c_vmxnet3_grep.txt" "coalescing rx-usecs 250" "!tx-usecs" "at most 4000 interrupts/s"
check 0 "diagnose $tables/c_be2net_ranges_ioctl.txt --driver be2net" "rx-usecs-high 128" "rx-frames 1 turns LRO off"
check 0 "diagnose $tables/c_mcp251xfd_nlcqe.txt --driver mcp251xfd" "rx-usecs-irq 10000 rx-frames-irq 32" "only while the interface is down"
paste_of igcold "driver: igc" "Coalesce parameters for eth0:" "rx-usecs: 3" "tx-usecs: 0"
check 0 "diagnose $scratch/igcold" 'rx mode "dynamic, conservative"' 'tx mode "dynamic, conservative"'
paste_of stamps "Time stamping parameters for eth0:" "Capabilities:" "	hardware-receive" "PTP Hardware Clock: 0"
check 0 "diagnose $scratch/stamps" "not the cause: - the accuracy of hardware receive stamps"
check 0 "diagnose $tables/c_unsupported_ioctl.txt" "the driver of eth0 has no coalescing interface"
check 0 "diagnose $tables/c_unsupported_netlink.txt" "has no coalescing interface" "!no such device"
check 1 "diagnose $tables/c_no_device_netlink.txt" "there is no such device" "!no coalescing interface"
paste_of dpaa2 @$cases/i_dpaa2.txt
check 0 "diagnose $scratch/dpaa2" "every port that uses them has the same"
paste_of r8169sw "driver: r8169" "version: 6.12.0" @$tables/c_r8169_off_nlcqe.txt "/sys/class/net/enp3s0/gro_flush_timeout:20000" \
	"/sys/class/net/enp3s0/napi_defer_hard_irqs:1"
check 0 "diagnose $scratch/r8169sw" "software hold-off 20us active"
sed 's/irqs:1/irqs:0/' "$scratch/r8169sw" >"$scratch/r8169nosw"
check 0 "diagnose $scratch/r8169nosw" "napi_defer_hard_irqs 0: gro_flush_timeout 20us keeps no interrupt off" "!software hold-off"

# What ethtool complains of.
check 1 "diagnose $tables/err_set_524.txt" "error 524 is the kernel's ENOTSUPP" "often rx-frames or tx-frames"
check 1 "diagnose $tables/err_set_typo_old.txt" "did you mean adaptive-rx"
check 1 "diagnose $tables/err_set_typo_netlink.txt" "did you mean adaptive-rx"
check 1 "diagnose $tables/err_set_badvalue_netlink.txt" "invalid value 'abc' for parameter 'rx-usecs'"
check 1 "diagnose $cases/err_L_ice.txt" "busy"
check 1 "diagnose $cases/err_L_offset.txt" "more queues were asked for"
paste_of igb524 "driver: igb" @$tables/c_igb_tab_cqe.txt "# ethtool -C enp1s0 rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1" @$tables/err_set_524.txt
check 1 "diagnose $scratch/igb524" "igb does not have rx-frames, tx-frames" "ethtool -C enp1s0 rx-usecs 0 tx-usecs 0"
paste_of igbrules "driver: igb" "# ethtool -C enp1s0 rx-usecs 0 rx-frames 1 tx-usecs 0 tx-frames 1" @$tables/err_set_524.txt
check 1 "diagnose $scratch/igbrules" "igb refuses it: rx-frames: cannot modify an unsupported parameter" "ethtool -C enp1s0 rx-usecs 0 tx-usecs 0 what of that request igb takes"
paste_of igcpair "driver: igc" @$tables/c_igb_tab_cqe.txt "# ethtool -C enp1s0 rx-usecs 10 tx-usecs 20" "netlink error: Invalid argument"
check 1 "diagnose $scratch/igcpair" "igc refuses it: tx-usecs: queues are paired: one timer serves both directions" "ethtool -C enp1s0 rx-usecs 10 what of that"
paste_of least "driver: i40e" @$tables/c_i40e_adaptive_ioctl.txt @$cases/ping_busybox.txt
check 0 "diagnose $scratch/least" "ethtool -C ens2f0 rx-usecs 0 tx-usecs 0 adaptive-rx off adaptive-tx off" "tx-frames-irq limits the work of a poll"
paste_of ignored @$tables/c_igb_tab_cqe.txt "# ethtool -C enp1s0 rx-usecs 50" @$tables/c_igb_tab_cqe.txt
check 1 "diagnose $scratch/ignored" "rx-usecs 50 was asked for without a complaint, and 3 is reported as before: the driver accepted it and ignored it"
paste_of rounded "Coalesce parameters for eth0:" "rx-usecs: 0" "tx-usecs: 0" "# ethtool -C eth0 rx-usecs 100" "Coalesce parameters for eth0:" "rx-usecs: 120" "tx-usecs: 0"
check 0 "diagnose $scratch/rounded" "rx-usecs 100 became 120: the driver rounds" "!ignored it" "!it drifted"
paste_of drifted "Coalesce parameters for eth0:" "rx-usecs: 64" "tx-usecs: 64" "Coalesce parameters for eth0:" "rx-usecs: 3" "tx-usecs: 64"
check 1 "diagnose $scratch/drifted" "rx-usecs of eth0 changed from 64 to 3" "it drifted"

# Interrupts: whose, of what, how many a second.
check 0 "diagnose $irqs/irq_prefix_names.txt" "eth1-TxRx-1 of queues together 3431035" "eth1 (no queue)" "of queues together 197340075"
check 0 "diagnose $irqs/irq_shared_line.txt" "interrupt 18 of eth0 is shared (uhci_hcd:usb3, eth0, eth2): its count is an upper bound"
check 1 "diagnose $irqs/irq_arm_gic_nodename.txt" "ethernet-ffffffff:00 (no queue)" "were taken by CPU 0: pin first, coalesce second"
check 0 "diagnose $irqs/irq_xen_gve_new.txt" "the direction: unknown from the text"
check 0 "diagnose $irqs/smp_affinity_irq.txt" "the affinity mask is CPU 100"
sed 's/1811002/1911002/' $irqs/irq_prefix_names.txt >"$scratch/later"
check 0 "diagnose $irqs/irq_prefix_names.txt $scratch/later --interval 10s" "+100000 10000.000/s"
paste_of c5n "# ethtool -C eth0 rx-usecs 256" @$cases/dstat_c5n_queues.txt
check 0 "diagnose $scratch/c5n" "rx-usecs 256 is honoured: it allows 3906 interrupts/s of a queue, at most 3894 (one each 256.8 us; mean 3551, n 20)"
sed '3,$s/[0-9][0-9]*/&0/g' "$scratch/c5n" >"$scratch/c6gn"
check 1 "diagnose $scratch/c6gn" "accepted but ignored"
sed 's/256/64/' "$scratch/c5n" >"$scratch/c5n64"
check 0 "diagnose $scratch/c5n64" "whether it is honoured cannot be told"

printf '# ethtool -i eth0\ndriver: virtio_net\n      CPU0\n 37:  0  PCI-MSIX-0000:00:01.0 0-edge  virtio2-config\n 38:  471  PCI-MSIX-0000:00:01.0 1-edge  virtio2-input.0\n' >"$scratch/virtio"
check 0 "diagnose $scratch/virtio" "eth0: device driver virtio_net, bus virtio2" "virtio2-config (no queue)" "of queues together 471"
printf '      CPU0\n 38:  471  PCI-MSIX 1-edge  virtio2-input.0\n 39:  471  PCI-MSIX 1-edge  virtio3-input.0\nCoalesce parameters for eth0:\nrx-usecs: 0\n' >"$scratch/two"
check 0 "diagnose $scratch/two" "virtio2: device bus virtio2" "virtio3: device bus virtio3" "eth0: coalescing rx-usecs 0"

# Other layers.
echo "[    3.1] r8169 0000:03:00.0 eth0: RTL8125B, 02:00:00:00:00:25, XID 641, IRQ 127" >"$scratch/chip"
check 0 "diagnose $scratch/chip" "driver r8169, bus 0000:03:00.0, chip RTL8125B" "the unit of its timers is unknown"
printf '64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.2 ms\n64 bytes from 192.0.2.1: icmp_seq=2 ttl=64 time=10.1 ms\n' >>"$scratch/chip"
check 0 "diagnose $scratch/chip" "!impossible for this chip"
check 1 "diagnose $cases/tshark_pairs.txt" "310, 191, 241 us" "mean 247.3us" "not constant: an adaptive throttle" "1 and 3 are modes, not times" "rx-usecs 0"
check 0 "diagnose test/data/proc/softnet_9col.txt" "a squeeze without drops is no alarm"
printf 'NIC statistics:\n     rx_dropped: 3000000\n%%Cpu(s):  1.0 us, 51.0 sy,  0.0 ni, 48.0 id,  0.0 wa\n' >"$scratch/idle"
check 1 "diagnose $scratch/idle" "while the CPUs were idle for 48.0 % of the time" "a shorter rx-usecs is not what helps"
echo "[  12.3] NETDEV WATCHDOG: eth0 (bcmgenet): transmit queue 1 timed out" >"$scratch/watchdog"
check 1 "diagnose $scratch/watchdog" "not the cause: - interrupt coalescing" "watchdog"
printf 'PING far (192.0.2.9) 56(84) bytes of data.\n64 bytes from 192.0.2.9: icmp_seq=1 ttl=60 time=25.0 ms\n' >"$scratch/far"
check 0 "diagnose $scratch/far" "1468 bytes a round trip of 25ms gets 58.7 kB/s; with 1 ms more a round 3.9 % less"
check 0 "diagnose test/data/iperf3/udp.json" "iperf3 -J" "UDP of iperf 3.12" "packets lost"
check 0 "diagnose test/data/iperf3/tcp_two_verbose.txt" "TCP of iperf 3.12: 3110000 kb/s received over 2010 ms, 11.5 % of a CPU"
check 0 "diagnose test/data/iperf3/udp_reverse.txt" "UDP of iperf3" "0 of 1727 packets lost"
check 0 "diagnose test/data/proc/ip_s_link.txt" "ip -s link, eth0" "345 frames were lost on eth0" "!lo:"

# Files with settings are lint's; what it finds is said here too.
check 1 "diagnose $tables/nm_bad_bool.nmconnection" "must be 0" "line 7"

# Whatever the ends of lines are, and however damaged: the same, or nothing.
sed 's/$/\r/' $tables/c_fec_1000_nl.txt >"$scratch/crlf"
check 0 "diagnose $scratch/crlf" "rx-usecs 1000 rx-frames 200 tx-usecs 1000 tx-frames 200"
head -c 100000 /dev/zero >"$scratch/zeros"
check 6 "diagnose $scratch/zeros" "nothing of it was recognised"

check 0 "diagnose $tables/c_fec_1000_nl.txt --json" '"schema": "holdoff.diagnose/1"' '"rx_usecs": 1000' '"support": "said"' '"kind": "settings"'

finish
