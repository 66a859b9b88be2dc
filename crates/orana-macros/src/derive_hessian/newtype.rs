//! A tuple struct of one field: what that field is.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, FieldsUnnamed, Result};

use super::attribute::{OnField, OnType};
use super::generics::Bounds;

pub(crate) fn write(input: &DeriveInput, on_type: &OnType, fields: &FieldsUnnamed) -> Result<TokenStream> {
    let name = &input.ident;
    let mut fields = fields.unnamed.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        let what = "fields on the wire have names: give them some, or have exactly one";
        return Err(Error::new_spanned(name, what));
    };
    let on_field = OnField::parse(&field.attrs)?;
    if on_field.skip || on_field.flatten || on_field.default || on_field.rename.is_some() {
        return Err(Error::new_spanned(
            field,
            "the field has no name of its own here: it is the whole value",
        ));
    }
    if let Some(class) = &on_type.class {
        let what = "a tuple struct is what its field is and has no class: name the field";
        return Err(Error::new_spanned(class, what));
    }
    let held = &field.ty;
    let mut bounds = Bounds::of(&input.generics);
    bounds.parameters(held, &quote!(hessian::ToHessian));
    let to = bounds.implement(&quote!(hessian::ToHessian), name);
    let mut bounds = Bounds::of(&input.generics);
    bounds.parameters(held, &quote!(hessian::FromHessian));
    let from = bounds.implement(&quote!(hessian::FromHessian), name);
    let mut bounds = Bounds::of(&input.generics);
    bounds.parameters(held, &quote!(hessian::java::JavaType));
    let declared = bounds.implement(&quote!(hessian::java::JavaType), name);
    let mut code = quote! {
        #declared {
            fn java_type() -> ::std::borrow::Cow<'static, str> {
                <#held as hessian::java::JavaType>::java_type()
            }

            fn nullable_java_type() -> ::std::borrow::Cow<'static, str> {
                <#held as hessian::java::JavaType>::nullable_java_type()
            }
        }

        #to {
            fn to_hessian(&self, out: &mut hessian::Encoder<'_>) -> ::core::result::Result<(), hessian::EncodeError> {
                hessian::ToHessian::to_hessian(&self.0, out)
            }
        }
    };
    if !on_type.write_only {
        code.extend(quote! {
            #from {
                fn from_hessian(
                    input: &mut hessian::Decoder<'_>,
                ) -> ::core::result::Result<Self, hessian::DecodeError> {
                    <#held as hessian::FromHessian>::from_hessian(input).map(Self)
                }

                fn absent() -> ::core::option::Option<Self> {
                    <#held as hessian::FromHessian>::absent().map(Self)
                }
            }
        });
    }
    Ok(code)
}
