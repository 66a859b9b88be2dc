// A connection path to the server that a scenario can cut and mend; the test holds the cable.
package orana.stage;

public final class Wire {
    private final Stage stage;
    private final String address;

    Wire(Stage stage, String address) {
        this.stage = stage;
        this.address = address;
    }

    /** The `host:port` that clients of this wire connect to. */
    public String address() {
        return address;
    }

    /** Drops every connection on this wire and lets none through until it is mended. */
    public void cut() throws Exception {
        stage.ask("cut " + address);
    }

    /** Lets connections through again. */
    public void mend() throws Exception {
        stage.ask("mend " + address);
    }

    /** A short loss: connections drop, and the next attempt succeeds. */
    public void blink() throws Exception {
        cut();
        mend();
    }
}
