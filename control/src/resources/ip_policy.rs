//! IP policies: nothing but a name for their rules, which go with them.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use postern_api::{
    Result,
    resource::{IpPolicy, IpPolicyCreate, IpPolicyUpdate, Nothing},
};

impl Rules for IpPolicy {
    type Hidden = Nothing;
    const LASTING: bool = true;

    async fn create(_body: IpPolicyCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        Ok(Draft::new(IpPolicy {}, Nothing {}))
    }

    async fn change(_kept: &mut Kept<Self>, _body: IpPolicyUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}
