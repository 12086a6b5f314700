use super::*;

const QUOTA: Quota = Quota { requests: 10, burst: 0, interval: 60 };

/// The requests that are admitted out of so many at once.
fn admitted(table: &RateTable, key: Key, many: usize) -> usize {
    (0..many).filter(|_| table.admit(key, QUOTA, table.began).is_ok()).count()
}

#[test]
fn an_entry_has_32_bytes_and_an_unused_table_nearly_none() {
    assert_eq!(size_of::<Entry>(), 32);
    assert!(RateTable::default().bytes() <= SHARDS * 40);
}

#[test]
fn keys_are_counted_separately() {
    let table = RateTable::default();
    let (one, other) = (table.key(("route", 1)), table.key(("route", 2)));
    assert_eq!(admitted(&table, one, 100), 10);
    assert_eq!(admitted(&table, other, 100), 10);
    assert_eq!(admitted(&table, one, 100), 0);
}

#[test]
fn one_and_a_half_million_addresses_take_bounded_memory_and_do_not_free_those_at_their_limit() {
    let table = RateTable::default();
    let limited: Vec<Key> = (0..1000).map(|number| table.key(("limited", number))).collect();
    for key in &limited {
        assert_eq!(admitted(&table, *key, 20), 10);
    }
    for flood in 0..1_500_000_u64 {
        assert!(table.admit(table.key(flood), QUOTA, table.began).is_ok(), "a first request is admitted");
    }
    let bound = MAX_KEYS * 32 + SHARDS * 40;
    assert!(table.bytes() <= bound, "{} bytes", table.bytes());
    assert_eq!(bound, 33_564_672);
    for key in &limited {
        assert_eq!(admitted(&table, *key, 20), 0, "the flood has not reset it");
    }
    let visitor = table.key("a good visitor");
    assert_eq!(admitted(&table, visitor, 20), 10, "a new visitor is counted among the flood");
}

#[test]
fn memory_comes_back_when_nothing_counts_any_more() {
    let table = RateTable::default();
    for flood in 0..300_000_u64 {
        let _ = table.admit(table.key(flood), QUOTA, table.began);
    }
    let full = table.bytes();
    let late = table.began + Duration::from_secs(119);
    let stays = table.key("stays");
    assert!(table.admit(stays, QUOTA, late).is_ok());
    table.tidy(late);
    assert_eq!(table.bytes(), full, "all of them still count");
    table.tidy(table.began + Duration::from_secs(121));
    assert!(table.bytes() < SHARDS * 40 + size_of::<Set>() * MAX_SETS, "one is left: {}", table.bytes());
    let again = (0..100).filter(|_| table.admit(stays, QUOTA, late).is_ok()).count();
    assert_eq!(again, 9, "it has kept its count");
}

#[test]
fn threads_together_get_what_one_would() {
    let table = RateTable::default();
    let key = table.key("shared");
    let total: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| admitted(&table, key, 1000))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(total, 10);
}
