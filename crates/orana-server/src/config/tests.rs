//! Configuration as an operator meets it: layers, mistakes, the printed form.

use std::time::Duration;

use super::*;

fn file(text: &str) -> Sources {
    Sources {
        file: Some(FileText {
            path: "orana.toml".into(),
            text: text.to_owned(),
        }),
        ..Sources::default()
    }
}

fn variable(name: &str, text: &str) -> Sources {
    Sources {
        variables: vec![(name.to_owned(), text.to_owned())],
        ..Sources::default()
    }
}

fn flag(name: &str, text: &str) -> Sources {
    Sources {
        flags: vec![(name.to_owned(), text.to_owned())],
        ..Sources::default()
    }
}

fn refusal(sources: &Sources) -> String {
    Config::load(sources)
        .expect_err("this configuration is refused")
        .to_string()
}

#[test]
fn the_defaults_are_valid_and_are_those_of_the_documentation() {
    let config = Config::default();
    assert_eq!(config.zookeeper, Some("127.0.0.1:2181".parse().expect("an address")));
    assert_eq!(config.admin, Some("127.0.0.1:7710".parse().expect("an address")));
    assert_eq!(config.min_session_timeout(), Duration::from_secs(4));
    assert_eq!(config.max_session_timeout(), Duration::from_secs(40));
    assert_eq!(config.max_request_bytes, 1_048_575);
    assert_eq!(config.event_window, Duration::from_millis(50));
    assert_eq!(config.super_digest, None);
}

#[test]
fn the_default_words_are_exactly_those_that_only_read() {
    let words = Config::default().four_letter_words;
    for (word, reads) in FOUR_LETTER_WORDS {
        assert_eq!(words.allows(word), *reads, "{word}");
    }
    assert!(!words.allows("xxxx"));
}

#[test]
fn each_layer_wins_over_the_ones_before_it_and_is_remembered() {
    let mut sources = file("tick-time = \"1s\"\ndata = \"from-file\"\nmax-connections = 10\n");
    sources.variables = vec![
        ("ORANA_DATA".into(), "from-variable".into()),
        ("ORANA_MAX_CONNECTIONS".into(), "11".into()),
    ];
    sources.flags = vec![("max-connections".into(), "12".into())];
    let loaded = Config::load(&sources).expect("valid");
    assert_eq!(loaded.config.tick_time, Duration::from_secs(1));
    assert_eq!(loaded.config.data, PathBuf::from("from-variable"));
    assert_eq!(loaded.config.max_connections, 12);
    let origin = |key| loaded.origin(key).expect("a known key").to_string();
    assert_eq!(origin("tick-time"), "orana.toml:1");
    assert_eq!(origin("data"), "ORANA_DATA");
    assert_eq!(origin("max-connections"), "--max-connections");
    assert_eq!(origin("admin"), "default");
}

