package main

// What is told, and what outlives a connection, a session and a server.

import (
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
)

func watchesFireOnceAndInTime(stage *stage) {
	s, other := open(stage.address, 10*time.Second), open(stage.address, 10*time.Second)
	defer s.Close()
	defer other.Close()
	top := root(s, "watches")
	_, _, data, err := s.GetW(top)
	must("get", err)
	_, _, children, err := s.ChildrenW(top)
	must("children", err)
	_, _, missing, err := s.ExistsW(top + "/later")
	must("exists", err)
	_, err = other.Set(top, []byte("x"), -1)
	must("set", err)
	equal("data", "EventNodeDataChanged "+top, event(data))
	silent("children", children)
	other.make(top+"/later", 0)
	equal("created", "EventNodeCreated "+top+"/later", event(missing))
	equal("children", "EventNodeChildrenChanged "+top, event(children))
	_, _, gone, err := s.GetW(top + "/later")
	must("get", err)
	must("delete", other.Delete(top+"/later", -1))
	equal("deleted", "EventNodeDeleted "+top+"/later", event(gone))
	for round := range 50 {
		_, _, own, err := s.GetW(top)
		must("get", err)
		_, err = s.Set(top, []byte(fmt.Sprint(round)), -1)
		must("set", err)
		// The client hands an event on before it returns the answer that came behind it.
		equal("told before the answer", "EventNodeDataChanged "+top, event(own))
	}
}

func watchesAreCaughtUpAfterAReconnect(stage *stage) {
	wire := stage.wire()
	s, other := open(wire.address, 20*time.Second), open(stage.address, 10*time.Second)
	defer s.Close()
	defer other.Close()
	top := root(s, "caughtup")
	id := s.SessionID()
	s.make(top+"/mine", zk.FlagEphemeral)
	_, _, data, err := s.GetW(top)
	must("get", err)
	_, _, missing, err := s.ExistsW(top + "/later")
	must("exists", err)
	_, _, quiet, err := s.GetW(top + "/mine")
	must("get", err)
	wire.cut()
	becomes("disconnected", 10*time.Second, true, func() any { return s.saw(zk.StateDisconnected) })
	_, err = other.Set(top, []byte("x"), -1)
	must("set", err)
	other.make(top+"/later", 0)
	wire.mend()
	s.back()
	equal("data", "EventNodeDataChanged "+top, event(data))
	equal("created", "EventNodeCreated "+top+"/later", event(missing))
	equal("the same session", id, s.SessionID())
	silent("what did not change", quiet)
	_, err = other.Set(top+"/mine", []byte("x"), -1)
	must("set", err)
	equal("it is armed again", "EventNodeDataChanged "+top+"/mine", event(quiet))
}

func anExpiredSessionIsToldAndReplaced(stage *stage) {
	wire := stage.wire()
	s, other := open(wire.address, 4*time.Second), open(stage.address, 10*time.Second)
	defer s.Close()
	defer other.Close()
	top := root(s, "expired")
	s.make(top+"/mine", zk.FlagEphemeral)
	_, _, gone, err := other.ExistsW(top + "/mine")
	must("exists", err)
	id := s.SessionID()
	wire.cut()
	equal("its ephemeral goes", "EventNodeDeleted "+top+"/mine", event(gone))
	wire.mend()
	becomes("it is told", 20*time.Second, true, func() any { return s.saw(zk.StateExpired) })
	becomes("a new session", 20*time.Second, true, func() any { return s.State() == zk.StateHasSession && s.SessionID() != id })
	_, err = s.Create(top+"/mine", nil, zk.FlagEphemeral, anyone)
	must("it works", err)
}

func aKilledServerLosesNothing(stage *stage) {
	s := open(stage.address, 20*time.Second)
	defer s.Close()
	top := root(s, "restart")
	s.make(top+"/mine", zk.FlagEphemeral)
	_, err := s.Set(top, []byte("kept"), -1)
	must("set", err)
	_, before, watched, err := s.GetW(top)
	must("get", err)
	id := s.SessionID()
	stage.killServer()
	becomes("disconnected", 10*time.Second, true, func() any { return s.saw(zk.StateDisconnected) })
	stage.startServer()
	s.back()
	equal("the same session", id, s.SessionID())
	data, after, err := s.Get(top)
	must("get", err)
	equal("data", "kept", string(data))
	equal("stat", before, after)
	_, stat, err := s.Exists(top + "/mine")
	must("exists", err)
	equal("owner", id, stat.EphemeralOwner)
	silent("nothing changed", watched)
	_, err = s.Set(top, nil, before.Version)
	must("set", err)
	equal("the watch was armed again", "EventNodeDataChanged "+top, event(watched))
}
