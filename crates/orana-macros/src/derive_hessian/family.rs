//! An enum of classes: which variant a value is, its class says.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

use super::attribute::{OnType, OnVariant};
use super::declared;
use super::generics::Bounds;

pub(crate) fn write(input: &DeriveInput, on_type: &OnType, data: &DataEnum) -> Result<TokenStream> {
    let name = &input.ident;
    let (mut to_arms, mut from_arms, mut other) = (Vec::new(), Vec::new(), None);
    let (mut to_bounds, mut from_bounds) = (Bounds::of(&input.generics), Bounds::of(&input.generics));
    if data.variants.is_empty()
        || data
            .variants
            .iter()
            .all(|variant| matches!(variant.fields, Fields::Unit))
    {
        let what = "a Java enum has a class: add #[hessian(class = \"org.example.Name\")]";
        return Err(Error::new_spanned(name, what));
    }
    for variant in &data.variants {
        let on_variant = OnVariant::parse(&variant.attrs)?;
        let ident = &variant.ident;
        let held = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => fields.unnamed.first().map(|field| &field.ty),
            _ => None,
        };
        let Some(held) = held else {
            let what = "holds no class: put what belongs to it in a struct of its own, and that in the variant";
            return Err(Error::new_spanned(variant, what));
        };
        if let Some(rename) = &on_variant.rename {
            return Err(Error::new_spanned(
                rename,
                "the name is that of the class that the variant holds",
            ));
        }
        to_bounds.parameters(held, &quote!(hessian::ToHessian));
        to_arms.push(quote!(Self::#ident(held) => hessian::ToHessian::to_hessian(held, out)));
        from_bounds.parameters(held, &quote!(hessian::FromHessian));
        let read = quote!(<#held as hessian::FromHessian>::from_hessian(input).map(Self::#ident));
        if !on_variant.other {
            from_bounds.whole(held, &quote!(hessian::Classed));
            from_arms.push(quote! {
                if class == <#held as hessian::Classed>::CLASS {
                    return #read;
                }
            });
        } else if other.replace(read).is_some() {
            return Err(Error::new_spanned(variant, "only one variant can stand for all others"));
        }
    }
    let stranger = quote!(hessian::derive::stranger(input, ::core::stringify!(#name)));
    let other = other.unwrap_or(stranger);
    let to = to_bounds.implement(&quote!(hessian::ToHessian), name);
    let from = from_bounds.implement(&quote!(hessian::FromHessian), name);
    let declared = match &on_type.declared {
        Some(java) => declared(input, &quote!(::std::borrow::Cow::Borrowed(#java))),
        None => declared(input, &quote!(::std::borrow::Cow::Borrowed("java.lang.Object"))),
    };
    let mut code = quote! {
        #declared

        #to {
            fn to_hessian(&self, out: &mut hessian::Encoder<'_>) -> ::core::result::Result<(), hessian::EncodeError> {
                match self {
                    #(#to_arms,)*
                }
            }
        }
    };
    if !on_type.write_only {
        code.extend(quote! {
            #from {
                fn from_hessian(
                    input: &mut hessian::Decoder<'_>,
                ) -> ::core::result::Result<Self, hessian::DecodeError> {
                    if let ::core::option::Option::Some(class) = input.peek_type()? {
                        #(#from_arms)*
                    }
                    #other
                }
            }
        });
    }
    Ok(code)
}
