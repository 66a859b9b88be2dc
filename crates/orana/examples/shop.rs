//! The program of the README, whole.

#![allow(clippy::print_stdout, reason = "an example talks to who runs it")]

// README: begin
use orana::{Application, Client};

#[orana::service(interface = "org.example.peer.Greeter")]
trait Greeter {
    async fn say_hello(&self, name: String) -> orana::Result<String>; // → String sayHello(String)
}

struct Hello;

impl Greeter for Hello {
    async fn say_hello(&self, name: String) -> orana::Result<String> {
        Ok(format!("Hello {name}"))
    }
}

#[tokio::main]
async fn main() -> orana::Result<()> {
    let app = Application::new("shop").registry("zookeeper://127.0.0.1:2181");
    let provider = app
        .provider()
        .listen("127.0.0.1:20882")
        .export(GreeterService::new(Hello))
        .start()
        .await?;

    let greeter = app.consumer().refer::<GreeterClient>().await?;
    println!("{}", greeter.say_hello("Ada".into()).await?);
    let tagged = greeter.with(|calls| {
        calls
            .timeout(std::time::Duration::from_millis(200))
            .attachment("tag", "gray")
    });
    println!("{}", tagged.say_hello("Bob".into()).await?);

    provider.stop().await;
    app.close().await;
    Ok(())
}
