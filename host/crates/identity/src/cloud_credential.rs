//! The credential that the cloud issued to this server, which its owner obtained. Stored encrypted, one for each cloud.

use std::sync::Arc;

use crate::cloud::{Cloud, ServerIdentity};
use crate::error::{Result, ServiceError};
use crate::keys::KeyRing;
use crate::settings::Settings;
use crate::{AuthContext, Context};
use svc_domain::audit::AuditEvent;
use svc_store::InvitationRepository;

/// Where the credential is stored, for its encryption.
const COLUMN: &str = "cloud_credentials.sealed";

/// A credential of this server. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential(String);

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(…)")
    }
}

impl Credential {
    /// What the cloud is sent.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

/// The service for credentials of this server.
#[derive(Debug, Clone)]
pub struct CloudCredentials {
    context: Context,
    invitations: InvitationRepository,
    settings: Settings,
    keys: KeyRing,
    cloud: Arc<dyn Cloud>,
}

impl CloudCredentials {
    /// Creates the service.
    pub fn new(
        context: Context,
        invitations: InvitationRepository,
        settings: Settings,
        keys: KeyRing,
        cloud: Arc<dyn Cloud>,
    ) -> Self {
        Self {
            context,
            invitations,
            settings,
            keys,
            cloud,
        }
    }

    /// The credential for the configured cloud, if the owner has obtained one. One that does not open, because the
    /// database was restored without the data directory, is none.
    ///
    /// # Errors
    /// Database errors.
    pub async fn get(&self) -> Result<Option<Credential>> {
        let cloud = self.cloud.identity();
        let Some(sealed) = self.invitations.credential(cloud).await? else {
            return Ok(None);
        };
        let opened = self.keys.current().secrets.open_text(&[COLUMN, cloud], &sealed);
        match opened {
            Ok(credential) => Ok(Some(Credential(credential))),
            Err(error) => {
                tracing::warn!(%error, "the credential for the cloud cannot be read; the owner has to obtain another");
                Ok(None)
            }
        }
    }

    /// Registers the server at the cloud with the owner's token, and stores the credential. The caller checks that the
    /// token is sent by the owner.
    ///
    /// # Errors
    /// Those of the cloud; those of an owner who has lost the permission meanwhile; database errors.
    pub(crate) async fn obtain(
        &self,
        by: &AuthContext,
        owner_token: &str,
        refusal: fn(crate::cloud::CloudError) -> ServiceError,
    ) -> Result<Credential> {
        let keys = self.keys.current();
        let server = ServerIdentity {
            instance_id: keys.instance_id.clone(),
            name: self.settings.server_name(),
        };
        let credential = self
            .cloud
            .credential(owner_token, server)
            .await
            .map_err(refusal)?;
        let cloud = self.cloud.identity();
        let random = self.context.random.as_ref();
        let sealed = keys
            .secrets
            .seal(random, &[COLUMN, cloud], credential.as_bytes())
            .map_err(ServiceError::internal)?;
        let mut change = self.context.change_by(by).await?;
        change
            .store_credential(cloud, &sealed, self.context.now())
            .await?;
        let details = [("cloud", cloud.to_owned())];
        let event = AuditEvent::ServerRegistered;
        let entry = self.context.audit_of(by, event, None, &details);
        change.audit(&entry).await?;
        change.commit_without_invalidation().await?;
        Ok(Credential(credential))
    }
}
