//! Invitations as accounts see them: what they hold after entering a shortcode or opening an approval link.

use sqlx::FromRow;

use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::secrets::{self, SecretHash, Shortcode};
use crate::sessions::Session;

/// An invitation that an account holds.
#[derive(Debug, FromRow)]
pub(crate) struct Binding {
    pub(crate) id: String,
    pub(crate) instance_id: String,
    pub(crate) server_name: String,
    pub(crate) role: String,
    pub(crate) expires_at: i64,
}

/// By what an account binds an invitation.
#[derive(Debug)]
enum Key {
    /// Of a shareable invitation: any account.
    Shortcode(SecretHash),
    /// Of an approval link: the invited account.
    Approval(SecretHash),
}

impl Cloud {
    /// Binds a shareable invitation. Unknown shortcodes are limited.
    pub(crate) async fn bind_by_shortcode(
        &self,
        session: &Session,
        typed: &str,
        network: &str,
    ) -> Result<Binding> {
        let now = self.now();
        self.limits.bind_network.attempt(network, now)?;
        self.limits.bind.attempt(&session.account.id, now)?;
        let shortcode = Shortcode::read(typed).ok_or(Refusal::InvitationUnknown)?;
        let binding = self.bind(session, &Key::Shortcode(shortcode.hash())).await?;
        self.limits.bind_network.succeeded(network);
        self.limits.bind.succeeded(&session.account.id);
        Ok(binding)
    }

    /// Binds the invitation of an approval link, whose code nobody can guess.
    pub(crate) async fn bind_by_approval(&self, session: &Session, code: &str) -> Result<Binding> {
        self.bind(session, &Key::Approval(secrets::hash(code))).await
    }

    /// One conditional update decides. An account that holds the invitation already binds it again without effect.
    async fn bind(&self, session: &Session, key: &Key) -> Result<Binding> {
        let (hash, target) = match key {
            Key::Shortcode(hash) => (hash, None),
            Key::Approval(hash) => (hash, Some(&session.account.id)),
        };
        let now = self.now();
        let mut tx = self.database.write().await?;
        let number: Option<i64> = sqlx::query_scalar(
            "UPDATE invitations SET holder_id = ?2, bound_at = coalesce(bound_at, ?3)
             WHERE code_hash = ?1 AND target_id IS ?4 AND (holder_id IS NULL OR holder_id = ?2)
             AND claimed_at IS NULL AND revoked_at IS NULL AND expires_at > ?3
             AND (?5 IS NULL OR server_id IN (SELECT id FROM servers WHERE instance_id = ?5))
             RETURNING number",
        )
        .bind(hash)
        .bind(&session.account.id)
        .bind(now)
        .bind(target)
        // A token that was issued for one installation takes no invitations of others.
        .bind(&session.audience)
        .fetch_optional(&mut *tx)
        .await?;
        let number = number.ok_or(Refusal::InvitationUnknown)?;
        let binding = sqlx::query_as(
            "SELECT invitations.id, instance_id, servers.name AS server_name, role, expires_at
             FROM invitations JOIN servers ON servers.id = server_id WHERE number = ?",
        )
        .bind(number)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(binding)
    }
}
