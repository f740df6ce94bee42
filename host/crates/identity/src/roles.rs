//! Custom roles and role assignments.

mod assignments;

use std::sync::Arc;

use crate::capability::{Capability, CapabilitySet};
use crate::error::{ErrorCode, FieldError, Result, ServiceError};
use crate::invitation_observer::InvitationObserver;
use crate::names::check_role_name;
use crate::role::Role;
use crate::{AuthContext, Context, policy, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::user::CustomRole;
use svc_store::{IdentityChange, RoleRepository};

/// A built-in or custom role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleInfo {
    /// Unique name.
    pub name: String,
    /// Comes with the server; cannot be changed.
    pub built_in: bool,
    /// Can be assigned to accounts.
    pub assignable: bool,
    /// The capabilities that it grants.
    pub capabilities: CapabilitySet,
}

impl From<Role> for RoleInfo {
    fn from(role: Role) -> Self {
        Self {
            name: role.as_str().to_owned(),
            built_in: true,
            assignable: role.is_assignable(),
            capabilities: policy::capabilities_of(role),
        }
    }
}

impl From<CustomRole> for RoleInfo {
    fn from(role: CustomRole) -> Self {
        Self {
            capabilities: policy::capabilities_of_names(&role.capabilities),
            name: role.name,
            built_in: false,
            assignable: true,
        }
    }
}

/// Finds a built-in or custom role by name.
///
/// # Errors
/// Database errors.
pub async fn find_role(change: &mut IdentityChange, name: &str) -> Result<Option<RoleInfo>> {
    Ok(match Role::from_name(name) {
        Some(role) => Some(role.into()),
        None => change.custom_role(name).await?.map(RoleInfo::from),
    })
}

/// Finds the role in the path of a request.
///
/// # Errors
/// Invalid if unknown; database errors.
async fn role_of_path(change: &mut IdentityChange, name: &str) -> Result<RoleInfo> {
    let role = find_role(change, name).await?;
    role.ok_or_else(|| ServiceError::invalid("role", "there is no such role"))
}

/// Checks that the caller may assign and unassign a role.
///
/// # Errors
/// Refused for the roles of owner and guest, and for a role with capabilities that the caller lacks.
pub(super) fn require_assignable(by: &AuthContext, role: &RoleInfo) -> Result<()> {
    require_assignable_with(by.actor.capabilities, role)
}

/// [`require_assignable`] for an account with these capabilities.
pub(super) fn require_assignable_with(capabilities: CapabilitySet, role: &RoleInfo) -> Result<()> {
    if !role.assignable {
        return Err(ServiceError::Refused("this role cannot be assigned"));
    }
    // `newcomer` grants almost nothing; everyone who may create accounts may assign it.
    if !role.capabilities.is_subset(capabilities) && role.name != Role::Newcomer.as_str() {
        return Err(ServiceError::Refused("this role has permissions that you lack"));
    }
    Ok(())
}

/// The roles service.
#[derive(Debug, Clone)]
pub struct Roles {
    context: Context,
    roles: RoleRepository,
    observer: Arc<dyn InvitationObserver>,
}

impl Roles {
    /// Creates the service.
    pub fn new(context: Context, roles: RoleRepository, observer: Arc<dyn InvitationObserver>) -> Self {
        Self {
            context,
            roles,
            observer,
        }
    }

