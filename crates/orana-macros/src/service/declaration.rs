//! What the trait says: interface, methods, and the Java types of what goes in and out.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, ItemTrait, LitBool, LitStr, Pat, PathArguments, ReturnType, Token,
    TraitItem, TraitItemFn, Type,
};

use super::names::java_name;

/// A trait that is a Dubbo service.
pub(super) struct Declaration {
    pub(super) item: ItemTrait,
    pub(super) interface: LitStr,
    pub(super) group: Option<LitStr>,
    pub(super) version: Option<LitStr>,
    /// Where the crate `orana` is found.
    pub(super) root: syn::Path,
    pub(super) methods: Vec<Method>,
}

/// One of its methods.
pub(super) struct Method {
    pub(super) name: Ident,
    pub(super) java_name: String,
    pub(super) parameters: Vec<Parameter>,
    /// The whole return type, a `Result`.
    pub(super) output: Type,
    /// What is in it when the call goes well.
    pub(super) value: Type,
    /// Overrides the Java type of the result.
    pub(super) java_returns: Option<LitStr>,
    pub(super) one_way: bool,
    pub(super) blocking: bool,
}

/// One of its parameters.
pub(super) struct Parameter {
    pub(super) name: Ident,
    pub(super) kind: Type,
    /// Overrides the Java type.
    pub(super) java: Option<LitStr>,
}

