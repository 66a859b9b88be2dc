//! Where a URL points: one address, and more of them for a registry of several members.

use super::ServiceUrl;

impl ServiceUrl {
    /// `host:port`, or the host alone when there is no port; empty without a host (`URL.getAddress`).
    pub fn address(&self) -> String {
        let host = self.host().unwrap_or_default();
        match self.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The further members of the cluster: the items of `backup`, each as it was written. `h1:p,h2:p` in place of one
    /// address means the same.
    pub fn backup_addresses(&self) -> Vec<String> {
        self.list("backup").map(str::to_owned).collect()
    }

    /// Every address, the URL's own first (`URL.getBackupAddress`).
    pub fn addresses(&self) -> Vec<String> {
        let mut addresses = vec![self.address()];
        addresses.extend(self.backup_addresses());
        addresses.retain(|address| !address.is_empty());
        addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> ServiceUrl {
        ServiceUrl::parse(text).unwrap()
    }

    #[test]
    fn an_address_is_host_and_port_as_far_as_they_are_there() {
        assert_eq!(url("a://h:1/i").address(), "h:1");
        assert_eq!(url("a://[2001:db8::1]:1/i").address(), "[2001:db8::1]:1");
        assert_eq!(url("consumer://h/i").address(), "h");
        assert_eq!(url("?a=b").address(), "");
        assert_eq!(url("?a=b").addresses(), Vec::<String>::new());
    }

    #[test]
    fn further_members_are_given_either_way() {
        for text in [
            "zookeeper://h1:2181?backup=h2:2182,h3",
            "zookeeper://h1:2181,h2:2182,h3",
            "zookeeper://h1:2181,h2:2182?backup=h3",
            "zookeeper://h1:2181?backup=%20h2:2182",
        ] {
            let url = url(&text.replace("%20h2:2182", " h2:2182 ,, h3"));
            assert_eq!((url.host(), url.port()), (Some("h1"), Some(2181)), "{text}");
            assert_eq!(url.backup_addresses(), ["h2:2182", "h3"], "{text}");
            assert_eq!(url.addresses(), ["h1:2181", "h2:2182", "h3"], "{text}");
        }
        let url = url("zookeeper://me:pw@h1:2181,[2001:db8::1]:2182/root?timeout=3");
        assert_eq!(
            (url.user(), url.password(), url.path()),
            (Some("me"), Some("pw"), Some("root"))
        );
        assert_eq!(url.addresses(), ["h1:2181", "[2001:db8::1]:2182"]);
        assert_eq!(
            url.full_text(),
            "zookeeper://me:pw@h1:2181/root?backup=[2001:db8::1]:2182&timeout=3"
        );
    }
}
