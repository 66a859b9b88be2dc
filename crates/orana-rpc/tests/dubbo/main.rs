//! Client and server of `dubbo://` with each other, and with peers that misbehave, over loopback.

mod calls;
mod shop;
