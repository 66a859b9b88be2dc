//! Structs: names, nulls, absence, parents, parameters, and types that hold themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use orana_macros::Hessian;
use orana_wire::hessian::java::JavaType;
use orana_wire::hessian::*;

fn same<T: ToHessian + FromHessian + PartialEq + Debug>(value: &T) {
    assert_eq!(&from_bytes::<T>(&to_bytes(value).unwrap()).unwrap(), value);
    assert_eq!(&from_value::<T>(&to_value(value).unwrap()).unwrap(), value);
}

fn object(class: &str, fields: &[(&str, Value)]) -> Value {
    Value::object(class, fields.iter().map(|(name, value)| (*name, value.clone())))
}

#[derive(Debug, Clone, PartialEq, Default, Hessian)]
#[hessian(class = "org.example.Account", rename_all = "camelCase")]
struct Account {
    account_id: i64,
    #[hessian(rename = "URL")]
    url: String,
    r#type: Option<String>,
    #[hessian(default)]
    open_items: Vec<String>,
    #[hessian(default)]
    credit: i32,
}

#[test]
fn names_follow_the_rule_unless_they_are_given() {
    let value = to_value(&Account {
        r#type: Some("t".into()),
        ..Account::default()
    })
    .unwrap();
    for (name, expected) in [("accountId", Value::Long(0)), ("URL", "".into()), ("type", "t".into())] {
        assert_eq!(value.get(name), Some(&expected), "{name}");
    }
}

#[test]
fn what_is_absent_or_null_is_none_or_the_default_or_an_error_that_names_it() {
    let required = [("accountId", Value::Int(7)), ("URL", "u".into())];
    let account = Account {
        account_id: 7,
        url: "u".into(),
        ..Account::default()
    };
    assert_eq!(from_value(&object("X", &required)), Ok(account.clone()));
    let nulls = ["type", "openItems", "credit"].map(|name| (name, Value::Null));
    assert_eq!(from_value(&object("X", &[&nulls[..], &required].concat())), Ok(account));
    let missing = from_value::<Account>(&object("X", &required[..1])).unwrap_err();
    assert_eq!(missing.to_string(), "field `URL` is missing");
    let null = [("accountId", Value::Int(7)), ("URL", Value::Null)];
    let null = from_value::<Account>(&object("X", &null)).unwrap_err();
    assert_eq!(
        null.to_string(),
        "field `URL` of `org.example.Account`: expected a string, found null"
    );
}

#[test]
fn a_map_or_an_object_of_another_class_stands_for_it_and_unknown_fields_are_skipped() {
    let account = Account {
        account_id: 7,
        url: "u".into(),
        credit: 3,
        ..Account::default()
    };
    let strange = Value::list([Value::object("org.example.Gadget", [("run", Value::list([]))])]);
    let fields = [
        ("more", strange.clone()),
        // Whole numbers are read from whatever holds one.
        ("credit", Value::Double(3.0)),
        ("URL", "u".into()),
        ("evenMore", strange),
        ("accountId", Value::Int(7)),
    ];
    assert_eq!(from_value(&object("org.example.Renamed", &fields)), Ok(account.clone()));
    assert_eq!(from_value(&Value::map(fields)), Ok(account));
}

#[test]
fn an_error_far_within_says_the_whole_way() {
    #[derive(Debug, Hessian)]
    #[hessian(class = "Outer")]
    struct Outer {
        accounts: Vec<Account>,
    }
    let account = object("Account", &[("accountId", "seven".into())]);
    let error = from_value::<Outer>(&object("Outer", &[("accounts", Value::list([account]))])).unwrap_err();
    let way =
        "field `accounts` of `Outer`: field `accountId` of `org.example.Account`: expected an integer, found a string";
    assert_eq!(error.to_string(), way);
    let ConvertError::Decode(error) = error else {
        panic!("{error}")
    };
    assert!(matches!(error.innermost(), DecodeError::Unexpected { .. }));
    assert!(to_bytes(&Outer { accounts: vec![] }).is_ok());
}

