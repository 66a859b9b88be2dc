//! Our configuration centre against real servers: the contract suite of all its back-ends, over the server under test and
//! over one of the years before persistent watches; and what only a tree has to offer.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use orana_core::{BoxFuture, ServiceUrl};
use orana_interop::{
    Subject, Tree, drill,
    served::{self, Old, SESSION, Served, Server},
    wire::Wire,
};
use orana_registry::{
    Freshness, RegistryError,
    backend::Link,
    config_center::{
        CONFIG_BACKENDS, ConfigBackend, ConfigCenter, ConfigCenters, ConfigSubscription, ConfigValue, DEFAULT_GROUP,
        suite::{Client, Product, SCENARIOS},
    },
    suite::{Login, Notion, Outcome},
};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(5);

#[test]
fn the_centre_keeps_the_contract_of_all_configuration_centres() {
    drill("config-suite", 0, |drill| keeps_the_contract(served::subject(drill)?));
}

/// A server of 3.5 knows no persistent watches, answers so and hangs up.
#[test]
fn the_centre_keeps_the_contract_with_a_server_of_2021() {
    drill("config-suite-old", 1, |drill| keeps_the_contract(Old::begin(drill)?));
}

/// Where Dubbo has it, and dubbo-admin writes it: rules in the group `dubbo`, properties of an application in its own.
#[test]
fn what_an_operator_writes_into_the_tree_is_followed() {
    drill("config-tree", 0, |drill| {
        let subject = drill.subject()?;
        let tree = Tree::at(subject.address())?;
        tree.put("/dubbo/config/dubbo/dubbo.properties", "dubbo.registry.check=false\n")?;
        run(async {
            let centre = open(&format!("zookeeper://{}", subject.address()))?;
            let colon_key = "com.example.Greeter:1.0.0:.condition-router";
            let mut rule = centre.subscribe(DEFAULT_GROUP, colon_key).await?;
            let mut shop = centre.subscribe("shop", "dubbo.properties").await?;
            let everybody = centre.get(DEFAULT_GROUP, "dubbo.properties").await?;
            ensure!(
                everybody.as_deref() == Some("dubbo.registry.check=false\n"),
                "{everybody:?}"
            );
            ensure!(rule.current().text.is_none() && rule.current().freshness == Freshness::Fresh);

            let path = format!("/dubbo/config/dubbo/{colon_key}");
            for text in ["force: true\n", "force: false\n"] {
                outside(|| tree.put(&path, text))?;
                until(&mut rule, |value| value.text.as_deref() == Some(text)).await?;
            }
            outside(|| tree.put("/dubbo/config/shop/dubbo.properties", "a=b"))?;
            until(&mut shop, |value| value.text.as_deref() == Some("a=b")).await?;
            outside(|| tree.delete(&path))?;
            until(&mut rule, |value| value.text.is_none()).await?;
            // And ours are where they look.
            centre.publish(DEFAULT_GROUP, colon_key, "enabled: false").await?;
            let data = outside(|| tree.data(&path))?;
            ensure!(data.as_deref() == Some(b"enabled: false"), "{data:?}");
            Ok(())
        })
    });
}

#[test]
fn data_that_is_no_text_is_reported_and_the_text_before_it_stays() {
    drill("config-no-text", 0, |drill| {
        let subject = drill.subject()?;
        run(async {
            let centre = open(&format!("zookeeper://{}", subject.address()))?;
            centre.publish(DEFAULT_GROUP, "a.tag-router", "good").await?;
            let mut rule = centre.subscribe(DEFAULT_GROUP, "a.tag-router").await?;
            put_bytes(&subject, "/dubbo/config/dubbo/a.tag-router", b"\xff\xfe").await?;
            let value = until(&mut rule, |value| value.problem.is_some()).await?;
            ensure!(value.text.as_deref() == Some("good"), "{value:?}");
            let problem = value.problem.context("a problem")?;
            ensure!(problem.contains("/dubbo/config/dubbo/a.tag-router"), "{problem}");
            centre.publish(DEFAULT_GROUP, "a.tag-router", "better").await?;
            let value = until(&mut rule, |value| value.text.as_deref() == Some("better")).await?;
            ensure!(value.problem.is_none(), "{value:?}");
            Ok(())
        })
    });
}

