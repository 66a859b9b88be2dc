package main

// Single calls: nodes, refusals, ACLs, transactions, four-letter words.

import (
	"sort"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

func nodesAreMadeReadChangedAndDeleted(stage *stage) {
	s := open(stage.address, 10*time.Second)
	defer s.Close()
	top := root(s, "nodes")
	equal("persistent", top+"/p", s.make(top+"/p", 0))
	equal("ephemeral", top+"/e", s.make(top+"/e", zk.FlagEphemeral))
	equal("sequential", top+"/s-0000000002", s.make(top+"/s-", zk.FlagSequence))
	container, err := s.CreateContainer(top+"/c", nil, zk.FlagContainer, anyone)
	must("container", err)
	ttl, err := s.CreateTTL(top+"/t", []byte("ttl"), zk.FlagTTL, anyone, time.Minute)
	must("ttl", err)
	equal("paths", []string{top + "/c", top + "/t"}, []string{container, ttl})
	_, stat, err := s.Exists(top + "/e")
	must("exists", err)
	equal("owner", s.SessionID(), stat.EphemeralOwner)
	stat, err = s.Set(top+"/p", []byte("one"), 0)
	must("set", err)
	equal("version", int32(1), stat.Version)
	data, read, err := s.Get(top + "/p")
	must("get", err)
	equal("data", "one", string(data))
	equal("stat", stat, read)
	names, parent, err := s.Children(top)
	must("children", err)
	sort.Strings(names)
	equal("children", []string{"c", "e", "p", "s-0000000002", "t"}, names)
	equal("their number", int32(5), parent.NumChildren)
	path, err := s.Sync(top)
	must("sync", err)
	equal("sync", top, path)
	must("delete", s.Delete(top+"/p", 1))
	there, _, err := s.Exists(top + "/p")
	must("exists", err)
	that("it is gone", !there)
}

func refusalsHaveTheirNames(stage *stage) {
	s := open(stage.address, 10*time.Second)
	defer s.Close()
	top := root(s, "refusals")
	s.make(top+"/e", zk.FlagEphemeral)
	create := func(path string) error {
		_, err := s.Create(path, nil, 0, anyone)
		return err
	}
	set := func(path string, version int32) error {
		_, err := s.Set(path, nil, version)
		return err
	}
	_, invalid := s.Create(top+"/x", nil, 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "nobody", ID: "x"}})
	for what, pair := range map[string][2]error{
		"exists":    {zk.ErrNodeExists, create(top)},
		"no parent": {zk.ErrNoNode, create(top + "/a/b")},
		"ephemeral": {zk.ErrNoChildrenForEphemerals, create(top + "/e/x")},
		"version":   {zk.ErrBadVersion, set(top, 7)},
		"missing":   {zk.ErrNoNode, set(top+"/missing", -1)},
		"not empty": {zk.ErrNotEmpty, s.Delete(top, -1)},
		"delete":    {zk.ErrNoNode, s.Delete(top+"/missing", -1)},
		"wrong ACL": {zk.ErrInvalidACL, invalid},
	} {
		equal(what, pair[0], pair[1])
	}
}

func aclsAreKeptAndChecked(stage *stage) {
	wire := stage.wire()
	s, stranger := open(wire.address, 20*time.Second), open(stage.address, 10*time.Second)
	defer s.Close()
	defer stranger.Close()
	must("auth", s.AddAuth("digest", []byte("ann:secret")))
	top := root(s, "acl")
	_, err := s.Create(top+"/mine", []byte("x"), 0, zk.AuthACL(zk.PermAll))
	must("create", err)
	acl, stat, err := s.GetACL(top + "/mine")
	must("get ACL", err)
	equal("auth became digest", zk.DigestACL(zk.PermAll, "ann", "secret"), acl)
	equal("its version", int32(0), stat.Aversion)
	_, _, err = stranger.Get(top + "/mine")
	equal("a stranger", zk.ErrNoAuth, err)
	wire.blink()
	s.back()
	becomes("identified again after the reconnect", 10*time.Second, "x", func() any {
		data, _, _ := s.Get(top + "/mine")
		return string(data)
	})
	stat, err = s.SetACL(top+"/mine", zk.WorldACL(zk.PermRead), 0)
	must("set ACL", err)
	equal("its version", int32(1), stat.Aversion)
	_, _, err = stranger.Get(top + "/mine")
	must("a stranger may read now", err)
}

func aMultiIsAllOrNothing(stage *stage) {
	s := open(stage.address, 10*time.Second)
	defer s.Close()
	top := root(s, "multi")
	results, err := s.Multi(
		&zk.CheckVersionRequest{Path: top, Version: 0},
		&zk.CreateRequest{Path: top + "/a", Data: []byte("a"), Acl: anyone},
		&zk.CreateRequest{Path: top + "/s-", Acl: anyone, Flags: zk.FlagSequence | zk.FlagEphemeral},
		&zk.SetDataRequest{Path: top, Data: []byte("new"), Version: 0},
		&zk.DeleteRequest{Path: top + "/a", Version: 0},
	)
	must("multi", err)
	equal("number of results", 5, len(results))
	equal("created", []string{top + "/a", top + "/s-0000000001"}, []string{results[1].String, results[2].String})
	equal("new version", int32(1), results[3].Stat.Version)
	results, err = s.Multi(
		&zk.CreateRequest{Path: top + "/b", Acl: anyone},
		&zk.SetDataRequest{Path: top, Version: 0},
	)
	equal("the whole", zk.ErrBadVersion, err)
	equal("the culprit", zk.ErrBadVersion, results[1].Error)
	there, _, err := s.Exists(top + "/b")
	must("exists", err)
	that("nothing was created", !there)
}

func fourLetterWordsAreAnswered(stage *stage) {
	s := open(stage.address, 10*time.Second)
	defer s.Close()
	servers := []string{stage.address}
	equal("ruok", []bool{true}, zk.FLWRuok(servers, 5*time.Second))
	// The line of the connection that asks has no session: the client calls that a failure and still returns the others.
	connections, _ := zk.FLWCons(servers, 5*time.Second)
	equal("servers", 1, len(connections))
	mine := 0
	for _, client := range connections[0].Clients {
		if client.SessionID == s.SessionID() {
			mine++
			equal("its timeout", int32(10000), client.Timeout)
		}
	}
	equal("this session among the connections", 1, mine)
	// The client understands `srvr` only with the date form of servers before 3.4; then it has to be right.
	stats, ok := zk.FLWSrvr(servers, 5*time.Second)
	if ok {
		equal("mode", zk.ModeStandalone, stats[0].Mode)
		that("connections", stats[0].Connections >= 1)
	} else {
		that("only the date is not understood: "+stats[0].Error.Error(), strings.Contains(stats[0].Error.Error(), "no regex matches"))
	}
}
