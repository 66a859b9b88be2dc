//! The stream of words about one key between a back-end and whoever watches: the newest wins, so a slow reader costs one
//! pending word and never misses the last.

use futures_util::FutureExt;
use tokio::sync::watch;

use super::Content;
use crate::error::RegistryError;

/// What a product says of a key: what is there, or that what is there cannot be used.
type Word = Result<Content, RegistryError>;

/// The reading end. Dropping it ends the watch.
pub struct ConfigWatching {
    words: watch::Receiver<Option<Word>>,
}

/// The writing end, which a back-end keeps. Dropping it ends the stream once it is read.
pub struct ConfigFeed {
    words: watch::Sender<Option<Word>>,
}

impl ConfigWatching {
    /// Both ends of a new stream.
    pub fn channel() -> (ConfigFeed, ConfigWatching) {
        let (sender, receiver) = watch::channel(None);
        (ConfigFeed { words: sender }, ConfigWatching { words: receiver })
    }

    /// The next word, which is about the whole value; `None` when the watch has ended and must be begun anew. Nothing is
    /// lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Word> {
        self.words.changed().await.ok()?;
        self.words.borrow_and_update().clone()
    }

    /// The next word if there is one already.
    pub fn try_next(&mut self) -> Option<Word> {
        self.next().now_or_never().flatten()
    }
}

impl ConfigFeed {
    /// Puts a word into the stream, over what the reader has not yet read. `false` when nobody reads any more.
    pub fn put(&self, word: Result<Content, RegistryError>) -> bool {
        self.words.send(Some(word)).is_ok()
    }

    /// Whether the reader has gone.
    pub fn is_unread(&self) -> bool {
        self.words.is_closed()
    }

    /// Returns when the reader has gone.
    pub async fn unread(&self) {
        self.words.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: Option<Word>) -> Option<String> {
        word?.unwrap().map(|text| text.to_string())
    }

    #[tokio::test]
    async fn a_slow_reader_gets_the_newest_word_and_the_end_after_it() {
        let (feed, mut watching) = ConfigWatching::channel();
        assert!(watching.try_next().is_none());
        assert!(feed.put(Ok(Some("one".into()))));
        assert!(feed.put(Ok(Some("two".into()))));
        assert_eq!(text(watching.try_next()).as_deref(), Some("two"));
        assert!(watching.try_next().is_none());
        feed.put(Ok(Some("three".into())));
        drop(feed);
        assert_eq!(text(watching.next().await).as_deref(), Some("three"));
        assert!(watching.next().await.is_none());
        assert!(watching.try_next().is_none());
    }

    #[tokio::test]
    async fn the_feed_learns_that_nobody_reads() {
        let (feed, watching) = ConfigWatching::channel();
        assert!(!feed.is_unread());
        drop(watching);
        feed.unread().await;
        assert!(feed.is_unread() && !feed.put(Ok(None)));
    }
}
