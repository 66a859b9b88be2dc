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
