//! Trees of texts as SnakeYAML reads them, and texts that must not get far.

use std::time::{Duration, Instant};

use super::*;

fn read(text: &str) -> Document {
    parse(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}

fn refused(text: &str) -> YamlError {
    match parse(text) {
        Ok(document) => panic!("{document:?}"),
        Err(error) => error,
    }
}

fn scalar(node: &Node) -> &Scalar {
    match &node.value {
        Value::Scalar(scalar) => scalar,
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_scalars_mean_what_snakeyaml_takes_them_for() {
    let mut seen = 0;
    for line in include_str!("../golden/scalars.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (written, wanted) = line.split_once('\t').unwrap();
        let text = format!("k: {written}");
        seen += 1;
        // `<<` is refused wherever it stands as a key; as a value it is a text here.
        if wanted == "ERR" && written != "<<" {
            refused(&text);
            continue;
        }
        if written == "<<" {
            continue;
        }
        let document = read(&text);
        let scalar = scalar(document.root.get("k").unwrap());
        let class = match scalar {
            Scalar::Null => "Null",
            Scalar::Boolean(_) => "Boolean",
            Scalar::Integer(_) => "Integer",
            Scalar::Float(_) => "Double",
            Scalar::Timestamp(_) => "Date",
            Scalar::Text(_) => "String",
        };
        let shown = match scalar.to_text() {
            Some(text) => format!("{class}\t{text}"),
            None => class.to_owned(),
        };
        assert_eq!(shown, wanted.replace("BigInteger", "Integer"), "of {written:?}");
    }
    assert!(seen > 60);
}

#[test]
fn every_node_knows_its_line_and_column() {
    let document = read("a: 1\nlist:\n  - x\n  - {k: 'v'}\n");
    let list = document.root.get("list").unwrap();
    let Value::Sequence(items) = &list.value else {
        panic!("{list:?}");
    };
    let at = |node: &Node| (node.at.line, node.at.column);
    assert_eq!(at(document.root.get("a").unwrap()), (1, 4));
    assert_eq!(at(&items[0]), (3, 5));
    assert_eq!(at(items[1].get("k").unwrap()), (4, 9));
}

#[test]
fn columns_count_characters_and_not_bytes() {
    let document = read("{名: x, b: y}");
    assert_eq!(document.root.get("b").unwrap().at.column, 11);
}

#[test]
fn the_last_of_repeated_keys_counts_and_is_reported() {
    let document = read("a: 1\nb: 2\na: 3\n");
    assert_eq!(scalar(document.root.get("a").unwrap()), &Scalar::Integer("3".into()));
    assert_eq!(document.repeated.len(), 1);
    assert_eq!(document.repeated[0].at.line, 3);
}

#[test]
fn aliases_repeat_what_they_name() {
    let document = read("a: &x {k: 1}\nb: *x\n");
    assert_eq!(
        document.root.get("b").unwrap().get("k"),
        document.root.get("a").unwrap().get("k")
    );
}

#[test]
fn a_cycle_is_refused_where_it_closes() {
    let error = refused("a: 1\nb: &x\n  c: *x\n");
    assert_eq!(
        error.to_string(),
        "line 3, column 6: the alias names what it is a part of: a cycle"
    );
}

#[test]
fn an_alias_of_nothing_is_refused() {
    assert_eq!(refused("a: 1\nb: *nobody\n").at.line, 2);
}

#[test]
fn a_bomb_of_aliases_is_refused_before_it_grows() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..9 {
        let before = format!("*a{}, ", n - 1).repeat(10);
        text.push_str(&format!("a{n}: &a{n} [{before}]\n"));
    }
    let error = refused(&text);
    assert!(error.reason.contains("more than"), "{error}");
    assert!(error.at.line > 3);
}

#[test]
fn a_bomb_of_few_aliases_is_refused_by_the_number_of_values() {
    let list = format!("a: &a [{}]\n", "x,".repeat(60_000));
    let error = refused(&format!("{list}b: *a\n"));
    assert_eq!(
        error.to_string(),
        format!("line 2, column 4: this is one value more than {MAX_NODES}")
    );
}

#[test]
fn anchors_within_anchors_keep_no_more_than_a_document_may_hold() {
    let deep = format!(
        "{}{}{}",
        "[&a ".repeat(30),
        "[x,x,x,x,x,x,x,x,x],".repeat(3_000),
        "]".repeat(30)
    );
    assert!(refused(&deep).reason.contains("more than"));
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    assert!(parse(&format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH))).is_ok());
    for open in ["[", "{a: ", "- ", "? "] {
        let error = refused(&open.repeat(MAX_DEPTH + 1));
        assert_eq!(error.at.line, 1, "{open}");
        assert!(error.reason.contains("32 deep"), "{open}: {error}");
    }
}

