//! Which groups of a provider have which roles.

use std::collections::BTreeSet;
use std::fmt;

use crate::names::check_role_name;
use crate::role::Role;

/// Pairs of a group and a role. Roles in it are managed: they follow the groups at each sign-in. All others are not
/// touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleMap(Vec<(String, String)>);

impl fmt::Display for RoleMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter().map(|(group, role)| format!("{group}={role}"));
        f.write_str(&pairs.collect::<Vec<_>>().join(","))
    }
}

impl RoleMap {
    /// Parses `group=role,…`. A group may occur several times, and contain `=` but no comma.
    ///
    /// # Errors
    /// What is wrong, for the operator.
    pub fn parse(text: &str) -> Result<Self, String> {
        let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (group, role) = pair
                .rsplit_once('=')
                .ok_or_else(|| format!("`{pair}` is not of the form group=role"))?;
            let (group, role) = (group.trim(), role.trim());
            if group.is_empty() {
                return Err(format!("`{pair}` names no group"));
            }
            Ok((group.to_owned(), mappable_role(role)?))
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    /// Whether no role follows groups.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The roles that follow groups.
    pub fn managed(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(_, role)| role.as_str()).collect()
    }

    /// The roles of these groups.
    pub fn roles_of(&self, groups: &[String]) -> BTreeSet<&str> {
        let mapped = self.0.iter().filter(|(group, _)| groups.contains(group));
        mapped.map(|(_, role)| role.as_str()).collect()
    }
}

/// Checks a role that a provider may give.
///
/// # Errors
/// What is wrong, for the operator.
pub fn mappable_role(role: &str) -> Result<String, String> {
    let name = check_role_name(role).map_err(|message| format!("the role `{role}` {message}"))?;
    if Role::from_name(&name).is_some_and(|role| !role.is_assignable()) {
        return Err(format!("the role `{role}` cannot be given by a provider"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(roles: BTreeSet<&str>) -> Vec<&str> {
        roles.into_iter().collect()
    }

    #[test]
    fn groups_are_mapped_to_roles() {
        let map = RoleMap::parse(" media=member, staff = curator,media=curator,ou=tv=cinema_user,").unwrap();
        assert_eq!(names(map.managed()), ["cinema_user", "curator", "member"]);
        for (groups, expected) in [
            (&["media"][..], &["curator", "member"][..]),
            (&["staff", "other"], &["curator"]),
            (&["ou=tv"], &["cinema_user"]),
            (&["Media", "ou"], &[]),
            (&[], &[]),
        ] {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            assert_eq!(names(map.roles_of(&groups)), expected, "{groups:?}");
        }
        assert!(RoleMap::parse("").unwrap().is_empty());
    }

    #[test]
    fn roles_of_owner_and_guest_are_never_mapped() {
        for bad in [
            "admins=owner",
            "all=guest",
            "a=Owner",
            "a=",
            "=member",
            "member",
            "a=b c",
        ] {
            assert!(RoleMap::parse(bad).is_err(), "{bad}");
        }
    }
}
