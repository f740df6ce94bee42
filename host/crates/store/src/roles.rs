//! Custom roles and role assignments.

use crate::db::Database;
use crate::identity::IdentityChange;
use crate::query::where_clause::{WhereClause, direction};
use crate::users::{names_from_json, names_to_json};
use sqlx::AssertSqlSafe;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_domain::time::Timestamp;
use svc_domain::user::{CustomRole, RoleAssignment};

type RoleRow = (String, String, i64);
type AssignmentRow = (i64, String, i64);

const SELECT_ROLES: &str = "SELECT role, capabilities, created_at FROM roles ORDER BY role";
const SELECT_ROLE: &str = "SELECT role, capabilities, created_at FROM roles WHERE role = $1";
const SELECT_ASSIGNMENT: &str =
    "SELECT user_id, role, created_at FROM role_assignments WHERE user_id = $1 AND role = $2";

fn role((name, capabilities, created_at): RoleRow) -> Result<CustomRole> {
    Ok(CustomRole {
        name,
        capabilities: names_from_json(&capabilities)?,
        created_at: Timestamp::from_millis(created_at),
    })
}

fn assignment((user, role, created_at): AssignmentRow) -> RoleAssignment {
    RoleAssignment {
        user: user.into(),
        role,
        created_at: Timestamp::from_millis(created_at),
    }
}

/// Custom roles and role assignments.
#[derive(Debug, Clone)]
pub struct RoleRepository {
    pub(crate) db: Database,
}

impl RoleRepository {
    /// Custom roles by name.
    pub async fn custom_roles(&self) -> Result<Vec<CustomRole>> {
        let rows: Vec<RoleRow> = self.db.pools().fetch_all(SELECT_ROLES, &[]).await?;
        rows.into_iter().map(role).collect()
    }

    /// Role assignments by role and account.
    pub async fn list_role_assignments(
        &self,
        user: Option<UserId>,
        page: Pagination,
        order: Order,
    ) -> Result<Vec<RoleAssignment>> {
        let mut where_clause = WhereClause::default();
        where_clause.push("user_id = ", user.map(UserId::get), "");
        let order = direction(order, "role, user_id", "role DESC, user_id DESC");
        let select = "SELECT user_id, role, created_at FROM role_assignments";
        let (sql, values) = where_clause.page(select, order, page);
        let rows: Vec<AssignmentRow> = self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        Ok(rows.into_iter().map(assignment).collect())
    }
}

impl IdentityChange {
    /// A custom role by name.
    pub async fn custom_role(&mut self, name: &str) -> Result<Option<CustomRole>> {
        let row: Option<RoleRow> = self.fetch_optional(SELECT_ROLE, &args![name]).await?;
        row.map(role).transpose()
    }

    /// Adds a role; `false` if the name is taken.
    pub async fn insert_role(&mut self, role: &CustomRole) -> Result<bool> {
        let sql =
            "INSERT INTO roles (role, capabilities, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let values = args![
            role.name.as_str(),
            names_to_json(&role.capabilities),
            role.created_at
        ];
        Ok(self.execute(sql, &values).await? > 0)
    }

    /// Replaces the capabilities of a role.
    pub async fn set_role_capabilities(&mut self, name: &str, capabilities: &[String]) -> Result<()> {
        let sql = "UPDATE roles SET capabilities = $2 WHERE role = $1";
        let values = args![name, names_to_json(capabilities)];
        self.execute(sql, &values).await.map(drop)
    }

    /// Deletes a role with its assignments and library grants: a later role of the same name starts without them.
    pub async fn delete_role(&mut self, name: &str) -> Result<()> {
        self.execute("DELETE FROM library_role_grants WHERE role = $1", &args![name])
            .await?;
        self.execute("DELETE FROM role_assignments WHERE role = $1", &args![name])
            .await?;
        self.execute("DELETE FROM roles WHERE role = $1", &args![name])
            .await
            .map(drop)
    }

    /// Assigns a role; returns the assignment and whether it is new.
    pub async fn assign_role(
        &mut self,
        user: UserId,
        role: &str,
        now: Timestamp,
    ) -> Result<(RoleAssignment, bool)> {
        let sql = "INSERT INTO role_assignments (user_id, role, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let new = self.execute(sql, &args![user.get(), role, now]).await? > 0;
        let row: Option<AssignmentRow> = self
            .fetch_optional(SELECT_ASSIGNMENT, &args![user.get(), role])
            .await?;
        let made = RoleAssignment {
            user,
            role: role.to_owned(),
            created_at: now,
        };
        Ok((row.map_or(made, assignment), new))
    }

    /// Removes a role assignment; returns it.
    pub async fn unassign_role(&mut self, user: UserId, role: &str) -> Result<Option<RoleAssignment>> {
        let row: Option<AssignmentRow> = self
            .fetch_optional(SELECT_ASSIGNMENT, &args![user.get(), role])
            .await?;
        let sql = "DELETE FROM role_assignments WHERE user_id = $1 AND role = $2";
        self.execute(sql, &args![user.get(), role]).await?;
        Ok(row.map(assignment))
    }
}
