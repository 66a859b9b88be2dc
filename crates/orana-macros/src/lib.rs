//! What the compiler can write for the user. Knows nothing of the run time but the paths of what it mentions.

mod service;

use proc_macro::TokenStream;

/// Makes a Dubbo service of a trait; see `orana::service`.
#[proc_macro_attribute]
pub fn service(arguments: TokenStream, item: TokenStream) -> TokenStream {
    service::expand(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
