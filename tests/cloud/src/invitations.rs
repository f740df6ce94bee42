//! Invitations as servers see them: creation with its quota, statuses, claims, revocation.

use sqlx::{FromRow, Sqlite, Transaction};

use crate::accounts::Account;
use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::mail::Message;
use crate::secrets::{self, Shortcode};
use crate::servers::Server;
use crate::text;

const DAY: i64 = 86_400_000;
/// Longest life of an invitation.
const LONGEST: i64 = 30 * DAY;
/// Invitations that an account may create in the trailing 24 hours.
const DAILY: i64 = 20;
/// Open invitations that may be addressed to one account, so that nobody floods it with e-mails.
const OPEN_BY_TARGET: i64 = 5;
/// Invitations whose ids an account is shown.
const SHOWN: i64 = 100;

/// What a server asks for.
#[derive(Debug)]
pub(crate) struct NewInvitation<'a> {
    pub(crate) role: &'a str,
    pub(crate) target: Option<&'a str>,
    pub(crate) expires_at: i64,
}

/// A created invitation.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) id: String,
    /// Absent if it is addressed to an account.
    pub(crate) shortcode: Option<Shortcode>,
    pub(crate) expires_at: i64,
}

/// The status of an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Active,
    Bound { at: i64 },
    Claimed,
    Expired,
    Revoked,
}

