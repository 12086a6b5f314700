//! From a value to the state of a rule. A state is left only when the value is clearly below its bound, so that a value that
//! moves around the bound does not make an event each time.

use postern_api::resource::{ALERT_WARNING_SHARE, AlertRule, AlertState};

/// The part of a bound below which the value must be for the state to end.
const END_SHARE: f64 = 0.9;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// `None` if there is nothing to compare.
    pub(super) value: Option<f64>,
    /// Whether the figures of every node are in it.
    pub(super) is_complete: bool,
}

/// The state of a rule after a reading. One that lacks figures of a node ends no state, since the value may be higher.
pub(super) fn judge(rule: &AlertRule, former: AlertState, reading: &Reading) -> AlertState {
    let state = if rule.enabled { state_of(rule, former, reading.value) } else { AlertState::Ok };
    if rule.enabled && !reading.is_complete { state.max(former) } else { state }
}

fn state_of(rule: &AlertRule, former: AlertState, value: Option<f64>) -> AlertState {
    let Some(value) = value else { return AlertState::Ok };
    let bounds = [
        (AlertState::Firing, Some(rule.threshold)),
        (AlertState::Warning, rule.is_quota().then_some(ALERT_WARNING_SHARE * rule.threshold)),
    ];
    let is_reached = |state: AlertState, bound: f64| {
        let share = if former >= state { END_SHARE } else { 1.0 };
        value >= share * bound
    };
    let reached = bounds.into_iter().find(|(state, bound)| bound.is_some_and(|bound| is_reached(*state, bound)));
    reached.map_or(AlertState::Ok, |(state, _)| state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::resource::{AlertMeasure, AlertPeriod};
    use proptest::prelude::*;

    fn rule(period: AlertPeriod, threshold: f64) -> AlertRule {
        AlertRule {
            measure: AlertMeasure::Requests,
            subject_id: None,
            threshold,
            period: Some(period),
            window_minutes: None,
            minimum_requests: None,
            enabled: true,
        }
    }

    fn complete(value: f64) -> Reading {
        Reading { value: Some(value), is_complete: true }
    }

    /// States after one value after another.
    fn states(rule: &AlertRule, values: &[f64]) -> Vec<AlertState> {
        let mut state = AlertState::Ok;
        let next = |value: &f64| {
            state = judge(rule, state, &complete(*value));
            state
        };
        values.iter().map(next).collect()
    }

    #[test]
    fn a_rule_fires_at_its_threshold_and_ends_clearly_below() {
        use AlertState::{Firing, Ok};
        let rule = rule(AlertPeriod::Rolling, 100.0);
        let (values, expected) =
            ([0.0, 99.0, 100.0, 95.0, 90.0, 101.0, 89.0, 99.0], [Ok, Ok, Firing, Firing, Firing, Firing, Ok, Ok]);
        assert_eq!(states(&rule, &values), expected);
    }

    #[test]
    fn a_quota_warns_at_four_fifths_and_begins_anew_with_its_period() {
        use AlertState::{Firing, Ok, Warning};
        let quota = rule(AlertPeriod::Month, 1000.0);
        assert_eq!(
            states(&quota, &[799.0, 800.0, 999.0, 1000.0, 5000.0, 0.0]),
            [Ok, Warning, Warning, Firing, Firing, Ok]
        );
        assert_eq!(states(&quota, &[1000.0]), [Firing], "what is used at once has no warning");
    }

    #[test]
    fn without_the_figures_of_a_node_no_state_ends() {
        let rule = rule(AlertPeriod::Rolling, 100.0);
        let partial = |value| Reading { value: Some(value), is_complete: false };
        assert_eq!(judge(&rule, AlertState::Firing, &partial(0.0)), AlertState::Firing);
        assert_eq!(judge(&rule, AlertState::Ok, &partial(100.0)), AlertState::Firing, "it can only be more");
        let disabled = AlertRule { enabled: false, ..rule };
        assert_eq!(judge(&disabled, AlertState::Firing, &partial(500.0)), AlertState::Ok);
    }

    proptest! {
        /// Between two events, the value has crossed a tenth of the threshold.
        #[test]
        fn small_movements_make_one_event_at_most(start in 0.0..200.0_f64, steps in prop::collection::vec(-4.9..4.9_f64, 1..50)) {
            let rule = rule(AlertPeriod::Rolling, 100.0);
            let mut state = judge(&rule, AlertState::Ok, &complete(start));
            let mut events = 0;
            for step in steps {
                let next = judge(&rule, state, &complete(start + step));
                events += usize::from(next != state);
                state = next;
            }
            prop_assert!(events <= 1, "{events} events around {start}");
        }

        /// Whatever came before: a value at the threshold fires, one below nine tenths of every bound is fine.
        #[test]
        fn clear_values_have_one_state(value in 0.0..3000.0_f64, former in 0_usize..3) {
            let quota = rule(AlertPeriod::Day, 1000.0);
            let former = [AlertState::Ok, AlertState::Warning, AlertState::Firing][former];
            let state = judge(&quota, former, &complete(value));
            if value >= 1000.0 {
                prop_assert_eq!(state, AlertState::Firing);
            } else if value < 720.0 {
                prop_assert_eq!(state, AlertState::Ok);
            } else if (800.0..900.0).contains(&value) {
                prop_assert_eq!(state, AlertState::Warning);
            }
            prop_assert_eq!(judge(&quota, state, &complete(value)), state, "the same value changes nothing");
        }
    }
}
