//! What stands in `#[hessian(…)]`: on a type, on a field, on a variant.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Ident, LitStr, Path, Result};

use crate::case::Case;

/// On a type.
#[derive(Default)]
pub(crate) struct OnType {
    pub(crate) class: Option<LitStr>,
    /// The interface or parent class that all classes of an enum have.
    pub(crate) declared: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) write_only: bool,
    pub(crate) runtime: Option<Path>,
}

/// On a field.
#[derive(Default)]
pub(crate) struct OnField {
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: bool,
    pub(crate) skip: bool,
    pub(crate) flatten: bool,
}

/// On a variant.
#[derive(Default)]
pub(crate) struct OnVariant {
    pub(crate) rename: Option<LitStr>,
    pub(crate) other: bool,
}

impl OnType {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut on = OnType::default();
        each(
            attributes,
            "class, declared, rename_all, write_only, crate",
            |name, meta| {
                match name {
                    "class" => on.class = Some(not_empty(meta)?),
                    "declared" => on.declared = Some(not_empty(meta)?),
                    "rename_all" => on.rename_all = Some(case(meta)?),
                    "write_only" => on.write_only = true,
                    "crate" => on.runtime = Some(meta.value()?.parse::<LitStr>()?.parse()?),
                    _ => return Ok(false),
                }
                Ok(true)
            },
        )?;
        Ok(on)
    }

    /// The name on the wire of what has this name in Rust.
    pub(crate) fn name(&self, rename: Option<&LitStr>, ident: &Ident) -> LitStr {
        match (rename, self.rename_all) {
            (Some(name), _) => name.clone(),
            (None, Some(case)) => LitStr::new(&case.of(&ident.unraw().to_string()), ident.span()),
            (None, None) => LitStr::new(&ident.unraw().to_string(), ident.span()),
        }
    }
}

impl OnField {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut on = OnField::default();
        let last = each(attributes, "rename, default, skip, flatten", |name, meta| {
            match name {
                "rename" => on.rename = Some(not_empty(meta)?),
                "default" => on.default = true,
                "skip" => on.skip = true,
                "flatten" => on.flatten = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let named = on.rename.is_some() || on.default;
        match last {
            Some(at) if on.skip && (named || on.flatten) => {
                Err(Error::new(at, "a skipped field has no form that could be changed"))
            }
            Some(at) if on.flatten && named => Err(Error::new(
                at,
                "a flattened field has no name and no value: put the attribute on its fields",
            )),
            _ => Ok(on),
        }
    }
}

impl OnVariant {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut on = OnVariant::default();
        let last = each(attributes, "rename, other", |name, meta| {
            match name {
                "rename" => on.rename = Some(not_empty(meta)?),
                "other" => on.other = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        match last {
            Some(at) if on.other && on.rename.is_some() => {
                Err(Error::new(at, "what stands for any other name has none of its own"))
            }
            _ => Ok(on),
        }
    }
}

/// Calls `take` with each item of each `#[hessian(…)]`; what it does not know is an error that lists the `known`.
/// Returns where the last item stands.
fn each(
    attributes: &[Attribute],
    known: &str,
    mut take: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<bool>,
) -> Result<Option<Span>> {
    let mut last = None;
    let mut seen = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("hessian"))
    {
        attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            last = meta.path.get_ident().map(Ident::span);
            if seen.contains(&name) {
                return Err(meta.error(format!("`{name}` is said twice")));
            }
            if !take(&name, &meta)? {
                return Err(meta.error(format!("unknown attribute; known here: {known}")));
            }
            seen.push(name);
            Ok(())
        })?;
    }
    Ok(last)
}

fn not_empty(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let text: LitStr = meta.value()?.parse()?;
    if text.value().is_empty() {
        return Err(Error::new_spanned(text, "a name is not empty"));
    }
    Ok(text)
}

fn case(meta: &ParseNestedMeta<'_>) -> Result<Case> {
    let text: LitStr = meta.value()?.parse()?;
    let known = Case::ALL.iter().find(|(name, _)| *name == text.value());
    known.map(|(_, case)| *case).ok_or_else(|| {
        let names = Case::ALL.map(|(name, _)| name).join(", ");
        Error::new_spanned(&text, format!("unknown case; known: {names}"))
    })
}
