//! Roles and who has them.

use crate::capability::{Capability, CapabilitySet};
use crate::error::{FieldError, Result, ServiceError};
use crate::names::check_role_name;
use crate::policy;
use crate::role::Role;
use crate::{AuthContext, Context, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_domain::user::{Account, CustomRole, RoleAssignment};
use svc_store::{IdentityChange, RoleRepository};

/// Accounts that one request may name.
const MAX_USERS: usize = 200;

/// A role, built-in or made by an administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleInfo {
    /// Its name.
    pub name: String,
    /// It comes with the server and cannot be changed.
    pub built_in: bool,
    /// Accounts can be given it.
    pub assignable: bool,
    /// What it allows.
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

/// The role of this name, built-in or not.
///
/// # Errors
/// The store's.
pub async fn find_role(change: &mut IdentityChange, name: &str) -> Result<Option<RoleInfo>> {
    Ok(match Role::from_name(name) {
        Some(role) => Some(role.into()),
        None => change.custom_role(name).await?.map(RoleInfo::from),
    })
}

/// The role that the path names.
///
/// # Errors
/// Invalid for an unknown one; the store's.
async fn role_of_path(change: &mut IdentityChange, name: &str) -> Result<RoleInfo> {
    let role = find_role(change, name).await?;
    role.ok_or_else(|| ServiceError::invalid("role", "there is no such role"))
}

/// Whether the caller may give and take a role.
///
/// # Errors
/// Refused for the owner's, the guest's, and one that allows more than the caller may.
pub(super) fn require_assignable(by: &AuthContext, role: &RoleInfo) -> Result<()> {
    if !role.assignable {
        return Err(ServiceError::Refused("this role is given to nobody"));
    }
    // A newcomer may next to nothing; whoever may make accounts may make newcomers.
    if !by.actor.covers(role.capabilities) && role.name != Role::Newcomer.as_str() {
        return Err(ServiceError::Refused("this role allows more than you may"));
    }
    Ok(())
}

/// Keeps roles.
#[derive(Debug, Clone)]
pub struct Roles {
    context: Context,
    roles: RoleRepository,
}

impl Roles {
    /// The roles of this store.
    pub fn new(context: Context, roles: RoleRepository) -> Self {
        Self { context, roles }
    }

    /// All roles: the built-in ones, then the others by name.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self) -> Result<Vec<RoleInfo>> {
        let custom = self.roles.custom_roles().await?;
        let built_in = Role::ALL.into_iter().map(RoleInfo::from);
        Ok(built_in.chain(custom.into_iter().map(RoleInfo::from)).collect())
    }

    /// Makes a role.
    ///
    /// # Errors
    /// Invalid name or capability; refused if it would allow more than the caller may; conflict for a name that is
    /// taken; the store's.
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
                    "role_exists",
                    "there is a role of this name",
                ));
            }
            audit_role(&context, &mut change, &by, AuditEvent::RoleCreated, &role).await?;
            change.commit().await?;
            Ok(role.into())
        })
        .await
    }

    /// Sets what a role allows, for all who have it, from their next request on.
    ///
    /// # Errors
    /// Not found; refused for a built-in role and when either what it allows or what it is to allow is more than the
    /// caller may; invalid capability; the store's.
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

    /// Deletes a role, and takes it from all who have it.
    ///
    /// # Errors
    /// As [`Roles::update`].
    pub async fn delete(&self, by: AuthContext, name: String) -> Result<()> {
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "role-delete", async move {
            let mut change = context.change_by(&by).await?;
            let role = changeable(&mut change, &by, &name).await?;
            change.delete_role(&role.name).await?;
            audit_role(&context, &mut change, &by, AuditEvent::RoleDeleted, &role).await?;
            Ok(change.commit().await?)
        })
        .await
    }

    fn check_capabilities(&self, by: &AuthContext, names: &[String]) -> Result<Vec<String>> {
        let set = known_capabilities(names, "capabilities")?;
        if !by.actor.covers(set) {
            return Err(ServiceError::Refused("a role cannot allow more than you may"));
        }
        Ok(names_of(set))
    }

    /// Who has which role.
    ///
    /// # Errors
    /// The store's.
    pub async fn assignments(
        &self,
        user: Option<UserId>,
        page: Pagination,
        order: Order,
    ) -> Result<Vec<RoleAssignment>> {
        Ok(self.roles.list_role_assignments(user, page, order).await?)
    }

    /// Gives accounts a role, all or none of them. An account that has it already keeps it as it was.
    ///
    /// # Errors
    /// Invalid for an unknown role and for the guest; unknown account; refused for a role that nobody is given, and for a
    /// role or an account that may do more than the caller; the store's.
    pub async fn assign(
        &self,
        by: AuthContext,
        role: String,
        users: &[String],
    ) -> Result<Vec<RoleAssignment>> {
        let users = parse_users(users)?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "role-assign", async move {
            let mut change = context.change_by(&by).await?;
            let found = role_of_path(&mut change, &role).await?;
            require_assignable(&by, &found)?;
            let mut assignments = Vec::new();
            for account in targets(&mut change, &by, &users).await? {
                let user = &account.user;
                let (assignment, is_new) = change.assign_role(user.id, &role, context.now()).await?;
                if is_new {
                    let details = [("role", role.clone())];
                    let event = AuditEvent::RoleAssigned;
                    change
                        .audit(&context.audit_of(&by, event, Some(user), &details))
                        .await?;
                }
                assignments.push(assignment);
            }
            change
                .commit_of(assignments.iter().map(|assignment| assignment.user))
                .await?;
            Ok(assignments)
        })
        .await
    }

    /// Takes a role from accounts, all or none of them; gives what they had of it.
    ///
    /// # Errors
    /// As [`Roles::assign`].
    pub async fn unassign(
        &self,
        by: AuthContext,
        role: String,
        users: &[String],
    ) -> Result<Vec<RoleAssignment>> {
        let users = parse_users(users)?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "role-unassign", async move {
            let mut change = context.change_by(&by).await?;
            let found = role_of_path(&mut change, &role).await?;
            // The guest comes first: taking the guest's role from the guest is about the guest.
            let accounts = targets(&mut change, &by, &users).await?;
            require_assignable(&by, &found)?;
            let mut taken = Vec::new();
            for account in accounts {
                let user = &account.user;
                if let Some(assignment) = change.unassign_role(user.id, &role).await? {
                    let details = [("role", role.clone())];
                    let event = AuditEvent::RoleUnassigned;
                    change
                        .audit(&context.audit_of(&by, event, Some(user), &details))
                        .await?;
                    taken.push(assignment);
                }
            }
            change
                .commit_of(taken.iter().map(|assignment| assignment.user))
                .await?;
            Ok(taken)
        })
        .await
    }
}

