package main

// Many clients or many requests at once: the lock, protected creates, requests in flight.

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
)

func theLockLetsOneInAtATime(stage *stage) {
	first := open(stage.address, 10*time.Second)
	defer first.Close()
	path := root(first, "lock") + "/deep/lock"
	var inside, turns atomic.Int32
	var working sync.WaitGroup
	var wrong atomic.Value
	for range 4 {
		working.Add(1)
		go func() {
			defer working.Done()
			defer func() {
				if panicked := recover(); panicked != nil {
					wrong.Store(fmt.Sprint(panicked))
				}
			}()
			s := open(stage.address, 10*time.Second)
			defer s.Close()
			lock := zk.NewLock(s.Conn, path, anyone)
			for range 15 {
				must("lock", lock.Lock())
				equal("alone inside", int32(1), inside.Add(1))
				turns.Add(1)
				inside.Add(-1)
				must("unlock", lock.Unlock())
			}
		}()
	}
	working.Wait()
	equal("nothing went wrong", nil, wrong.Load())
	equal("turns", int32(60), turns.Load())
	held := open(stage.address, 10*time.Second)
	lock := zk.NewLock(held.Conn, path, anyone)
	must("lock", lock.Lock())
	equal("twice", zk.ErrDeadlock, lock.Lock())
	got := make(chan error, 1)
	next := zk.NewLock(first.Conn, path, anyone)
	go func() { got <- next.Lock() }()
	time.Sleep(300 * time.Millisecond)
	equal("the other waits", 0, len(got))
	held.Close()
	select {
	case err := <-got:
		must("the other gets it when the holder's session ends", err)
	case <-time.After(10 * time.Second):
		panic("the lock outlived its holder's session")
	}
}

func aProtectedNodeIsMadeOnce(stage *stage) {
	wire := stage.wire()
	s, other := open(wire.address, 20*time.Second), open(stage.address, 10*time.Second)
	defer s.Close()
	defer other.Close()
	top := root(other, "protected")
	for range 3 {
		path, err := s.CreateProtectedEphemeralSequential(top+"/n-", nil, anyone)
		must("create", err)
		that("a protected name", strings.HasPrefix(path, top+"/_c_"))
		s.forget()
		wire.blink()
		s.back()
	}
	names, _, err := other.Children(top)
	must("children", err)
	equal("one for each", 3, len(names))
}

func manyRequestsInFlightAreAnswered(stage *stage) {
	s := open(stage.address, 20*time.Second)
	defer s.Close()
	top := root(s, "flight")
	var working sync.WaitGroup
	var failed atomic.Int32
	for range 100 {
		working.Add(1)
		go func() {
			defer working.Done()
			for range 20 {
				path, err := s.Create(top+"/n-", []byte("x"), zk.FlagEphemeral|zk.FlagSequence, anyone)
				if err != nil {
					failed.Add(1)
					continue
				}
				if data, _, err := s.Get(path); err != nil || string(data) != "x" {
					failed.Add(1)
				}
			}
		}()
	}
	working.Wait()
	equal("failed", int32(0), failed.Load())
	names, _, err := s.Children(top)
	must("children", err)
	distinct := map[string]bool{}
	for _, name := range names {
		distinct[name] = true
	}
	equal("nodes", 2000, len(distinct))
}
