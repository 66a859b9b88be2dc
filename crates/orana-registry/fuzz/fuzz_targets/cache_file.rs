//! Whatever stands where a cache file should be: reading it ends, and what was read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orana_registry::cache::properties::{Entries, write_key, write_value};
use orana_registry::cache::urls_of_entry;

fuzz_target!(|text: &[u8]| {
    for (key, value) in Entries::new(text).map_while(Result::ok) {
        let mut again = Vec::new();
        write_key(&mut again, &key).expect("a vector takes everything");
        write_value(&mut again, &value).expect("a vector takes everything");
        again.push(b'\n');
        let read: Vec<_> = Entries::new(&again[..]).map(|entry| entry.expect("an entry")).collect();
        // A zero byte can be escaped and is then read like any other character.
        assert_eq!(read, [(key.clone(), value.clone())]);
        let (urls, _) = urls_of_entry(&key, &value);
        assert!(urls.iter().all(|url| url.protocol().is_some()));
    }
});
