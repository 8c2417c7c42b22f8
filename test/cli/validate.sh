#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# holdoff validate: tables and folders, rows that are not mapped, and bad input. What the model makes of the reference cells is for
# test/refdata to say.
. "$(dirname "$0")/table.sh"

head=cell,nic_mode,rx_usecs,workload,payload_bytes,traffic_ns,sent,received,lat_avg_ns,irq_dut,stable
printf '%s\na,itr,100,cbr2000,64,100000000,200,200,10335,201,1\nb,itr,100,quake,64,1,1,1,1,1,1\n' $head >"$scratch/cells.csv"
printf 'run,window\n1,2\n' >"$scratch/other.csv"
check 0 "validate refdata $scratch/cells.csv" "against 1 cells; 1 more are not mapped" "a: fit, plain" \
	"MODEL refnic-throttle rx-usecs 100 at 1000 Mb/s, host icount-1ns; udp rate=2000" "interrupts measured 201 MODEL 200 -0.5 %" \
	'b: there is no workload "quake" in the model' "aim: "
check 0 "validate refdata $scratch --json" '"schema": "holdoff.validation/1"' '"mapped": 1' '"name": "b"' '"error_percent": -0.498'
check 0 "validate refdata $scratch $scratch/cells.csv" "against 2 cells"
check 2 "validate refdata $scratch/other.csv" "2:columns are missing"
check 2 "validate refdata $scratch/none.csv" "2:none.csv"
check 2 "validate refdata" "2:a folder or a CSV file"
check 2 "validate model x" "2:is refdata"
printf '%s\nb,itr,100,quake,64,1,1,1,1,1,1\n' $head >"$scratch/cells.csv"
check 6 "validate refdata $scratch/cells.csv" "against 0 cells"
printf '%s\nb,itr,100,cbr500,64,1000000000001,1,1,1,1,1\n' $head >"$scratch/cells.csv"
check 6 "validate refdata $scratch/cells.csv" "not within 1000 s"
printf '%s\nb,itr\n' $head >"$scratch/cells.csv"
check 2 "validate refdata $scratch/cells.csv" "2:cells.csv:2: 2 fields, but 11 columns"
mkdir "$scratch/empty"
check 2 "validate refdata $scratch/empty" "2:no .csv file in it"
finish
