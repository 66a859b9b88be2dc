package main

import (
	"fmt"
	"net"
	"strings"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/client"
	"dubbo.apache.org/dubbo-go/v3/common"
	"dubbo.apache.org/dubbo-go/v3/logger"
	"dubbo.apache.org/dubbo-go/v3/protocol"
	"dubbo.apache.org/dubbo-go/v3/registry"
	"dubbo.apache.org/dubbo-go/v3/server"
)

// newInstance makes the framework ready. An address of "" or "N/A" is no registry.
func newInstance(name, zookeeper string) *dubbo.Instance {
	options := []dubbo.InstanceOption{
		dubbo.WithName(name),
		// The metadata service would listen on every address of the machine, and on the provider's port.
		dubbo.WithRemoteMetadata(),
		dubbo.WithLogger(logger.WithZap(), logger.WithLevel("info")),
	}
	if zookeeper != "" && zookeeper != "N/A" {
		options = append(options, dubbo.WithRegistry(
			registry.WithZookeeper(),
			registry.WithAddress(strings.TrimPrefix(zookeeper, "zookeeper://")),
			registry.WithRegisterInterface(),
			registry.WithoutUseAsMetaReport(),
			registry.WithoutUseAsConfigCenter(),
		))
	}
	instance, err := dubbo.NewInstance(options...)
	if err != nil {
		panic(err)
	}
	return instance
}

// offer serves on 127.0.0.1; the methods come from the type.
func offer(instance *dubbo.Instance, interfaceName string, service any, given arguments) {
	port := given.number("port", 20000)
	served, err := instance.NewServer(server.WithServerProtocol(
		protocol.WithDubbo(),
		protocol.WithIp("127.0.0.1"),
		protocol.WithPort(port),
	))
	if err != nil {
		panic(err)
	}
	options := []server.ServiceOption{server.WithInterface(interfaceName)}
	if group, is := given["group"]; is {
		options = append(options, server.WithGroup(group))
	}
	if version, is := given["version"]; is {
		options = append(options, server.WithVersion(version))
	}
	// Without a description, even an empty one, v3.3.0 ends in a nil pointer.
	if err := served.Register(service, &common.ServiceInfo{}, options...); err != nil {
		panic(err)
	}
	go func() {
		if err := served.Serve(); err != nil {
			panic(err)
		}
	}()
	// Serve does not tell when it has begun.
	for {
		if connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = connection.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	say(fmt.Sprintf("READY %d", port))
}

// refer is the service at the given address, or else whoever offers it; without retries, since they hide failures.
func refer(instance *dubbo.Instance, interfaceName string, given arguments, more ...client.ReferenceOption) *client.Connection {
	caller, err := instance.NewClient(
		client.WithClientProtocolDubbo(),
		client.WithClientSerialization("hessian2"),
		client.WithClientRequestTimeout(time.Duration(given.number("timeout", 5000))*time.Millisecond),
		client.WithClientRetries(0),
		client.WithClientLoadBalanceRoundRobin(),
		client.WithClientNoCheck(),
	)
	if err != nil {
		panic(err)
	}
	var options []client.ReferenceOption
	if address, is := given["address"]; is {
		options = append(options, client.WithURL(address+"/"+interfaceName))
	}
	if group, is := given["group"]; is {
		options = append(options, client.WithGroup(group))
	}
	if version, is := given["version"]; is {
		options = append(options, client.WithVersion(version))
	}
	connection, err := caller.Dial(interfaceName, append(options, more...)...)
	if err != nil {
		panic(err)
	}
	return connection
}

// quiet is a service that knows no commands.
type quiet struct{}

func (quiet) command(words []string) {
	panic("unknown command " + words[0])
}
