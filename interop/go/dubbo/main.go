// A dubbo-go application, provider or consumer, that a test drives by lines on standard input and output. It says and
// understands what the Java program of the Dubbo scenarios does.
//
//	registry=HOST:PORT name=APPLICATION
//	provider: port=PORT
//	consumer: [rate=CALLS_PER_SECOND] [timeout=MILLIS]
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"dubbo.apache.org/dubbo-go/v3"
	"dubbo.apache.org/dubbo-go/v3/logger"
	"dubbo.apache.org/dubbo-go/v3/registry"
)

// What the Java side calls it.
const greeterInterface = "org.orana.interop.Greeter"

type arguments map[string]string

func (a arguments) text(key string) string {
	value, given := a[key]
	if !given {
		panic("the argument " + key + "=... is missing")
	}
	return value
}

func (a arguments) number(key string, otherwise int) int {
	value, given := a[key]
	if !given {
		return otherwise
	}
	number, err := strconv.Atoi(value)
	if err != nil {
		panic(err)
	}
	return number
}

// commanded is what is told line by line.
type commanded interface {
	command(words []string)
}

func main() {
	given := arguments{}
	for _, argument := range os.Args[2:] {
		key, value, _ := strings.Cut(argument, "=")
		given[key] = value
	}
	instance, err := dubbo.NewInstance(
		dubbo.WithName(given.text("name")),
		// The metadata service would listen on every address of the machine, and on the provider's port.
		dubbo.WithRemoteMetadata(),
		dubbo.WithLogger(logger.WithZap(), logger.WithLevel("info")),
		dubbo.WithRegistry(
			registry.WithZookeeper(),
			registry.WithAddress(given.text("registry")),
			registry.WithRegisterInterface(),
			registry.WithoutUseAsMetaReport(),
			registry.WithoutUseAsConfigCenter(),
		),
	)
	if err != nil {
		panic(err)
	}
	var told commanded
	switch os.Args[1] {
	case "provider":
		told = startProvider(instance, given)
	case "consumer":
		told = startConsumer(instance, given)
	default:
		panic("unknown role " + os.Args[1])
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		told.command(strings.Fields(lines.Text()))
	}
}

var speaking sync.Mutex

// say is a line of the conversation. The framework's log goes to standard output as well; it is told apart by its dates.
func say(line string) {
	speaking.Lock()
	defer speaking.Unlock()
	fmt.Println(line)
}
