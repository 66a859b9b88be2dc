// The plain client 3.9: every call, and what it knows beyond 3.8.
package orana.zk39;

import orana.stage.Stage;
import orana.zkclient.EveryCall;

public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        Stage stage = new Stage(args);
        EveryCall.on(stage);
        Newer.on(stage);
        stage.run();
    }
}
