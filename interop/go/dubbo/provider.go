package main

import (
	"context"
	"fmt"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
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

func startProvider(instance *dubbo.Instance, given arguments) commanded {
	offer(instance, greeterInterface, &Greeter{port: given.number("port", 20000)}, given)
	return quiet{}
}
