//! The attributes of each class of Dubbo's configuration, under the name of the class without `Config`; `…_ALONE` is what the class
//! has beyond those that it inherits from.
//!
//! What an attribute becomes follows Dubbo's `@Parameter`, except that what only a Java server needs (thread pools and the like) stays
//! out of URLs, from which Dubbo 3 removes it before registering.

use super::RETRY;
use crate::config::attribute::{Attribute, flag, integer, port, text};

pub(super) const EVERY: &[Attribute] = &[text("id").local(), flag("default").local()];

pub(super) const METHOD: &[Attribute] = &[
    integer("timeout"),
    integer("retries"),
    integer("actives"),
    text("loadbalance"),
    flag("async"),
    flag("sent"),
    text("mock"),
    text("merger"),
    text("cache"),
    text("validation"),
    integer("forks"),
];

pub(super) const METHOD_ALONE: &[Attribute] = &[
    flag(RETRY),
    integer("stat"),
    flag("reliable"),
    integer("executes"),
    flag("deprecated"),
    flag("sticky"),
    flag("return"),
    text("oninvoke-method").local(),
    text("onreturn-method").local(),
    text("onthrow-method").local(),
];

pub(super) const INTERFACE: &[Attribute] = &[
    text("interface").local(),
    text("version"),
    text("group"),
    text("local"),
    text("stub"),
    text("proxy"),
    text("cluster"),
    text("owner"),
    integer("connections"),
    text("layer"),
    text("registry-ids").local(),
    text("registry").local(),
    text("onconnect"),
    text("ondisconnect"),
    integer("callbacks"),
    text("scope"),
    text("tag").parameter("dubbo.tag"),
    flag("auth"),
    text("authenticator"),
    text("username"),
    text("password"),
    flag("singleton").local(),
];

pub(super) const REFERENCE: &[Attribute] = &[
    // Whoever subscribes says it by itself; registered consumers always have `check=false`.
    flag("check").local(),
    text("filter").parameter("reference.filter").appending(),
    text("listener").parameter("invoker.listener").appending(),
    flag("init"),
    text("generic"),
    flag("injvm"),
    flag("lazy"),
    text("reconnect"),
    flag("sticky"),
    flag("stubevent").parameter("dubbo.stub.event"),
    text("provided-by").as_written(),
    integer("provider-port").as_written(),
    text("provider-namespace").as_written(),
    text("router").appending(),
    flag("refer-async").as_written(),
    text("client"),
    text("protocol"),
];

pub(super) const REFERENCE_ALONE: &[Attribute] = &[
    text("url").local(),
    flag("unload-cluster-related").parameter("unloadClusterRelated"),
    text("consumer").local(),
];

pub(super) const CONSUMER_ALONE: &[Attribute] = &[
    text("threadpool").local(),
    integer("corethreads").local(),
    integer("threads").local(),
    integer("queues").local(),
    integer("shareconnections"),
    text("url-merge-processor").as_written(),
    integer("refer-thread-num").local(),
    flag("refer-background").local(),
    flag("mesh-enable").as_written(),
];

pub(super) const SERVICE: &[Attribute] = &[
    text("filter").parameter("service.filter").appending(),
    text("listener").parameter("exporter.listener").appending(),
    integer("delay"),
    flag("export"),
    integer("weight"),
    text("document"),
    text("token"),
    flag("deprecated"),
    flag("dynamic"),
    text("accesslog"),
    integer("executes"),
    flag("register"),
    integer("warmup"),
    text("serialization"),
    text("prefer-serialization"),
    flag("export-async").as_written(),
    text("executor").parameter("service-executor"),
    integer("payload"),
    text("protocol-ids").local(),
    text("protocol").local(),
    flag("use-java-package-as-path").local(),
];

pub(super) const SERVICE_ALONE: &[Attribute] = &[
    text("path").local(),
    text("generic"),
    text("provider").local(),
    text("provider-ids").local(),
];

/// What a provider element and a protocol both have, of the machinery of a server.
pub(super) const SERVER: &[Attribute] = &[
    text("host").local(),
    port("port").local(),
    text("contextpath").local(),
    text("path").local(),
    text("threadpool").local(),
    integer("threads").local(),
    integer("iothreads").local(),
    integer("alive").local(),
    integer("queues").local(),
    integer("accepts"),
    text("codec"),
    text("charset"),
    integer("buffer"),
    text("server"),
    text("client"),
    text("telnet"),
    text("prompt"),
    text("status"),
    text("transporter"),
    text("exchanger"),
    text("dispatcher"),
    text("dispather").local(),
    text("networker"),
];

