//! Where everybody passes before anything else looks at them: IP restrictions of visitors and agents.

mod restrictions;

use postern_api::published::Published;
use restrictions::Restrictions;

/// One for the whole edge.
#[derive(Default)]
pub(crate) struct Gatehouse {
    pub(crate) restrictions: Restrictions,
}

impl Gatehouse {
    /// Judges by a new configuration from now on.
    pub(crate) fn follow(&self, published: &Published) {
        self.restrictions.follow(published);
    }
}
