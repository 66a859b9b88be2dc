// Curator's recipes, and the framework below them.
package orana.curator5;

import orana.stage.Stage;

public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        Stage stage = new Stage(args);
        Kept.on(stage);
        Leaders.on(stage);
        Locks.on(stage);
        Caches.on(stage);
        Discovery.on(stage);
        Framework.on(stage);
        stage.run();
    }
}
