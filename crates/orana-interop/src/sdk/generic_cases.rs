//! Calls by one who does not have the interface: objects are maps, or JSON.

use orana::{Client, Reference, Value};

use super::beans::{Colour, Item, Parent};
use super::canonical;
use super::cases::Cases;
use super::contract::CorpusClient;

const TEXT: &str = "java.lang.String";
const ITEM: &str = "org.example.peer.Item";

/// All of them.
pub(super) async fn run(corpus: &CorpusClient, cases: &mut Cases) {
    let corpus = corpus.reference();
    plain(corpus, cases).await;
    objects(corpus, cases).await;
    overloads(corpus, cases).await;
    failures(corpus, cases).await;
    json(corpus, cases).await;
}

async fn plain(corpus: &Reference, cases: &mut Cases) {
    let list = Value::list([Value::Int(1), "a".into()]);
    for (name, method, kind, value) in [
        ("string", "echoString", TEXT, "中".into()),
        ("null", "echoString", TEXT, Value::Null),
        ("int", "echoInt", "int", Value::Int(5)),
        ("long", "echoLong", "long", Value::Long(5)),
        ("boxed", "echoBoxedInt", "java.lang.Integer", Value::Int(5)),
        ("double", "echoDouble", "double", Value::Double(1.1)),
        ("boolean", "echoBoolean", "boolean", Value::Bool(true)),
        ("date", "echoDate", "java.util.Date", Value::Date(5)),
        ("enum", "echoColour", "org.example.peer.Colour", "GREEN".into()),
        (
            "ints",
            "echoInts",
            "int[]",
            Value::typed_list("[int", [1.into(), 2.into()]),
        ),
        (
            "strings",
            "echoStrings",
            "java.lang.String[]",
            Value::typed_list("[string", ["a".into(), "b".into()]),
        ),
        ("list", "echoList", "java.util.List", list),
        ("map", "echoMap", "java.util.Map", Value::map([("a", Value::Int(1))])),
    ] {
        let expected = canonical::of(&value);
        let arguments = [value];
        let call = async {
            Ok(canonical::of(
                &corpus.call_generic(method, Some(&[kind]), &arguments).await?,
            ))
        };
        cases.says(&format!("generic.{name}"), &expected, call).await;
    }
    cases
        .answers(
            "generic.void",
            &Value::Null,
            corpus.call_generic("nothing", Some(&[]), &[]),
        )
        .await;
    let arguments = ["x".into(), Value::Int(20)];
    let call = corpus.call_generic("later", Some(&[TEXT, "int"]), &arguments);
    cases.answers("generic.future", "x", call).await;
}

async fn objects(corpus: &Reference, cases: &mut Cases) {
    let call = async {
        let item = corpus
            .call_generic("echoItem", Some(&[ITEM]), &[item_as_map(false)])
            .await?;
        let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), canonical::of);
        let inner = item.get("inner").and_then(|inner| inner.get("name"));
        Ok(["class", "name", "id", "colour", "labels"]
            .map(|name| text(item.get(name)))
            .into_iter()
            .chain([text(inner)])
            .collect::<Vec<_>>()
            .join(" "))
    };
    let expected = format!("\"{ITEM}\" \"outer\" 7L \"GREEN\" map{{1=\"one\"}} \"inner\"");
    cases.says("generic.item", &expected, call).await;
    let arrived = canonical::of(&canonical::of(&item_as_object()));
    let arguments = [item_as_map(false)];
    let call = corpus.call_generic("describeItem", Some(&[ITEM]), &arguments);
    cases.says("generic.item-arrived", &arrived, told(call)).await;
    let arguments = [item_as_map(true)];
    let call = corpus.call_generic("describe", Some(&["java.lang.Object"]), &arguments);
    cases.says("generic.object-by-class", &arrived, told(call)).await;
}

async fn overloads(corpus: &Reference, cases: &mut Cases) {
    for (name, kind, value, expected) in [
        ("int", "int", Value::Int(5), "int 5"),
        ("integer", "java.lang.Integer", Value::Int(5), "Integer 5"),
        ("string", TEXT, "a".into(), "String \"a\""),
        ("list", "java.util.List", Value::list([Value::Int(1)]), "List [1]"),
    ] {
        let arguments = [value];
        let call = async { corpus.call_generic("same", Some(&[kind]), &arguments).await };
        cases.answers(&format!("generic.overload-{name}"), expected, call).await;
    }
    let arguments = ["a".into(), Value::Int(1)];
    let call = corpus.call_generic("same", Some(&[TEXT, "int"]), &arguments);
    cases.answers("generic.several", "String,int \"a\" 1", call).await;
}

