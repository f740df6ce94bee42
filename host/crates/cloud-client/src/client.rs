//! The cloud behind a plugin: limits its calls and returns only checked results.

use std::sync::Arc;

use svc_identity::cloud::{
    Cloud, CloudAccount, CloudError, CloudFeatures, CloudFuture, CloudInvitationStatus, CloudReleaseChannel,
    CloudSession, CodeExchange, CreatedInvitation, InvitationRequest, Release, ServerIdentity, SignInRequest,
    SignedOut, Subscription,
};
use svc_plugin_host::cloud::{Answer, CLOUD_CALL, CloudFault, CloudPlugin, guest};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::answers;
use crate::answers::Checked;

/// Calls at once: each has up to 64 MiB, and 8 requests are in flight at most. Others wait for their turn within their
/// time.
const CALLS: usize = 32;

/// The cloud of a loaded plugin.
#[derive(Debug)]
pub struct PluginCloud {
    plugin: CloudPlugin,
    features: CloudFeatures,
    identity: String,
    calls: Arc<Semaphore>,
}

impl PluginCloud {
    /// Asks the plugin, which talks to this service, what it can do. Nothing is sent.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn start(plugin: CloudPlugin, service: &str) -> Result<Self, CloudFault> {
        let features = plugin.features(Instant::now() + CLOUD_CALL).await?;
        Ok(Self {
            identity: format!("{} {service}", plugin.id()),
            plugin,
            features: answers::features(features),
            calls: Arc::new(Semaphore::new(CALLS)),
        })
    }

    /// The plugin.
    pub fn plugin(&self) -> &CloudPlugin {
        &self.plugin
    }

    /// Calls a function of the plugin if it has this feature, and checks its answer.
    async fn ask<G, T, F: Future<Output = Answer<G>> + Send>(
        &self,
        name: &'static str,
        has_feature: bool,
        call: impl FnOnce(Instant) -> F + Send,
        check: impl FnOnce(G) -> Checked<T> + Send,
    ) -> Result<T, CloudError> {
        if !has_feature {
            return Err(CloudError::Unsupported);
        }
        let until = Instant::now() + CLOUD_CALL;
        // An error is the end of the time; the semaphore is never closed.
        let Ok(Ok(_turn)) = timeout_at(until, self.calls.acquire()).await else {
            self.plugin.report(name, "too many calls are in progress");
            return Err(CloudError::Unavailable);
        };
        // The plugin host has logged a fault.
        let answer = call(until).await.map_err(|_| CloudError::Unavailable)?;
        let answer = answer.map_err(answers::error)?;
        check(answer).map_err(|problem| {
            self.plugin.report(name, problem);
            CloudError::Unavailable
        })
    }
}

impl Cloud for PluginCloud {
    fn features(&self) -> CloudFeatures {
        self.features
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount> {
        Box::pin(self.ask(
            "account",
            self.features.accounts,
            |until| self.plugin.account(token.to_owned(), until),
            answers::account,
        ))
    }

    fn sign_in_url(&self, request: SignInRequest) -> CloudFuture<'_, String> {
        let request = guest::SignInRequest {
            redirect_uri: request.redirect_uri,
            state: request.state,
            nonce: request.nonce,
            code_challenge: request.code_challenge,
        };
        Box::pin(self.ask(
            "sign-in-url",
            self.features.sign_in,
            |until| self.plugin.sign_in_url(request, until),
            answers::address,
        ))
    }

