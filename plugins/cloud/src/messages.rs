//! The bodies of requests and responses. What a body says beyond its types is checked here.

use serde::{Deserialize, Serialize};
use svc_plugin_api::cloud::{
    CloudError, CreatedInvitation, InvitationStatus, ReleaseChannel, ServiceAccount, ServiceSubscription,
};

use crate::forms::{self, Result};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    public_user_id: String,
    display_name: Option<String>,
    username: Option<String>,
    groups: Option<Vec<String>>,
    expires_at: Option<u64>,
}

impl Account {
    pub fn checked(self, now: u64) -> Result<ServiceAccount> {
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(CloudError::Unavailable);
        }
        Ok(ServiceAccount {
            id: forms::id(self.public_user_id)?,
            display_name: forms::text(self.display_name, forms::NAME)?,
            username: forms::text(self.username, forms::USERNAME)?,
            groups: self.groups.unwrap_or_default(),
            expires_at: self.expires_at,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    pub instance_id: String,
    pub name: String,
}

#[derive(Deserialize)]
pub struct Credential {
    pub credential: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewInvitation {
    pub role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub expires_at: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Created {
    id: String,
    shortcode: Option<String>,
    url: Option<String>,
    expires_at: u64,
}

impl Created {
    /// Shareable if and only if it is not addressed, and no longer than requested.
    pub fn checked(self, request: &NewInvitation) -> Result<CreatedInvitation> {
        let is_shareable = request.target.is_none();
        let is_valid = self.shortcode.is_some() == is_shareable
            && self.url.is_some() == is_shareable
            && self.shortcode.as_deref().is_none_or(forms::is_shortcode)
            && self.expires_at <= request.expires_at;
        if !is_valid {
            return Err(CloudError::Unavailable);
        }
        Ok(CreatedInvitation {
            id: forms::id(self.id)?,
            shortcode: self.shortcode,
            url: self.url,
            expires_at: self.expires_at,
        })
    }
}

#[derive(Serialize)]
pub struct StatusesRequest<'i> {
    pub ids: &'i [String],
}

#[derive(Deserialize)]
pub struct Statuses {
    statuses: Vec<Option<Status>>,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum Status {
    Active,
    Bound {
        #[serde(rename = "boundAt")]
        bound_at: u64,
    },
    Claimed,
    Expired,
    Revoked,
}

impl Statuses {
    pub fn checked(self, asked: usize) -> Result<Vec<Option<InvitationStatus>>> {
        if self.statuses.len() != asked {
            return Err(CloudError::Unavailable);
        }
        let status = |status| match status {
            Status::Active => InvitationStatus::Active,
            Status::Bound { bound_at } => InvitationStatus::Bound(bound_at),
            Status::Claimed => InvitationStatus::Claimed,
            Status::Expired => InvitationStatus::Expired,
            Status::Revoked => InvitationStatus::Revoked,
        };
        Ok(self.statuses.into_iter().map(|found| found.map(status)).collect())
    }
}

#[derive(Deserialize)]
pub struct Ids {
    pub ids: Vec<String>,
}

#[derive(Deserialize)]
pub struct Claimed {
    pub claimed: bool,
}

#[derive(Deserialize)]
pub struct Revoked {
    pub revoked: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    tier: String,
    seats: Option<u32>,
    expires_at: Option<u64>,
}

impl Subscription {
    pub fn checked(self) -> Result<ServiceSubscription> {
        if !forms::is_name(&self.tier) {
            return Err(CloudError::Unavailable);
        }
        Ok(ServiceSubscription {
            tier: self.tier,
            seats: self.seats,
            expires_at: self.expires_at,
        })
    }
}

#[derive(Deserialize)]
pub struct Channels {
    channels: Vec<Channel>,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
    description: Option<String>,
}

impl Channels {
    pub fn checked(self) -> Result<Vec<ReleaseChannel>> {
        if !self.channels.iter().all(|channel| forms::is_name(&channel.id)) {
            return Err(CloudError::Unavailable);
        }
        let channels = self.channels.into_iter();
        Ok(channels
            .map(|Channel { id, description }| ReleaseChannel { id, description })
            .collect())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    pub channel: String,
    pub version: String,
    pub released_at: u64,
    pub key: String,
    pub signature: String,
}