async fn failures(corpus: &Reference, cases: &mut Cases) {
    // The message of a generic exception names the class and the message of the one that was thrown.
    for (name, method, types, arguments, expected) in [
        (
            "declared",
            "declared",
            [TEXT, "int"],
            ["no".into(), Value::Int(7)],
            ["org.example.peer.Refused", "no"],
        ),
        (
            "undeclared",
            "undeclared",
            [TEXT, TEXT],
            ["state".into(), "bad".into()],
            ["IllegalStateException", "bad"],
        ),
    ] {
        let call = async {
            let error = match corpus.call_generic(method, Some(&types), &arguments).await {
                Ok(answer) => return Ok(canonical::of(&answer)),
                Err(error) => error,
            };
            let exception = error.exception();
            let generic = exception.is_some_and(|exception| exception.class.ends_with("GenericException"));
            let told = error.to_string();
            let right = generic && expected.iter().all(|part| told.contains(part));
            Ok(if right { "a generic exception".into() } else { told })
        };
        cases
            .says(&format!("generic.{name}"), "a generic exception", call)
            .await;
    }
    let call = async {
        match corpus.call_generic("noSuchMethod", Some(&[TEXT]), &["a".into()]).await {
            Ok(answer) => Ok(canonical::of(&answer)),
            Err(error) if error.code() == orana::ErrorCode::Timeout => Err(error),
            Err(_) => Ok("refused".into()),
        }
    };
    cases.says("generic.no-such-method", "refused", call).await;
}

/// The answers are JSON as well, but not those of a provider on Dubbo 2.7: there only `json-arrived` holds.
async fn json(corpus: &Reference, cases: &mut Cases) {
    cases
        .says("json.string", "\"x\"", with_json(corpus, "echoString", TEXT, "\"x\""))
        .await;
    cases
        .says("json.int", "5", with_json(corpus, "echoInt", "int", "5"))
        .await;
    let json = r#"{"name":"outer","id":7,"numbers":[1,2],"colour":"GREEN"}"#;
    let item = Item {
        name: Some("outer".into()),
        parent: Parent { id: 7, note: None },
        numbers: Some(vec![1, 2].into()),
        colour: Some(Colour::Green),
        ..Item::default()
    };
    let call = async {
        // A JSON string, or the text itself.
        let answer = with_json(corpus, "describeItem", ITEM, json).await?;
        let answer = answer.replace("\\\"", "\"").replace("\\u003d", "=");
        let right = answer.contains(&canonical::of(&item));
        Ok(if right { "as sent".into() } else { answer })
    };
    cases.says("json-arrived.item", "as sent", call).await;
    let call = async {
        let answer = with_json(corpus, "echoItem", ITEM, json).await?.replace(' ', "");
        let parts = ["\"name\":\"outer\"", "\"id\":7", "[1,2]", "\"GREEN\""];
        Ok(if parts.iter().all(|part| answer.contains(part)) {
            "has all".into()
        } else {
            answer
        })
    };
    cases.says("json.item", "has all", call).await;
}

async fn with_json(corpus: &Reference, method: &str, kind: &str, json: &str) -> orana::Result<String> {
    let arguments = [
        Value::from(method),
        Value::typed_list("[string", [kind.into()]),
        Value::typed_list("[object", [json.into()]),
    ];
    let types = [TEXT, "java.lang.String[]", "java.lang.Object[]"];
    let answer = corpus
        .clone()
        .attachment("generic", "gson")
        .call("$invoke", &types, &arguments)
        .await?;
    Ok(answer.as_text().map_or_else(|| canonical::of(&answer), str::to_owned))
}

async fn told(call: impl Future<Output = orana::Result<Value>>) -> orana::Result<String> {
    call.await.map(|value| canonical::of(&value))
}

fn item_as_object() -> Item {
    let inner = Item {
        name: Some("inner".into()),
        ..Item::default()
    };
    Item {
        name: Some("outer".into()),
        parent: Parent { id: 7, note: None },
        colour: Some(Colour::Green),
        numbers: Some(vec![1, 2].into()),
        labels: Some([(1, Some("one".into()))].into()),
        inner: Some(inner.into()),
        ..Item::default()
    }
}

fn item_as_map(with_class: bool) -> Value {
    let mut entries = vec![
        ("name", "outer".into()),
        ("id", Value::Long(7)),
        ("colour", "GREEN".into()),
        ("numbers", Value::typed_list("[int", [Value::Int(1), Value::Int(2)])),
        ("labels", Value::map([(Value::Int(1), Value::from("one"))])),
        ("inner", Value::map([("name", Value::from("inner"))])),
    ];
    if with_class {
        entries.push(("class", ITEM.into()));
    }
    Value::map(entries)
}
