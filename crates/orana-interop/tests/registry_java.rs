//! Our registry beside Dubbo Java 3.3.6 and 2.7.23 in one ZooKeeper or Orana: each sees what the other registers, and reads the
//! cache file that the other writes.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use orana_core::{Category, ServiceUrl, UrlPool};
use orana_interop::{
    Drill, drill,
    drill::eventually,
    dubbo::{Application, Dubbo, SERVICE},
};
use orana_registry::{Registry, Subscription, cache::CacheFile};
use tokio::runtime::Runtime;

const SESSION: Duration = Duration::from_secs(6);
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn we_and_dubbo_33_see_one_another() {
    drill("registry-java33", 2, |drill| see_one_another(drill, Dubbo::Java33));
}

#[test]
fn we_and_dubbo_27_see_one_another() {
    drill("registry-java27", 2, |drill| see_one_another(drill, Dubbo::Java27));
}

fn see_one_another(drill: &Drill, dubbo: Dubbo) -> Result<()> {
    let server = drill.subject()?;
    let application = Application::new(drill, dubbo, server.address()).bare(SESSION);
    let (provider, consumer) = (application.provider("provider")?, application.consumer("consumer")?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let _entered = runtime.enter();
    let file = drill.dir().join("ours.cache");
    let registry = Registry::builder(&ServiceUrl::parse(&format!(
        "zookeeper://{}?session={}&file={}&save.file=true",
        server.address(),
        SESSION.as_millis(),
        file.display()
    ))?)
    .build()?;
    let asked = ServiceUrl::parse(&format!(
        "consumer://127.0.0.1/{SERVICE}?application=ours&category=providers,configurators,routers&interface={SERVICE}&side=consumer"
    ))?;
    let mut subscription = runtime.block_on(registry.subscribe(&asked))?;
    let mut provider = provider.ready()?;
    let _consumer = consumer.ready()?;
    until(&runtime, &mut subscription, &[provider.port])?;

    // Their consumer is there for whoever asks; so is ours, for them.
    let everyone = orana_registry::Query::from_url(&ServiceUrl::parse(&format!(
        "admin://h/{SERVICE}?category=consumers&group=*"
    ))?)?;
    let consumers = eventually(PATIENCE, || {
        let consumers = runtime.block_on(registry.lookup(&everyone))?;
        ensure!(consumers.len() == 2, "consumers: {consumers:?}");
        Ok(consumers)
    })?;
    let names: Vec<_> = consumers
        .iter()
        .filter_map(|url| url.parameter("application"))
        .collect();
    ensure!(
        names.contains(&"consumer") && names.contains(&"ours"),
        "consumers: {names:?}"
    );

    // Whom we register, their consumer connects to.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let ours = ServiceUrl::parse(&format!(
        "dubbo://127.0.0.1:{port}/{SERVICE}?application=ours&dubbo=2.0.2&interface={SERVICE}&methods=greet&release=3.3.6&side=provider"
    ))?;
    let registration = runtime.block_on(registry.register(&ours))?;
    eventually(PATIENCE, || {
        listener
            .accept()
            .context("the consumer does not connect to whom we registered")?;
        Ok(())
    })?;
    until(&runtime, &mut subscription, &[provider.port, port])?;
    runtime.block_on(registration.unregister())?;
    until(&runtime, &mut subscription, &[provider.port])?;

    their_cache(drill, "consumer", provider.port)?;
    our_cache(drill, &file, provider.port)?;

    // One that is killed goes with its session.
    let start = Instant::now();
    provider.peer.process().kill()?;
    until(&runtime, &mut subscription, &[])?;
    ensure!(
        start.elapsed() > SESSION / 3,
        "gone after {:?}, before its session ended",
        start.elapsed()
    );
    runtime.block_on(registry.close());
    Ok(())
}

/// What their consumer wrote, our reader understands.
fn their_cache(drill: &Drill, name: &str, port: u16) -> Result<()> {
    let directory = drill.dir().join(format!("{name}-home/.dubbo"));
    eventually(PATIENCE, || {
        let file = caches(&directory)?;
        let cached = CacheFile::new(&file).read(&UrlPool::new())?;
        let urls = cached
            .lists
            .get(SERVICE)
            .with_context(|| format!("{SERVICE} is not in {}", file.display()))?;
        let ports: Vec<_> = urls
            .iter()
            .filter(|url| url.protocol() == Some("dubbo") && url.category() == Some(Category::Providers))
            .filter_map(ServiceUrl::port)
            .collect();
        ensure!(ports == [port], "{ports:?} in {}", file.display());
        Ok(())
    })
}

/// What we wrote, Java's own reader of such files understands, and finds what Dubbo looks for in it.
fn our_cache(drill: &Drill, file: &Path, port: u16) -> Result<()> {
    let program = drill.dir().join("Read.java");
    fs::write(
        &program,
        "public class Read { public static void main(String[] a) throws Exception {\n\
         var p = new java.util.Properties(); try (var in = new java.io.FileInputStream(a[0])) { p.load(in); }\n\
         for (String url : p.getProperty(a[1]).split(\"\\\\s+\")) System.out.println(url); } }\n",
    )?;
    let outcome = Command::new("java").arg(&program).arg(file).arg(SERVICE).output()?;
    let text = String::from_utf8(outcome.stdout)?;
    ensure!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
    let ports: Vec<_> = text
        .lines()
        .map(ServiceUrl::parse)
        .collect::<Result<Vec<_>, _>>()?
        .iter()
        .filter(|url| url.protocol() == Some("dubbo"))
        .filter_map(ServiceUrl::port)
        .collect();
    ensure!(ports == [port], "Java reads {text}");
    ensure!(
        text.contains("empty://"),
        "what is known to be empty is not kept: {text}"
    );
    Ok(())
}

fn caches(directory: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(directory).with_context(|| format!("no {}", directory.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cache")
            && path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("dubbo-registry-"))
        {
            return Ok(path);
        }
    }
    bail!("no cache file in {}", directory.display())
}

/// Waits until the providers are those at exactly these ports.
fn until(runtime: &Runtime, subscription: &mut Subscription, wanted: &[u16]) -> Result<()> {
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    let there = |subscription: &Subscription| {
        let current = subscription.current();
        let mut ports: Vec<_> = current
            .providers()
            .into_iter()
            .flat_map(|list| list.iter())
            .filter_map(ServiceUrl::port)
            .collect();
        ports.sort_unstable();
        ports
    };
    runtime
        .block_on(async {
            tokio::time::timeout(PATIENCE, async {
                while there(subscription) != wanted {
                    subscription.changed().await.context("the registry was closed")?;
                }
                Ok(())
            })
            .await
        })
        .with_context(|| format!("{:?} instead of {wanted:?}", there(subscription)))?
}
