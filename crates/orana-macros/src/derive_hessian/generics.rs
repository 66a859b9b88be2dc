//! What must hold of a type's parameters, so that what is made of them has a form.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Ident, Type, WhereClause, parse_quote};

/// The parameters of a type, and what is asked of them.
pub(crate) struct Bounds<'a> {
    generics: &'a Generics,
    clause: WhereClause,
    bounded: HashSet<String>,
}

impl<'a> Bounds<'a> {
    /// What the declaration itself asks.
    pub(crate) fn of(generics: &'a Generics) -> Self {
        let clause = generics.where_clause.clone().unwrap_or_else(|| parse_quote!(where));
        Bounds {
            generics,
            clause,
            bounded: HashSet::new(),
        }
    }

    /// Asks that the parameters of which `holder` is made have a trait. (Not that `holder` has it: it may hold the very
    /// type whose code this is for.)
    pub(crate) fn parameters(&mut self, holder: &Type, wanted: &TokenStream) {
        let used = identifiers(holder.to_token_stream());
        for parameter in self.generics.type_params().map(|parameter| &parameter.ident) {
            let named = format!("{parameter}: {wanted}");
            if used.contains(&parameter.to_string()) && self.bounded.insert(named) {
                self.clause.predicates.push(parse_quote!(#parameter: #wanted));
            }
        }
    }

    /// Asks that `holder` itself has a trait, if that depends on the parameters.
    pub(crate) fn whole(&mut self, holder: &Type, wanted: &TokenStream) {
        let used = identifiers(holder.to_token_stream());
        let mut parameters = self.generics.type_params();
        if parameters.any(|parameter| used.contains(&parameter.ident.to_string())) {
            self.clause.predicates.push(parse_quote!(#holder: #wanted));
        }
    }

    /// The beginning of an implementation of a trait.
    pub(crate) fn implement(&self, of: &TokenStream, name: &Ident) -> TokenStream {
        let (parameters, arguments, _) = self.generics.split_for_impl();
        let clause = &self.clause;
        quote!(impl #parameters #of for #name #arguments #clause)
    }

    /// The parameters as they are declared, as they are used, and what is asked of them.
    pub(crate) fn split(&self) -> (TokenStream, TokenStream, &WhereClause) {
        let (parameters, arguments, _) = self.generics.split_for_impl();
        (parameters.to_token_stream(), arguments.to_token_stream(), &self.clause)
    }

    /// A type that uses all parameters.
    pub(crate) fn marker(&self) -> TokenStream {
        let lifetimes = self.generics.lifetimes().map(|parameter| &parameter.lifetime);
        let types = self.generics.type_params().map(|parameter| &parameter.ident);
        quote!(::core::marker::PhantomData<(#(&#lifetimes (),)* #(fn() -> #types,)*)>)
    }
}

fn identifiers(tokens: TokenStream) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut open = vec![tokens];
    while let Some(tokens) = open.pop() {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    found.insert(ident.to_string());
                }
                TokenTree::Group(group) => open.push(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    found
}
