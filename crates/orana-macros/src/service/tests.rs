//! What the compiler says about traits that are no services, and what it writes of settings.

use quote::quote;

use super::*;

/// The error that a trait of these methods is.
fn error(methods: TokenStream) -> String {
    let arguments = quote!(interface = "org.example.Shop");
    let refused = expand(arguments, quote!(trait Shop { #methods }));
    refused
        .map(|code| panic!("this is no error: {code}"))
        .unwrap_err()
        .to_string()
}

/// What is written of a trait of these methods, without spaces.
fn written(methods: TokenStream) -> String {
    let arguments = quote!(interface = "org.example.Shop");
    let code = expand(arguments, quote!(trait Shop { #methods })).unwrap();
    code.to_string().replace(' ', "")
}

#[test]
fn a_setting_of_a_method_that_is_not_known_is_answered_with_those_that_are() {
    let unknown = quote!(
        #[method(block)]
        async fn buy(&self) -> orana::Result<()>;
    );
    assert_eq!(
        error(unknown),
        "unknown setting; known are `name`, `returns`, `one_way` and `blocking`"
    );
    let no_flag = quote!(
        #[method(blocking = "yes")]
        async fn buy(&self) -> orana::Result<()>;
    );
    assert_eq!(error(no_flag), "expected boolean literal");
    let whole = expand(
        quote!(interfaces = "org.example.Shop"),
        quote!(
            trait Shop {}
        ),
    );
    assert_eq!(
        whole.unwrap_err().to_string(),
        "unknown setting; known are `interface`, `group`, `version` and `crate`"
    );
}

#[test]
fn what_an_attribute_says_of_a_method_stands_in_its_definition() {
    let method = |setting: TokenStream| {
        written(quote!(
            #setting
            async fn buy(&self) -> orana::Result<()>;
        ))
    };
    for (setting, one_way, blocking) in [
        (quote!(), false, false),
        (quote!(#[method(one_way)]), true, false),
        (quote!(#[method(blocking)]), false, true),
        (quote!(#[method(blocking = true, one_way = true)]), true, true),
        (quote!(#[method(blocking = false)]), false, false),
        (quote!(#[method(one_way)] #[method(blocking)]), true, true),
    ] {
        let code = method(setting.clone());
        assert_eq!(
            (code.contains(".one_way()"), code.contains(".blocking()")),
            (one_way, blocking),
            "{setting}"
        );
        assert!(!code.contains("#[method"), "the compiler does not know {setting}");
    }
}

#[test]
fn a_trait_that_java_could_not_call_is_refused_with_the_reason() {
    for (methods, expected) in [
        (
            quote!(
                fn buy(&self) -> orana::Result<()>;
            ),
            "a method of a service is an `async fn`",
        ),
        (
            quote!(
                async fn buy(&self) -> bool;
            ),
            "a call can fail: a method of a service returns `orana::Result<…>`",
        ),
        (
            quote!(
                async fn buy(&self, item: &str) -> orana::Result<()>;
            ),
            "a parameter of a service is owned: whoever serves the call has nobody to borrow from",
        ),
        (
            quote!(
                async fn buy<T>(&self, item: T) -> orana::Result<()>;
            ),
            "a method of a service has no generic parameters",
        ),
        (
            quote!(
                async fn buy(&mut self) -> orana::Result<()>;
            ),
            "a method of a service begins with `&self`",
        ),
    ] {
        assert_eq!(error(methods), expected);
    }
    let twins = error(quote!(
        async fn buy_it(&self, item: String) -> orana::Result<()>;
        #[method(name = "buyIt")]
        async fn buy(&self, item: String) -> orana::Result<()>;
    ));
    assert!(
        twins.starts_with("Java cannot tell this method from another"),
        "{twins}"
    );
}
