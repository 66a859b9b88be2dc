//! `zkCli`, the command line that operators of ZooKeeper have in their fingers: every command that a standalone server
//! answers, typed into the shells of Debian's 3.8 and of 3.9, with what they print.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};
use orana_interop::{Drill, Java, Peer, Program, drill, program};

const PATIENCE: Duration = Duration::from_secs(30);

/// A shell; its argument is the server's address.
#[derive(Debug)]
struct Shell {
    class_path: String,
}

impl Program for Shell {
    fn command(&self, home: &Path) -> Result<Command> {
        let java = program::java(home);
        // Answers come on both outputs; here they are one, in the order in which they were written.
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec \"$@\" 2>&1", "sh"])
            .arg(java.get_program())
            .args(java.get_args());
        command.args(["-cp", &self.class_path, "org.apache.zookeeper.ZooKeeperMain", "-server"]);
        Ok(command)
    }
}

/// A shell that is connected, one command at a time.
struct Typing {
    shell: Peer,
    typed: usize,
}

impl Typing {
    fn at(drill: &Drill, class_path: String, name: &str, address: &str) -> Result<Typing> {
        let mut shell = drill.run(&Shell { class_path }, name, &[address])?;
        shell.expect("WatchedEvent state:SyncConnected", PATIENCE)?;
        Ok(Typing { shell, typed: 0 })
    }

    /// Types a command and returns all lines up to the answer of the next one, which asks for a node that is not there.
    fn run(&mut self, line: &str) -> Result<Vec<String>> {
        self.typed += 1;
        let end = format!("Node does not exist: /end-{}", self.typed);
        self.shell.say(line)?;
        self.shell.say(&format!("get /end-{}", self.typed))?;
        let mut lines = Vec::new();
        self.shell.until(PATIENCE, |said| {
            if said.contains(&end) {
                return Some(());
            }
            if !said.is_empty() {
                lines.push(said.to_owned());
            }
            None
        })?;
        Ok(lines)
    }

    /// Types a command whose answer has to be exactly these lines.
    fn says(&mut self, line: &str, expected: &[&str]) -> Result<()> {
        let said = self.run(line)?;
        ensure!(said == expected, "`{line}` said {said:?}, not {expected:?}");
        Ok(())
    }

    /// Types a command that prints a stat among other things, of which these have to be part.
    fn tells(&mut self, line: &str, expected: &[&str]) -> Result<()> {
        let said = self.run(line)?;
        for part in expected {
            ensure!(
                said.iter().any(|told| told == part),
                "`{line}` said {said:?} without `{part}`"
            );
        }
        Ok(())
    }
    /// Ends the shell, which closes its session. Its exit code is that of the command before.
    fn leaves(&mut self) -> Result<()> {
        self.shell.say("quit")?;
        let status = self.shell.leave(PATIENCE)?;
        ensure!(status.code().is_some(), "the shell ended with {status}");
        Ok(())
    }
}

#[test]
fn operators_find_their_commands_in_the_shell_of_3_8() {
    drill("zkcli-3.8", 1, |drill| {
        let jars = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-nop.jar";
        commands(drill, jars.to_owned())
    });
}

#[test]
fn operators_find_their_commands_in_the_shell_of_3_9() {
    drill("zkcli-3.9", 1, |drill| {
        let client = Java {
            project: "zk39",
            main: "orana.zk39.Main",
            with_sources_of: &["stage", "zkclient"],
        };
        let jars = format!("/usr/share/java/commons-cli.jar:{}", client.class_path()?);
        commands(drill, jars)
    });
}

fn commands(drill: &Drill, class_path: String) -> Result<()> {
    let server = drill.subject()?;
    let mut cli = Typing::at(drill, class_path.clone(), "shell", &server.address())?;
    nodes(&mut cli)?;
    permissions(&mut cli)?;
    let mut other = Typing::at(drill, class_path, "other", &server.address())?;
    watches(&mut cli, &mut other)?;
    sessions(&mut cli, &mut other)?;
    ending(&mut cli)
}

fn nodes(cli: &mut Typing) -> Result<()> {
    let version = cli.run("version")?;
    ensure!(
        version.iter().any(|line| line.starts_with("ZooKeeper CLI version: 3.")),
        "{version:?}"
    );
    cli.says("create /cli one", &["Created /cli"])?;
    cli.says("create -e /cli/e", &["Created /cli/e"])?;
    cli.says("create -s /cli/s- eph", &["Created /cli/s-0000000001"])?;
    cli.says("create -c /cli/c", &["Created /cli/c"])?;
    cli.says("create -t 60000 /cli/t", &["Created /cli/t"])?;
    cli.says("create -e -s /cli/es-", &["Created /cli/es-0000000004"])?;
    cli.says("create /cli", &["Node already exists: /cli"])?;
    cli.says("create /cli/e/x", &["Ephemerals cannot have children: /cli/e/x"])?;
    cli.says("ls /cli", &["[c, e, es-0000000004, s-0000000001, t]"])?;
    let all = [
        "/cli",
        "/cli/c",
        "/cli/e",
        "/cli/es-0000000004",
        "/cli/s-0000000001",
        "/cli/t",
    ];
    cli.says("ls -R /cli", &all)?;
    cli.tells(
        "ls -s /cli",
        &[
            "[c, e, es-0000000004, s-0000000001, t]",
            "cversion = 5",
            "numChildren = 5",
        ],
    )?;
    let deep = cli.run("ls -R -s /cli")?;
    ensure!(deep.iter().any(|line| line == "/cli/e"), "{deep:?}");
    cli.says("get /cli", &["one"])?;
    cli.tells(
        "get -s /cli",
        &["one", "dataVersion = 0", "dataLength = 3", "ephemeralOwner = 0x0"],
    )?;
    cli.tells("set -s /cli two", &["dataVersion = 1", "dataLength = 3"])?;
    cli.tells("set -s -v 1 /cli three", &["dataVersion = 2", "dataLength = 5"])?;
    cli.says("set -v 1 /cli four", &["version No is not valid : /cli"])?;
    let stat = cli.run("stat /cli")?;
    ensure!(
        stat.len() == 11 && stat.iter().any(|line| line == "dataVersion = 2"),
        "{stat:?}"
    );
    cli.says("sync /cli", &["Sync is OK"])?;
    cli.says("config", &[])?;
    cli.says("ls /none", &["Node does not exist: /none"])?;
    cli.says("getAllChildrenNumber /cli", &["5"])
}

