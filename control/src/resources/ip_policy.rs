//! IP policies: nothing but a name for their rules, which go with them.

use super::{Attachment, Caller, Draft, Kept, Modules, Place, Rules};
use postern_api::{
    Id, Result,
    resource::{IpPolicy, IpPolicyCreate, IpPolicyUpdate, Nothing},
};

impl Rules for IpPolicy {
    type Hidden = Nothing;

    fn create(_body: IpPolicyCreate, _id: &Id<Self>, _caller: &Caller) -> Result<Draft<Self>> {
        Ok(Draft::new(IpPolicy {}, Nothing {}))
    }

    fn change(_kept: &mut Kept<Self>, _body: IpPolicyUpdate) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    fn status(_kept: &Kept<Self>, _modules: &Modules, _place: Place<'_>) -> Result<Nothing> {
        Ok(Nothing {})
    }
}