#[test]
fn a_registry_is_a_configuration_centre_under_its_own_group() {
    drill("config-of-registry", 0, |drill| {
        let subject = drill.subject()?;
        let dead = drill.port()?;
        let tree = Tree::at(subject.address())?;
        run(async {
            let registry = url(&format!(
                "zookeeper://127.0.0.1:{dead}?backup={}&group=shop",
                subject.address()
            ))?;
            let centres = ConfigCenters::default();
            let at = ConfigCenter::of_registry(&registry).context("a zookeeper is a configuration centre")?;
            let (one, other) = (centres.get(&at)?, centres.get(&at)?);
            ensure!(centres.in_use().len() == 1);
            let mut rule = one.subscribe(DEFAULT_GROUP, "a.configurators").await?;
            other.publish(DEFAULT_GROUP, "a.configurators", "text").await?;
            until(&mut rule, |value| value.text.as_deref() == Some("text")).await?;
            let data = outside(|| tree.data("/shop/config/dubbo/a.configurators"))?;
            ensure!(data.as_deref() == Some(b"text"), "{data:?}");
            other.close().await;
            ensure!(
                timeout(SOON, rule.changed()).await?.is_none(),
                "closed for one and not for all"
            );
            // Who asks after that begins a new one.
            ensure!(centres.get(&at)?.get(DEFAULT_GROUP, "a.configurators").await?.is_some());
            Ok(())
        })
    });
}