    /// All roles: built-in ones first, then custom ones by name.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self) -> Result<Vec<RoleInfo>> {
        let custom = self.roles.custom_roles().await?;
        let built_in = Role::ALL.into_iter().map(RoleInfo::from);
        Ok(built_in.chain(custom.into_iter().map(RoleInfo::from)).collect())
    }

    /// Creates a role.
    ///
    /// # Errors
    /// Invalid name or capability; refused for capabilities that the caller lacks; conflict for a name in use; database
    /// errors.
    pub async fn create(&self, by: AuthContext, name: &str, capabilities: &[String]) -> Result<RoleInfo> {
        let name = check_role_name(name).map_err(|message| ServiceError::invalid("name", message))?;
        let capabilities = self.check_capabilities(&by, capabilities)?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "role-create", async move {
            let role = CustomRole {
                name,
                capabilities,
                created_at: context.now(),
            };
            let mut change = context.change_by(&by).await?;
            if Role::from_name(&role.name).is_some() || !change.insert_role(&role).await? {
                return Err(ServiceError::conflict(
                    ErrorCode::RoleExists,
                    "a role with this name already exists",
                ));
            }
            audit_role(&context, &mut change, &by, AuditEvent::RoleCreated, &role).await?;
            change.commit().await?;
            Ok(role.into())
        })
        .await
    }

    /// Replaces the capabilities of a role, with effect on the next request of its accounts.
    ///
    /// # Errors
    /// Not found; refused for a built-in role and if the old or the new capabilities include one that the caller lacks;
    /// invalid capability; database errors.
    pub async fn update(&self, by: AuthContext, name: String, capabilities: &[String]) -> Result<RoleInfo> {
        let capabilities = self.check_capabilities(&by, capabilities)?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "role-update", async move {
            let mut change = context.change_by(&by).await?;
            let role = changeable(&mut change, &by, &name).await?;
            if role.capabilities == capabilities {
                return Ok(role.into());
            }
            let role = CustomRole { capabilities, ..role };
            change
                .set_role_capabilities(&role.name, &role.capabilities)
                .await?;
            audit_role(&context, &mut change, &by, AuditEvent::RoleUpdated, &role).await?;
            change.commit().await?;
            Ok(role.into())
        })
        .await
    }

    /// Deletes a role and its assignments, and revokes its invitations: a later role of the same name starts without
    /// them.
    ///
    /// # Errors
    /// As [`Roles::update`].
    pub async fn delete(&self, by: AuthContext, name: String) -> Result<()> {
        let (context, observer) = (self.context.clone(), Arc::clone(&self.observer));
        run_to_completion(&self.context.tasks, "role-delete", async move {
            let mut change = context.change_by(&by).await?;
            let role = changeable(&mut change, &by, &name).await?;
            let revoked = change
                .revoke_invitations_of_role(&role.name, context.now())
                .await?;
            change.delete_role(&role.name).await?;
            audit_role(&context, &mut change, &by, AuditEvent::RoleDeleted, &role).await?;
            change.commit().await?;
            revoked.iter().for_each(|invitation| observer.changed(invitation));
            Ok(())
        })
        .await
    }

    fn check_capabilities(&self, by: &AuthContext, names: &[String]) -> Result<Vec<String>> {
        let set = known_capabilities(names, "capabilities")?;
        if !by.actor.covers(set) {
            return Err(ServiceError::Refused(
                "a role cannot have permissions that you lack",
            ));
        }
        Ok(names_of(set))
    }
}

/// Finds a custom role with no capability that the caller lacks.
async fn changeable(change: &mut IdentityChange, by: &AuthContext, name: &str) -> Result<CustomRole> {
    if Role::from_name(name).is_some() {
        return Err(ServiceError::Refused("a built-in role cannot be changed"));
    }
    let role = change.custom_role(name).await?.ok_or(ServiceError::NotFound)?;
    if by.actor.covers(policy::capabilities_of_names(&role.capabilities)) {
        Ok(role)
    } else {
        Err(ServiceError::Refused("this role has permissions that you lack"))
    }
}

async fn audit_role(
    context: &Context,
    change: &mut IdentityChange,
    by: &AuthContext,
    event: AuditEvent,
    role: &CustomRole,
) -> Result<()> {
    let details = [
        ("role", role.name.clone()),
        ("capabilities", role.capabilities.join(", ")),
    ];
    Ok(change.audit(&context.audit_of(by, event, None, &details)).await?)
}

/// Parses the capabilities of a request.
///
/// # Errors
/// Invalid for an unknown name.
pub(super) fn known_capabilities(names: &[String], path: &str) -> Result<CapabilitySet> {
    let mut errors = Vec::new();
    let known = names.iter().enumerate().filter_map(|(index, name)| {
        let known = Capability::from_name(name);
        if known.is_none() {
            // The error does not repeat the name, which may be any text.
            errors.push(FieldError::new(format!("{path}[{index}]"), "is not a capability"));
        }
        known
    });
    let known = known.collect();
    if errors.is_empty() {
        Ok(known)
    } else {
        Err(ServiceError::Invalid(errors))
    }
}

/// The names of a set, in the order of the policy table.
pub(super) fn names_of(set: CapabilitySet) -> Vec<String> {
    set.iter()
        .map(|capability| capability.as_str().to_owned())
        .collect()
}