#[test]
fn too_many_bytes_and_values_are_refused() {
    assert!(refused(&"a".repeat(MAX_BYTES + 1)).reason.contains("bytes"));
    let error = refused(&"- a\n".repeat(MAX_NODES + 1));
    assert_eq!(error.at.line as usize, MAX_NODES);
    assert!(error.reason.contains("more than 100000"), "{error}");
}

#[test]
fn a_megabyte_of_anything_is_read_or_refused_in_a_moment() {
    let pieces = [
        "[",
        "{",
        "[a, ",
        "{a: b, ",
        "- ",
        "? ",
        "a: ",
        "a: b\n",
        "- [\n",
        "\"",
        "'",
        "&a ",
        "*a ",
        "!a ",
        "!!str ",
        "|\n",
        ">\n ",
        "# x\n",
        "\n",
        " ",
        "\t",
        "%",
        "---\n",
        "...\n",
        "a\n",
        "a ",
        "[a: b,",
        "{[",
        "]",
        "}",
        ",",
        ": ",
        "\"a\": ",
        "[[],",
        "{},",
        "- - ",
        "\r",
        "%YAML 1.2\n---\n",
    ];
    for piece in pieces {
        let text = piece.repeat(MAX_BYTES / piece.len());
        let begun = Instant::now();
        let lines = text.lines().count().max(1);
        if let Err(error) = parse(&text) {
            assert!((1..=lines).contains(&(error.at.line as usize)), "{piece:?}: {error}");
        }
        let taken = begun.elapsed();
        assert!(taken < Duration::from_secs(10), "{piece:?} took {taken:?}");
    }
}

#[test]
fn two_documents_are_refused_and_so_is_none() {
    assert_eq!(refused("a: 1\n---\nb: 2\n").at.line, 2);
    for nothing in ["", "\n\n", "# only a comment\n"] {
        assert_eq!(refused(nothing).reason, "the text says nothing");
    }
}

#[test]
fn markers_and_comments_around_a_document_are_passed_over() {
    assert_eq!(
        read("\u{feff}# by hand\n---\na: b # c\n...\n")
            .root
            .get("a")
            .map(scalar),
        Some(&Scalar::Text("b".into()))
    );
}

#[test]
fn keys_must_be_single_values_and_merges_are_refused() {
    assert!(refused("[a]: b\n").reason.contains("a key is a list"));
    assert!(
        refused("a: &x {k: 1}\nb:\n  <<: *x\n")
            .reason
            .contains("write the keys out")
    );
}

#[test]
fn tags_of_other_types_are_refused() {
    for text in [
        "!!java.net.URL [a]",
        "a: !foo b",
        "!!set {a}",
        "a: !!int b",
        "!!binary aGk=",
    ] {
        assert!(refused(text).reason.contains("tag"), "{text}");
    }
}

#[test]
fn characters_that_yaml_does_not_have_are_refused() {
    assert_eq!(
        refused("a: b\nc: \u{0}d\n").to_string(),
        "line 2, column 4: the character U+0000 is not allowed in YAML"
    );
}
