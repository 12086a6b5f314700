//! The file over days, restarts and damage.

use super::*;
use postern_api::traffic::TrafficStep;
use std::os::unix::fs::PermissionsExt;

/// The first minute of a day, since 1970.
const MIDNIGHT: u64 = 20_000 * 24 * 60;
const MINUTES_OF_DAY: u64 = 24 * 60;

/// The stored form of so many requests, whose latencies are in so many buckets.
fn sample(requests: u8, buckets: u8) -> TrafficSample {
    assert!(requests < 128 && buckets < 84);
    let mut bytes = vec![8, requests, 0x3a, buckets];
    bytes.extend(0..buckets);
    bytes.extend([0x42, buckets]);
    bytes.extend(std::iter::repeat_n(1, usize::from(buckets)));
    TrafficSample::decode(&bytes).expect("a sample")
}

fn requests(requests: u8) -> TrafficSample {
    sample(requests, 0)
}

fn traffic(samples: &[(&str, TrafficSample)]) -> Vec<(Arc<str>, TrafficSample)> {
    samples.iter().map(|(id, sample)| ((*id).into(), sample.clone())).collect()
}

fn minute(number: u64, samples: &[(&str, TrafficSample)]) -> Minute {
    Minute { number, traffic: traffic(samples) }
}

fn everything(step: TrafficStep) -> TrafficSpan {
    TrafficSpan { step, first: 0, last: 2 * MIDNIGHT }
}

/// All rows of a file, as another process sees them.
fn rows(folder: &Path) -> Vec<(i64, i64, String)> {
    let connection = rusqlite::Connection::open(folder.join(NAME)).expect("a database");
    let mut statement = connection.prepare("SELECT step, interval, id FROM traffic ORDER BY 1, 2, 3").expect("a table");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

/// What the file has of an id around midnight.
async fn minutes(file: &TrafficFile, id: &str) -> Vec<(u64, TrafficSample)> {
    let span = TrafficSpan { step: TrafficStep::Minute, first: MIDNIGHT - 10, last: MIDNIGHT + 10 };
    file.read(id.to_owned(), span).await
}

#[tokio::test]
async fn what_was_added_is_there_after_a_restart_and_is_added_to() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = DataFolder::open(parent.path()).expect("a data folder");
    for _ in 0..2 {
        let file = TrafficFile::open(&folder);
        file.add(MIDNIGHT, traffic(&[("edghts_a", sample(3, 5)), ("", requests(4))])).await;
        file.add(MIDNIGHT + 1, traffic(&[("edghts_a", requests(1))])).await;
    }
    let file = TrafficFile::open(&folder);
    let mut twice = sample(3, 5);
    twice += &sample(3, 5);
    assert_eq!(minutes(&file, "edghts_a").await, [(MIDNIGHT, twice.clone()), (MIDNIGHT + 1, requests(2))]);
    assert_eq!(minutes(&file, "").await, [(MIDNIGHT, requests(8))]);
    assert_eq!(minutes(&file, "edghts_b").await, []);
    twice += &requests(2);
    let hours = TrafficSpan { step: TrafficStep::Hour, first: MIDNIGHT / 60, last: MIDNIGHT / 60 };
    assert_eq!(file.read("edghts_a".to_owned(), hours).await, [(MIDNIGHT / 60, twice)]);
    let mode = fs::metadata(folder.path().join(NAME)).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "other accounts cannot read it");
}

#[test]
fn minutes_are_kept_for_a_day_and_hours_for_90_days() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = Database::open(&folder.path().join(NAME)).expect("a database");
    // Two minutes of each hour, for 100 days.
    for hour in 0..100 * 24 {
        for more in [0, 59] {
            database.add(&minute(MIDNIGHT + hour * 60 + more, &[("edghts_a", requests(1))])).expect("added");
        }
    }
    let minutes = database.read("edghts_a", everything(TrafficStep::Minute)).expect("read");
    assert_eq!(minutes.len(), 0, "the range is cut to what is kept");
    let last = MIDNIGHT + 100 * MINUTES_OF_DAY - 1;
    let day = TrafficSpan { step: TrafficStep::Minute, first: 0, last };
    let minutes = database.read("edghts_a", day).expect("read");
    assert_eq!((minutes.len(), minutes[0].0, minutes[47].0), (48, last - 24 * 60 + 1, last));
    let quarter = TrafficSpan { step: TrafficStep::Hour, first: 0, last: last / 60 };
    let hours = database.read("edghts_a", quarter).expect("read");
    assert_eq!((hours.len(), hours[0].0), (90 * 24, last / 60 + 1 - 90 * 24));
    assert!(hours.iter().all(|(_, sample)| *sample == requests(2)));
    assert_eq!(rows(folder.path()).len(), 48 + 90 * 24, "older ones are gone from the file");
}

