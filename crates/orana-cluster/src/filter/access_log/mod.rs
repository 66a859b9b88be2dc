//! `accesslog`: a line for each call that a provider serves (`org.apache.dubbo.rpc.filter.AccessLogFilter`).
//!
//! | value | where lines go |
//! |---|---|
//! | absent, empty, `false` | nowhere; there is no such filter |
//! | `true`, `default` | the log of the program, target `dubbo.accesslog` |
//! | a path | that file, if `accesslog.fixed.path=false` and the program has an [`AccessLog`]; else the log of the program |
//!
//! A path comes with configuration that others may write, so it takes the program's own word to follow it.

mod line;
mod roll;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use orana_core::{BoxFuture, Filter, Invocation, Invoker, Reply, RpcError, ServiceUrl};

use self::line::Line;
pub(super) use self::line::put_texts;
pub use self::writer::AccessLog;
use super::parts::{CallContext, Parts};

/// Writes a line for each call of the service of the URL.
pub(super) struct AccessLogFilter {
    url: ServiceUrl,
    context: Arc<dyn CallContext>,
    file: Option<(Arc<AccessLog>, Arc<Path>)>,
}

impl AccessLogFilter {
    /// None if the URL asks for no log.
    pub(super) fn new(url: &ServiceUrl, parts: &Parts) -> Option<AccessLogFilter> {
        let said = url.parameter("accesslog").map(str::trim).unwrap_or_default();
        if said.is_empty() || said.eq_ignore_ascii_case("false") {
            return None;
        }
        let default = ["true", "default"].iter().any(|word| said.eq_ignore_ascii_case(word));
        let fixed = url.flag_or("accesslog.fixed.path", true);
        let file = match &parts.access_log {
            _ if default => None,
            Some(log) if !fixed => Some((Arc::clone(log), Arc::from(Path::new(said)))),
            _ => {
                tracing::warn!(
                    path = said,
                    service = url.interface().unwrap_or_default(),
                    "the path of an access log is not followed unless `accesslog.fixed.path` is false; lines go to the log"
                );
                None
            }
        };
        Some(AccessLogFilter {
            url: url.clone(),
            context: Arc::clone(&parts.context),
            file,
        })
    }

    fn note(&self, invocation: &Invocation, came: SystemTime, left: SystemTime) {
        let line = Line {
            came,
            left,
            caller: self.context.caller(),
            url: &self.url,
            invocation,
            context: &*self.context,
        };
        match &self.file {
            Some((log, path)) => log.write(path, line.text(log.offset()), left),
            None if tracing::enabled!(target: "dubbo.accesslog", tracing::Level::INFO) => {
                let interface = self.url.interface().unwrap_or_default();
                tracing::info!(target: "dubbo.accesslog", interface, "{}", line.text(0));
            }
            None => {}
        }
    }
}

impl Filter for AccessLogFilter {
    fn invoke<'a>(
        &'a self,
        next: &'a dyn Invoker,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Reply, RpcError>> {
        let came = SystemTime::now();
        Box::pin(async move {
            let result = next.invoke(invocation).await;
            self.note(invocation, came, SystemTime::now());
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answering, call, url};
    use super::*;

    fn filter(parameters: &str, parts: &Parts) -> Option<AccessLogFilter> {
        AccessLogFilter::new(&url(parameters), parts)
    }

    #[test]
    fn a_path_is_followed_only_if_it_is_not_fixed() {
        let parts = Parts {
            access_log: Some(Arc::new(AccessLog::start(0).unwrap())),
            ..Parts::default()
        };
        let to_file = |parameters: &str| filter(parameters, &parts).map(|filter| filter.file.is_some());
        for (parameters, expected) in [
            ("", None),
            ("accesslog=false", None),
            ("accesslog=true", Some(false)),
            ("accesslog=default&accesslog.fixed.path=false", Some(false)),
            ("accesslog=/tmp/x.log", Some(false)),
            ("accesslog=/tmp/x.log&accesslog.fixed.path=true", Some(false)),
            ("accesslog=/tmp/x.log&accesslog.fixed.path=false", Some(true)),
        ] {
            assert_eq!(to_file(parameters), expected, "{parameters}");
        }
        let without = filter("accesslog=/tmp/x.log&accesslog.fixed.path=false", &Parts::default());
        assert!(without.unwrap().file.is_none());
    }

    #[tokio::test]
    async fn every_call_has_its_line_in_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/access.log");
        let parts = Parts {
            access_log: Some(Arc::new(AccessLog::start(0).unwrap())),
            ..Parts::default()
        };
        let filter = filter(
            &format!(
                "group=g&version=1.0&accesslog={}&accesslog.fixed.path=false",
                path.display()
            ),
            &parts,
        );
        let filter = filter.unwrap();
        let service = answering(|| Ok(Reply::null()));
        for _ in 0..3 {
            filter.invoke(&service, &call("say")).await.unwrap();
        }
        drop((filter, parts));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        for line in text.lines() {
            assert!(
                line.ends_with(" -> 127.0.0.1:20880 - g/i:1.0 say(java.lang.String,int) []"),
                "{line}"
            );
        }
    }
}