#[derive(Debug, FromRow)]
struct StatusRow {
    is_known: bool,
    expires_at: Option<i64>,
    bound_at: Option<i64>,
    claimed_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl StatusRow {
    fn status(&self, now: i64) -> Option<Status> {
        if !self.is_known {
            return None;
        }
        Some(match self {
            Self {
                revoked_at: Some(_), ..
            } => Status::Revoked,
            Self {
                claimed_at: Some(_), ..
            } => Status::Claimed,
            Self {
                expires_at: Some(end),
                ..
            } if *end <= now => Status::Expired,
            Self {
                bound_at: Some(at), ..
            } => Status::Bound { at: *at },
            _ => Status::Active,
        })
    }
}

impl Cloud {
    /// Creates an invitation on behalf of an account. Quota, target and creation are one transaction.
    pub(crate) async fn create_invitation(
        &self,
        server: &Server,
        inviter: &Account,
        new: &NewInvitation<'_>,
    ) -> Result<Created> {
        let now = self.now();
        text::role(new.role)?;
        if new.expires_at <= now {
            return Err(Refusal::InvalidRequest("expiresAt: has passed").into());
        }
        let expires_at = new.expires_at.min(now + LONGEST);
        if !inviter.may_invite {
            return Err(Refusal::Forbidden.into());
        }
        let id = secrets::id(&*self.random, "i_")?;
        let mut tx = self.database.write().await?;
        check_quota(&mut tx, &inviter.id, now).await?;
        let (shortcode, approval, hash) = match new.target {
            None => {
                let shortcode = Shortcode::generate(&*self.random)?;
                let hash = shortcode.hash();
                (Some(shortcode), None, hash)
            }
            Some(target) => {
                let email = email_of_target(&mut tx, &inviter.id, target, now).await?;
                let code = secrets::token(&*self.random, "")?;
                let hash = secrets::hash(&code);
                (None, Some((email, code)), hash)
            }
        };
        sqlx::query(
            "INSERT INTO invitations (id, server_id, inviter_id, role, target_id, code_hash, created_at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&id)
        .bind(server.id)
        .bind(&inviter.id)
        .bind(new.role)
        .bind(new.target)
        .bind(hash)
        .bind(now)
        .bind(expires_at)
        .execute(&mut *tx)
        .await?;
        if let Some((email, code)) = approval {
            self.send_approval_link(&id, &email, &code, server, inviter)?;
        }
        tx.commit().await?;
        Ok(Created {
            id,
            shortcode,
            expires_at,
        })
    }

    fn send_approval_link(
        &self,
        id: &str,
        email: &str,
        code: &str,
        server: &Server,
        inviter: &Account,
    ) -> Result<()> {
        let body = format!(
            "{} invites you to the media server \"{}\".\n\nTo accept, open this link and sign in:\n{}\n\n\
             If you do not know the sender, ignore this message.",
            inviter.display_name.as_ref().unwrap_or(&inviter.username),
            server.name,
            self.url(&format!("/approve/{code}")),
        );
        let message = Message {
            id,
            to: email,
            subject: "An invitation to a media server",
            body: &body,
        };
        Ok(self.mail.send(&message)?)
    }

    /// The statuses of invitations of a server, in the order of the ids; `None` for ids that it does not have.
    pub(crate) async fn statuses(&self, server: i64, ids: &[String]) -> Result<Vec<Option<Status>>> {
        let ids = serde_json::Value::from(ids).to_string();
        let rows: Vec<StatusRow> = sqlx::query_as(
            "SELECT invitations.id IS NOT NULL AS is_known, expires_at, bound_at, claimed_at, revoked_at
             FROM json_each(?) AS asked
             LEFT JOIN invitations ON invitations.id = asked.value AND server_id = ? ORDER BY asked.key",
        )
        .bind(ids)
        .bind(server)
        .fetch_all(self.database.pool())
        .await?;
        let now = self.now();
        Ok(rows.iter().map(|row| row.status(now)).collect())
    }

    /// The open invitations of a server that an account holds, newest first.
    pub(crate) async fn bound_invitations(&self, server: i64, account_id: &str) -> Result<Vec<String>> {
        let found = sqlx::query_scalar(
            "SELECT id FROM invitations WHERE server_id = ? AND holder_id = ? AND claimed_at IS NULL
             AND revoked_at IS NULL AND expires_at > ? ORDER BY number DESC LIMIT ?",
        );
        let found = found.bind(server).bind(account_id).bind(self.now()).bind(SHOWN);
        Ok(found.fetch_all(self.database.pool()).await?)
    }

    /// Marks an invitation as claimed by the account that holds it. Repeated by that account, it is `true` again.
    pub(crate) async fn claim(&self, server: i64, account_id: &str, id: &str) -> Result<bool> {
        let now = self.now();
        let claimed: Option<i64> = sqlx::query_scalar(
            "UPDATE invitations SET claimed_at = coalesce(claimed_at, ?1)
             WHERE id = ?2 AND server_id = ?3 AND holder_id = ?4 AND revoked_at IS NULL
             AND (claimed_at IS NOT NULL OR expires_at > ?1) RETURNING number",
        )
        .bind(now)
        .bind(id)
        .bind(server)
        .bind(account_id)
        .fetch_optional(self.database.pool())
        .await?;
        Ok(claimed.is_some())
    }

    /// Revokes an invitation; `false` if it is no longer active or bound.
    pub(crate) async fn revoke(&self, server: i64, id: &str) -> Result<bool> {
        let revoked: Option<i64> = sqlx::query_scalar(
            "UPDATE invitations SET revoked_at = ?1 WHERE id = ?2 AND server_id = ?3 AND claimed_at IS NULL
             AND revoked_at IS NULL AND expires_at > ?1 RETURNING number",
        )
        .bind(self.now())
        .bind(id)
        .bind(server)
        .fetch_optional(self.database.pool())
        .await?;
        Ok(revoked.is_some())
    }
}

async fn check_quota(tx: &mut Transaction<'static, Sqlite>, inviter_id: &str, now: i64) -> Result<()> {
    let created =
        sqlx::query_scalar("SELECT count(*) FROM invitations WHERE inviter_id = ? AND created_at > ?");
    let created: i64 = created
        .bind(inviter_id)
        .bind(now - DAY)
        .fetch_one(&mut **tx)
        .await?;
    if created >= DAILY {
        return Err(Refusal::DailyInvitationLimit.into());
    }
    Ok(())
}

/// The address of an account that can be invited.
async fn email_of_target(
    tx: &mut Transaction<'static, Sqlite>,
    inviter_id: &str,
    target: &str,
    now: i64,
) -> Result<String> {
    let found = sqlx::query_scalar(
        "SELECT email FROM accounts WHERE id = ?1 AND id <> ?2 AND enabled AND takes_invitations AND ?4 >
         (SELECT count(*) FROM invitations WHERE target_id = ?1 AND created_at > ?5 AND expires_at > ?3
          AND holder_id IS NULL AND revoked_at IS NULL)",
    );
    let found = found
        .bind(target)
        .bind(inviter_id)
        .bind(now)
        .bind(OPEN_BY_TARGET)
        .bind(now - LONGEST);
    let email = found.fetch_optional(&mut **tx).await?;
    email.ok_or_else(|| Refusal::TargetUnavailable.into())
}
