//! What users of the provider may do: the options about their accounts and roles.

use crate::config::options::CloudOptions;
use svc_identity::oidc::{OidcPolicy, RoleMap, mappable_role};

/// An option that is unusable, and why.
pub(super) type Unusable = (&'static str, String);

/// Checks the options. Without groups, the roles of a map would be taken from everybody.
pub(super) fn policy(options: &CloudOptions) -> Result<OidcPolicy, Unusable> {
    let unusable = |option, reason: String| (option, format!("is not usable: {reason}"));
    let default_role = options.oidc_default_role.as_deref().map(mappable_role);
    let role_map = options.oidc_role_map.as_deref().map(RoleMap::parse);
    let policy = OidcPolicy {
        default_role: default_role
            .transpose()
            .map_err(|reason| unusable("oidc-default-role", reason))?,
        role_map: role_map
            .transpose()
            .map_err(|reason| unusable("oidc-role-map", reason))?
            .unwrap_or_default(),
        label: options.oidc_button_label.clone(),
    };
    if !policy.role_map.is_empty() && options.oidc_groups_claim.is_none() {
        let reason = "needs `oidc-groups-claim`; give both, or none of them".to_owned();
        return Err(("oidc-role-map", reason));
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(default_role: Option<&str>, role_map: Option<&str>, groups: Option<&str>) -> CloudOptions {
        CloudOptions {
            oidc_default_role: default_role.map(str::to_owned),
            oidc_role_map: role_map.map(str::to_owned),
            oidc_groups_claim: groups.map(str::to_owned),
            ..CloudOptions::default()
        }
    }

    #[test]
    fn roles_that_a_provider_may_not_give_are_refused() {
        assert_eq!(policy(&CloudOptions::default()), Ok(OidcPolicy::default()));
        let good = policy(&given(Some("newcomer"), Some("media=member"), Some("groups"))).unwrap();
        assert_eq!(good.default_role.as_deref(), Some("newcomer"));
        assert_eq!(good.role_map.to_string(), "media=member");
        for (options, option) in [
            (given(Some("owner"), None, None), "oidc-default-role"),
            (given(Some("No role"), None, None), "oidc-default-role"),
            (given(None, Some("admins=owner"), Some("groups")), "oidc-role-map"),
            (given(None, Some("media"), Some("groups")), "oidc-role-map"),
            (given(None, Some("media=member"), None), "oidc-role-map"),
        ] {
            let (found, reason) = policy(&options).unwrap_err();
            assert_eq!(found, option, "{reason}");
        }
    }
}
