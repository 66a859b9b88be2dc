//! Enums: constants, and values of several classes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fmt::Debug;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Hessian)]
#[hessian(
    class = "org.orana.interop.hessian.Beans$Colour",
    rename_all = "SCREAMING_SNAKE_CASE"
)]
enum Colour {
    Red,
    Green,
    #[hessian(other)]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Unit")]
enum Unit {
    #[hessian(rename = "KG")]
    Kilogram,
    #[hessian(other)]
    Other(String),
}

#[test]
fn constants_are_objects_with_a_name_and_are_also_read_from_the_name_alone() {
    assert_eq!(
        to_value(&Unit::Kilogram),
        Ok(Value::enumerated("org.example.Unit", "KG"))
    );
    assert_eq!(from_value(&Value::from("KG")), Ok(Unit::Kilogram));
    assert_eq!(
        from_value(&Value::enumerated("org.example.Unit", "LB")),
        Ok(Unit::Other("LB".into()))
    );
    same(&vec![Unit::Kilogram, Unit::Other("LB".into()), Unit::Kilogram]);
}

#[test]
fn java_s_second_mention_of_a_constant_is_a_reference_and_still_the_constant() {
    let red = Value::enumerated(Colour::CLASS, "RED");
    let values = Value::list([red.clone(), Value::enumerated(Colour::CLASS, "GREEN"), red]);
    assert_eq!(from_value(&values), Ok(vec![Colour::Red, Colour::Green, Colour::Red]));
}

#[test]
fn an_unknown_constant_is_the_other_one_or_an_error_that_names_it() {
    #[derive(Debug, PartialEq, Hessian)]
    #[hessian(class = "org.example.Closed")]
    enum Closed {
        A,
    }
    let blue = Value::enumerated(Colour::CLASS, "BLUE");
    assert_eq!(from_value(&blue), Ok(Colour::Unknown));
    assert!(to_bytes(&Colour::Unknown).is_err(), "it has no name");
    let error = from_value::<Closed>(&blue).unwrap_err();
    assert_eq!(error.to_string(), "`org.example.Closed` has no constant `BLUE`");
    same(&Closed::A);
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Circle")]
struct Circle {
    radius: f64,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(class = "org.example.Square")]
struct Square {
    side: f64,
}

#[derive(Debug, Clone, PartialEq, Hessian)]
#[hessian(declared = "org.example.Shape")]
enum Shape {
    Circle(Circle),
    Square(Box<Square>),
}

#[derive(Debug, Clone, PartialEq, Hessian)]
enum Anything<T> {
    Known(T),
    #[hessian(other)]
    Other(Value),
}

#[test]
fn a_value_of_several_classes_is_the_variant_of_its_class() {
    let shapes = vec![
        Shape::Circle(Circle { radius: 1.5 }),
        Shape::Square(Square { side: 2.0 }.into()),
    ];
    same(&shapes);
    assert_eq!(Shape::java_type(), "org.example.Shape");
    assert_eq!(Anything::<Circle>::java_type(), "java.lang.Object");
    // The second time the same object is a reference.
    let circle = to_value(&shapes[0]).unwrap();
    let twice = from_value::<Vec<Shape>>(&Value::list([circle.clone(), circle]));
    assert_eq!(twice, Ok(vec![shapes[0].clone(), shapes[0].clone()]));
}

#[test]
fn a_class_that_no_variant_declares_is_the_other_one_or_an_error_that_names_it() {
    let gadget = object("org.evil.Gadget", &[("radius", Value::Double(1.0))]);
    let error = from_value::<Shape>(&gadget).unwrap_err();
    assert_eq!(error.to_string(), "class `org.evil.Gadget` is none of `Shape`");
    let error = from_value::<Shape>(&Value::Int(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected an object that says its class, found an int"
    );
    assert_eq!(from_value(&gadget), Ok(Anything::<Circle>::Other(gadget.clone())));
    assert_eq!(from_value(&Value::Null), Ok(Anything::<Circle>::Other(Value::Null)));
    same(&Anything::Known(Circle { radius: 0.5 }));
}

#[test]
fn a_class_is_defined_once_in_a_stream_whether_typed_or_not() {
    let circle = Circle { radius: 1.5 };
    let value = to_value(&circle).unwrap();
    let mut bytes = Default::default();
    let mut out = Encoder::new(&mut bytes);
    circle.to_hessian(&mut out).unwrap();
    out.value(&value).unwrap();
    circle.to_hessian(&mut out).unwrap();
    let definitions = bytes.windows(8).filter(|bytes| bytes == b"C\x12org.ex").count();
    assert_eq!(definitions, 1);
    let mut input = Decoder::new(&bytes);
    for _ in 0..3 {
        assert_eq!(Circle::from_hessian(&mut input), Ok(circle.clone()));
    }
}