impl Declaration {
    pub(super) fn read(arguments: TokenStream, item: TokenStream) -> syn::Result<Declaration> {
        let mut item: ItemTrait = syn::parse2(item)?;
        let (mut interface, mut group, mut version) = (None, None, None);
        let mut root: syn::Path = syn::parse_quote!(::orana);
        let settings = syn::meta::parser(|meta: ParseNestedMeta<'_>| {
            if meta.path.is_ident("interface") {
                interface = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("group") {
                group = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("version") {
                version = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("crate") {
                root = meta.value()?.parse::<LitStr>()?.parse()?;
            } else {
                return Err(meta.error("unknown setting; known are `interface`, `group`, `version` and `crate`"));
            }
            Ok(())
        });
        settings.parse2(arguments)?;
        let interface = interface.ok_or_else(|| {
            Error::new(
                item.ident.span(),
                "name the Java interface: #[service(interface = \"org.example.Greeter\")]",
            )
        })?;
        if interface.value().is_empty()
            || interface
                .value()
                .contains(|c: char| c.is_whitespace() || "/:,?&".contains(c))
        {
            return Err(Error::new(interface.span(), "this is no name of a Java interface"));
        }
        if let Some(first) = item.generics.params.first() {
            return Err(Error::new(
                first.span(),
                "a service has no generic parameters: Java has to know its types",
            ));
        }
        let mut methods = Vec::new();
        for member in &mut item.items {
            match member {
                TraitItem::Fn(method) => methods.push(Method::read(method)?),
                other => return Err(Error::new(other.span(), "a service consists of methods only")),
            }
        }
        if let Some(clause) = &item.generics.where_clause {
            return Err(Error::new(
                clause.span(),
                "a service has no `where`: Java has to know its types",
            ));
        }
        for (index, method) in methods.iter().enumerate() {
            let same = |other: &&Method| other.java_name == method.java_name && other.looks_like(method);
            if methods.iter().take(index).any(|other| same(&other)) {
                return Err(Error::new(
                    method.name.span(),
                    "Java cannot tell this method from another of the same name with the same parameter types; name it otherwise with \
                     #[method(name = \"…\")]",
                ));
            }
        }
        Ok(Declaration {
            item,
            interface,
            group,
            version,
            root,
            methods,
        })
    }

    /// The trait for those who implement it and for those who are generic over it: its methods return futures that may go from thread to
    /// thread.
    pub(super) fn contract(&self) -> TokenStream {
        let ItemTrait {
            attrs,
            vis,
            ident,
            supertraits,
            items,
            ..
        } = &self.item;
        let supertraits = supertraits.iter();
        let methods = items.iter().zip(&self.methods).map(|(item, method)| {
            let attributes = match item {
                TraitItem::Fn(item) => &item.attrs[..],
                _ => &[],
            };
            let Method { name, output, .. } = method;
            let parameters = method.signature();
            quote! {
                #(#attributes)*
                fn #name(&self, #parameters) -> impl ::core::future::Future<Output = #output> + ::core::marker::Send;
            }
        });
        quote! {
            #(#attrs)*
            #vis trait #ident: #(#supertraits +)* ::core::marker::Send + ::core::marker::Sync + 'static {
                #(#methods)*
            }
        }
    }

    /// The expression for what both sides know of the interface.
    pub(super) fn definition(&self) -> TokenStream {
        let Declaration { root, interface, .. } = self;
        let group = self.group.iter();
        let version = self.version.iter();
        let methods = self.methods.iter().map(|method| method.definition(root));
        quote! {
            #root::macros::ServiceDefinition::new(#interface, ::std::vec![#(#methods),*])
                #(.in_group(#group))*
                #(.of_version(#version))*
        }
    }

    pub(super) fn client(&self) -> Ident {
        format_ident!("{}Client", self.item.ident.unraw())
    }

    pub(super) fn service(&self) -> Ident {
        format_ident!("{}Service", self.item.ident.unraw())
    }
}

impl Method {
    fn read(item: &mut TraitItemFn) -> syn::Result<Method> {
        let signature = &mut item.sig;
        if signature.asyncness.is_none() {
            return Err(Error::new(
                signature.fn_token.span(),
                "a method of a service is an `async fn`",
            ));
        }
        if let Some(body) = &item.default {
            return Err(Error::new(
                body.span(),
                "a method of a service has no body here; whoever serves it writes one",
            ));
        }
        if let Some(first) = signature.generics.params.first() {
            return Err(Error::new(
                first.span(),
                "a method of a service has no generic parameters",
            ));
        }
        if let Some(conditional) = item
            .attrs
            .iter()
            .find(|one| one.path().is_ident("cfg") || one.path().is_ident("cfg_attr"))
        {
            return Err(Error::new(
                conditional.span(),
                "a method of a service is there always: its number is part of the interface",
            ));
        }
        if let Some(clause) = &signature.generics.where_clause {
            return Err(Error::new(clause.span(), "a method of a service has no `where`"));
        }
        let settings = Settings::take(&mut item.attrs)?;
        let (output, value) = result(&signature.output, signature.ident.span())?;
        let mut arguments = signature.inputs.iter_mut();
        match arguments.next() {
            Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {}
            _ => {
                return Err(Error::new(
                    signature.ident.span(),
                    "a method of a service begins with `&self`",
                ));
            }
        }
        let parameters = arguments.map(Parameter::read).collect::<syn::Result<Vec<_>>>()?;
        Ok(Method {
            java_name: settings
                .name
                .map_or_else(|| java_name(&signature.ident.to_string()), |name| name.value()),
            name: signature.ident.clone(),
            parameters,
            output,
            value,
            java_returns: settings.returns,
            one_way: settings.one_way,
            blocking: settings.blocking,
        })
    }

    /// Whether Java would see the same parameter types, as far as their spelling tells.
    fn looks_like(&self, other: &Method) -> bool {
        let spelling = |method: &Method| -> Vec<String> {
            let of = |parameter: &Parameter| match &parameter.java {
                Some(java) => java.value(),
                None => parameter.kind.to_token_stream().to_string(),
            };
            method.parameters.iter().map(of).collect()
        };
        spelling(self) == spelling(other)
    }

