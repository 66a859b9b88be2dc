//! `orana server` and its settings, as far as they go without a server.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs `orana server` in a directory of its own with this `orana.toml`, these variables and these arguments.
fn server(
    name: &str,
    file: Option<&str>,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> (Option<i32>, String, String) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a directory");
    if let Some(text) = file {
        fs::write(dir.join("orana.toml"), text).expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_orana"));
    command
        .arg("server")
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .current_dir(&dir);
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn the_printed_settings_say_where_each_comes_from() {
    let (code, out, error) = server(
        "printed",
        Some("tick-time = \"1s\"\nmax-connections = 5\n"),
        &[("ORANA_MAX_CONNECTIONS", "6"), ("ORANA_LOG_FORMAT", "json")],
        &[
            "--print-config",
            "--log-format",
            "text",
            "--allow-remote",
            "--zookeeper",
            "0.0.0.0:2181",
        ],
    );
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let origin = |key: &str| {
        let line = out
            .lines()
            .find(|line| line.starts_with(&format!("{key} = ")))
            .expect("a line");
        let (value, origin) = line.split_once("  # ").expect("an origin");
        (value.trim().to_owned(), origin.to_owned())
    };
    assert_eq!(
        origin("tick-time"),
        ("tick-time = \"1s\"".into(), "orana.toml:1".into())
    );
    assert_eq!(
        origin("max-connections"),
        ("max-connections = 6".into(), "ORANA_MAX_CONNECTIONS".into())
    );
    assert_eq!(
        origin("log-format"),
        ("log-format = \"text\"".into(), "--log-format".into())
    );
    assert_eq!(
        origin("allow-remote"),
        ("allow-remote = true".into(), "--allow-remote".into())
    );
    assert_eq!(origin("admin"), ("admin = \"127.0.0.1:7710\"".into(), "default".into()));
}

#[test]
fn a_configuration_that_is_not_understood_ends_with_code_two_and_the_way_out() {
    for (name, file, variables, arguments, expected) in [
        (
            "file",
            Some("admn = \"off\""),
            &[][..],
            &[][..],
            "unknown key `admn` (orana.toml:1); the nearest known one is `admin`",
        ),
        (
            "variable",
            None,
            &[("ORANA_DAT", "x")][..],
            &[][..],
            "the nearest known one is `ORANA_DATA`",
        ),
        ("flag", None, &[][..], &["--zokeeper", "off"][..], "--zookeeper"),
        (
            "value",
            None,
            &[][..],
            &["--tick-time", "2"][..],
            "`tick-time` (--tick-time) does not take `2`",
        ),
        (
            "negative",
            None,
            &[][..],
            &["--max-connections", "-1"][..],
            "does not take `-1`",
        ),
        (
            "remote",
            None,
            &[][..],
            &["--admin", "0.0.0.0:7710"][..],
            "allow-remote = true",
        ),
        (
            "absent",
            None,
            &[][..],
            &["--config", "absent.toml"][..],
            "cannot read `absent.toml`",
        ),
    ] {
        let (code, out, error) = server(name, file, variables, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{name}: {error}");
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn another_file_is_read_instead_when_it_is_named() {
    let (code, out, _) = server(
        "named",
        Some("nonsense"),
        &[],
        &["--config", "/dev/null", "--print-config"],
    );
    assert_eq!(code, Some(0));
    assert!(out.lines().all(|line| line.ends_with("# default")), "{out}");
}

#[test]
fn help_lists_every_setting_with_its_default_and_its_variable() {
    let (code, out, _) = server("help", None, &[], &["--help"]);
    assert_eq!(code, Some(0));
    for key in orana_server::config::KEYS {
        assert!(
            out.contains(&format!("--{}", key.name)) && out.contains(&key.variable()),
            "{}",
            key.name
        );
    }
}
