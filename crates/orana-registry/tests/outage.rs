//! The registry goes away, comes back, and comes back with less; on a virtual clock.

mod place;

use std::time::Duration;

use orana_core::Category;
use orana_registry::{Freshness, Kept, RegistryErrorKind, Standing};
use place::*;
use tokio::time::{Instant, sleep};

const SOON: Duration = Duration::from_millis(100);
const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn a_lost_session_is_made_good_at_once() {
    let (centre, registry) = registry("made_good_at_once", "");
    let _one = registry.register(&provider(1)).await.unwrap();
    let _two = registry.register(&provider(2)).await.unwrap();
    let subscription = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(ports(&subscription.current()), [1, 2]);
    for _ in 0..3 {
        centre.lose_sessions();
        within(SOON, "everything is registered again", || {
            registered(&centre).len() == 2 && centre.list(INTERFACE, Category::Consumers).len() == 1
        })
        .await;
        within(SOON, "settled", || registry.is_settled()).await;
    }
    // And the watch is of the new session.
    let _three = registry.register(&provider(3)).await.unwrap();
    within(SOON, "seen", || ports(&subscription.current()).len() == 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_registry_that_is_lost_for_an_hour_changes_nothing_for_its_subscribers() {
    let (centre, registry) = registry("lost_for_an_hour", "");
    let (_, other) = place::registry("lost_for_an_hour", "");
    let _mine = registry.register(&provider(1)).await.unwrap();
    let theirs = other.register(&provider(2)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1, 2]).await;
    centre.cut();
    let cut = Instant::now();
    sleep(HOUR / 2).await;
    // What is wanted meanwhile is done later.
    let late = registry
        .register(&url("dubbo://127.0.0.1:3/com.a.B?check=false"))
        .await
        .unwrap();
    drop(theirs);
    centre.lose_sessions();
    sleep(HOUR / 2).await;
    assert_eq!(ports(&subscription.current()), [1, 2]);
    match subscription.freshness() {
        Freshness::Stale { since } => assert!(since >= cut && since - cut < SOON),
        other => panic!("{other:?}"),
    }
    centre.mend();
    within(SOON, "registered again", || registered(&centre).len() == 2).await;
    assert!(registered(&centre).contains(&1) && registered(&centre).contains(&3));
    assert_eq!(subscription.freshness(), Freshness::Fresh);
    drop(late);
    within(SOON, "withdrawn", || registered(&centre) == [1]).await;
}

#[tokio::test(start_paused = true)]
async fn consumers_keep_the_providers_of_a_registry_that_lost_its_data_until_they_are_back() {
    let (centre, providers) = registry("lost_its_data", "");
    let (_, consumers) = registry("lost_its_data", "");
    let live: Vec<_> = [1, 2, 3].map(provider).to_vec();
    let mut registrations = Vec::new();
    for url in &live {
        registrations.push(providers.register(url).await.unwrap());
    }
    let mut subscription = consumers.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1, 2, 3]).await;
    let seen = std::sync::Arc::new(parking_lot::Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&seen);
    let _listening = subscription.clone().listen(move |notification| {
        log.lock().push(ports(notification).len());
        Ok::<_, String>(())
    });
    centre.lose_data();
    within(SOON, "registered again", || registered(&centre).len() == 3).await;
    sleep(Duration::from_secs(60)).await;
    assert!(seen.lock().iter().all(|count| *count == 3), "{:?}", seen.lock());
    let list = subscription.current();
    assert_eq!(list.list(Category::Providers).unwrap().standing, Standing::Listed);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_does_not_come_back_is_dropped_after_the_grace() {
    let (centre, registry) = registry("dropped_after_the_grace", "recovery-grace=15000");
    let (_, dying) = place::registry("dropped_after_the_grace", "");
    let _lives = registry.register(&provider(1)).await.unwrap();
    let dies = dying.register(&provider(2)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1, 2]).await;
    drop((dies, dying));
    centre.cut();
    centre.lose_data();
    centre.mend();
    sleep(Duration::from_secs(14)).await;
    assert_eq!(ports(&subscription.current()), [1, 2]);
    let standing = subscription.current().list(Category::Providers).unwrap().standing;
    assert!(
        matches!(
            standing,
            Standing::Kept {
                why: Kept::NewSession,
                listed: 1,
                ..
            }
        ),
        "{standing:?}"
    );
    sleep(Duration::from_secs(2)).await;
    assert_eq!(ports(&subscription.current()), [1]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_is_kept_for_a_while_if_so_told() {
    let (_centre, registry) = registry("kept_for_a_while", "on-empty=keep:30000");
    let registration = registry.register(&provider(1)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1]).await;
    registration.unregister().await.unwrap();
    sleep(Duration::from_secs(29)).await;
    assert_eq!(ports(&subscription.current()), [1]);
    let standing = subscription.current().list(Category::Providers).unwrap().standing;
    assert!(
        matches!(
            standing,
            Standing::Kept {
                why: Kept::Empty,
                listed: 0,
                until: Some(_)
            }
        ),
        "{standing:?}"
    );
    sleep(Duration::from_secs(2)).await;
    assert_eq!(ports(&subscription.current()), [0; 0]);
}

