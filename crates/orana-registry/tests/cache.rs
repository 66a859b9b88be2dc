//! Lists outlive the process, in the file that Dubbo would read.

mod place;

use std::fs;
use std::path::Path;
use std::time::Duration;

use orana_core::{Category, UrlPool};
use orana_registry::cache::CacheFile;
use orana_registry::{Freshness, Registry};
use place::*;
use tokio::time::{Instant, sleep};

const SAVED: Duration = Duration::from_secs(3);

fn parameters(file: &Path, more: &str) -> String {
    format!("file={}{more}", file.display())
}

#[tokio::test]
async fn a_consumer_starts_from_disk_within_a_second_and_converges_when_the_registry_is_back() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    let centre = {
        let (centre, registry) = registry("starts_from_disk", &parameters(&file, ""));
        let _one = registry.register(&provider(1)).await.unwrap();
        let _two = registry.register(&provider(2)).await.unwrap();
        let mut subscription = registry.subscribe(&consumer()).await.unwrap();
        told(&mut subscription, &[1, 2]).await;
        within(SAVED, "saved", || file.exists()).await;
        registry.close().await;
        centre
    };
    centre.cut();
    let begun = Instant::now();
    // Checked, as by default: what the disk knows is good enough.
    let (_, registry) = registry("starts_from_disk", &parameters(&file, ""));
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let first = subscription.current();
    assert_eq!((ports(&first), first.freshness), (vec![1, 2], Freshness::FromDisk));
    assert!(first.list(Category::Routers).unwrap().urls.is_empty());
    centre.mend();
    let other = Registry::builder(&url("memory://starts_from_disk")).build().unwrap();
    let _two = other.register(&provider(2)).await.unwrap();
    told(&mut subscription, &[2]).await;
    assert_eq!(subscription.freshness(), Freshness::Fresh);
}

#[tokio::test]
async fn a_file_of_java_is_read_and_ours_has_its_form() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    let java = "#Dubbo Registry Cache\n#Tue Nov 25 10:00:00 UTC 2025\n\
        com.a.B=dubbo\\://10.0.0.1\\:20880/com.a.B?application\\=shop&interface\\=com.a.B&side\\=provider \
        empty\\://10.0.0.9/com.a.B?category\\=configurators&interface\\=com.a.B \
        empty\\://10.0.0.9/com.a.B?category\\=routers&interface\\=com.a.B\n\
        com.a.Other\\:1.0=dubbo\\://10.0.0.2\\:20880/com.a.Other?version\\=1.0\n";
    fs::write(&file, java).unwrap();
    let (centre, registry) = registry("a_file_of_java", &parameters(&file, "&save.file=true"));
    centre.cut();
    let subscription = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(ports(&subscription.current()), [20880]);
    assert!(
        subscription
            .current()
            .list(Category::Configurators)
            .unwrap()
            .urls
            .is_empty()
    );
    centre.mend();
    let _one = registry.register(&provider(7)).await.unwrap();
    let mut subscription = subscription;
    told(&mut subscription, &[7]).await;
    // It was on disk before we were told, and what we know nothing about is still there.
    let text = fs::read_to_string(&file).unwrap();
    let expected = "#Dubbo Registry Cache\n\
        com.a.Other\\:1.0=dubbo\\://10.0.0.2\\:20880/com.a.Other?version\\=1.0\n\
        com.a.B=dubbo\\://127.0.0.1\\:7/com.a.B?side\\=provider&timestamp\\=1 \
        empty\\://127.0.0.1/com.a.B?category\\=configurators&side\\=consumer \
        empty\\://127.0.0.1/com.a.B?category\\=routers&side\\=consumer\n";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn what_the_disk_knows_is_no_answer_to_another_question() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    CacheFile::new(&file)
        .save(&[("com.a.B".into(), vec![provider(1)])])
        .unwrap();
    let (centre, registry) = registry("another_question", &parameters(&file, "&check=false"));
    centre.cut();
    let grouped = registry.subscribe(&url("consumer://h/com.a.B?group=g")).await.unwrap();
    assert_eq!(grouped.freshness(), Freshness::NotReady);
    let rules = registry
        .subscribe(&url("consumer://h/com.a.B?category=routers"))
        .await
        .unwrap();
    assert_eq!(rules.freshness(), Freshness::NotReady);
}

#[tokio::test]
async fn a_lookup_is_answered_from_disk_when_the_registry_is_down() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    CacheFile::new(&file)
        .save(&[("com.a.B".into(), vec![provider(1)])])
        .unwrap();
    let (centre, registry) = registry("lookup_from_disk", &parameters(&file, ""));
    centre.cut();
    let query = orana_registry::Query::from_url(&consumer()).unwrap();
    assert_eq!(registry.lookup(&query).await.unwrap(), [provider(1)]);
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_hinders_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    fs::write(&file, b"\x7fELF\0\0\0").unwrap();
    let (centre, registry) = registry("damaged", &parameters(&file, "&check=false"));
    centre.cut();
    let mut subscription = registry.subscribe(&consumer()).await.unwrap();
    assert_eq!(subscription.freshness(), Freshness::NotReady);
    assert!(directory.path().join("shop.cache.damaged").exists());
    centre.mend();
    let _one = registry.register(&provider(1)).await.unwrap();
    told(&mut subscription, &[1]).await;
    within(SAVED, "saved", || saved(&file) == [1]).await;
}

#[tokio::test]
async fn a_save_that_fails_is_tried_again() {
    let directory = tempfile::tempdir().unwrap();
    let blocked = directory.path().join("blocked");
    fs::write(&blocked, "a file where a directory should be").unwrap();
    let file = blocked.join("shop.cache");
    let (_centre, registry) = registry("save_again", &parameters(&file, ""));
    let _one = registry.register(&provider(1)).await.unwrap();
    let _subscription = registry.subscribe(&consumer()).await.unwrap();
    sleep(Duration::from_millis(800)).await;
    fs::remove_file(&blocked).unwrap();
    within(SAVED, "saved", || saved(&file) == [1]).await;
}

#[tokio::test]
async fn what_has_changed_last_is_saved_before_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    let (_centre, registry) = registry("before_the_end", &parameters(&file, ""));
    let _one = registry.register(&provider(1)).await.unwrap();
    let _subscription = registry.subscribe(&consumer()).await.unwrap();
    registry.close().await;
    assert_eq!(saved(&file), [1]);
}

#[tokio::test]
async fn several_registries_share_a_file_and_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.cache");
    let mut open = Vec::new();
    for number in 0..4 {
        let (_, registry) = registry(&format!("share_{number}"), &parameters(&file, ""));
        let interface = format!("com.a.S{number}");
        let registration = registry
            .register(&url(&format!("dubbo://h:1/{interface}")))
            .await
            .unwrap();
        let subscription = registry
            .subscribe(&url(&format!("consumer://h/{interface}")))
            .await
            .unwrap();
        open.push((registry, registration, subscription));
    }
    within(SAVED, "all are saved", || {
        CacheFile::new(&file).read(&UrlPool::new()).unwrap().lists.len() == 4
    })
    .await;
}

/// The ports that the file has for the interface.
fn saved(file: &Path) -> Vec<u16> {
    let lists = CacheFile::new(file)
        .read(&UrlPool::new())
        .map(|cached| cached.lists)
        .unwrap_or_default();
    let urls = lists.get(INTERFACE).into_iter().flatten();
    urls.filter(|url| url.protocol() == Some("dubbo"))
        .filter_map(|url| url.port())
        .collect()
}
