# SPDX-License-Identifier: GPL-2.0-or-later
# An event log of tsnep (qemu/device/log.h), looked at by itself: its interrupts come the delay after the first event that found
# its source enabled, to the ns, and at no other time. Prints what is not so and, last, how many interrupts it looked at, and how
# many of them came up to 1 us late, which QEMU's clock has to answer for (it moves on between timers that are due); and for
# each stream (1000 frames and more, none 5 ms late) that the first device has received:
#
#	stream delay USECS frames N span NS interrupts N

function number(hex,    i, value) {
	value = 0
	for (i = 3; i <= length(hex); i++) {
		value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	}
	return value
}

function bit(value, n) {
	return int(value / 2 ^ n) % 2
}

# A source: device, and 8 + 2 * queue for sent frames, one more for received ones, 5 for the link.
function enable(device, mask,    source) {
	for (source = 0; source < 31; source++) {
		if (!bit(mask, source)) {
			continue
		}
		enabled[device, source] = mask < 2 ^ 31
		if (mask >= 2 ^ 31) {
			waits[device, source] = active[device, source] = 0
		}
	}
	forget_empty(device)
}

function forget_empty(device,    queue) {
	for (queue = 0; queue < 4; queue++) {
		if (!waits[device, 8 + 2 * queue] && !waits[device, 9 + 2 * queue]) {
			due[device, queue] = 0
		}
	}
}

function event(device, queue, source) {
	if (!enabled[device, source] || waits[device, source] || active[device, source]) {
		return
	}
	waits[device, source] = 1
	if (!due[device, queue]) {
		due[device, queue] = $1 + delay[device, queue]
	}
}

function rise(device, queue,    source) {
	looked_at++
	if (queue == 0 && link_at[device] == $1) {
		return
	}
	if (due[device, queue] && due[device, queue] < $1 && $1 - due[device, queue] <= 1000) {
		late++
	} else if (due[device, queue] != $1) {
		printf "%s interrupts queue %d at %.0f, not at %.0f\n", device, queue, $1, due[device, queue]
	}
	for (source = 8 + 2 * queue; source < 10 + 2 * queue; source++) {
		active[device, source] = waits[device, source]
		waits[device, source] = 0
	}
	due[device, queue] = 0
}

function end_stream() {
	if (frames >= 1000) {
		printf "stream delay %d frames %d span %d interrupts %d\n", stream_delay, frames, last - first, interrupts
	}
	frames = interrupts = 0
}

function stream() {
	if ($1 - last > 5000000) {
		end_stream()
		first = $1
		stream_delay = delay["tsnep.0", 0] / 1000
	}
	last = $1
	frames++
}

{
	for (queue = 0; queue < 4; queue++) {
		if (due[$2, queue] && due[$2, queue] < $1 - 1000) {
			printf "%s does not interrupt queue %d at %.0f\n", $2, queue, due[$2, queue]
			due[$2, queue] = 0
		}
	}
}
$3 == "link" { link_at[$2] = $1 }
$3 == "write" && $4 == "ECM_INT_ENABLE" { enable($2, number($5)) }
$3 == "write" && $4 == "ECM_INT_ACTIVE" {
	for (source = 0; source < 31; source++) {
		if (bit(number($5), source)) {
			active[$2, source] = 0
		}
	}
}
$3 == "write" && $4 ~ /^ECM_INT_DELAY/ {
	queue = substr($4, 14)
	delay[$2, queue] = int(number($5) / 16) * 16000
}
$3 == "sent" { event($2, $4, 8 + 2 * $4) }
$3 == "received" {
	event($2, $4, 9 + 2 * $4)
	if ($2 == "tsnep.0") {
		stream()
	}
}
$3 == "irq" {
	for (queue = 0; queue < 4; queue++) {
		if (bit(number($4), queue) && !bit(lines[$2], queue)) {
			rise($2, queue)
			interrupts += $2 == "tsnep.0"
		}
	}
	lines[$2] = number($4)
}
END {
	end_stream()
	print "late", late + 0
	print "interrupts", looked_at + 0
}
