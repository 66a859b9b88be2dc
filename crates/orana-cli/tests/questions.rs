//! The commands that ask a server, against servers that answer by a script: output, JSON and exit codes.

mod scripted;

use orana_wire::zookeeper::{ErrorCode, Reply, Stat};
use scripted::{Answer, http, orana, zookeeper};

const STAT: Stat = Stat {
    czxid: 0x10_0000_0000_0001,
    mzxid: 0x10_0000_0000_0002,
    ctime: 1_764_547_199_999,
    mtime: 1_764_547_200_000,
    version: 3,
    cversion: 5,
    aversion: 0,
    ephemeral_owner: 0x1234,
    data_length: 4,
    num_children: 2,
    pzxid: 0x10_0000_0000_0003,
};

#[test]
fn ls_prints_the_children_in_the_order_of_their_names() {
    let script = || zookeeper(Answer::Reply(Reply::Children(vec!["b".into(), "a".into(), "é".into()])));
    assert_eq!(
        orana(&["ls", "/x", "--zookeeper", &script()]),
        (0, "a\nb\né\n".into(), String::new())
    );
    let (code, out, _) = orana(&["ls", "/x", "--json", "--zookeeper", &script()]);
    assert_eq!(
        (code, json(&out)),
        (0, serde_json::json!({"path": "/x", "children": ["a", "b", "é"]}))
    );
}

#[test]
fn an_empty_node_has_no_lines() {
    let empty = zookeeper(Answer::Reply(Reply::Children(vec![])));
    assert_eq!(
        orana(&["ls", "/x", "--zookeeper", &empty]),
        (0, String::new(), String::new())
    );
}

#[test]
fn get_prints_text_as_it_is_and_ends_the_line() {
    let script = |data: &'static [u8]| zookeeper(Answer::Reply(Reply::Data(Some(data), STAT)));
    assert_eq!(orana(&["get", "/x", "--zookeeper", &script(b"a: 1")]).1, "a: 1\n");
    assert_eq!(orana(&["get", "/x", "--zookeeper", &script(b"a: 1\n")]).1, "a: 1\n");
    let (_, out, _) = orana(&["get", "/x", "--json", "--zookeeper", &script(b"a: 1")]);
    assert_eq!(json(&out)["data"], "a: 1");
    assert_eq!(json(&out)["stat"]["version"], 3);
    let (_, out, _) = orana(&["get", "/x", "--json", "--zookeeper", &script(b"\xff\0")]);
    assert_eq!((&json(&out)["base64"], json(&out).get("data")), (&"/wA=".into(), None));
}

#[test]
fn data_that_is_absent_is_told_from_data_that_is_empty() {
    let get = |data| {
        let address = zookeeper(Answer::Reply(Reply::Data(data, STAT)));
        json(&orana(&["get", "/x", "--json", "--zookeeper", &address]).1)
    };
    assert_eq!(get(None).get("data"), None);
    assert_eq!(get(Some(b""))["data"], "");
}

#[test]
fn stat_prints_times_as_dates_and_ids_in_hexadecimal() {
    let script = || zookeeper(Answer::Reply(Reply::Stat(STAT)));
    let (code, out, _) = orana(&["stat", "/x", "--zookeeper", &script()]);
    assert_eq!(code, 0);
    for line in [
        "created           2025-11-30 23:59:59.999 UTC",
        "modified zxid     0x10000000000002",
        "ephemeral owner   0x1234",
    ] {
        assert!(out.lines().any(|printed| printed == line), "{out}");
    }
    let (_, out, _) = orana(&["stat", "/x", "--json", "--zookeeper", &script()]);
    assert_eq!(json(&out)["stat"]["czxid"], "0x10000000000001");
    assert_eq!(json(&out)["stat"]["numChildren"], 2);
}

