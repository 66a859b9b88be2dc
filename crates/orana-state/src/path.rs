//! Which paths a node may have (ZooKeeper's `PathUtils.validatePath`).

/// True if a node may be called so: absolute, no empty, `.` or `..` component, no trailing slash, none of the
/// characters that ZooKeeper forbids (controls, surrogates, private use, the last sixteen of the plane).
pub fn is_valid(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    if rest.is_empty() {
        return true;
    }
    // Almost all paths are printable ASCII: look at the bytes once before looking at characters.
    let plain = path.bytes().all(|b| (0x20..0x7f).contains(&b));
    if !plain && path.chars().any(is_forbidden) {
        return false;
    }
    rest.split('/').all(is_component)
}

/// True if a node other than the root may be called so.
pub(crate) fn is_valid_name(name: &str) -> bool {
    is_component(name) && !name.chars().any(|c| c == '/' || is_forbidden(c))
}

fn is_component(part: &str) -> bool {
    !part.is_empty() && part != "." && part != ".."
}

fn is_forbidden(c: char) -> bool {
    // Characters above U+FFFF are surrogate pairs in Java's eyes.
    matches!(c as u32, 0..=0x1f | 0x7f..=0x9f | 0xd800..=0xf8ff | 0xfff0..)
}

/// Splits a path into its parent and its last component at the last slash; `None` without a slash. The parent
/// of `/a` is the empty string, an alias of the root.
pub fn split(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/')
}

/// The parent as clients spell it: `/` for the children of the root.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(at) => path.get(..at).unwrap_or("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_as_zookeeper_judges_them() {
        for good in ["/", "/a", "/a/b", "/a/...", "/ä/日本", "/a b", "/dubbo/%3A%2F%2F"] {
            assert!(is_valid(good), "{good:?}");
        }
        for bad in [
            "",
            "a",
            "//",
            "/a/",
            "/a//b",
            "/a/.",
            "/a/..",
            "/./a",
            "/a\u{0}",
            "/a\u{1f}",
            "/\u{7f}",
            "/\u{9f}",
            "/\u{e000}",
            "/\u{fff0}",
            "/\u{fffd}",
            "/\u{1f600}",
        ] {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_parent_of_a_top_level_node_is_the_root() {
        assert_eq!(split("/a"), Some(("", "a")));
        assert_eq!(parent("/a"), "/");
        assert_eq!(parent("/a/b"), "/a");
    }
}
