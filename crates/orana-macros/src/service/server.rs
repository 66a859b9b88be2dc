//! The serving side: a struct that reads arguments, calls the user's implementation, and writes what it returns.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

use super::declaration::{Declaration, Method};

pub(super) fn write(declaration: &Declaration) -> TokenStream {
    let Declaration { root, item, .. } = declaration;
    let (vis, contract) = (&item.vis, &item.ident);
    let (client, service) = (declaration.client(), declaration.service());
    let doc = format!(
        "Serves `{}` by an implementation of [`{contract}`]; export it.",
        declaration.interface.value()
    );
    let methods = declaration
        .methods
        .iter()
        .enumerate()
        .map(|(index, method)| serve(declaration, index, method));
    quote! {
        #[doc = #doc]
        #vis struct #service<T>(T);

        impl<T: #contract> #service<T> {
            /// Serves by `implementation`.
            #vis fn new(implementation: T) -> Self {
                #service(implementation)
            }
        }

        impl<T: #contract> #root::Service for #service<T> {
            fn definition(&self) -> &#root::macros::ServiceDefinition {
                <#client as #root::Client>::definition()
            }

            fn call<'a>(
                &'a self,
                method: usize,
                arguments: &'a #root::macros::Encoded,
            ) -> #root::macros::BoxFuture<'a, ::core::result::Result<#root::macros::Reply, #root::Error>> {
                match method {
                    #(#methods)*
                    _ => ::std::boxed::Box::pin(::core::future::ready(::core::result::Result::Err(
                        #root::macros::no_such_method(method),
                    ))),
                }
            }
        }
    }
}

fn serve(declaration: &Declaration, index: usize, method: &Method) -> TokenStream {
    let (root, contract, client) = (&declaration.root, &declaration.item.ident, declaration.client());
    let name = &method.name;
    let names: Vec<_> = method.parameters.iter().map(|parameter| &parameter.name).collect();
    let kinds = method.parameters.iter().map(|parameter| &parameter.kind);
    // A name that no parameter of the user's can have.
    let input = format_ident!("input", span = Span::mixed_site());
    // A method without parameters reads nothing.
    let read = (!names.is_empty()).then(|| {
        quote! {
            let mut #input = #root::macros::decode_arguments(
                arguments,
                <#client as #root::Client>::definition().methods.get(#index),
            );
            #(let #names: #kinds = #input.next()?;)*
            ::core::mem::drop(#input);
        }
    });
    quote! {
        #index => ::std::boxed::Box::pin(async move {
            #read
            let value = #contract::#name(&self.0, #(#names),*).await?;
            #root::macros::reply_of(&value)
        }),
    }
}