fn permissions(cli: &mut Typing) -> Result<()> {
    cli.says("getAcl /cli", &["'world,'anyone", ": cdrwa"])?;
    cli.tells("getAcl -s /cli", &["'world,'anyone", ": cdrwa", "aclVersion = 0"])?;
    cli.tells("create /cli/m x auth::cdrwa", &["Acl is not valid : /cli/m"])?;
    cli.says("addauth digest bob:secret", &[])?;
    cli.says("create /cli/m x auth::cdrwa", &["Created /cli/m"])?;
    cli.says(
        "getAcl /cli/m",
        &["'digest,'bob:fyVmFCwVbTJYrznoSu1koqYEYF0=", ": cdrwa"],
    )?;
    cli.tells("setAcl -s -v 0 /cli/c world:anyone:r", &["aclVersion = 1"])?;
    let refused = cli.run("setAcl /cli/c world:anyone:cdrwa")?;
    ensure!(
        refused
            .iter()
            .any(|line| line.contains("Insufficient permission") || line.contains("NoAuth")),
        "{refused:?}"
    );
    cli.says("getAcl /cli/c", &["'world,'anyone", ": r"])?;
    let mut known = cli.run("whoami")?;
    known.sort();
    ensure!(
        known == ["Auth scheme: User", "digest: bob", "ip: 127.0.0.1"],
        "{known:?}"
    );
    Ok(())
}

fn watches(cli: &mut Typing, other: &mut Typing) -> Result<()> {
    cli.says("get -w /cli", &["three"])?;
    cli.says("ls -w /cli/t", &["[]"])?;
    other.says("set /cli x", &[])?;
    other.says("create /cli/t/x", &["Created /cli/t/x"])?;
    told(
        cli,
        &["type:NodeDataChanged path:/cli", "type:NodeChildrenChanged path:/cli/t"],
    )?;
    cli.says("addWatch -m PERSISTENT_RECURSIVE /cli/t", &[])?;
    other.says("set /cli/t y", &[])?;
    other.says("delete /cli/t/x", &[])?;
    told(
        cli,
        &["type:NodeDataChanged path:/cli/t", "type:NodeDeleted path:/cli/t/x"],
    )?;
    let removed = cli.run("removewatches /cli/t")?;
    ensure!(
        removed.iter().any(|line| line.contains("WatchRemoved path:/cli/t")),
        "{removed:?}"
    );
    other.says("set /cli/t z", &[])?;
    let quiet = cli.run("sync /")?;
    ensure!(!quiet.iter().any(|line| line.contains("NodeDataChanged")), "{quiet:?}");
    let none = cli.run("removewatches /cli/t")?;
    ensure!(none.iter().any(|line| line.contains("No such watcher")), "{none:?}");
    Ok(())
}

/// What the shell was told by now: events come between the answers.
fn told(cli: &mut Typing, expected: &[&str]) -> Result<()> {
    let said = cli.run("sync /")?;
    let events: Vec<&String> = said.iter().filter(|line| line.starts_with("WatchedEvent")).collect();
    let all = expected
        .iter()
        .all(|part| events.iter().any(|event| event.contains(part)));
    ensure!(
        all && events.len() == expected.len(),
        "told {events:?}, not {expected:?}"
    );
    Ok(())
}

fn sessions(cli: &mut Typing, other: &mut Typing) -> Result<()> {
    let mine = cli.run("getEphemerals")?;
    let mine = mine.first().context("an answer")?;
    ensure!(
        mine == "[/cli/e, /cli/es-0000000004]" || mine == "[/cli/es-0000000004, /cli/e]",
        "{mine}"
    );
    cli.says("getEphemerals /cli/es", &["[/cli/es-0000000004]"])?;
    other.says("getEphemerals", &["[]"])?;
    let history = cli.run("history")?;
    ensure!(
        history.iter().any(|line| line.ends_with("- getEphemerals")),
        "{history:?}"
    );
    let unknown = cli.run("nonsense")?;
    ensure!(
        unknown.iter().any(|line| line.contains("Command not found")),
        "{unknown:?}"
    );
    other.says("create -e /cli/theirs", &["Created /cli/theirs"])?;
    other.leaves()?;
    cli.says("ls /cli", &["[c, e, es-0000000004, m, s-0000000001, t]"])
}

fn ending(cli: &mut Typing) -> Result<()> {
    let refused = cli.run("reconfig -remove 1")?;
    ensure!(refused.iter().any(|line| line.contains("econfig")), "{refused:?}");
    cli.says("delete -v 9 /cli/c", &["version No is not valid : /cli/c"])?;
    cli.says("delete -v 0 /cli/c", &[])?;
    cli.says("delete /cli", &["Node not empty: /cli"])?;
    cli.run("deleteall /cli")?;
    cli.says("ls /cli", &["Node does not exist: /cli"])?;
    cli.says("ls /", &["[zookeeper]"])?;
    cli.leaves()
}
