package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
)

const helloInterface = "org.example.peer.Greeter"

// Hello is the smallest service.
type Hello struct{}

// SayHello greets.
func (h *Hello) SayHello(_ context.Context, name string) (string, error) {
	return "Hello " + name, nil
}

// Reference names the service in the framework's own tables.
func (h *Hello) Reference() string {
	return "Hello"
}

// MethodMapper gives the method the name that Java calls it by.
func (h *Hello) MethodMapper() map[string]string {
	return map[string]string{"SayHello": "sayHello"}
}

func startHello(instance *dubbo.Instance, given arguments) commanded {
	offer(instance, helloInterface, &Hello{}, given)
	return quiet{}
}

// callHello calls as often as it is told, and leaves.
func callHello(instance *dubbo.Instance, given arguments) commanded {
	hello := refer(instance, helloInterface, given)
	name, is := given["name"]
	if !is {
		name = "Dubbo"
	}
	call := func() (answer string, err error) {
		err = hello.CallUnary(context.Background(), []any{name}, &answer, "sayHello")
		return answer, err
	}
	await(func() error {
		_, err := call()
		return err
	})
	say("READY")
	calls, failed := given.number("calls", 1), 0
	pace := time.Tick(time.Second / time.Duration(given.number("rate", 1)))
	for i := range calls {
		if i > 0 {
			<-pace
		}
		if answer, err := call(); err == nil {
			say(answer)
		} else {
			failed++
			say("ERROR " + strings.ReplaceAll(err.Error(), "\n", " "))
		}
	}
	say(fmt.Sprintf("CALLS ok=%d failed=%d", calls-failed, failed))
	leave(failed == 0)
	return nil
}

// await tries until it works, for a minute.
func await(try func() error) {
	deadline := time.Now().Add(time.Minute)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "not yet:", err)
		time.Sleep(100 * time.Millisecond)
	}
}

func leave(right bool) {
	if !right {
		os.Exit(1)
	}
	os.Exit(0)
}