pub(super) const PROVIDER_ALONE: &[Attribute] = &[
    text("threadname").local(),
    integer("wait"),
    integer("export-thread-num").local(),
    flag("export-background").local(),
];

pub(super) const PROTOCOL: &[Attribute] = &[
    text("name").local(),
    integer("corethreads").local(),
    text("json-check-level").parameter("jsonCheckLevel"),
    text("thread-pool-exhausted-listeners").as_written(),
    text("serialization"),
    text("prefer-serialization"),
    integer("payload"),
    integer("heartbeat"),
    text("accesslog"),
    flag("register"),
    flag("ssl-enabled").as_written(),
    flag("keep-alive"),
    text("optimizer"),
    text("extension"),
    text("ext-protocol"),
    text("preferred-protocol"),
    flag("no-interface-support"),
];

pub(super) const APPLICATION: &[Attribute] = &[
    text("name").local(),
    text("version").parameter("application.version"),
    text("owner"),
    text("organization"),
    text("architecture"),
    text("environment"),
    text("compiler").local(),
    text("logger").local(),
    text("registry-ids").local(),
    text("dump-directory").local(),
    flag("dump-enable").local(),
    flag("qos-enable").local(),
    flag("qos-check").local(),
    text("qos-host").local(),
    port("qos-port").local(),
    flag("qos-accept-foreign-ip").local(),
    text("qos-accept-foreign-ip-whitelist").local(),
    text("qos-anonymous-access-permission-level").local(),
    text("qos-anonymous-allow-commands").local(),
    text("shutwait").local(),
    text("hostname").local(),
    text("metadata-type").as_written(),
    flag("register-consumer"),
    text("repository"),
    flag("enable-file-cache").of_registries("file-cache"),
    text("register-mode").of_registries("register-mode"),
    flag("enable-empty-protection").of_registries("enable-empty-protection"),
    text("protocol").local(),
    integer("metadata-service-port").as_written(),
    text("metadata-service-protocol").as_written(),
    integer("mapping-retry-interval").local(),
    text("liveness-probe").local(),
    text("readiness-probe").local(),
    text("startup-probe").local(),
    text("serialize-check-status").local(),
    flag("auto-trust-serialize-class").local(),
    integer("trust-serialize-class-level").local(),
    flag("check-serializable").local(),
    text("executor-management-mode").local(),
    flag("only-use-metadata-v2").local(),
];

pub(super) const MODULE: &[Attribute] = &[
    text("name").parameter("module"),
    text("version").parameter("module.version"),
    text("owner").parameter("module.owner"),
    text("organization").parameter("module.organization"),
    flag("background").local(),
    flag("refer-async").local(),
    integer("refer-thread-num").local(),
    flag("export-async").local(),
    integer("export-thread-num").local(),
    integer("check-reference-timeout").local(),
];

/// What makes up an address.
pub(super) const ADDRESS: &[Attribute] = &[
    text("address").local(),
    text("protocol").local(),
    port("port").local(),
    text("username").local(),
    text("password").local(),
];

pub(super) const REGISTRY: &[Attribute] = &[
    text("transporter"),
    text("server"),
    text("client"),
    text("cluster"),
    text("zone"),
    text("group"),
    text("version"),
    integer("timeout"),
    integer("session"),
    text("file"),
    integer("wait"),
    flag("check"),
    flag("dynamic"),
    flag("register"),
    flag("subscribe"),
    flag("simplified"),
    text("extra-keys").as_written(),
    flag("use-as-config-center").local(),
    flag("use-as-metadata-center").local(),
    text("accepts"),
    flag("preferred"),
    integer("weight"),
    text("register-mode").as_written(),
    flag("enable-empty-protection").as_written(),
    text("secure"),
];

pub(super) const CONFIG_CENTER: &[Attribute] = &[
    text("cluster"),
    text("namespace"),
    text("group"),
    integer("timeout"),
    flag("highest-priority").as_written(),
    flag("check"),
    text("config-file").as_written(),
    text("app-config-file").as_written(),
];

pub(super) const METADATA_REPORT: &[Attribute] = &[
    integer("timeout"),
    text("group"),
    integer("retry-times").as_written(),
    integer("retry-period").as_written(),
    flag("cycle-report").as_written(),
    flag("sync-report").as_written(),
    flag("cluster"),
    text("registry"),
    text("file"),
    flag("check"),
    flag("report-metadata").as_written(),
    flag("report-definition").as_written(),
];

pub(super) const MONITOR: &[Attribute] = &[text("group"), text("version"), text("interval")];
