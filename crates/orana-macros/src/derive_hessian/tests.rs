//! What the compiler says about declarations that have no form.

use quote::quote;

use super::*;

/// The error that a declaration is.
fn error(declaration: TokenStream) -> String {
    let code = expand(declaration, "::orana_wire::hessian");
    let parsed: syn::ItemMacro = syn::parse2(code.clone()).unwrap_or_else(|_| panic!("this is no error: {code}"));
    let message: LitStr = parsed.mac.parse_body().unwrap();
    message.value()
}

#[test]
fn a_word_that_is_not_known_is_answered_with_those_that_are() {
    let on_type = quote!(
        #[hessian(clas = "X")]
        struct A {
            a: i32,
        }
    );
    assert_eq!(
        error(on_type),
        "unknown attribute; known here: class, declared, rename_all, write_only, crate"
    );
    let on_field = quote!(
        #[hessian(class = "X")]
        struct A {
            #[hessian(renamed = "b")]
            a: i32,
        }
    );
    assert_eq!(
        error(on_field),
        "unknown attribute; known here: rename, default, skip, flatten"
    );
    let on_variant = quote!(
        #[hessian(class = "X")]
        enum A {
            #[hessian(default)]
            B,
        }
    );
    assert_eq!(error(on_variant), "unknown attribute; known here: rename, other");
    let case = quote!(
        #[hessian(class = "X", rename_all = "Camel")]
        struct A {
            a: i32,
        }
    );
    let known = "camelCase, PascalCase, snake_case, SCREAMING_SNAKE_CASE, lowercase, UPPERCASE";
    assert_eq!(error(case), format!("unknown case; known: {known}"));
}

#[test]
fn what_contradicts_itself_is_refused() {
    for (declaration, expected) in [
        (
            quote!(
                #[hessian(class = "")]
                struct A {
                    a: i32,
                }
            ),
            "a name is not empty",
        ),
        (
            quote!(
                #[hessian(class = "X", class = "Y")]
                struct A {
                    a: i32,
                }
            ),
            "`class` is said twice",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                struct A {
                    #[hessian(rename = "b")]
                    a: i32,
                    b: i32,
                }
            ),
            "there are two fields `b`",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                struct A {
                    #[hessian(skip, rename = "b")]
                    a: i32,
                }
            ),
            "a skipped field has no form that could be changed",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                struct A {
                    #[hessian(flatten, default)]
                    a: B,
                }
            ),
            "a flattened field has no name and no value: put the attribute on its fields",
        ),
        (
            quote!(
                #[hessian(class = "X", rename_all = "lowercase")]
                enum A {
                    Bc,
                    BC,
                }
            ),
            "there are two constants `bc`",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                enum A {
                    #[hessian(other)]
                    B,
                    #[hessian(other)]
                    C,
                }
            ),
            "only one variant can stand for all others",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                enum A {
                    #[hessian(other, rename = "c")]
                    B,
                }
            ),
            "what stands for any other name has none of its own",
        ),
    ] {
        assert_eq!(error(declaration), expected);
    }
}

#[test]
fn what_has_no_form_in_java_says_which_would() {
    for (declaration, expected) in [
        (quote!(union A { a: i32 }), "a union has no form in Hessian"),
        (
            quote!(
                struct A(i32, i32);
            ),
            "fields on the wire have names: give them some, or have exactly one",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                struct A(i32);
            ),
            "a tuple struct is what its field is and has no class: name the field",
        ),
        (
            quote!(
                struct A(#[hessian(skip)] i32);
            ),
            "the field has no name of its own here: it is the whole value",
        ),
        (
            quote!(
                enum A {
                    B,
                    C,
                }
            ),
            "a Java enum has a class: add #[hessian(class = \"org.example.Name\")]",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                enum A {}
            ),
            "an enum without constants has no values",
        ),
        (
            quote!(
                #[hessian(class = "X")]
                enum A {
                    B(C),
                }
            ),
            "a constant of a Java enum holds nothing; for an enum of classes leave out `class`",
        ),
        (
            quote!(
                enum A {
                    B(C),
                    D { e: i32 },
                }
            ),
            "holds no class: put what belongs to it in a struct of its own, and that in the variant",
        ),
        (
            quote!(
                enum A {
                    #[hessian(rename = "X")]
                    B(C),
                }
            ),
            "the name is that of the class that the variant holds",
        ),
    ] {
        assert_eq!(error(declaration), expected);
    }
}