/// A registry that was restarted and kept the subscriber's session, but not those of providers that are slow to come back.
#[tokio::test(start_paused = true)]
async fn providers_whose_sessions_end_after_a_restart_are_kept_until_they_register_again() {
    let (centre, registry) = registry("sessions_end_after", "recovery-grace=15000");
    let (_, other) = place::registry("sessions_end_after", "");
    let live = other.register(&provider(1)).await.unwrap();
    let dies = other.register(&provider(2)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1, 2]).await;
    centre.cut();
    sleep(Duration::from_secs(5)).await;
    centre.mend();
    sleep(Duration::from_secs(3)).await;
    drop((live, dies));
    within(SOON, "gone", || registered(&centre).is_empty()).await;
    sleep(Duration::from_secs(3)).await;
    let kept = |listed| {
        let list = subscription.current();
        let standing = list.list(Category::Providers).unwrap().standing;
        matches!(standing, Standing::Kept { why: Kept::LinkBack, listed: now, .. } if now == listed)
    };
    assert!(kept(0), "{:?}", subscription.current());
    let live = other.register(&provider(1)).await.unwrap();
    within(SOON, "seen", || kept(1)).await;
    assert_eq!(ports(&subscription.current()), [1, 2]);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(ports(&subscription.current()), [1]);
    drop(live);
    within(SOON, "believed", || ports(&subscription.current()).is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_short_cut_is_not_a_new_session() {
    let (centre, registry) = registry("a_short_cut_is_not", "");
    let _one = registry.register(&provider(1)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    told(&mut subscription, &[1]).await;
    within(SOON, "settled", || registry.is_settled()).await;
    let before = centre.requests();
    centre.cut();
    sleep(SOON).await;
    centre.mend();
    sleep(HOUR).await;
    assert_eq!(centre.requests(), before);
    assert_eq!(subscription.freshness(), Freshness::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_checked_registration_fails_in_time_and_leaves_no_wish_behind() {
    let (centre, registry) = registry("fails_in_time", "timeout=3000");
    centre.cut();
    let begun = Instant::now();
    let error = registry.register(&provider(1)).await.err().expect("an error");
    assert!(begun.elapsed() >= Duration::from_secs(3) && begun.elapsed() < Duration::from_secs(4));
    assert_eq!(error.kind(), RegistryErrorKind::Unreachable);
    assert!(error.to_string().contains("the connection is cut"), "{error}");
    assert!(error.to_string().contains("memory://fails_in_time"), "{error}");
    centre.mend();
    sleep(HOUR).await;
    assert_eq!(registered(&centre), [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_checked_registration_waits_for_a_registry_that_is_just_coming_up() {
    let (centre, registry) = registry("just_coming_up", "timeout=10000");
    centre.cut();
    let mender = centre.clone();
    tokio::spawn(async move {
        sleep(Duration::from_secs(4)).await;
        mender.mend();
    });
    let _registration = registry.register(&provider(1)).await.unwrap();
    assert_eq!(registered(&centre), [1]);
}

#[tokio::test(start_paused = true)]
async fn an_unchecked_program_starts_without_its_registry_and_converges_later() {
    let (centre, registry) = registry("starts_without", "check=false");
    centre.cut();
    let begun = Instant::now();
    let _registration = registry.register(&provider(1)).await.unwrap();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(subscription.freshness(), Freshness::NotReady);
    assert_eq!(subscription.current().providers(), None);
    sleep(HOUR).await;
    centre.mend();
    told(&mut subscription, &[1]).await;
    assert_eq!(subscription.freshness(), Freshness::Fresh);
}

#[tokio::test(start_paused = true)]
async fn a_checked_subscription_without_anything_known_fails_in_time() {
    let (centre, registry) = registry("nothing_known", "timeout=2000");
    centre.cut();
    let begun = Instant::now();
    let error = registry.subscribe(&consumer()).await.err().expect("an error");
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!(error.kind(), RegistryErrorKind::Unreachable);
    // Neither the watch nor the consumer's own registration comes later.
    centre.mend();
    sleep(HOUR).await;
    assert_eq!(centre.watches(), 0);
    assert!(centre.list(INTERFACE, Category::Consumers).is_empty());
}

#[tokio::test(start_paused = true)]
async fn wrong_credentials_are_told_at_once_and_do_not_become_a_loop() {
    let (centre, registry) = registry("wrong_credentials", "");
    centre.refuse(Some("no such user"));
    let begun = Instant::now();
    let error = registry.register(&provider(1)).await.err().expect("an error");
    assert!(begun.elapsed() < SOON);
    assert_eq!(error.kind(), RegistryErrorKind::Refused);
    assert!(error.to_string().contains("no such user"), "{error}");
    let _kept = registry
        .register(&url("dubbo://h:1/com.a.B?check=false"))
        .await
        .unwrap();
    let before = centre.requests();
    sleep(HOUR).await;
    assert!(
        centre.requests() - before <= 2 * 3600 / 5,
        "{} requests",
        centre.requests() - before
    );
    centre.refuse(None);
    within(Duration::from_secs(10), "registered", || registered(&centre) == [1]).await;
}

#[tokio::test(start_paused = true)]
async fn requests_that_fail_are_tried_again_after_a_period() {
    let (centre, registry) = registry("tried_again", "check=false&retry.period=5000");
    within(SOON, "connected", || registry.link().borrow().is_up()).await;
    centre.fail(3);
    let begun = Instant::now();
    let _registration = registry.register(&provider(1)).await.unwrap();
    assert_eq!(registered(&centre), [0; 0]);
    within(Duration::from_secs(20), "registered", || registered(&centre) == [1]).await;
    assert!(begun.elapsed() >= Duration::from_secs(12), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_service_says_how_often_it_is_tried() {
    let (centre, registry) = registry("how_often", "check=false");
    within(SOON, "connected", || registry.link().borrow().is_up()).await;
    centre.fail(100);
    let impatient = url("dubbo://h:1/com.a.B?retry.times=2&retry.period=1000");
    let _registration = registry.register(&impatient).await.unwrap();
    sleep(HOUR).await;
    assert_eq!(centre.requests(), 3);
    // A new session is a new chance.
    centre.fail(0);
    centre.lose_sessions();
    within(SOON, "registered", || registered(&centre) == [1]).await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_unregistration_is_told_and_done_later() {
    let (centre, registry) = registry("done_later", "");
    let registration = registry.register(&provider(1)).await.unwrap();
    centre.fail(1);
    assert!(registration.unregister().await.unwrap_err().retryable());
    assert_eq!(registered(&centre), [1]);
    within(Duration::from_secs(10), "withdrawn", || registered(&centre).is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_subscription_is_done_later() {
    let (centre, registry) = registry("subscribed_later", "check=false");
    let _provider = registry.register(&provider(1)).await.unwrap();
    centre.fail(2);
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(subscription.freshness(), Freshness::NotReady);
    told(&mut subscription, &[1]).await;
}