#[derive(Debug, Clone, PartialEq, Default, Hessian)]
struct Base {
    id: i64,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Node")]
struct Tree<T> {
    value: T,
    left: Option<Box<Tree<T>>>,
    right: Option<Arc<Tree<T>>>,
    others: Vec<Tree<T>>,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Page")]
struct Page<T, K>
where
    K: std::hash::Hash + Eq,
{
    #[hessian(flatten)]
    paging: Paging<K>,
    items: Vec<T>,
    by_key: HashMap<K, T>,
    #[hessian(skip)]
    nothing: std::marker::PhantomData<K>,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
struct Paging<K> {
    #[hessian(flatten)]
    base: Base,
    next: Option<K>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Hessian)]
struct OrderId(String);

fn leaf<T>(value: T) -> Tree<T> {
    Tree {
        value,
        left: None,
        right: None,
        others: vec![],
    }
}

#[test]
fn types_that_hold_themselves_and_types_of_types_read_back() {
    let tree = Tree {
        left: Some(leaf(OrderId("l".into())).into()),
        right: Some(leaf(OrderId("r".into())).into()),
        others: vec![leaf(OrderId("o".into()))],
        ..leaf(OrderId("t".into()))
    };
    same(&tree);
    let paging = Paging {
        base: Base::default(),
        next: Some(OrderId("n".into())),
    };
    let by_key = [(OrderId("t".into()), tree.clone())].into();
    let page = Page {
        paging,
        items: vec![tree],
        by_key,
        nothing: std::marker::PhantomData,
    };
    same(&page);
    assert_eq!(to_value(&OrderId("x".into())), Ok("x".into()));
    assert_eq!(OrderId::java_type(), "java.lang.String");
}

#[test]
fn a_cycle_read_as_a_type_that_cannot_hold_one_is_an_error_and_takes_no_more_stack_than_there_is() {
    #[derive(Debug, Hessian)]
    #[hessian(class = "Link")]
    struct Link {
        next: Option<Box<Link>>,
        #[hessian(default)]
        a: Large,
        #[hessian(default)]
        b: Large,
    }
    /// So that each level takes much of the stack.
    #[derive(Debug, Default)]
    struct Large(#[allow(dead_code, reason = "only its size matters")] Option<[u64; 4096]>);
    impl ToHessian for Large {
        fn to_hessian(&self, out: &mut Encoder<'_>) -> Result<(), EncodeError> {
            out.null();
            Ok(())
        }
    }
    impl FromHessian for Large {
        fn from_hessian(input: &mut Decoder<'_>) -> Result<Self, DecodeError> {
            input.skip().map(|()| Large(None))
        }
    }
    let node = Node::unfilled();
    let class = Arc::new(Class {
        name: "Link".into(),
        fields: vec!["next".into()],
    });
    let values = vec![node.back().into()];
    node.fill(Content::Object(Object { class, values }));
    let error = from_value::<Link>(&node.clone().into()).unwrap_err();
    let ConvertError::Decode(error) = error else {
        panic!("{error}")
    };
    assert_eq!(error.innermost(), &DecodeError::Depth);
}

#[test]
fn a_type_that_borrows_can_be_written() {
    #[derive(Hessian)]
    #[hessian(class = "org.example.Account", rename_all = "camelCase", write_only)]
    struct Borrowed<'a> {
        account_id: &'a i64,
        #[hessian(rename = "URL")]
        url: &'a str,
        open_items: &'a [&'a str],
    }
    let bytes = to_bytes(&Borrowed {
        account_id: &7,
        url: "u",
        open_items: &["a"],
    })
    .unwrap();
    let account = Account {
        account_id: 7,
        url: "u".into(),
        open_items: vec!["a".into()],
        ..Account::default()
    };
    assert_eq!(from_bytes(&bytes), Ok(account));
}
