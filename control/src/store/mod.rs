//! The store: a small ordered key-value log.