    /// Its parameters as they stand in a signature.
    pub(super) fn signature(&self) -> TokenStream {
        let parameters = self.parameters.iter().map(|parameter| {
            let Parameter { name, kind, .. } = parameter;
            quote!(#name: #kind)
        });
        quote!(#(#parameters),*)
    }

    fn definition(&self, root: &syn::Path) -> TokenStream {
        let name = &self.java_name;
        let parameters = self
            .parameters
            .iter()
            .map(|parameter| java_type(root, &parameter.kind, parameter.java.as_ref()));
        let returns = java_type(root, &self.value, self.java_returns.as_ref());
        let one_way = self.one_way.then(|| quote!(.one_way()));
        let blocking = self.blocking.then(|| quote!(.blocking()));
        quote! {
            #root::macros::MethodDefinition::new(
                #name,
                <[#root::macros::Name; _]>::from([#(#parameters),*]),
                #returns,
            ) #one_way #blocking
        }
    }
}

impl Parameter {
    fn read(argument: &mut FnArg) -> syn::Result<Parameter> {
        let FnArg::Typed(argument) = argument else {
            return Err(Error::new(argument.span(), "`self` comes first"));
        };
        let Pat::Ident(name) = &*argument.pat else {
            return Err(Error::new(
                argument.pat.span(),
                "a parameter of a service is a plain name",
            ));
        };
        if let Type::Reference(reference) = &*argument.ty {
            return Err(Error::new(
                reference.span(),
                "a parameter of a service is owned: whoever serves the call has nobody to borrow from",
            ));
        }
        if let Type::ImplTrait(kind) = &*argument.ty {
            return Err(Error::new(
                kind.span(),
                "a parameter of a service has one type, which Java has to know",
            ));
        }
        let mut java = None;
        let mut wrong = None;
        argument.attrs.retain(|attribute| {
            if !attribute.path().is_ident("java") {
                return true;
            }
            match attribute.parse_args::<LitStr>() {
                Ok(name) => java = Some(name),
                Err(error) => wrong = Some(error),
            }
            false
        });
        match wrong {
            Some(error) => Err(error),
            None => Ok(Parameter {
                name: name.ident.clone(),
                kind: (*argument.ty).clone(),
                java,
            }),
        }
    }
}

/// What `#[method(…)]` says.
#[derive(Default)]
struct Settings {
    name: Option<LitStr>,
    returns: Option<LitStr>,
    one_way: bool,
    blocking: bool,
}

impl Settings {
    /// Takes `#[method(…)]` out of the attributes, which the compiler does not know.
    fn take(attributes: &mut Vec<Attribute>) -> syn::Result<Settings> {
        let mut settings = Settings::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("method"))
        {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    settings.name = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("returns") {
                    settings.returns = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("one_way") {
                    settings.one_way = flag(&meta)?;
                } else if meta.path.is_ident("blocking") {
                    settings.blocking = flag(&meta)?;
                } else {
                    return Err(meta.error("unknown setting; known are `name`, `returns`, `one_way` and `blocking`"));
                }
                Ok(())
            })?;
        }
        attributes.retain(|attribute| !attribute.path().is_ident("method"));
        Ok(settings)
    }
}

/// A setting that is on if it is there: `x`, `x = true`, `x = false`.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    match meta.input.peek(Token![=]) {
        true => Ok(meta.value()?.parse::<LitBool>()?.value),
        false => Ok(true),
    }
}

/// The whole return type, and what is in it when the call goes well.
fn result(output: &ReturnType, at: proc_macro2::Span) -> syn::Result<(Type, Type)> {
    let refuse = |at| Error::new(at, "a call can fail: a method of a service returns `orana::Result<…>`");
    let ReturnType::Type(_, output) = output else {
        return Err(refuse(at));
    };
    let Type::Path(path) = &**output else {
        return Err(refuse(output.span()));
    };
    let last = path.path.segments.last().filter(|last| last.ident == "Result");
    let Some(PathArguments::AngleBracketed(arguments)) = last.map(|last| &last.arguments) else {
        return Err(refuse(output.span()));
    };
    let arguments: &Punctuated<GenericArgument, Token![,]> = &arguments.args;
    match arguments.first() {
        Some(GenericArgument::Type(value)) => Ok(((**output).clone(), value.clone())),
        _ => Err(refuse(arguments.to_token_stream().span())),
    }
}

/// The expression for the Java type of a Rust type.
fn java_type(root: &syn::Path, kind: &Type, named: Option<&LitStr>) -> TokenStream {
    match named {
        Some(name) => quote!(#root::macros::Name::Borrowed(#name)),
        None => quote!(<#kind as #root::macros::JavaType>::java_type()),
    }
}
