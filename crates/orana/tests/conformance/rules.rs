//! Where rules are looked for, which of them count for whom, and what becomes of one that changes.

use std::time::{Duration, Instant};

use orana::{Application, Client, ErrorCode, Export, Reference, ServiceUrl};

use crate::fleet::{Fleet, PATIENCE, StockClient, StockService, becomes, find};

const CONDITIONS: &str = "org.example.Stock::.condition-router";

/// Each says its name as its region.
const REGIONS: &[(&str, &[(&str, &str)])] = &[("east", &[("region", "east")]), ("west", &[("region", "west")])];

const BOTH: Result<&[&str], ErrorCode> = Ok(&["east", "west"]);

fn only(region: &str) -> String {
    format!("force: true\nconditions: [ '=> region={region}' ]\n")
}

/// A document of that application that sets a time-out for consumers.
fn timeout(application: &str, timeout: usize) -> String {
    format!(
        "configVersion: v2.7\nscope: application\nkey: {application}\nenabled: true\nconfigs:\n  - side: consumer\n    \
         parameters: {{ timeout: {timeout} }}\n"
    )
}

/// Until the time-out of everybody is that.
async fn timeouts_become(reference: &Reference, expected: usize) {
    let expected = expected.to_string();
    let start = Instant::now();
    let set = |url: &ServiceUrl| url.parameter("timeout") == Some(&*expected);
    while !reference.providers().iter().all(set) {
        assert!(start.elapsed() < PATIENCE, "no time-out of {expected}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn conditions_of_the_application_that_calls_and_of_the_one_that_provides_both_count() {
    let fleet = Fleet::of("application-rules", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    becomes(stock.reference(), BOTH).await;
    fleet.write("stock.condition-router", &only("east"));
    becomes(stock.reference(), Ok(&["east"])).await;
    fleet.write("shop.condition-router", &only("west"));
    becomes(stock.reference(), Err(ErrorCode::NoInvokerAfterFilter)).await;
    fleet.documents.delete("dubbo", "stock.condition-router").unwrap();
    becomes(stock.reference(), Ok(&["west"])).await;
}

#[tokio::test]
async fn overrides_of_an_application_are_found_by_the_application_that_reads_them() {
    let fleet = Fleet::of("application-overrides", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    fleet.write("stock.configurators", &timeout("stock", 4321));
    fleet.write("shop.configurators", &timeout("shop", 1234));
    timeouts_become(stock.reference(), 1234).await;
}

#[tokio::test]
async fn documents_of_a_service_stand_under_colons_and_not_under_the_key_of_the_service() {
    let fleet = Fleet::empty("colons");
    let serve = |name| StockService::new(fleet.shelf(name));
    let mut providers = Vec::new();
    for region in ["east", "west"] {
        let export = Export::from(serve(region)).group("g").version("1.0.0");
        let export = export.parameter("region", region).parameter("warmup", 1);
        let provider = Application::new("stock").registry(&fleet.registry_url).provider();
        providers.push(provider.listen("127.0.0.1:0").export(export).start().await.unwrap());
    }
    let refer = fleet.shop().consumer().refer::<StockClient>().retries(0);
    let stock = refer.group("g").version("1.0.0").await.unwrap();
    for dead in [
        "g/org.example.Stock:1.0.0.condition-router",
        "org.example.Stock.condition-router",
        "org.example.Stock::.condition-router",
        "org.example.Stock:g:1.0.0.condition-router",
    ] {
        // A key that the centre does not take is as dead.
        let _ = fleet.documents.put("dubbo", dead, &only("north"));
    }
    fleet.write("org.example.Stock:1.0.0:g.condition-router", &only("east"));
    becomes(stock.reference(), Ok(&["east"])).await;
}

#[tokio::test]
async fn emptied_conditions_leave_the_rule_before_and_only_its_deletion_clears_it() {
    let fleet = Fleet::of("emptied", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    fleet.write(CONDITIONS, &only("east"));
    becomes(stock.reference(), Ok(&["east"])).await;
    let kept = [
        "force: true\nconditions: []\n",
        "force: true\nenabled: true\n",
        "configVersion: v9.9\nconditions: [ '=> region=west' ]\n",
    ];
    for (round, kept) in kept.into_iter().enumerate() {
        let seen = 5000 + round;
        fleet.write(CONDITIONS, kept);
        // The document behind it shows that it has been read.
        fleet.write("shop.configurators", &timeout("shop", seen));
        timeouts_become(stock.reference(), seen).await;
        becomes(stock.reference(), Ok(&["east"])).await;
    }
    fleet.documents.delete("dubbo", CONDITIONS).unwrap();
    becomes(stock.reference(), BOTH).await;
}

#[tokio::test]
async fn a_condition_that_is_not_forced_gives_its_input_to_the_next_one() {
    let fleet = Fleet::of("unforced", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    fleet.write(
        CONDITIONS,
        "force: false\nconditions: [ '=> region=north', '=> region=west' ]\n",
    );
    becomes(stock.reference(), Ok(&["west"])).await;
}

#[tokio::test]
async fn a_copy_of_a_rule_for_old_clients_is_passed_over_and_an_old_rule_is_obeyed() {
    let fleet = Fleet::of("old-copies", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    let route = |region: &str, copy: &str| {
        format!(
            "route://0.0.0.0/org.example.Stock?category=routers&router=condition&force=true&name={region}{copy}&rule=%3D%3E%20region%3D{region}"
        )
    };
    fleet.register(&route("west", "&compatible_config=true")).await;
    fleet.register(&route("east", "")).await;
    becomes(stock.reference(), Ok(&["east"])).await;
}

#[tokio::test]
async fn a_call_without_a_tag_reaches_nobody_when_everybody_has_one() {
    let tagged: &[(&str, &[(&str, &str)])] = &[("a", &[("dubbo.tag", "gray")]), ("b", &[("dubbo.tag", "gray")])];
    let fleet = Fleet::of("all-tagged", tagged).await;
    let stock = fleet.refer(&[]).await;
    becomes(stock.reference(), Err(ErrorCode::NoInvokerAfterFilter)).await;
    let gray = stock.reference().clone().attachment("dubbo.tag", "gray");
    becomes(&gray, Ok(&["a", "b"])).await;
}

#[tokio::test]
async fn an_argument_out_of_range_passes_a_mismatch() {
    let fleet = Fleet::of("arguments", REGIONS).await;
    let stock = fleet.refer(&[]).await;
    fleet.write(
        CONDITIONS,
        "force: true\nconditions: [ 'arguments[7] != vip => region=west' ]\n",
    );
    becomes(stock.reference(), Ok(&["west"])).await;
    assert_eq!(find(stock.reference(), "vip").await.unwrap(), "west");
}
