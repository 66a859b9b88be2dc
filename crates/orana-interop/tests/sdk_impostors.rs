//! Whoever breaks the protocol, or writes what nobody understands into the registry, harms no one but himself: the example
//! consumer goes on with the good providers, the example provider with the good consumers.

use std::{
    io::Write,
    net::{Ipv4Addr, TcpStream},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Result, ensure};
use orana_interop::{
    Drill, Peer, Tree, drill,
    sdk::{
        impostors::{Impostor, Vice},
        peers::Built,
    },
    vitals,
};

const SERVICE: &str = "org.example.peer.Greeter";
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls of the consumer, and those after which every impostor should be known as one. A connection that answers heartbeats is
/// believed for five seconds, and its calls are slow.
const CALLS: usize = 500;
const LEARNT: usize = 300;

/// So many calls may still go to an impostor after that: one now and then, to see whether it has changed.
const TRIALS: usize = 5;

#[test]
fn a_consumer_goes_on_with_the_good_providers_among_bad_ones() {
    drill("sdk-impostors", 0, |drill| {
        let registry = drill.subject()?;
        let tree = Tree::at(registry.address())?;
        let registry = format!("zookeeper://{}", registry.address());
        let _good = [
            provider(drill, "good-1", &registry)?,
            provider(drill, "good-2", &registry)?,
        ];
        // As old as the good ones: else these would be warming up, and get few calls.
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
        let mut bad = Vec::new();
        for vice in Vice::ALL {
            let impostor = vice.listen()?;
            // A second attempt would hide what became of the first.
            let url = format!(
                "dubbo://{}/{SERVICE}?application=impostor&dubbo=2.0.2&interface={SERVICE}&methods=sayHello\
                 &retries=0&side=provider&timeout=200&timestamp={now}",
                impostor.address
            );
            put(&tree, "providers", &encoded(&url))?;
            bad.push(impostor);
        }
        for junk in [
            "no url at all",
            "%ZZ",
            "dubbo%3A%2F%2F",
            "magic%3A%2F%2F127.0.0.1%3A1%2Forg.example.peer.Greeter%3Fside%3Dprovider",
            &"x".repeat(900_000),
        ] {
            put(&tree, "providers", junk)?;
        }
        put(
            &tree,
            "routers",
            &encoded(&format!("magic://0.0.0.0/{SERVICE}?category=routers&rule=who+knows")),
        )?;
        put(&tree, "configurators", "%%%")?;

        let consumer = Built::example("consumer")?;
        let flags = format!("--registry {registry} --application victim --calls {CALLS} --rate 20");
        let mut consumer = drill.run(&consumer, "consumer", &words(&flags))?;
        consumer.expect("READY", PATIENCE)?;
        let mut said = Vec::new();
        consumer.until(PATIENCE, |line| {
            said.push(line.to_owned());
            number(line).filter(|number| *number >= LEARNT)
        })?;
        let before: Vec<usize> = bad.iter().map(Impostor::calls).collect();
        said.extend(consumer.finish(PATIENCE)?);
        let greeted = said.iter().filter(|line| number(line).is_some()).count();
        let late = said
            .iter()
            .filter_map(|line| number(line))
            .filter(|number| *number > LEARNT);
        let late = late.count();
        let log = consumer.log().since(0);
        eprintln!(
            "{greeted} of {CALLS} greeted, {late} of the last {}; {} lines, {} bytes of log",
            CALLS - LEARNT,
            log.lines().count(),
            log.len()
        );
        ensure!(said.len() == greeted, "it was told what nobody said: {said:?}");
        // Each is complained of, and none in every call; and none keeps its share of the calls.
        for (impostor, before) in bad.iter().zip(before) {
            let Impostor { vice, address, .. } = impostor;
            let told = log.lines().filter(|line| line.contains(&address.to_string())).count();
            let since = impostor.calls() - before;
            eprintln!("{vice:?} at {address}: {told} lines, {before} calls, then {since}");
            ensure!(told > 0, "nothing was said of {vice:?} at {address}");
            ensure!(since <= TRIALS, "{vice:?} was called {since} times when it was known");
        }
        ensure!(
            CALLS - LEARNT - late <= 2 * TRIALS,
            "only {late} of the last {} calls were answered",
            CALLS - LEARNT
        );
        ensure!(log.len() < 1 << 20, "{} bytes of log", log.len());
        Ok(())
    });
}

#[test]
fn a_provider_goes_on_with_the_good_consumers_among_bad_ones() {
    drill("sdk-bad-consumers", 0, |drill| {
        let registry = drill.subject()?;
        let registry = format!("zookeeper://{}", registry.address());
        let (mut provider, port) = provider(drill, "provider", &registry)?;
        let request = |length: u32, body: &[u8]| {
            let mut frame = vec![0xda, 0xbb, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 7];
            frame.extend_from_slice(&length.to_be_bytes());
            frame.extend_from_slice(body);
            frame
        };
        let mut response = request(3, b"\x91\x01x");
        response[2] = 0x02;
        let mut strange = request(4, b"\x91\x01xx");
        strange[2] = 0xdf;
        let mut streams = Vec::new();
        for bytes in [
            b"GET / HTTP/1.1\r\n\r\n".repeat(5000),
            request(100, b"\x052.0.2"),
            request(i32::MAX.cast_unsigned(), &[b'x'; 65_536]),
            request(u32::MAX, &[b'x'; 65_536]),
            request(200, &[0xff; 200]),
            request(64, &[b'V'; 64]),
            response,
            strange,
            vec![0xda],
        ] {
            for _ in 0..20 {
                let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
                // It may have been hung up on already.
                let _ = stream.write_all(&bytes);
                streams.push(stream);
            }
        }
        let consumer = Built::example("consumer")?;
        let flags = format!("--registry {registry} --application good --calls 60 --rate 20");
        let mut consumer = drill.run(&consumer, "consumer", &words(&flags))?;
        let said = consumer.finish(PATIENCE)?;
        ensure!(
            said.iter().filter(|line| line.starts_with("Hello Rust ")).count() == 60,
            "{said:?}"
        );
        let peak = vitals::peak_mib(provider.process().id())?;
        let log = provider.log().length();
        eprintln!(
            "{} strange connections; peak {peak} MiB, {log} bytes of log",
            streams.len()
        );
        ensure!(peak < 100, "the provider took {peak} MiB");
        ensure!(log < 1 << 20, "{log} bytes of log");
        drop(streams);
        let status = provider.process().terminate(Duration::from_secs(20))?;
        ensure!(status.success(), "the provider ended with {status}");
        Ok(())
    });
}

fn provider(drill: &Drill, name: &str, registry: &str) -> Result<(Peer, u16)> {
    let port = drill.port()?;
    let flags = format!("--registry {registry} --application {name} --port {port}");
    let mut provider = drill.run(&Built::example("provider")?, name, &words(&flags))?;
    provider.expect("READY", PATIENCE)?;
    Ok((provider, port))
}

/// Which call a line greets.
fn number(line: &str) -> Option<usize> {
    line.strip_prefix("Hello Rust ")?.parse().ok()
}

fn put(tree: &Tree, category: &str, name: &str) -> Result<()> {
    tree.put(&format!("/dubbo/{SERVICE}/{category}/{name}"), "")
}

/// Everything but letters and digits as `%XX`, as the name of a node.
fn encoded(url: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    url.bytes().map(letter).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
