//! Client and server of `dubbo://` with each other, and with peers that misbehave, over loopback.

mod calls;
mod connections;
mod generic;
mod limits;
mod shop;
mod slow_readers;
mod stop;
mod strange_consumers;
mod strange_providers;
mod wire;
