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
    /// What the ids of its accounts begin with.
    service: String,
    calls: Arc<Semaphore>,
}

impl PluginCloud {
    /// Asks the plugin, which talks to this service, what it can do. Nothing is sent.
    ///
    /// # Errors
    /// The plugin fails.
    pub async fn start(plugin: CloudPlugin, service: &str) -> Result<Self, CloudFault> {
        let features = plugin.features(Instant::now() + CLOUD_CALL).await?;
        let named = Some(service).filter(|service| !service.is_empty());
        Ok(Self {
            identity: format!("{} {service}", plugin.id()),
            service: named.unwrap_or(plugin.id()).to_owned(),
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

    /// With the id by which the server knows it.
    fn own(&self, account: CloudAccount) -> CloudAccount {
        CloudAccount {
            id: id_of(&self.service, account.id),
            ..account
        }
    }

    fn own_session(&self, session: CloudSession) -> CloudSession {
        CloudSession {
            account: self.own(session.account),
            ..session
        }
    }
}

/// The id of an account of a service. Without the service, a cloud that is configured in place of another one could vouch
/// for accounts that are linked to those of the other. A plugin for OpenID Connect adds the issuer itself.
fn id_of(service: &str, id: String) -> String {
    let rest = id.strip_prefix(service);
    if rest.is_some_and(|rest| rest.starts_with('|')) {
        id
    } else {
        format!("{service}|{id}")
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
            |account| answers::account(account).map(|account| self.own(account)),
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
            |session| answers::session(session).map(|session| self.own_session(session)),
        ))
    }

    fn validate<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudSession> {
        Box::pin(self.ask(
            "validate",
            self.features.sign_in,
            |until| self.plugin.validate(token.to_owned(), until),
            |session| answers::session(session).map(|session| self.own_session(session)),
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
            |report| {
                let report = answers::signed_out(report)?;
                Ok(SignedOut {
                    account_id: report.account_id.map(|id| id_of(&self.service, id)),
                    ..report
                })
            },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_accounts_name_their_service_once() {
        for (id, expected) in [
            ("u_1", "https://a.example|u_1"),
            ("https://a.example|u_1", "https://a.example|u_1"),
            ("https://a.example", "https://a.example|https://a.example"),
            (
                "https://a.example.org|u_1",
                "https://a.example|https://a.example.org|u_1",
            ),
            ("a|b", "https://a.example|a|b"),
        ] {
            assert_eq!(id_of("https://a.example", id.to_owned()), expected);
        }
        let account = CloudAccount {
            id: id_of("https://a.example", "auth0|u_1".to_owned()),
            ..CloudAccount::default()
        };
        assert_eq!(account.public_id(), "auth0|u_1");
    }
}