#[test]
fn a_value_that_is_overridden_later_may_be_anything() {
    let mut sources = file("tick-time = \"nonsense\"");
    sources.flags = vec![("tick-time".into(), "1s".into())];
    assert_eq!(
        Config::load(&sources).expect("valid").config.tick_time,
        Duration::from_secs(1)
    );
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_known_one() {
    assert_eq!(
        refusal(&file("data = \"x\"\n\ntick_tim = \"1s\"")),
        "unknown key `tick_tim` (orana.toml:3); the nearest known one is `tick-time`"
    );
    assert_eq!(
        refusal(&variable("ORANA_DTAA", "x")),
        "unknown variable `ORANA_DTAA`; the nearest known one is `ORANA_DATA`"
    );
    assert_eq!(
        refusal(&flag("zokeeper", "off")),
        "unknown flag `--zokeeper`; the nearest known one is `--zookeeper`"
    );
}

#[test]
fn variables_of_other_programs_are_passed_over() {
    assert!(Config::load(&variable("ORANAX", "x")).is_ok());
    assert!(Config::load(&variable("ORANA_CONFIG", "x")).is_ok());
    assert!(Config::load(&variable("PATH", "x")).is_ok());
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_with_what_is_taken_instead() {
    for (key, text, expected) in [
        ("tick-time", "2", "with a unit"),
        ("tick-time", "0", "above zero"),
        ("tick-time", "99999999999999999999h", "with a unit"),
        ("zookeeper", "2181", "`IP:PORT`"),
        ("zookeeper", "example.org:2181", "`IP:PORT`"),
        ("allow-remote", "yes", "`true` or `false`"),
        ("max-request-bytes", "3GiB", "at most"),
        ("max-request-bytes", "12", "at least"),
        ("max-request-bytes", "1MX", "`64MiB`"),
        ("max-connections", "0", "at least 1"),
        ("max-connections", "-1", "at least 1"),
        ("log-level", "loud", "`trace`"),
        ("log-format", "xml", "`text`, `json`"),
        ("four-letter-words", "ruok,rm", "`ruok`"),
        ("min-session-timeout", "0 ticks", "`2 ticks`"),
        ("data", "", "a directory"),
    ] {
        let message = refusal(&flag(key, text));
        assert!(
            message.starts_with(&format!("`{key}` (--{key}) does not take `{text}`")),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_secret_is_neither_printed_nor_quoted_in_an_error() {
    assert!(!refusal(&flag("super-digest", "verysecret")).contains("verysecret"));
    let loaded = Config::load(&flag("super-digest", "super:verysecret=")).expect("valid");
    assert_eq!(loaded.config.super_digest.as_deref(), Some("super:verysecret="));
    assert!(!loaded.to_string().contains("verysecret"));
}

#[test]
fn numbers_flags_and_arrays_of_the_file_need_no_quotes() {
    let loaded = Config::load(&file(
        "max-connections = 1_000\nallow-remote = true\nfour-letter-words = [\"ruok\", \"srst\"]\ndisk-reserve = 0\n",
    ));
    let config = loaded.expect("valid").config;
    assert_eq!(config.max_connections, 1_000);
    assert!(config.allow_remote);
    assert_eq!(config.four_letter_words.iter().collect::<Vec<_>>(), ["ruok", "srst"]);
    assert_eq!(config.disk_reserve, 0);
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_its_line() {
    assert!(refusal(&file("data = \"x\"\nadmin = = 3\n")).starts_with("`orana.toml` line 2: "));
    assert!(refusal(&file("[data]\nx = 1\n")).starts_with("`data` (orana.toml:1) does not take"));
    assert!(refusal(&file("max-connections = 0x10\n")).contains("does not take `0x10`"));
    assert!(refusal(&file("tick-time = 1.5\n")).contains("does not take `1.5`"));
}

#[test]
fn listening_beyond_loopback_needs_consent_that_is_said_aloud() {
    for address in ["0.0.0.0:2181", "192.0.2.7:2181", "[::]:2181"] {
        assert!(
            refusal(&flag("zookeeper", address)).contains("allow-remote = true"),
            "{address}"
        );
        assert!(
            refusal(&flag("admin", address)).contains("allow-remote = true"),
            "{address}"
        );
        let mut sources = flag("zookeeper", address);
        sources.flags.push(("allow-remote".into(), "true".into()));
        let config = Config::load(&sources).expect("allowed").config;
        assert_eq!(
            config.remote_addresses().map(|(key, _)| key).collect::<Vec<_>>(),
            ["zookeeper"]
        );
    }
    for address in [
        "127.0.0.1:0",
        "127.8.9.1:1",
        "[::1]:2181",
        "localhost:2181",
        "[::ffff:127.0.0.1]:2181",
    ] {
        assert!(Config::load(&flag("zookeeper", address)).is_ok(), "{address}");
    }
}

#[test]
fn values_that_do_not_fit_together_are_refused() {
    assert_eq!(
        refusal(&flag("min-session-timeout", "50s")),
        "`min-session-timeout` (50s) is above `max-session-timeout` (40s)"
    );
    assert!(refusal(&flag("max-outstanding-bytes", "4096")).contains("could never be accepted"));
    let mut sources = flag("zookeeper", "off");
    sources.flags.push(("admin".into(), "off".into()));
    assert_eq!(
        refusal(&sources),
        "`zookeeper` and `admin` are both off: there is nothing to serve"
    );
}

#[test]
fn session_bounds_follow_the_tick_unless_they_are_times() {
    let mut sources = flag("tick-time", "500ms");
    sources.flags.push(("max-session-timeout".into(), "1m".into()));
    let config = Config::load(&sources).expect("valid").config;
    assert_eq!(config.min_session_timeout(), Duration::from_secs(1));
    assert_eq!(config.max_session_timeout(), Duration::from_secs(60));
}

#[test]
fn the_printed_configuration_is_a_file_that_says_the_same() {
    let mut sources = flag("tick-time", "1500ms");
    sources.flags.push(("four-letter-words".into(), "ruok,stat".into()));
    sources.flags.push(("data".into(), "a \"quoted\" dir".into()));
    let loaded = Config::load(&sources).expect("valid");
    let printed = loaded.to_string();
    assert!(
        printed.contains("tick-time = \"1500ms\"") && printed.contains("# --tick-time"),
        "{printed}"
    );
    assert!(printed.contains("max-request-bytes = 1048575 "), "{printed}");
    assert!(printed.contains("disk-reserve = \"256MiB\" "), "{printed}");
    let again = Config::load(&file(&printed)).expect("the printed form is valid");
    assert_eq!(again.config, loaded.config);
}

#[test]
fn every_key_has_a_sentence_and_a_default_that_survives_printing() {
    for key in KEYS {
        assert!(!key.doc.is_empty() && !key.doc.ends_with('.'), "{}", key.name);
        let mut config = Config::default();
        let shown = (key.show)(&config);
        (key.set)(&mut config, &shown).expect("shown text is read again");
        assert_eq!(config, Config::default(), "{}", key.name);
    }
}
