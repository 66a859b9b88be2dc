//! Calls that go well, and calls that end in what the service made of them.

use orana_rpc::value_of;

use super::shop::{self, TEXT, call};

#[tokio::test]
async fn a_call_is_answered() {
    let served = shop::serve().await;
    let invoker = served.invoker("").await;
    assert_eq!(shop::echo(&*invoker, "hi").await.unwrap(), "hi");
    let answer = invoker.invoke(&call("echo", "I", &[&7])).await.unwrap();
    assert_eq!(value_of::<String>(&answer).unwrap(), "int 7");
    assert_eq!(
        shop::echo(&*invoker, &"ü😀".repeat(100_000)).await.unwrap(),
        "ü😀".repeat(100_000)
    );
    let _ = TEXT;
}
