//! The calling side: a struct that implements the trait by calls.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};

use super::declaration::{Declaration, Method};

pub(super) fn write(declaration: &Declaration) -> TokenStream {
    let Declaration { root, item, .. } = declaration;
    let (vis, contract, client) = (&item.vis, &item.ident, declaration.client());
    let definition = declaration.definition();
    let doc = format!(
        "Calls `{}` by way of a reference: implements [`{contract}`] with calls of whoever provides it.",
        declaration.interface.value()
    );
    let methods = declaration
        .methods
        .iter()
        .enumerate()
        .map(|(index, method)| call(root, index, method));
    quote! {
        #[doc = #doc]
        #[derive(Clone, Debug)]
        #vis struct #client(#root::Reference);

        impl #root::Client for #client {
            fn definition() -> &'static #root::macros::ServiceDefinition {
                static DEFINITION: ::std::sync::LazyLock<#root::macros::ServiceDefinition> =
                    ::std::sync::LazyLock::new(|| #definition);
                &DEFINITION
            }

            fn over(reference: #root::Reference) -> Self {
                #client(reference)
            }

            fn reference(&self) -> &#root::Reference {
                &self.0
            }
        }

        // The contract's error may be one that an `orana::Error` becomes.
        #[allow(clippy::needless_question_mark)]
        impl #contract for #client {
            #(#methods)*
        }
    }
}

fn call(root: &syn::Path, index: usize, method: &Method) -> TokenStream {
    let Method { name, output, .. } = method;
    let parameters = method.signature();
    let names = method.parameters.iter().map(|parameter| &parameter.name);
    // Names that no parameter of the user's can have.
    let encoded = format_ident!("encoded", span = Span::mixed_site());
    let out = format_ident!("out", span = Span::mixed_site());
    quote! {
        async fn #name(&self, #parameters) -> #output {
            let #encoded = #root::macros::encode_arguments(|#out| {
                #(#out.push(&#names)?;)*
                ::core::result::Result::Ok(())
            })?;
            ::core::result::Result::Ok(self.0.call_method(#index, #encoded).await?)
        }
    }
}
