//! Values that mean nothing, laid over URLs by an override.

use std::time::Instant;

use super::stage::{CONFIGURATORS, PATIENCE, Stage, Stock as _, Warnings};

fn says(key: &str, value: &str) -> String {
    format!(
        "configVersion: v2.7\nscope: service\nkey: org.example.Stock\nconfigs:\n  - side: consumer\n    parameters: {{ '{key}': '{value}', mark: \
         '{key}' }}\n"
    )
}

/// Waits until the rule with that mark is in force.
async fn in_force(stage: &Stage, mark: Option<&str>) {
    let start = Instant::now();
    while stage.reference().providers()[0].parameter("mark") != mark {
        assert!(start.elapsed() < PATIENCE, "{mark:?} does not come");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_load_balance_that_does_not_exist_is_told_once_and_calls_are_shared_by_chance() {
    let stage = Stage::set("balances").await;
    let warnings = Warnings::listen();
    for _ in 0..3 {
        stage.write(CONFIGURATORS, &says("loadbalance", "nonsense"));
        in_force(&stage, Some("loadbalance")).await;
        stage.stays(&["east", "north", "west"]).await;
        stage.erase(CONFIGURATORS);
        in_force(&stage, None).await;
    }
    let said = warnings.take();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("nonsense") && said[0].contains("load balance"),
        "{}",
        said[0]
    );
}

#[tokio::test]
async fn values_that_mean_nothing_fail_no_call() {
    let stage = Stage::set("nonsense").await;
    let warnings = Warnings::listen();
    let long = "9".repeat(10_000);
    for (key, value) in [
        ("cluster", "nonsense"),
        ("mock", "nonsense"),
        ("mock", "fail:return {"),
        ("weight", "heavy"),
        ("weight", "-2147483648"),
        ("weight", &long),
        ("warmup", "-1"),
        ("timeout", "soon"),
        ("timeout", "-5"),
        ("timeout", &long),
        ("retries", "-7"),
        ("retries", "99999999999"),
        ("sticky", "perhaps"),
        ("actives", "several"),
        ("reference.filter", "nonsense,-default,,"),
        ("forks", "0"),
        ("serialization", "nonsense"),
        ("merger", "nonsense"),
        ("methods", ","),
        ("circuitbreaker", "maybe"),
    ] {
        stage.write(CONFIGURATORS, &says(key, value));
        in_force(&stage, Some(key)).await;
        stage.stays(&["east", "north", "west"]).await;
        let said = warnings.take();
        println!(
            "{key}={}: {} warnings {:?}",
            value.chars().take(20).collect::<String>(),
            said.len(),
            said.first()
        );
        assert!(said.len() <= 3, "{key}={value}: {said:?}");
        stage.erase(CONFIGURATORS);
        in_force(&stage, None).await;
    }
    stage.stays(&["east", "north", "west"]).await;
}

#[tokio::test]
async fn a_forced_mock_that_cannot_be_read_is_the_reason_that_its_calls_are_given() {
    let stage = Stage::set("forced").await;
    stage.write(CONFIGURATORS, &says("find.mock", "force:return {{{"));
    in_force(&stage, Some("find.mock")).await;
    let start = Instant::now();
    // A text that is no JSON is what a method that returns a text gives.
    let answer = stage.stock.find("x".into()).await;
    println!("{answer:?}");
    match answer {
        Ok(text) => assert_eq!(text, "{{{"),
        Err(error) => assert!(error.to_string().contains("mock"), "{error}"),
    }
    assert!(start.elapsed() < PATIENCE);
    stage.erase(CONFIGURATORS);
    stage.becomes(&["east", "north", "west"]).await;
}
