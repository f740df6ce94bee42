//! Role assignments.

use super::{Roles, require_assignable, role_of_path};
use crate::error::{FieldError, Result, ServiceError};
use crate::{AuthContext, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_domain::user::{Account, RoleAssignment};
use svc_store::IdentityChange;

/// Maximum number of accounts in one request.
const MAX_USERS: usize = 200;

/// A change of the assignments of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Assign,
    Unassign,
}

impl Edit {
    fn task_name(self) -> &'static str {
        match self {
            Self::Assign => "role-assign",
            Self::Unassign => "role-unassign",
        }
    }

    fn audit_event(self) -> AuditEvent {
        match self {
            Self::Assign => AuditEvent::RoleAssigned,
            Self::Unassign => AuditEvent::RoleUnassigned,
        }
    }
}

/// Parses ids without checking that the accounts exist.
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

/// Reads the accounts of a request, each once.
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

impl Roles {
    /// Lists role assignments.
    ///
    /// # Errors
    /// Database errors.
    pub async fn assignments(
        &self,
        user: Option<UserId>,
        page: Pagination,
        order: Order,
    ) -> Result<Vec<RoleAssignment>> {
        Ok(self.roles.list_role_assignments(user, page, order).await?)
    }

    /// Assigns a role to all accounts or, on an error, to none. Existing assignments stay unchanged.
    ///
    /// # Errors
    /// Invalid for an unknown role and for the guest; unknown account; refused for a role that cannot be assigned, and
    /// for a role or an account with capabilities that the caller lacks; database errors.
    pub async fn assign(
        &self,
        by: AuthContext,
        role: String,
        users: &[String],
    ) -> Result<Vec<RoleAssignment>> {
        self.edit(by, role, users, Edit::Assign).await
    }

    /// Removes a role from all accounts or, on an error, from none; returns the removed assignments.
    ///
    /// # Errors
    /// As [`Roles::assign`].
    pub async fn unassign(
        &self,
        by: AuthContext,
        role: String,
        users: &[String],
    ) -> Result<Vec<RoleAssignment>> {
        self.edit(by, role, users, Edit::Unassign).await
    }

    async fn edit(
        &self,
        by: AuthContext,
        role: String,
        users: &[String],
        edit: Edit,
    ) -> Result<Vec<RoleAssignment>> {
        let users = parse_users(users)?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, edit.task_name(), async move {
            let mut change = context.change_by(&by).await?;
            let found = role_of_path(&mut change, &role).await?;
            if edit == Edit::Assign {
                require_assignable(&by, &found)?;
            }
            // Before the role when it is removed: removing the guest's role reports the error about the guest account.
            let accounts = targets(&mut change, &by, &users).await?;
            require_assignable(&by, &found)?;
            let mut assignments = Vec::new();
            for Account { user, .. } in &accounts {
                let (assignment, is_changed) = match edit {
                    Edit::Assign => change.assign_role(user.id, &role, context.now()).await?,
                    Edit::Unassign => match change.unassign_role(user.id, &role).await? {
                        Some(assignment) => (assignment, true),
                        None => continue,
                    },
                };
                if is_changed {
                    let details = [("role", role.clone())];
                    let entry = context.audit_of(&by, edit.audit_event(), Some(user), &details);
                    change.audit(&entry).await?;
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
}
