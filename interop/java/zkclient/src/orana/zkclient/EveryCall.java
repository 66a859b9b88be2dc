// The scenarios that every version of the plain ZooKeeper client plays.
package orana.zkclient;

import orana.stage.Stage;

public final class EveryCall {
    private EveryCall() {}

    public static void on(Stage stage) {
        // The slow ones, which wait for a server's clock, start first.
        Nodes.on(stage);
        Lives.on(stage);
        Permissions.on(stage);
        Watching.on(stage);
        Transactions.on(stage);
        Pipelines.on(stage);
    }
}
