//! Resources that were made, kept for whoever asks next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::body::Bytes;

use crate::resource::Resource;

/// What a resource is kept under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Of the recording: frames that were cut away are not those that come instead.
    pub generation: u64,
    /// Which one.
    pub resource: Resource,
    /// Whether it is packed.
    pub packed: bool,
}

/// Resources within bounds of memory; those that were asked for longest ago go first.
pub struct Cache {
    limit: usize,
    content: Mutex<Content>,
}

#[derive(Default)]
struct Content {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    /// Counts how often the cache was asked.
    clock: u64,
}

struct Entry {
    bytes: Bytes,
    used: u64,
}

impl Cache {
    /// An empty one, for so many bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            content: Mutex::default(),
        }
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept.
    pub fn get(&self, key: &Key) -> Option<Bytes> {
        let mut content = self.content();
        content.clock += 1;
        let clock = content.clock;
        let entry = content.entries.get_mut(key)?;
        entry.used = clock;
        Some(entry.bytes.clone())
    }

    /// Keeps a resource, in place of others where need be. One that is too large for all of the
    /// memory is not kept.
    pub fn put(&self, key: Key, bytes: &Bytes) {
        if bytes.len() > self.limit {
            return;
        }
        let mut content = self.content();
        content.clock += 1;
        let entry = Entry {
            bytes: bytes.clone(),
            used: content.clock,
        };
        content.bytes += bytes.len();
        if let Some(before) = content.entries.insert(key, entry) {
            content.bytes -= before.bytes.len();
        }
        while content.bytes > self.limit {
            let entries = content.entries.iter();
            let Some(oldest) = entries.min_by_key(|(_, e)| e.used).map(|(k, _)| *k) else {
                return;
            };
            if let Some(gone) = content.entries.remove(&oldest) {
                content.bytes -= gone.bytes.len();
            }
        }
    }
}

/// Who makes a resource: one at a time, the others wait and find it made.
#[derive(Default)]
pub struct Turns(Mutex<HashMap<Key, Weak<Turn>>>);

/// Held while a resource is made.
pub type Turn = tokio::sync::Mutex<()>;

impl Turns {
    /// That of a resource.
    pub fn of(&self, key: Key) -> Arc<Turn> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(&key).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::new(Turn::default());
        turns.insert(key, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let cache = Cache::new(100);
        let key = |frame: usize| Key {
            generation: 0,
            resource: Resource::Frame(frame),
            packed: false,
        };
        let forty = Bytes::from(vec![7; 40]);
        cache.put(key(0), &forty);
        cache.put(key(1), &forty);
        assert!(cache.get(&key(0)).is_some());
        cache.put(key(2), &forty);
        assert!(cache.get(&key(0)).is_some() && cache.get(&key(2)).is_some());
        assert!(cache.get(&key(1)).is_none());
        // The same again takes no more room.
        (0..10).for_each(|_| cache.put(key(2), &forty));
        assert_eq!(cache.content().bytes, 80);
        cache.put(key(3), &Bytes::from(vec![7; 101]));
        assert!(cache.get(&key(3)).is_none() && cache.get(&key(2)).is_some());
    }
}
