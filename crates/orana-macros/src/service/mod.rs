//! `#[service]`: of a trait with asynchronous methods, the client that calls it, the service that serves it, and what Java must know
//! of it.
//!
//! In order: [`declaration`] reads the trait and says what is wrong with it, [`client`] and [`server`] write the two sides.

mod client;
mod declaration;
mod names;
mod server;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

use self::declaration::Declaration;

/// The trait as it was written with its methods made asynchronous for callers, followed by the two sides.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let declaration = Declaration::read(arguments, item)?;
    let contract = declaration.contract();
    let client = client::write(&declaration);
    let server = server::write(&declaration);
    Ok(quote! {
        #contract
        #client
        #server
    })
}
