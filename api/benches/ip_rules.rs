//! How long it takes to judge an address, by the number of rules: a curve that should be flat.
#![allow(missing_docs, clippy::expect_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ipnet::Ipv4Net;
use postern_api::ip_rules::{Action, IpRule, IpRules, NoCountries};
use std::{hint::black_box, net::IpAddr};

fn judge(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("judge an address");
    for count in [1u32, 100, 10_000, 100_000] {
        let rule = |number: u32| {
            let network = Ipv4Net::new((number << 8).into(), 24).expect("a length");
            IpRule { network: network.into(), action: Action::Deny, id: format!("ipr_{number}").into() }
        };
        let everybody = Ipv4Net::default();
        let allow = IpRule { network: everybody.into(), action: Action::Allow, id: "ipr_all".into() };
        let rules = IpRules::new((0..count - 1).map(rule).chain([allow]));
        let address = IpAddr::from([203, 0, 113, 9]);
        group.bench_with_input(BenchmarkId::from_parameter(count), &rules, |bencher, rules| {
            bencher.iter(|| rules.judge(black_box(address), &NoCountries));
        });
    }
}

criterion_group!(benches, judge);
criterion_main!(benches);