    fn exchange(&self, request: CodeExchange) -> CloudFuture<'_, CloudSession> {
        let request = guest::CodeExchange {
            code: request.code,
            redirect_uri: request.redirect_uri,
            nonce: request.nonce,
            code_verifier: request.code_verifier,
            issuer: request.issuer,
        };
        Box::pin(self.ask(
            "exchange",
            self.features.sign_in,
            |until| self.plugin.exchange(request, until),
            answers::session,
        ))
    }

    fn validate<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudSession> {
        Box::pin(self.ask(
            "validate",
            self.features.sign_in,
            |until| self.plugin.validate(token.to_owned(), until),
            answers::session,
        ))
    }

    fn revoke<'a>(&'a self, token: &'a str) -> CloudFuture<'a, ()> {
        Box::pin(self.ask(
            "revoke",
            self.features.sign_in,
            |until| self.plugin.revoke(token.to_owned(), until),
            Ok,
        ))
    }

    fn logout<'a>(&'a self, token: &'a str) -> CloudFuture<'a, SignedOut> {
        Box::pin(self.ask(
            "logout",
            self.features.logout,
            |until| self.plugin.logout(token.to_owned(), until),
            answers::signed_out,
        ))
    }

    fn credential<'a>(&'a self, owner_token: &'a str, server: ServerIdentity) -> CloudFuture<'a, String> {
        let server = guest::Server {
            instance_id: server.instance_id,
            name: server.name,
        };
        Box::pin(self.ask(
            "credential",
            self.features.invitations,
            |until| self.plugin.credential(owner_token.to_owned(), server, until),
            answers::token,
        ))
    }

    fn create_invitation<'a>(
        &'a self,
        credential: &'a str,
        token: &'a str,
        request: InvitationRequest,
    ) -> CloudFuture<'a, CreatedInvitation> {
        let of_guest = guest::InvitationRequest {
            role: request.role.clone(),
            target: request.target.clone(),
            expires_at: u64::try_from(request.expires_at.millis()).unwrap_or_default(),
        };
        let (credential, token) = (credential.to_owned(), token.to_owned());
        Box::pin(self.ask(
            "create-invitation",
            self.features.invitations,
            |until| self.plugin.create_invitation(credential, token, of_guest, until),
            move |created| answers::invitation(created, &request),
        ))
    }

    fn revoke_invitation<'a>(&'a self, credential: &'a str, id: &'a str) -> CloudFuture<'a, bool> {
        Box::pin(self.ask(
            "revoke-invitation",
            self.features.invitations,
            |until| {
                self.plugin
                    .revoke_invitation(credential.to_owned(), id.to_owned(), until)
            },
            Ok,
        ))
    }

    fn invitation_statuses<'a>(
        &'a self,
        credential: &'a str,
        ids: &'a [String],
    ) -> CloudFuture<'a, Vec<Option<CloudInvitationStatus>>> {
        Box::pin(self.ask(
            "invitation-statuses",
            self.features.invitations,
            |until| {
                self.plugin
                    .invitation_statuses(credential.to_owned(), ids.to_vec(), until)
            },
            |statuses| answers::statuses(statuses, ids.len()),
        ))
    }

    fn bound_invitations<'a>(&'a self, credential: &'a str, token: &'a str) -> CloudFuture<'a, Vec<String>> {
        Box::pin(self.ask(
            "bound-invitations",
            self.features.invitations,
            |until| {
                self.plugin
                    .bound_invitations(credential.to_owned(), token.to_owned(), until)
            },
            answers::ids,
        ))
    }

    fn claim_invitation<'a>(
        &'a self,
        credential: &'a str,
        token: &'a str,
        id: &'a str,
    ) -> CloudFuture<'a, bool> {
        let (credential, token, id) = (credential.to_owned(), token.to_owned(), id.to_owned());
        Box::pin(self.ask(
            "claim-invitation",
            self.features.invitations,
            |until| self.plugin.claim_invitation(credential, token, id, until),
            Ok,
        ))
    }

    fn subscription<'a>(&'a self, credential: &'a str) -> CloudFuture<'a, Subscription> {
        Box::pin(self.ask(
            "subscription",
            self.features.licensing,
            |until| self.plugin.subscription(credential.to_owned(), until),
            answers::subscription,
        ))
    }

    fn release_channels(&self) -> CloudFuture<'_, Vec<CloudReleaseChannel>> {
        Box::pin(self.ask(
            "release-channels",
            self.features.releases,
            |until| self.plugin.release_channels(until),
            answers::channels,
        ))
    }

    fn latest_release<'a>(&'a self, channel: &'a str) -> CloudFuture<'a, Release> {
        Box::pin(self.ask(
            "latest-release",
            self.features.releases,
            |until| self.plugin.latest_release(channel.to_owned(), until),
            answers::release,
        ))
    }
}
