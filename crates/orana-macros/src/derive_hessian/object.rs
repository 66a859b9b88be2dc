//! A struct with named fields: an object of a class, or, without a class, the parent of such.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Fields, Ident, LitStr, Result, Type};

use super::attribute::{OnField, OnType};
use super::classed;
use super::generics::Bounds;

/// A field and what becomes of it.
struct Field<'a> {
    ident: &'a Ident,
    held: &'a Type,
    form: Form,
}

enum Form {
    /// A field in Java, too.
    Named { name: LitStr, default: bool },
    /// A parent.
    Inherited,
    /// Nothing in Java.
    Absent,
}

pub(crate) fn write(input: &DeriveInput, on_type: &OnType, fields: &Fields) -> Result<TokenStream> {
    let fields = read_fields(on_type, fields)?;
    let mut code = write_to(input, on_type, &fields);
    if !on_type.write_only {
        code.extend(write_from(input, on_type, &fields));
    }
    Ok(code)
}

fn read_fields<'a>(on_type: &OnType, fields: &'a Fields) -> Result<Vec<Field<'a>>> {
    let mut names = HashSet::new();
    let mut read = Vec::new();
    for field in fields {
        let on_field = OnField::parse(&field.attrs)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "fields on the wire have names"));
        };
        let form = if on_field.skip {
            Form::Absent
        } else if on_field.flatten {
            Form::Inherited
        } else {
            let name = on_type.name(on_field.rename.as_ref(), ident);
            if !names.insert(name.value()) {
                return Err(Error::new_spanned(
                    ident,
                    format!("there are two fields `{}`", name.value()),
                ));
            }
            let default = on_field.default;
            Form::Named { name, default }
        };
        let held = &field.ty;
        read.push(Field { ident, held, form });
    }
    Ok(read)
}

/// `ToFields`, and with a class `Classed` and `ToHessian`.
fn write_to(input: &DeriveInput, on_type: &OnType, fields: &[Field<'_>]) -> TokenStream {
    let name = &input.ident;
    let mut bounds = Bounds::of(&input.generics);
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for Field { ident, held, form } in fields {
        match form {
            Form::Named { name, .. } => {
                bounds.parameters(held, &quote!(hessian::ToHessian));
                names.push(quote!(hessian::Field::Named(#name)));
                values.push(quote_spanned!(held.span()=> hessian::ToHessian::to_hessian(&self.#ident, out)?;));
            }
            Form::Inherited => {
                bounds.whole(held, &quote!(hessian::ToFields));
                names.push(quote!(hessian::Field::Inherited(<#held as hessian::ToFields>::FIELDS)));
                values.push(quote_spanned!(held.span()=> hessian::ToFields::to_fields(&self.#ident, out)?;));
            }
            Form::Absent => {}
        }
    }
    let to_fields = bounds.implement(&quote!(hessian::ToFields), name);
    let mut code = quote! {
        #to_fields {
            const FIELDS: &'static [hessian::Field] = &[#(#names),*];

            fn to_fields(&self, out: &mut hessian::Encoder<'_>) -> ::core::result::Result<(), hessian::EncodeError> {
                #(#values)*
                ::core::result::Result::Ok(())
            }
        }
    };
    if let Some(class) = &on_type.class {
        let classed = classed(input, class);
        let to = bounds.implement(&quote!(hessian::ToHessian), name);
        code.extend(quote! {
            #classed

            #to {
                fn to_hessian(
                    &self,
                    out: &mut hessian::Encoder<'_>,
                ) -> ::core::result::Result<(), hessian::EncodeError> {
                    out.begin(const {
                        &hessian::Layout {
                            class: #class,
                            fields: <Self as hessian::ToFields>::FIELDS,
                        }
                    })?;
                    hessian::ToFields::to_fields(self, out)
                }
            }
        });
    }
    code
}

/// `FromFields`, and with a class `FromHessian`.
fn write_from(input: &DeriveInput, on_type: &OnType, fields: &[Field<'_>]) -> TokenStream {
    let name = &input.ident;
    let class = match &on_type.class {
        Some(class) => class.clone(),
        None => LitStr::new(&name.to_string(), name.span()),
    };
    let mut bounds = Bounds::of(&input.generics);
    let (mut kept, mut empty, mut arms, mut parents, mut complete) = (vec![], vec![], vec![], vec![], vec![]);
    for Field { ident, held, form } in fields {
        match form {
            Form::Named { name, default } => {
                let at = held.span();
                bounds.parameters(held, &quote!(hessian::FromHessian));
                kept.push(quote!(#ident: ::core::option::Option<#held>));
                empty.push(quote!(#ident: ::core::option::Option::None));
                if *default {
                    bounds.whole(held, &quote!(::core::default::Default));
                    arms.push(
                        quote_spanned!(at=> #name => read.#ident = hessian::derive::nullable(input, #class, #name)?),
                    );
                    complete.push(quote!(#ident: read.#ident.unwrap_or_default()));
                } else {
                    arms.push(
                        quote_spanned!(at=> #name => read.#ident = hessian::derive::field(input, #class, #name)?),
                    );
                    complete.push(quote_spanned!(at=> #ident: hessian::derive::required(read.#ident, #name)?));
                }
            }
            Form::Inherited => {
                bounds.whole(held, &quote!(hessian::FromFields));
                kept.push(quote!(#ident: <#held as hessian::FromFields>::Read));
                empty.push(quote!(#ident: ::core::default::Default::default()));
                parents.push(quote!(<#held as hessian::FromFields>::read_field(&mut read.#ident, name, input)?));
                complete.push(quote!(#ident: <#held as hessian::FromFields>::complete(read.#ident)?));
            }
            Form::Absent => {
                bounds.whole(held, &quote!(::core::default::Default));
                complete.push(quote!(#ident: ::core::default::Default::default()));
            }
        }
    }
    let (parameters, arguments, clause) = bounds.split();
    let marker = bounds.marker();
    let from_fields = bounds.implement(&quote!(hessian::FromFields), name);
    let mut code = quote! {
        pub struct Read #parameters #clause {
            #(#kept,)*
            parameters: #marker,
        }

        impl #parameters ::core::default::Default for Read #arguments #clause {
            fn default() -> Self {
                Read {
                    #(#empty,)*
                    parameters: ::core::marker::PhantomData,
                }
            }
        }

        #from_fields {
            type Read = Read #arguments;

            #[allow(unused_variables, reason = "there may be no fields")]
            fn read_field(
                read: &mut Self::Read,
                name: &str,
                input: &mut hessian::Decoder<'_>,
            ) -> ::core::result::Result<bool, hessian::DecodeError> {
                match name {
                    #(#arms,)*
                    _ => return ::core::result::Result::Ok(false #(|| #parents)*),
                }
                #[allow(unreachable_code, reason = "there may be no fields")]
                ::core::result::Result::Ok(true)
            }

            fn complete(read: Self::Read) -> ::core::result::Result<Self, hessian::DecodeError> {
                ::core::result::Result::Ok(#name {
                    #(#complete,)*
                })
            }
        }
    };
    if on_type.class.is_some() {
        let from = bounds.implement(&quote!(hessian::FromHessian), name);
        code.extend(quote! {
            #from {
                fn from_hessian(
                    input: &mut hessian::Decoder<'_>,
                ) -> ::core::result::Result<Self, hessian::DecodeError> {
                    hessian::derive::object(input)
                }
            }
        });
    }
    code
}
