//! A cloud that keeps invitations, in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use super::gate::Gate;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{
    Cloud, CloudAccount, CloudError, CloudFeatures, CloudFuture, CloudInvitationStatus, CreatedInvitation,
    InvitationRequest, ServerIdentity, Subscription,
};

/// The secret parts of what it returns, so that a test can search for them.
pub(crate) const CREDENTIAL: &str = "svc_server_marker_credential";

#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) request: InvitationRequest,
    pub(crate) status: CloudInvitationStatus,
    pub(crate) holder: Option<String>,
    pub(crate) creator: String,
}

#[derive(Debug, Default)]
struct State {
    away: bool,
    slow: bool,
    /// The error of the next creations.
    refuses: Option<CloudError>,
    accounts: HashMap<String, String>,
    /// The number of registrations; the credential of the last one is valid.
    registered: usize,
    kept: BTreeMap<String, Kept>,
    seats: Option<u32>,
    url: Option<String>,
    /// The invitation whose revocation it refuses.
    irrevocable: Option<String>,
    calls: Vec<&'static str>,
    /// The call whose next answer is held.
    held: Option<&'static str>,
}

/// The cloud. Its tokens are `token-` and the id of the account.
#[derive(Debug, Default)]
pub(crate) struct InvitationCloud {
    state: Mutex<State>,
    /// Before the answer that [`InvitationCloud::hold`] names.
    pub(crate) gate: Arc<Gate>,
}

impl InvitationCloud {
    /// A cloud with these accounts.
    pub(crate) fn with(accounts: &[&str]) -> Self {
        let accounts = accounts
            .iter()
            .map(|id| (format!("token-{id}"), (*id).to_owned()));
        let state = State {
            accounts: accounts.collect(),
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            gate: Arc::default(),
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// Decides the next call of this kind, and holds the answer at the gate.
    pub(crate) fn hold(&self, call: &'static str) {
        self.gate.close();
        self.change(|state| state.held = Some(call));
    }

    pub(crate) fn set_away(&self, away: bool) {
        self.change(|state| state.away = away);
    }

    /// From now on requests are never answered.
    pub(crate) fn set_slow(&self, slow: bool) {
        self.change(|state| state.slow = slow);
    }

    pub(crate) fn refuse(&self, error: Option<CloudError>) {
        self.change(|state| state.refuses = error);
    }

    pub(crate) fn set_seats(&self, seats: Option<u32>) {
        self.change(|state| state.seats = seats);
    }

    pub(crate) fn set_url(&self, url: &str) {
        self.change(|state| state.url = Some(url.to_owned()));
    }

    /// Refuses to revoke the newest invitation.
    pub(crate) fn refuse_revocation(&self) {
        self.change(|state| state.irrevocable = state.kept.keys().next_back().cloned());
    }

    /// The credential of the server becomes invalid.
    pub(crate) fn forget_server(&self) {
        self.change(|state| state.registered += 1);
    }

    /// An account holds the newest invitation.
    pub(crate) fn bind(&self, account: &str, at: Timestamp) {
        self.change(|state| {
            let kept = state.kept.values_mut().next_back().unwrap();
            kept.status = CloudInvitationStatus::Bound(at);
            kept.holder = Some(account.to_owned());
        });
    }

    pub(crate) fn set_status(&self, status: CloudInvitationStatus) {
        self.change(|state| state.kept.values_mut().next_back().unwrap().status = status);
    }

    /// The newest invitation.
    pub(crate) fn newest(&self) -> Kept {
        self.state
            .lock()
            .unwrap()
            .kept
            .values()
            .next_back()
            .unwrap()
            .clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.state.lock().unwrap().kept.len()
    }

    /// The requests since the last call of this.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    fn answer<T: Send + 'static>(
        &self,
        call: &'static str,
        answer: impl FnOnce(&mut State) -> Result<T, CloudError>,
    ) -> CloudFuture<'static, T> {
        let state = &mut *self.state.lock().unwrap();
        state.calls.push(call);
        if state.slow {
            return Box::pin(std::future::pending());
        }
        let answer = if state.away {
            Err(CloudError::Unavailable)
        } else {
            answer(state)
        };
        let gate = (state.held == Some(call)).then(|| Arc::clone(&self.gate));
        if gate.is_some() {
            state.held = None;
        }
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.pass().await;
            }
            answer
        })
    }
}

impl State {
    fn account(&self, token: &str) -> Result<String, CloudError> {
        self.accounts.get(token).cloned().ok_or(CloudError::Rejected)
    }

