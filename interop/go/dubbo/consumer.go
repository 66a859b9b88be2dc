package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/client"
)

const (
	callers    = 4
	errorsTold = 20
)

// consumer calls the greeter at a steady rate without retries, from the first answer on.
type consumer struct {
	greeter *client.Connection
	delay   atomic.Int32

	counting sync.Mutex
	ok       int
	failed   int
	answers  map[string]int
}

func startConsumer(instance *dubbo.Instance, given arguments) commanded {
	greeter := refer(instance, greeterInterface, given)
	c := &consumer{greeter: greeter, answers: map[string]int{}}
	for {
		_, err := c.greet("first", 0)
		if err == nil {
			break
		}
		fmt.Fprintln(os.Stderr, "not yet:", err)
		time.Sleep(100 * time.Millisecond)
	}
	say("READY")
	period := time.Second * callers / time.Duration(given.number("rate", 50))
	for i := range callers {
		go func() {
			time.Sleep(period * time.Duration(i) / callers)
			for range time.Tick(period) {
				c.call()
			}
		}()
	}
	return c
}

func (c *consumer) command(words []string) {
	switch words[0] {
	case "COUNT":
		say(c.count())
	case "DELAY":
		millis, err := strconv.Atoi(words[1])
		if err != nil {
			panic(err)
		}
		c.delay.Store(int32(millis))
	default:
		panic("unknown command " + words[0])
	}
}

func (c *consumer) greet(name string, millis int32) (string, error) {
	var answer string
	err := c.greeter.CallUnary(context.Background(), []interface{}{name, millis}, &answer, "greet")
	return answer, err
}

func (c *consumer) call() {
	answer, err := c.greet("again", c.delay.Load())
	c.counting.Lock()
	defer c.counting.Unlock()
	if err == nil {
		c.ok++
		port, _, _ := strings.Cut(answer, " ")
		c.answers[port]++
		return
	}
	c.failed++
	if c.failed <= errorsTold {
		say("ERROR " + strings.ReplaceAll(err.Error(), "\n", " "))
	}
}

func (c *consumer) count() string {
	c.counting.Lock()
	defer c.counting.Unlock()
	ports := make([]string, 0, len(c.answers))
	for port := range c.answers {
		ports = append(ports, port)
	}
	sort.Strings(ports)
	line := fmt.Sprintf("CALLS ok=%d failed=%d", c.ok, c.failed)
	for _, port := range ports {
		line += fmt.Sprintf(" %s=%d", port, c.answers[port])
	}
	c.ok, c.failed, c.answers = 0, 0, map[string]int{}
	return line
}