#[test]
fn a_script_can_tell_failures_apart_by_the_exit_code() {
    let code = |answer| {
        let (code, out, error) = orana(&["get", "/x", "--zookeeper", &zookeeper(answer)]);
        assert!(out.is_empty() && error.starts_with("error: "), "{out}{error}");
        code
    };
    assert_eq!(code(Answer::Error(ErrorCode::NoNode.as_i32())), 3);
    assert_eq!(code(Answer::Error(ErrorCode::NoAuth.as_i32())), 5);
    assert_eq!(code(Answer::Error(ErrorCode::MarshallingError.as_i32())), 1);
    assert_eq!(code(Answer::Error(-999)), 1);
    assert_eq!(code(Answer::Close), 4);
    assert_eq!(code(Answer::Bytes(b"HTTP/1.1 400 Bad Request\r\n")), 1);
    assert_eq!(code(Answer::Refuse), 4);
    assert_eq!(orana(&["get", "/x", "--zookeeper", "127.0.0.1:1"]).0, 4);
    assert_eq!(orana(&["get", "x"]).0, 2);
    assert_eq!(orana(&["get"]).0, 2);
    assert_eq!(orana(&["nonsense"]).0, 2);
}

#[test]
fn services_are_a_table_for_a_person_and_one_document_for_a_program() {
    let body = r#"{"total": 2, "services": [
        {"interface": "com.a.Greeter", "group": "blue", "version": "1.0.0", "providers": 2, "consumers": 11},
        {"interface": "com.b.B", "group": null, "version": null, "providers": 0, "consumers": 1}]}"#;
    let (code, out, _) = orana(&["services", "--admin", &http(vec![(200, body.into())]).0]);
    assert_eq!(code, 0);
    assert_eq!(
        out,
        "INTERFACE      GROUP  VERSION  PROVIDERS  CONSUMERS\n\
         com.a.Greeter  blue   1.0.0    2          11\n\
         com.b.B        -      -        0          1\n"
    );
    let (_, out, _) = orana(&["services", "--json", "--admin", &http(vec![(200, body.into())]).0]);
    assert_eq!(json(&out), json(body));
}

#[test]
fn all_pages_are_read_until_one_is_not_full() {
    let page = |count: usize| {
        let service = r#"{"interface": "i", "group": null, "version": null, "providers": 1, "consumers": 0}"#;
        (
            200,
            format!(r#"{{"total": 501, "services": [{}]}}"#, vec![service; count].join(",")),
        )
    };
    let (address, asked) = http(vec![page(500), page(1)]);
    let (code, out, _) = orana(&["services", "--admin", &address]);
    assert_eq!((code, out.lines().count()), (0, 502));
    assert_eq!(
        asked.iter().collect::<Vec<_>>(),
        [
            "GET /v1/services?page=1&size=500 HTTP/1.1",
            "GET /v1/services?page=2&size=500 HTTP/1.1"
        ]
    );
    let (address, asked) = http(vec![page(3)]);
    let (_, out, _) = orana(&["services", "--page", "7", "--size", "3", "--admin", &address]);
    assert!(out.ends_with("3 of 501 services\n"), "{out}");
    assert_eq!(
        asked.iter().collect::<Vec<_>>(),
        ["GET /v1/services?page=7&size=3 HTTP/1.1"]
    );
}

#[test]
fn status_shows_whatever_the_centre_says() {
    let body = r#"{"role": "leader", "disk": {"free": 7}}"#;
    let script = || http(vec![(200, body.into())]).0;
    assert_eq!(
        orana(&["status", "--admin", &script()]).1,
        "role    leader\n\ndisk\n  free  7 B\n"
    );
    assert_eq!(json(&orana(&["status", "--json", "--admin", &script()]).1), json(body));
}

#[test]
fn an_admin_api_that_refuses_or_is_none_is_reported() {
    let refused = http(vec![(503, "still loading\n".into())]).0;
    let (code, _, error) = orana(&["status", "--admin", &refused]);
    assert!(
        code == 1 && error.contains("503") && error.contains("still loading"),
        "{error}"
    );
    let other = http(vec![(200, "<html>".into())]).0;
    assert_eq!(orana(&["status", "--admin", &other]).0, 1);
    let (code, _, error) = orana(&["status", "--admin", "127.0.0.1:1"]);
    assert!(code == 4 && error.contains("127.0.0.1:1"), "{error}");
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("a JSON document")
}