    fn check(&self, credential: &str) -> Result<(), CloudError> {
        if credential == format!("{CREDENTIAL}{}", self.registered) {
            Ok(())
        } else {
            Err(CloudError::Refused("credential_invalid".to_owned()))
        }
    }
}

impl Cloud for InvitationCloud {
    fn features(&self) -> CloudFeatures {
        CloudFeatures {
            accounts: true,
            invitations: true,
            licensing: true,
            ..CloudFeatures::default()
        }
    }

    fn identity(&self) -> &str {
        "https://cloud.example"
    }

    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount> {
        self.answer("account", |state| {
            state.account(token).map(|id| CloudAccount {
                username: Some(id.clone()),
                id,
                ..CloudAccount::default()
            })
        })
    }

    fn credential<'a>(&'a self, owner_token: &'a str, server: ServerIdentity) -> CloudFuture<'a, String> {
        self.answer("credential", |state| {
            state.account(owner_token)?;
            assert!(!server.instance_id.is_empty() && !server.name.is_empty());
            state.registered += 1;
            Ok(format!("{CREDENTIAL}{}", state.registered))
        })
    }

    fn create_invitation<'a>(
        &'a self,
        credential: &'a str,
        token: &'a str,
        request: InvitationRequest,
    ) -> CloudFuture<'a, CreatedInvitation> {
        self.answer("create", |state| {
            state.check(credential)?;
            let creator = state.account(token)?;
            if let Some(error) = state.refuses.clone() {
                return Err(error);
            }
            let id = format!("i_{:08}", state.kept.len());
            let expires_at = request.expires_at;
            // Also of a direct one, where the server has to leave it out.
            let code = format!("CODE-{id}");
            let url = state
                .url
                .clone()
                .unwrap_or_else(|| format!("https://cloud.example/invite/{code}"));
            state.kept.insert(
                id.clone(),
                Kept {
                    request,
                    status: CloudInvitationStatus::Active,
                    holder: None,
                    creator,
                },
            );
            Ok(CreatedInvitation {
                id,
                shortcode: Some(code),
                url: Some(url),
                expires_at,
            })
        })
    }

    fn revoke_invitation<'a>(&'a self, credential: &'a str, id: &'a str) -> CloudFuture<'a, bool> {
        self.answer("revoke", |state| {
            state.check(credential)?;
            if state.irrevocable.as_deref() == Some(id) {
                return Err(CloudError::Refused("revocation_refused".to_owned()));
            }
            let Some(kept) = state.kept.get_mut(id) else {
                return Ok(false);
            };
            kept.status = CloudInvitationStatus::Revoked;
            Ok(true)
        })
    }

    fn invitation_statuses<'a>(
        &'a self,
        credential: &'a str,
        ids: &'a [String],
    ) -> CloudFuture<'a, Vec<Option<CloudInvitationStatus>>> {
        self.answer("statuses", |state| {
            state.check(credential)?;
            let statuses = ids.iter().map(|id| state.kept.get(id).map(|kept| kept.status));
            Ok(statuses.collect())
        })
    }

    fn bound_invitations<'a>(&'a self, credential: &'a str, token: &'a str) -> CloudFuture<'a, Vec<String>> {
        self.answer("bound", |state| {
            state.check(credential)?;
            let account = state.account(token)?;
            let held = state.kept.iter().rev().filter(|(_, kept)| {
                kept.holder.as_ref() == Some(&account)
                    && matches!(kept.status, CloudInvitationStatus::Bound(_))
            });
            Ok(held.map(|(id, _)| id.clone()).collect())
        })
    }

    fn claim_invitation<'a>(
        &'a self,
        credential: &'a str,
        token: &'a str,
        id: &'a str,
    ) -> CloudFuture<'a, bool> {
        self.answer("claim", |state| {
            state.check(credential)?;
            let account = state.account(token)?;
            let Some(kept) = state.kept.get_mut(id) else {
                return Ok(false);
            };
            if kept.holder.as_ref() != Some(&account) {
                return Ok(false);
            }
            kept.status = CloudInvitationStatus::Claimed;
            Ok(true)
        })
    }

    fn subscription<'a>(&'a self, credential: &'a str) -> CloudFuture<'a, Subscription> {
        self.answer("subscription", |state| {
            state.check(credential)?;
            Ok(Subscription {
                tier: "family".to_owned(),
                seats: state.seats,
                expires_at: None,
            })
        })
    }
}