/// More than the client can name to the server in one request: its session cannot be kept over a cut, and a new one has to
/// bring everything back as well.
#[test]
fn two_thousand_keys_come_back_after_a_cut() {
    drill("config-two-thousand", 0, |drill| {
        let subject = drill.subject()?;
        let wire = Wire::to(subject.port())?;
        run(async {
            let name =
                |nth: usize| format!("com.example.many.configuration.Service{nth:04}:1.0.0:group.condition-router");
            let centre = open(&format!("zookeeper://{}?retry.period=200", wire.address()))?;
            let writer = open(&format!("zookeeper://{}", subject.address()))?;
            let start = Instant::now();
            let mut subscriptions = Vec::new();
            for nth in 0..2000 {
                subscriptions.push(centre.subscribe(DEFAULT_GROUP, &name(nth)).await?);
            }
            eprintln!("    2000 subscriptions began in {:?}", start.elapsed());
            let mut link = centre.link();
            let before = link.borrow().epoch();
            wire.cut();
            timeout(SOON, link.wait_for(|link| !link.is_up()))
                .await
                .context("still up")??;
            writer.publish(DEFAULT_GROUP, &name(7), "meanwhile").await?;
            let start = Instant::now();
            wire.mend();
            timeout(SOON * 4, link.wait_for(Link::is_up))
                .await
                .context("not connected again")??;
            ensure!(centre.link().borrow().epoch() > before, "the session was kept");
            let [changed, other] = subscriptions.get_disjoint_mut([7, 1999])?;
            until(changed, |value| value.text.as_deref() == Some("meanwhile")).await?;
            eprintln!("    back after {:?}", start.elapsed());
            while !centre.is_settled() {
                ensure!(start.elapsed() < SOON * 4, "not everything is watched again");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            writer.publish(DEFAULT_GROUP, &name(1999), "later").await?;
            until(other, |value| value.text.as_deref() == Some("later")).await?;
            Ok(())
        })
    });
}

/// From the call that publishes to the value at the subscriber.
#[test]
fn a_change_is_seen_in_milliseconds() {
    drill("config-latency", 0, |drill| {
        let subject = drill.subject()?;
        run(async {
            let address = format!("zookeeper://{}", subject.address());
            let (writer, reader) = (open(&address)?, open(&address)?);
            let mut rule = reader.subscribe(DEFAULT_GROUP, "a.tag-router").await?;
            let mut took = Vec::new();
            for change in 0..500 {
                let text = change.to_string();
                let start = Instant::now();
                let published = writer.publish(DEFAULT_GROUP, "a.tag-router", &text);
                let seen = async {
                    until(&mut rule, |value| value.text.as_deref() == Some(&*text)).await?;
                    Ok::<_, anyhow::Error>(start.elapsed())
                };
                let (published, seen) = tokio::join!(published, seen);
                published?;
                took.push(seen?);
            }
            took.sort_unstable();
            let (p50, p99) = (took[took.len() / 2], took[took.len() * 99 / 100]);
            eprintln!("    publishing to value at the subscriber, 500 times: p50 {p50:?}, p99 {p99:?}");
            // Far above what is expected, and far below what a second look or a pause of any kind would cost.
            ensure!(p50 < Duration::from_millis(30), "p50 is {p50:?}");
            Ok(())
        })
    });
}

fn keeps_the_contract<S: Served>(server: S) -> Result<()> {
    let server = Ensemble(Server::new(server));
    let mut failures = Vec::new();
    for scenario in SCENARIOS {
        // Each on a runtime of its own: no client of one disturbs the next.
        let outcome = run(async { Ok(scenario.play(&server).await) })?;
        eprintln!("    {}: {outcome}", scenario.name);
        if !matches!(outcome, Outcome::Passed(_)) {
            failures.push(format!("{}: {outcome}", scenario.name));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// The server under test, as the suite sees it.
struct Ensemble<S>(Server<S>);

/// A client behind a cable of its own.
struct Cabled {
    backend: Arc<dyn ConfigBackend>,
    wire: Wire,
}

impl<S: Served> Product for Ensemble<S> {
    fn connect(&self, login: Login) -> Result<Arc<dyn Client>, RegistryError> {
        let wire = self.0.wire().expect("a cable");
        let (user, namespace) = match login {
            Login::Open => ("", "dubbo"),
            Login::Owner => ("ann:secret@", "owned"),
            Login::Stranger => ("ann:guess@", "owned"),
        };
        let text = format!(
            "zookeeper://{user}{}?namespace={namespace}&session={}",
            wire.address(),
            SESSION.as_millis()
        );
        let row = CONFIG_BACKENDS
            .iter()
            .find(|row| row.scheme == "zookeeper")
            .expect("the back-end is built in");
        let backend = (row.connect)(&ServiceUrl::parse(&text).expect("a url"))?;
        Ok(Arc::new(Cabled { backend, wire }))
    }

    fn has(&self, _: Notion) -> bool {
        true
    }

    fn restart(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { self.0.restart() })
    }
}

impl Client for Cabled {
    fn backend(&self) -> Arc<dyn ConfigBackend> {
        Arc::clone(&self.backend)
    }

    fn cut(&self) {
        self.wire.cut();
    }

    fn mend(&self) {
        self.wire.mend();
    }

    fn expire(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            served::expire(&self.wire).await;
            Ok(())
        })
    }
}

fn open(text: &str) -> Result<ConfigCenter> {
    Ok(ConfigCenter::builder(&url(text)?).build()?)
}

async fn until(subscription: &mut ConfigSubscription, holds: impl Fn(&ConfigValue) -> bool) -> Result<ConfigValue> {
    let wait = async {
        let mut value = subscription.current();
        while !holds(&value) {
            value = subscription.changed().await.context("the centre was closed")?;
        }
        Ok(value)
    };
    let told = timeout(SOON, wait).await;
    told.map_err(|_| anyhow::anyhow!("not told; known is {:?}", subscription.current()))?
}

/// A tree blocks, and must not do so on a thread of the runtime that serves us.
fn outside<T: Send>(act: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| scope.spawn(act).join()).map_err(|_| anyhow::anyhow!("it panicked"))?
}

/// Writes what no tool of ours would.
async fn put_bytes(subject: &Subject, path: &str, data: &[u8]) -> Result<()> {
    let client = zookeeper_client::Client::connect(&subject.address()).await?;
    client.set_data(path, data, None).await?;
    Ok(())
}

fn url(text: &str) -> Result<ServiceUrl> {
    Ok(ServiceUrl::parse(text)?)
}

fn run<T>(scenario: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("a runtime")?;
    runtime.block_on(scenario)
}
