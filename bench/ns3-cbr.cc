// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CBR benchmark in ns-3: two nodes, a link of 1 Gb/s, UDP datagrams of 18 bytes (64-byte Ethernet frames
 * with FCS) at the line rate of such frames, a socket that counts what arrives. One line of JSON says how many
 * frames the link handed to the receiving device and how much CPU time Simulator::Run took.
 *
 * The comparison is meant to be kind to ns-3: the plain sender below does less than UdpClient or
 * OnOffApplication, there is no queue disc, no checksum, no tracing beyond one counter. Links: "p2p" is the
 * cheapest device that ns-3 has; its frames carry a PPP header of 2 bytes and neither Ethernet header nor FCS,
 * so that they are shorter on the wire (which only helps). "csma" has Ethernet headers. Neither models
 * interrupts, NAPI or a CPU.
 *
 * With "echo" the receiver sends each datagram back, and the next one leaves when the reply is in; frames are those of
 * both ways.
 *
 * usage: ns3-cbr FRAMES [p2p|csma] [echo]
 */
#include <sys/resource.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <ns3/csma-helper.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-interface-container.h>
#include <ns3/net-device-container.h>
#include <ns3/node-container.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/udp-socket-factory.h>

namespace {

const uint64_t rate_per_s = 1488095; // 10^9 / ((64 + 20) * 8)
const uint32_t payload_bytes = 18;
const uint16_t port = 9;

uint64_t frames_delivered, datagrams_received;

double cpu_seconds()
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Frame n leaves at floor(n * 10^9 / rate) ns after the start, as in holdoff.
class Sender
{
public:
	Sender(ns3::Ptr<ns3::Socket> socket, uint64_t total) : socket(socket), total(total) {}

	void send()
	{
		socket->Send(ns3::Create<ns3::Packet>(payload_bytes));
		sent++;
		if (sent < total) {
			uint64_t next_at_ns = start_at_ns + sent * 1000000000 / rate_per_s;

			ns3::Simulator::Schedule(ns3::NanoSeconds(next_at_ns) - ns3::Simulator::Now(), &Sender::send, this);
		}
	}

	static const uint64_t start_at_ns = 1000000;

private:
	ns3::Ptr<ns3::Socket> socket;
	uint64_t total;
	uint64_t sent = 0;
};

// The next datagram leaves when the reply to the one before is in.
class Client
{
public:
	Client(ns3::Ptr<ns3::Socket> socket, uint64_t total) : socket(socket), left(total) {}

	void send()
	{
		if (left > 0) {
			left--;
			socket->Send(ns3::Create<ns3::Packet>(payload_bytes));
		}
	}

	void take(ns3::Ptr<ns3::Socket> from)
	{
		while (from->Recv()) {
			datagrams_received++;
			send();
		}
	}

private:
	ns3::Ptr<ns3::Socket> socket;
	uint64_t left;
};

void echo(ns3::Ptr<ns3::Socket> socket)
{
	ns3::Address from;

	while (ns3::Ptr<ns3::Packet> packet = socket->RecvFrom(from)) {
		socket->SendTo(packet, 0, from);
	}
}

void count_frame(ns3::Ptr<const ns3::Packet>)
{
	frames_delivered++;
}

void receive(ns3::Ptr<ns3::Socket> socket)
{
	while (socket->Recv()) {
		datagrams_received++;
	}
}

ns3::NetDeviceContainer connect(const ns3::NodeContainer &nodes, bool csma)
{
	if (csma) {
		ns3::CsmaHelper link;

		link.SetChannelAttribute("DataRate", ns3::StringValue("1Gbps"));
		link.SetChannelAttribute("Delay", ns3::StringValue("0ns"));
		return link.Install(nodes);
	}
	ns3::PointToPointHelper link;

	link.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
	link.SetChannelAttribute("Delay", ns3::StringValue("0ns"));
	return link.Install(nodes);
}

ns3::Ptr<ns3::Socket> udp_socket(ns3::Ptr<ns3::Node> node)
{
	return ns3::Socket::CreateSocket(node, ns3::UdpSocketFactory::GetTypeId());
}

void simulate(uint64_t frames, bool csma, bool echoes)
{
	ns3::NodeContainer nodes(2);
	ns3::NetDeviceContainer devices = connect(nodes, csma);

	devices.Get(1)->TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&count_frame));
	ns3::InternetStackHelper().Install(nodes);
	ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
	ns3::Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
	ns3::TrafficControlHelper().Uninstall(devices);

	ns3::Ptr<ns3::Socket> sink = udp_socket(nodes.Get(1));
	sink->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
	sink->SetRecvCallback(echoes ? ns3::MakeCallback(&echo) : ns3::MakeCallback(&receive));

	ns3::Ptr<ns3::Socket> source = udp_socket(nodes.Get(0));
	source->Connect(ns3::InetSocketAddress(interfaces.GetAddress(1), port));

	Sender sender(source, frames);
	Client client(source, frames / 2);
	if (echoes) {
		devices.Get(0)->TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&count_frame));
		source->SetRecvCallback(ns3::MakeCallback(&Client::take, &client));
		ns3::Simulator::ScheduleWithContext(0, ns3::NanoSeconds(Sender::start_at_ns), &Client::send, &client);
	} else {
		ns3::Simulator::ScheduleWithContext(0, ns3::NanoSeconds(Sender::start_at_ns), &Sender::send, &sender);
	}
	double started = cpu_seconds();
	ns3::Simulator::Run();
	double took = cpu_seconds() - started;

	std::printf("{\"link\": \"%s\", \"frames\": %" PRIu64 ", \"datagrams\": %" PRIu64 ", \"run_cpu_s\": %.6f, "
		    "\"simulated_ns\": %" PRId64 "}\n", csma ? "csma" : "p2p", frames_delivered, datagrams_received, took,
		    ns3::Simulator::Now().GetNanoSeconds());
	ns3::Simulator::Destroy();
}

int usage()
{
	std::fprintf(stderr, "usage: ns3-cbr FRAMES [p2p|csma] [echo]\n");
	return 2;
}

} // namespace

int main(int argc, char **argv)
{
	char *end;

	bool echoes = argc > 2 && !std::strcmp(argv[argc - 1], "echo");
	if (echoes) {
		argc--;
	}
	if (argc < 2 || argc > 3 || argv[1][0] < '1' || argv[1][0] > '9') {
		return usage();
	}
	uint64_t frames = std::strtoull(argv[1], &end, 10);
	if (*end) {
		return usage();
	}
	bool csma = argc == 3 && !std::strcmp(argv[2], "csma");
	if (argc == 3 && !csma && std::strcmp(argv[2], "p2p")) {
		return usage();
	}
	simulate(frames, csma, echoes);
	return 0;
}
