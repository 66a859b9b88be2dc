//! `#[derive(Hessian)]`: what form a declaration has, and the code for it.
//!
//! Each form is a file; attributes and names have theirs.

mod attribute;
mod constants;
mod family;
mod generics;
mod newtype;
mod object;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Path, Result};

use attribute::OnType;
use generics::Bounds;

/// The code for a declaration, or the error that the compiler will show. `runtime` is where the items are that the code
/// refers to, unless the declaration says otherwise.
pub(crate) fn expand(input: TokenStream, runtime: &str) -> TokenStream {
    let written = syn::parse2(input).and_then(|input| write(&input, runtime));
    written.unwrap_or_else(Error::into_compile_error)
}

fn write(input: &DeriveInput, runtime: &str) -> Result<TokenStream> {
    let mut on_type = OnType::parse(&input.attrs)?;
    let runtime: Path = match on_type.runtime.take() {
        Some(path) => path,
        None => syn::parse_str(runtime)?,
    };
    let code = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Unnamed(fields) => newtype::write(input, &on_type, fields)?,
            fields => object::write(input, &on_type, fields)?,
        },
        Data::Enum(data) => match &on_type.class {
            Some(class) => constants::write(input, &on_type, class, data)?,
            None => family::write(input, &on_type, data)?,
        },
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "a union has no form in Hessian")),
    };
    // In a scope of its own, so that the code can use short names.
    Ok(quote! {
        #[automatically_derived]
        const _: () = {
            use #runtime as hessian;
            #code
        };
    })
}

/// What a type with a class is to those who only ask for its name.
fn classed(input: &DeriveInput, class: &LitStr) -> TokenStream {
    let classed = Bounds::of(&input.generics).implement(&quote!(hessian::Classed), &input.ident);
    let declared = declared(input, &quote!(::std::borrow::Cow::Borrowed(#class)));
    quote! {
        #classed {
            const CLASS: &'static str = #class;
        }

        #declared
    }
}

/// How a Java interface declares the type.
fn declared(input: &DeriveInput, name: &TokenStream) -> TokenStream {
    let declared = Bounds::of(&input.generics).implement(&quote!(hessian::java::JavaType), &input.ident);
    quote! {
        #declared {
            fn java_type() -> ::std::borrow::Cow<'static, str> {
                #name
            }
        }
    }
}

#[cfg(test)]
mod tests;
