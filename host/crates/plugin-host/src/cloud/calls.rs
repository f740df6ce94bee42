//! The functions of a cloud plugin, one by one. Each names the secrets among its arguments.

use tokio::time::Instant;

use crate::cloud::bindings::exports::svc::plugin::cloud::{
    CloudError, CodeExchange, CreatedInvitation, InvitationRequest, InvitationStatus, Release,
    ReleaseChannel, Server, ServiceAccount, ServiceFeatures, ServiceSession, ServiceSubscription,
    SignInRequest, SignedOut,
};
use crate::cloud::plugin::{CloudFault, CloudPlugin, Reach};

/// The answer of a plugin, of which nothing is verified; or why there is none.
pub type Answer<T> = Result<Result<T, CloudError>, CloudFault>;

impl CloudPlugin {
    /// What the plugin can do. It sends no requests for that.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn features(&self, until: Instant) -> Result<ServiceFeatures, CloudFault> {
        self.call("features", Reach::Offline, &[], until, |guest, store| {
            Box::pin(async move { guest.call_features(store).await })
        })
        .await
    }

    /// The account of a token.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn account(&self, token: String, until: Instant) -> Answer<ServiceAccount> {
        let secrets = [token.clone()];
        self.ask("account", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_account(store, &token).await })
        })
        .await
    }

    /// The address for a sign-in.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn sign_in_url(&self, request: SignInRequest, until: Instant) -> Answer<String> {
        let secrets = [request.state.clone(), request.nonce.clone()];
        self.ask("sign-in-url", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_sign_in_url(store, &request).await })
        })
        .await
    }

    /// Exchanges a code for a session.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn exchange(&self, request: CodeExchange, until: Instant) -> Answer<ServiceSession> {
        let secrets = [
            request.code.clone(),
            request.code_verifier.clone(),
            request.nonce.clone(),
        ];
        self.ask("exchange", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_exchange(store, &request).await })
        })
        .await
    }

    /// Whether a session still holds.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn validate(&self, token: String, until: Instant) -> Answer<ServiceSession> {
        let secrets = [token.clone()];
        self.ask("validate", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_validate(store, &token).await })
        })
        .await
    }

    /// Ends a session.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn revoke(&self, token: String, until: Instant) -> Answer<()> {
        let secrets = [token.clone()];
        self.ask("revoke", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_revoke(store, &token).await })
        })
        .await
    }

    /// Verifies the report of a sign-out.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn logout(&self, token: String, until: Instant) -> Answer<SignedOut> {
        let secrets = [token.clone()];
        self.ask("logout", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_logout(store, &token).await })
        })
        .await
    }

    /// Registers the server.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn credential(&self, owner_token: String, server: Server, until: Instant) -> Answer<String> {
        let secrets = [owner_token.clone()];
        self.ask("credential", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_credential(store, &owner_token, &server).await })
        })
        .await
    }

    /// Creates an invitation.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn create_invitation(
        &self,
        credential: String,
        token: String,
        request: InvitationRequest,
        until: Instant,
    ) -> Answer<CreatedInvitation> {
        let secrets = [credential.clone(), token.clone()];
        self.ask("create-invitation", &secrets, until, |guest, store| {
            Box::pin(async move {
                guest
                    .call_create_invitation(store, &credential, &token, &request)
                    .await
            })
        })
        .await
    }

    /// Revokes an invitation.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn revoke_invitation(&self, credential: String, id: String, until: Instant) -> Answer<bool> {
        let secrets = [credential.clone()];
        self.ask("revoke-invitation", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_revoke_invitation(store, &credential, &id).await })
        })
        .await
    }

    /// The statuses of invitations.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn invitation_statuses(
        &self,
        credential: String,
        ids: Vec<String>,
        until: Instant,
    ) -> Answer<Vec<Option<InvitationStatus>>> {
        let secrets = [credential.clone()];
        self.ask("invitation-statuses", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_invitation_statuses(store, &credential, &ids).await })
        })
        .await
    }

    /// The invitations that an account holds.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn bound_invitations(
        &self,
        credential: String,
        token: String,
        until: Instant,
    ) -> Answer<Vec<String>> {
        let secrets = [credential.clone(), token.clone()];
        self.ask("bound-invitations", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_bound_invitations(store, &credential, &token).await })
        })
        .await
    }

    /// Reports the claim of an invitation.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn claim_invitation(
        &self,
        credential: String,
        token: String,
        id: String,
        until: Instant,
    ) -> Answer<bool> {
        let secrets = [credential.clone(), token.clone()];
        self.ask("claim-invitation", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_claim_invitation(store, &credential, &token, &id).await })
        })
        .await
    }

    /// The subscription of the server.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn subscription(&self, credential: String, until: Instant) -> Answer<ServiceSubscription> {
        let secrets = [credential.clone()];
        self.ask("subscription", &secrets, until, |guest, store| {
            Box::pin(async move { guest.call_subscription(store, &credential).await })
        })
        .await
    }

    /// The release channels.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn release_channels(&self, until: Instant) -> Answer<Vec<ReleaseChannel>> {
        self.ask("release-channels", &[], until, |guest, store| {
            Box::pin(async move { guest.call_release_channels(store).await })
        })
        .await
    }

    /// The newest release of a channel.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn latest_release(&self, channel: String, until: Instant) -> Answer<Release> {
        self.ask("latest-release", &[], until, |guest, store| {
            Box::pin(async move { guest.call_latest_release(store, &channel).await })
        })
        .await
    }
}
