//! An enum of plain variants: a Java enum, whose constants are objects that hold their name.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, LitStr, Result};

use super::attribute::{OnType, OnVariant};
use super::classed;
use super::generics::Bounds;

pub(crate) fn write(input: &DeriveInput, on_type: &OnType, class: &LitStr, data: &DataEnum) -> Result<TokenStream> {
    let name = &input.ident;
    let (mut to_arms, mut from_arms, mut other) = (Vec::new(), Vec::new(), None);
    let mut names = HashSet::new();
    for variant in &data.variants {
        let on_variant = OnVariant::parse(&variant.attrs)?;
        let ident = &variant.ident;
        if on_variant.other {
            if other.is_some() {
                return Err(Error::new_spanned(variant, "only one variant can stand for all others"));
            }
            match &variant.fields {
                Fields::Unit => {
                    let unknown = quote!(::core::stringify!(#ident));
                    let constant = quote!(return ::core::result::Result::Err(hessian::EncodeError::Constant(#unknown)));
                    to_arms.push(quote!(Self::#ident => #constant));
                    other = Some(quote!(::core::option::Option::Some(Self::#ident)));
                }
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                    to_arms.push(quote!(Self::#ident(name) => ::core::convert::AsRef::<str>::as_ref(name)));
                    let name = quote!(::core::convert::From::from(name));
                    other = Some(quote!(::core::option::Option::Some(Self::#ident(#name))));
                }
                _ => {
                    return Err(Error::new_spanned(
                        variant,
                        "of another constant there is a name and no more",
                    ));
                }
            }
            continue;
        }
        if !matches!(variant.fields, Fields::Unit) {
            let what = "a constant of a Java enum holds nothing; for an enum of classes leave out `class`";
            return Err(Error::new_spanned(variant, what));
        }
        let constant = on_type.name(on_variant.rename.as_ref(), ident);
        if !names.insert(constant.value()) {
            return Err(Error::new_spanned(
                variant,
                format!("there are two constants `{}`", constant.value()),
            ));
        }
        to_arms.push(quote!(Self::#ident => #constant));
        from_arms.push(quote!(#constant => ::core::option::Option::Some(Self::#ident)));
    }
    if data.variants.is_empty() {
        return Err(Error::new_spanned(name, "an enum without constants has no values"));
    }
    let other = other.unwrap_or_else(|| quote!(::core::option::Option::None));
    let bounds = Bounds::of(&input.generics);
    let classed = classed(input, class);
    let to = bounds.implement(&quote!(hessian::ToHessian), name);
    let from = bounds.implement(&quote!(hessian::FromHessian), name);
    let mut code = quote! {
        #classed

        #to {
            fn to_hessian(&self, out: &mut hessian::Encoder<'_>) -> ::core::result::Result<(), hessian::EncodeError> {
                static LAYOUT: hessian::Layout = hessian::Layout {
                    class: #class,
                    fields: &[hessian::Field::Named("name")],
                };
                let name: &str = match self {
                    #(#to_arms,)*
                };
                out.begin(&LAYOUT)?;
                out.text(name);
                ::core::result::Result::Ok(())
            }
        }
    };
    if !on_type.write_only {
        code.extend(quote! {
            #from {
                fn from_hessian(
                    input: &mut hessian::Decoder<'_>,
                ) -> ::core::result::Result<Self, hessian::DecodeError> {
                    hessian::derive::constant(input, #class, |name| match name {
                        #(#from_arms,)*
                        _ => #other,
                    })
                }
            }
        });
    }
    Ok(code)
}
