//! The registry in memory fails as real ones do.

use super::*;

fn url(text: &str) -> ServiceUrl {
    ServiceUrl::parse(text).unwrap()
}

fn query() -> Query {
    Query::from_url(&url("consumer://h/com.a.B")).unwrap()
}

fn ports(snapshot: Option<Snapshot>) -> Vec<u16> {
    let snapshot = snapshot.expect("a snapshot");
    let providers = snapshot.get(Category::Providers).expect("providers");
    providers.iter().map(|url| url.port().unwrap()).collect()
}

#[tokio::test]
async fn what_one_session_publishes_another_sees_until_the_first_ends() {
    let centre = MemoryCentre::named("what_one_session_publishes");
    let (provider, consumer) = (centre.connect(), centre.connect());
    let mut watching = consumer.watch(&query()).await.unwrap();
    assert_eq!(ports(watching.try_next()), [0; 0]);
    provider.publish(&url("dubbo://h:1/com.a.B")).await.unwrap();
    provider.publish(&url("dubbo://h:1/com.a.B")).await.unwrap();
    assert_eq!(ports(watching.next().await), [1]);
    let persistent = url("dubbo://h:2/com.a.B?dynamic=false");
    provider.publish(&persistent).await.unwrap();
    provider.close().await;
    assert_eq!(ports(watching.next().await), [2]);
    consumer.withdraw(&persistent).await.unwrap();
    assert_eq!(ports(watching.next().await), [0; 0]);
    let error = provider.publish(&persistent).await.unwrap_err();
    assert_eq!(error.kind(), RegistryErrorKind::Closed);
}

#[tokio::test]
async fn a_short_cut_keeps_the_session_and_reads_the_lists_again() {
    let centre = MemoryCentre::named("a_short_cut");
    let backend = centre.connect();
    let link = backend.link();
    backend.publish(&url("dubbo://h:1/com.a.B")).await.unwrap();
    let mut watching = backend.watch(&query()).await.unwrap();
    watching.try_next();
    centre.cut();
    assert!(!link.borrow().is_up());
    assert!(
        backend
            .publish(&url("dubbo://h:2/com.a.B"))
            .await
            .unwrap_err()
            .retryable()
    );
    centre.mend();
    assert_eq!(link.borrow().epoch(), Some(1));
    assert_eq!(ports(watching.next().await), [1]);
}

#[tokio::test]
async fn a_lost_session_ends_its_watches_and_takes_what_was_dynamic() {
    let centre = MemoryCentre::named("a_lost_session");
    let backend = centre.connect();
    backend.publish(&url("dubbo://h:1/com.a.B")).await.unwrap();
    backend
        .publish(&url("dubbo://h:2/com.a.B?dynamic=false"))
        .await
        .unwrap();
    let mut watching = backend.watch(&query()).await.unwrap();
    watching.try_next();
    centre.lose_sessions();
    assert_eq!(backend.link().borrow().epoch(), Some(2));
    assert!(watching.next().await.is_none());
    assert_eq!(ports(backend.lookup(&query()).await.unwrap().pop()), [2]);
}

#[tokio::test]
async fn wrong_credentials_are_told_apart_from_a_broken_link() {
    let centre = MemoryCentre::named("wrong_credentials");
    let backend = centre.connect();
    centre.refuse(Some("no such user"));
    assert!(matches!(&*backend.link().borrow(), Link::Refused { .. }));
    let error = backend.lookup(&query()).await.unwrap_err();
    assert_eq!(error.kind(), RegistryErrorKind::Refused);
    assert!(error.to_string().contains("no such user"));
}
