//! One session: takes orders, follows each as a future of one set, and tells all of them how the connection is. It ends with
//! the session, and all that it follows with it.

use std::sync::Arc;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::{mpsc, watch};
use zookeeper_client::Client;

use super::follow::{Follower, Order};
use crate::backend::zookeeper::arming::Style;
use crate::backend::zookeeper::connection::{Connection, End, is_too_large, judge};
use crate::backend::zookeeper::keeper::Service;
use crate::backend::zookeeper::settings::Settings;

/// The texts that a back-end watches in each session.
pub(super) struct Values {
    pub(super) settings: Arc<Settings>,
}

impl Service for Values {
    type Order = Order;

    async fn serve(
        &self,
        client: Client,
        style: Style,
        mut orders: mpsc::Receiver<Order>,
        mut told: impl FnMut(Connection),
    ) -> End {
        let mut states = client.state_watcher();
        let cable = watch::Sender::new(judge(states.peek_state()) == Ok(Connection::Mended));
        if *cable.borrow() {
            told(Connection::Mended);
        }
        let mut followed = FuturesUnordered::new();
        let mut named = 0;
        loop {
            tokio::select! {
                biased;
                state = states.changed() => match judge(state) {
                    Ok(Connection::Mended) => {
                        // Told even if nobody saw the cut: what was watched before it is not watched any more.
                        cable.send_replace(true);
                        told(Connection::Mended);
                    }
                    Ok(Connection::Cut) => {
                        cable.send_replace(false);
                        told(Connection::Cut);
                        if is_too_large(named) {
                            return End::Abandoned;
                        }
                    }
                    Err(end) => return end,
                },
                order = orders.recv() => match order {
                    Some(order) if *cable.borrow() => {
                        named += order.path.len();
                        let follower = Follower {
                            settings: Arc::clone(&self.settings),
                            client: client.clone(),
                            style,
                            cable: cable.subscribe(),
                        };
                        followed.push(follower.follow(order));
                    }
                    // Nobody may be waiting any more.
                    Some(order) => drop(order.ready.send(Err(self.settings.unreachable("it was cut")))),
                    None => return End::Closed,
                },
                Some(freed) = followed.next() => named -= freed,
            }
        }
    }
}