#[test]
fn an_edge_that_is_always_busy_takes_less_than_half_a_mebibyte() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut database = Database::open(&folder.path().join(NAME)).expect("a database");
    let ids: Vec<String> = (0..8).map(|number| format!("edghts_0ujtsYcgvSTl8PAuAdqWYSMnL{number:03}")).collect();
    let busy: Vec<_> = ids.iter().map(|id| (&**id, sample(120, 30))).collect();
    // 90 days by hour, and the last one by minute.
    for hour in 0..89 * 24 {
        database.add(&minute(MIDNIGHT + hour * 60, &busy)).expect("added");
    }
    for more in 0..MINUTES_OF_DAY {
        database.add(&minute(MIDNIGHT + 89 * MINUTES_OF_DAY + more, &busy)).expect("added");
    }
    drop(database);
    let bytes = fs::metadata(folder.path().join(NAME)).expect("a file").len() / ids.len() as u64;
    assert!((100_000..512 << 10).contains(&bytes), "{bytes} bytes");
    println!("{bytes} bytes for each edge");
}

#[test]
fn ten_thousand_routes_stay_within_the_limit_and_the_oldest_make_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let limit = 8 << 20;
    let mut database = Database::open_limited(&folder.path().join(NAME), limit).expect("a database");
    let ids: Vec<String> = (0..10_000).map(|number| format!("edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMn{number:06}")).collect();
    let busy: Vec<_> = ids.iter().map(|id| (&**id, sample(9, 10))).collect();
    for number in MIDNIGHT..MIDNIGHT + 15 {
        database.add(&minute(number, &busy)).expect("added");
    }
    let of_one =
        database.read(&ids[7777], TrafficSpan { step: TrafficStep::Minute, first: MIDNIGHT, last: MIDNIGHT + 14 });
    let kept: Vec<u64> = of_one.expect("read").into_iter().map(|(number, _)| number - MIDNIGHT).collect();
    assert!(kept.len() > 2 && kept.len() < 14 && kept.last() == Some(&14), "{kept:?}");
    assert!(kept.windows(2).all(|pair| pair[0] + 1 == pair[1]), "the newest ones: {kept:?}");
    drop(database);
    let bytes = fs::metadata(folder.path().join(NAME)).expect("a file").len();
    // What is written before room is made for it comes on top.
    assert!(bytes < 2 * limit, "{bytes} bytes");
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_the_histories_begin_anew() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = DataFolder::open(parent.path()).expect("a data folder");
    let newer = |path: &Path| {
        let connection = rusqlite::Connection::open(path).expect("a database");
        connection.pragma_update(None, "user_version", 99).expect("set");
    };
    let noise = |path: &Path| fs::write(path, "no database ".repeat(1000)).expect("written");
    let torn = |path: &Path| {
        let length = fs::metadata(path).expect("a file").len();
        fs::OpenOptions::new().write(true).open(path).expect("a file").set_len(length / 2).expect("cut");
    };
    for spoil in [&noise as &dyn Fn(&Path), &torn, &newer] {
        let _ = fs::remove_file(folder.path().join(SET_ASIDE));
        TrafficFile::open(&folder).add(MIDNIGHT, traffic(&[("edghts_a", requests(1))])).await;
        spoil(&folder.path().join(NAME));
        let file = TrafficFile::open(&folder);
        assert!(folder.path().join(SET_ASIDE).exists());
        assert_eq!(minutes(&file, "edghts_a").await, []);
        file.add(MIDNIGHT, traffic(&[("edghts_a", requests(5))])).await;
        assert_eq!(minutes(&file, "edghts_a").await, [(MIDNIGHT, requests(5))]);
    }
}

#[tokio::test]
async fn damage_that_shows_later_costs_no_minute() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = DataFolder::open(parent.path()).expect("a data folder");
    let file = TrafficFile::open(&folder);
    file.add(MIDNIGHT, traffic(&[("edghts_a", requests(1))])).await;
    let other = rusqlite::Connection::open(folder.path().join(NAME)).expect("a database");
    other.execute("UPDATE traffic SET sample = x'ffff'", []).expect("spoilt");
    drop(other);
    file.add(MIDNIGHT, traffic(&[("edghts_a", requests(6))])).await;
    assert_eq!(minutes(&file, "edghts_a").await, [(MIDNIGHT, requests(6))]);
    assert!(folder.path().join(SET_ASIDE).exists());
}

#[tokio::test]
async fn without_a_usable_file_there_are_no_histories_and_no_harm() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = DataFolder::open(parent.path()).expect("a data folder");
    fs::create_dir(folder.path().join(NAME)).expect("a folder in its place");
    let file = TrafficFile::open(&folder);
    file.add(MIDNIGHT, traffic(&[("edghts_a", requests(1))])).await;
    assert_eq!(minutes(&file, "edghts_a").await, []);
    fs::remove_dir(folder.path().join(NAME)).expect("removed");
    file.add(MIDNIGHT, traffic(&[("edghts_a", requests(2))])).await;
    assert_eq!(minutes(&file, "edghts_a").await, [(MIDNIGHT, requests(2))], "it is there again");
}
