// The Go client github.com/go-zookeeper/zk: its calls, its watches and its lock, over lost connections and a killed server.
package main

import "os"

func main() {
	newStage(os.Args[1]).play([]scenario{
		{"an_expired_session_is_told_and_replaced", anExpiredSessionIsToldAndReplaced},
		{"nodes_are_made_read_changed_and_deleted", nodesAreMadeReadChangedAndDeleted},
		{"refusals_have_their_names", refusalsHaveTheirNames},
		{"acls_are_kept_and_checked", aclsAreKeptAndChecked},
		{"a_multi_is_all_or_nothing", aMultiIsAllOrNothing},
		{"watches_fire_once_and_in_time", watchesFireOnceAndInTime},
		{"watches_are_caught_up_after_a_reconnect", watchesAreCaughtUpAfterAReconnect},
		{"the_lock_lets_one_in_at_a_time", theLockLetsOneInAtATime},
		{"a_protected_node_is_made_once", aProtectedNodeIsMadeOnce},
		{"four_letter_words_are_answered", fourLetterWordsAreAnswered},
		{"many_requests_in_flight_are_answered", manyRequestsInFlightAreAnswered},
	}, []scenario{
		{"a_killed_server_loses_nothing", aKilledServerLosesNothing},
	})
}
