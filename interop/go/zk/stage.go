package main

// The Go side of a peer program that plays many scenarios; the words are those of
// interop/java/stage/src/orana/stage/Stage.java. It knows nothing of the client library.

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
)

// sideBySide scenarios run at once. Few: the tests share two processors.
const sideBySide = 6

// scenario returns when its promise held and panics when it did not.
type scenario struct {
	name string
	act  func(*stage)
}

type stage struct {
	address  string
	speaking sync.Mutex
	asking   sync.Mutex
	asked    int
	input    *bufio.Scanner
}

// wire is a cable to the server that a scenario can cut; clients connect to its address.
type wire struct {
	stage   *stage
	address string
}

func newStage(address string) *stage {
	return &stage{address: address, input: bufio.NewScanner(os.Stdin)}
}

// play runs the scenarios of together side by side, then each of alone by itself.
func (s *stage) play(together, alone []scenario) {
	seats := make(chan struct{}, sideBySide)
	var playing sync.WaitGroup
	for _, one := range together {
		playing.Add(1)
		seats <- struct{}{}
		go func() {
			defer playing.Done()
			s.perform(one)
			<-seats
		}()
	}
	playing.Wait()
	for _, one := range alone {
		s.perform(one)
	}
	s.say(fmt.Sprintf("SCENARIOS %d", len(together)+len(alone)))
}

func (s *stage) perform(one scenario) {
	begun := time.Now()
	defer func() {
		if wrong := recover(); wrong != nil {
			reason := strings.Join(strings.Fields(fmt.Sprint(wrong)), " ")
			s.say(fmt.Sprintf("SCENARIO %s failed %s%s", one.name, reason, where()))
			return
		}
		s.say(fmt.Sprintf("SCENARIO %s ok %d", one.name, time.Since(begun).Milliseconds()))
	}()
	one.act(s)
}

// where names the line of the scenario that panicked.
func where() string {
	calls := make([]uintptr, 32)
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls)])
	for {
		frame, more := frames.Next()
		if file := filepath.Base(frame.File); strings.HasPrefix(frame.Function, "main.") && file != "stage.go" {
			return fmt.Sprintf(" at %s:%d", file, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

func (s *stage) wire() *wire  { return &wire{s, s.ask("wire")} }
func (s *stage) killServer()  { s.ask("kill") }
func (s *stage) startServer() { s.ask("start") }
func (w *wire) cut()          { w.stage.ask("cut " + w.address) }
func (w *wire) mend()         { w.stage.ask("mend " + w.address) }
func (w *wire) blink()        { w.cut(); w.mend() }

// ask puts one question at a time, so that answers need no sorting.
func (s *stage) ask(question string) string {
	s.asking.Lock()
	defer s.asking.Unlock()
	s.asked++
	s.say(fmt.Sprintf("ASK %d %s", s.asked, question))
	if !s.input.Scan() {
		panic("the test did not answer `" + question + "`")
	}
	_, answer, _ := strings.Cut(s.input.Text(), " ")
	return answer
}

func (s *stage) say(line string) {
	s.speaking.Lock()
	defer s.speaking.Unlock()
	fmt.Println(line)
}

func that(claim string, holds bool) {
	if !holds {
		panic("not true: " + claim)
	}
}

func equal(what string, expected, seen any) {
	if !reflect.DeepEqual(expected, seen) {
		panic(fmt.Sprintf("%s: expected %v, saw %v", what, expected, seen))
	}
}

func becomes(what string, patience time.Duration, expected any, look func() any) {
	deadline := time.Now().Add(patience)
	seen := look()
	for !reflect.DeepEqual(expected, seen) {
		if time.Now().After(deadline) {
			panic(fmt.Sprintf("%s: expected within %v %v, last saw %v", what, patience, expected, seen))
		}
		time.Sleep(20 * time.Millisecond)
		seen = look()
	}
}