/// The accounts that a request names, whether or not there are such.
fn parse_users(ids: &[String]) -> Result<Vec<UserId>> {
    if ids.is_empty() || ids.len() > MAX_USERS {
        return Err(ServiceError::invalid("userIds", "must name 1 to 200 users"));
    }
    let parsed = ids.iter().enumerate().map(|(index, id)| {
        let fault = || FieldError::new(format!("userIds[{index}]"), "must be the id of a user");
        id.parse().map_err(|_| fault())
    });
    let (users, errors): (Vec<_>, Vec<_>) = parsed.partition(std::result::Result::is_ok);
    if errors.is_empty() {
        Ok(users.into_iter().flatten().collect())
    } else {
        let errors = errors.into_iter().filter_map(std::result::Result::err);
        Err(ServiceError::Invalid(errors.collect()))
    }
}

/// The accounts of a request, each once.
async fn targets(change: &mut IdentityChange, by: &AuthContext, ids: &[UserId]) -> Result<Vec<Account>> {
    let mut accounts: Vec<Account> = Vec::new();
    let (mut guests, mut unknown) = (Vec::new(), Vec::new());
    for (index, &id) in ids.iter().enumerate() {
        if accounts.iter().any(|account| account.user.id == id) {
            continue;
        }
        let fault = |message: &str| FieldError::new(format!("userIds[{index}]"), message);
        match change.account(id).await? {
            Some(account) if account.user.is_guest => {
                guests.push(fault("the guest's roles cannot be changed"));
            }
            Some(account) => accounts.push(account),
            None => unknown.push(fault("there is no such user")),
        }
    }
    if !guests.is_empty() {
        return Err(ServiceError::Invalid(guests));
    }
    if !unknown.is_empty() {
        return Err(ServiceError::Unknown(unknown));
    }
    accounts
        .iter()
        .try_for_each(|account| require_not_stronger(by, account))?;
    Ok(accounts)
}

/// A role that administrators made, and that allows no more than the caller may.
async fn changeable(change: &mut IdentityChange, by: &AuthContext, name: &str) -> Result<CustomRole> {
    if Role::from_name(name).is_some() {
        return Err(ServiceError::Refused("a built-in role cannot be changed"));
    }
    let role = change.custom_role(name).await?.ok_or(ServiceError::NotFound)?;
    if by.actor.covers(policy::capabilities_of_names(&role.capabilities)) {
        Ok(role)
    } else {
        Err(ServiceError::Refused("this role allows more than you may"))
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

/// The capabilities of a request.
///
/// # Errors
/// Invalid for a name that is none.
pub(super) fn known_capabilities(names: &[String], path: &str) -> Result<CapabilitySet> {
    let mut errors = Vec::new();
    let known = names.iter().enumerate().filter_map(|(index, name)| {
        let known = Capability::from_name(name);
        if known.is_none() {
            // The name is not repeated: it may be anything.
            errors.push(FieldError::new(format!("{path}[{index}]"), "is no capability"));
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

/// The names of a set, in the order of the table.
pub(super) fn names_of(set: CapabilitySet) -> Vec<String> {
    set.iter()
        .map(|capability| capability.as_str().to_owned())
        .collect()
}
