use super::{
    super::{
        event::event_channel,
        exchange::{RequestTexts, Side, TunnelTag, shown_id},
    },
    *,
};

fn request(name: &str) -> RequestInfo {
    let tunnel = Arc::new(TunnelTag { definition: name.into(), proto: "https" });
    RequestInfo::new(tunnel, RequestTexts { method: "POST", target: "/", host: "h", remote: "192.0.2.1:1" })
}

fn store(limit: u64) -> CaptureStore {
    CaptureStore::new(Some(limit), 1 << 20, event_channel())
}

#[test]
fn the_budget_is_never_exceeded_and_the_oldest_are_evicted_first() {
    let store = store(10 << 20);
    let body = vec![7u8; 48 * 1024];
    for _ in 0..60 {
        let exchange = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        for _ in 0..30 {
            store.append(&exchange, Side::Request, &body);
            assert!(store.bytes() <= 10 << 20);
        }
        store.end_side(&exchange, Side::Request);
    }
    let kept = store.page(u64::MAX, 100);
    assert!((8..=10).contains(&kept.len()), "{} were kept", kept.len());
    assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
    assert!(kept[0].locked().request.cut, "1.4 MB were cut at 1 MiB");
    store.clear();
    assert_eq!(store.bytes(), 0);
}

#[test]
fn small_requests_are_charged_with_their_fixed_overhead() {
    let store = store(1 << 20);
    for _ in 0..5000 {
        let exchange = store.begin(request("site"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        store.end_side(&exchange, Side::Request);
    }
    let kept = store.page(u64::MAX, 10_000).len();
    assert!(kept > 500 && kept < 2500, "{kept} were kept");
    assert!(store.bytes() <= 1 << 20);
}

#[test]
fn a_body_larger_than_the_store_is_cut_and_displaces_few() {
    let limit = 256 << 10;
    let store = CaptureStore::new(Some(limit), 1 << 30, event_channel());
    let small: Vec<_> =
        (0..5).map(|_| store.begin(request("site"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0))).collect();
    let large = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(1 << 20));
    store.begin_response(&large, 200, b"HTTP/1.1 200 OK\r\n\r\n", None);
    for _ in 0..20 {
        store.append(&large, Side::Request, &[0; 50_000]);
        store.append(&large, Side::Response, &[0; 50_000]);
        assert!(store.bytes() as u64 <= limit);
    }
    let kept = store.page(u64::MAX, 10);
    assert_eq!(kept.iter().map(|kept| kept.id).max(), Some(large.id), "the large one is kept");
    assert!(small.iter().all(|small| kept.iter().any(|kept| kept.id == small.id)), "and so are the small ones");
    let facts = large.facts();
    assert!(facts.cut && facts.request_size > 1_000_000, "{facts:?}");
    assert_eq!(large.request_body().wire().map(|piece| piece.len()).sum::<usize>(), 64 << 10);
}

#[test]
fn a_body_is_cut_where_only_pinned_exchanges_could_make_room() {
    let store = CaptureStore::new(Some(64 << 10), 1 << 30, event_channel());
    let pinned: Vec<_> = (0..4)
        .map(|_| {
            let pinned = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(13_000));
            store.append(&pinned, Side::Request, &[0; 13_000]);
            store.annotate(&pinned, Some(true), None);
            pinned
        })
        .collect();
    let last = store.begin(request("site"), b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(16_000));
    store.append(&last, Side::Request, &[0; 16_000]);
    assert!(pinned.iter().all(|pinned| store.get(&shown_id(pinned.id)).is_some()));
    assert!(store.get(&shown_id(last.id)).is_some() && last.facts().cut);
}

#[test]
fn exchanges_are_found_by_the_id_the_api_shows() {
    let store = store(1 << 20);
    let one = store.begin(request("a"), b"", &BodyFraming::Length(0));
    assert!(store.get(&shown_id(one.id)).is_some());
    assert!(store.get("zz").is_none() && store.get("").is_none());
    assert!(store.remove(&shown_id(one.id)) && !store.remove(&shown_id(one.id)));
    assert_eq!(store.bytes(), 0);
}

#[test]
fn pinned_exchanges_stay_while_others_can_be_evicted() {
    let store = store(64 << 10);
    let first = store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
    store.annotate(&first, Some(true), Some(Some("look at this")));
    for _ in 0..1000 {
        let exchange = store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
        store.end_side(&exchange, Side::Request);
        assert!(store.bytes() <= 64 << 10);
    }
    let kept = store.page(u64::MAX, 1000);
    assert_eq!(kept.last().map(|last| last.id), Some(first.id), "listed in its place");
    assert!(kept.windows(2).all(|pair| pair[0].id > pair[1].id));
    assert_eq!(first.summary().note.as_deref(), Some("look at this"));
    store.annotate(&first, Some(false), Some(None));
    store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
    for _ in 0..20 {
        store.begin(request("a"), b"GET / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
    }
    assert!(store.get(&shown_id(first.id)).is_none(), "the oldest is evicted as soon as it is unpinned");
    store.clear();
    assert_eq!(store.bytes(), 0);
}
