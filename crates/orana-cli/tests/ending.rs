//! How a running `orana server` ends.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A centre on a free port with data of its own; killed when dropped.
struct Server(Child);

impl Server {
    /// Starts it and waits for its ready line.
    fn start(name: &str) -> Server {
        let data = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&data);
        let mut child = Command::new(env!("CARGO_BIN_EXE_orana"))
            .args(["server", "--zookeeper", "127.0.0.1:0", "--admin", "off", "--data"])
            .arg(&data)
            .env_clear()
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let ready = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains("ready zookeeper="));
        // Read on, so that the server never waits for us.
        thread::spawn(move || lines.count());
        let server = Server(child);
        assert!(ready.is_some(), "it ended before it was ready");
        server
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args(["-s", signal, &self.0.id().to_string()])
            .status();
        assert!(sent.expect("`kill` starts").success());
    }

    fn ends(&mut self, patience: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("its status") {
                return status;
            }
            assert!(start.elapsed() < patience, "it still runs after {patience:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_signal_ends_the_server_with_code_zero() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&format!("ending-{signal}"));
        server.signal(signal);
        assert_eq!(server.ends(Duration::from_secs(10)).code(), Some(0), "{signal}");
    }
}
