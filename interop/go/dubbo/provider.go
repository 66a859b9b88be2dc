package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/common"
	"dubbo.apache.org/dubbo-go/v3/protocol"
	"dubbo.apache.org/dubbo-go/v3/server"
)

// Greeter answers with its port and the name, so that a caller knows who answered.
type Greeter struct {
	port int
}

// Greet waits as long as it is told, then answers.
func (g *Greeter) Greet(_ context.Context, name string, millis int32) (string, error) {
	time.Sleep(time.Duration(millis) * time.Millisecond)
	return fmt.Sprintf("%d %s", g.port, name), nil
}

// Reference names the service in the framework's own tables.
func (g *Greeter) Reference() string {
	return "Greeter"
}

// MethodMapper gives the methods the names that Java calls them by.
func (g *Greeter) MethodMapper() map[string]string {
	return map[string]string{"Greet": "greet"}
}

func (g *Greeter) command(_ []string) {
	panic("a provider knows no commands")
}

func startProvider(instance *dubbo.Instance, given arguments) commanded {
	greeter := &Greeter{port: given.number("port", 20000)}
	served, err := instance.NewServer(server.WithServerProtocol(
		protocol.WithDubbo(),
		protocol.WithIp("127.0.0.1"),
		protocol.WithPort(greeter.port),
	))
	if err != nil {
		panic(err)
	}
	// Without a description, even an empty one, v3.3.0 ends in a nil pointer; the methods come from the type all the same.
	if err := served.Register(greeter, &common.ServiceInfo{}, server.WithInterface(greeterInterface)); err != nil {
		panic(err)
	}
	go func() {
		if err := served.Serve(); err != nil {
			panic(err)
		}
	}()
	// Serve does not tell when it has begun.
	for {
		if connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", greeter.port)); err == nil {
			_ = connection.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	say(fmt.Sprintf("READY %d", greeter.port))
	return greeter
}
