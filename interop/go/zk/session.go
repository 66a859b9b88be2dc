package main

// Opens clients for the scenarios and keeps what they were told about their connections.

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
)

var anyone = zk.WorldACL(zk.PermAll)
var roots atomic.Int64

// session is an open client and what it was told about its connection.
type session struct {
	*zk.Conn
	mutex sync.Mutex
	told  []zk.State
}

// quiet drops what the client logs; its standard output is the conversation with the test.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func open(address string, timeout time.Duration) *session {
	opened := &session{}
	conn, _, err := zk.Connect([]string{address}, timeout, zk.WithLogger(quiet{}), zk.WithEventCallback(func(event zk.Event) {
		if event.Type == zk.EventSession {
			opened.mutex.Lock()
			defer opened.mutex.Unlock()
			opened.told = append(opened.told, event.State)
		}
	}))
	that("connect", err == nil)
	opened.Conn = conn
	becomes("a session is granted", 20*time.Second, zk.StateHasSession, func() any { return conn.State() })
	return opened
}

func (s *session) saw(state zk.State) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, told := range s.told {
		if told == state {
			return true
		}
	}
	return false
}

func (s *session) forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.told = nil
}

// back waits until the connection was lost and the session is there again.
func (s *session) back() {
	becomes("the session comes back", 20*time.Second, true, func() any {
		return s.saw(zk.StateDisconnected) && s.State() == zk.StateHasSession
	})
}

func (s *session) make(path string, flags int32) string {
	made, err := s.Create(path, nil, flags, anyone)
	must("create "+path, err)
	return made
}

func root(s *session, name string) string {
	return s.make(fmt.Sprintf("/go-%s-%d", name, roots.Add(1)), 0)
}

func must(what string, err error) {
	if err != nil {
		panic(fmt.Sprintf("%s: %v", what, err))
	}
}

func event(events <-chan zk.Event) string {
	select {
	case told := <-events:
		return told.Type.String() + " " + told.Path
	case <-time.After(10 * time.Second):
		return "nothing"
	}
}

func silent(what string, events <-chan zk.Event) {
	select {
	case told := <-events:
		panic(fmt.Sprintf("%s: expected silence, was told %v", what, told))
	default:
	}
}
