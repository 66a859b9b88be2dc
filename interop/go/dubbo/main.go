// A dubbo-go application that a test drives by lines on standard input and output. It says and understands what the Java
// programs do, those of org.orana.interop:
//
//	provider registry=HOST:PORT name=APPLICATION port=PORT
//	consumer registry=HOST:PORT name=APPLICATION [rate=CALLS_PER_SECOND] [timeout=MILLIS]
//
// and those of org.example.peer, with flags as Application.java lists them:
//
//	greeter-provider, greeter-consumer [--name TEXT] [--calls N] [--rate N]
//	corpus-provider, corpus-consumer [--only PREFIX,...] [--except PREFIX,...]
//	echo-provider, echo-load
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// What the Java side calls it.
const greeterInterface = "org.orana.interop.Greeter"

type arguments map[string]string

// parse takes `key=value` as well as `--key value`.
func parse(given []string) arguments {
	parsed := arguments{}
	for i := 0; i < len(given); i++ {
		if flag, is := strings.CutPrefix(given[i], "--"); is {
			i++
			parsed[flag] = given[i]
			continue
		}
		key, value, _ := strings.Cut(given[i], "=")
		parsed[key] = value
	}
	return parsed
}

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
	role, given := os.Args[1], parse(os.Args[2:])
	name, named := given["application"]
	if !named {
		name = given.text("name")
	}
	instance := newInstance(name, given["registry"])
	var told commanded
	switch role {
	case "provider":
		told = startProvider(instance, given)
	case "consumer":
		told = startConsumer(instance, given)
	case "greeter-provider":
		told = startHello(instance, given)
	case "greeter-consumer":
		told = callHello(instance, given)
	case "corpus-provider":
		told = startCorpus(instance, given)
	case "corpus-consumer":
		told = callCorpus(instance, given)
	case "echo-provider":
		told = startEcho(instance, given)
	case "echo-load":
		told = startLoad(instance, given)
	default:
		panic("unknown role " + role)
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
