//! What the cloud knows about the server: new versions, and what it is licensed for.

use std::sync::Arc;
use std::time::Duration;

use semver::Version;
use tokio::sync::Mutex;
use tokio::time::Instant;

use svc_domain::release_channel::ReleaseChannel;
use svc_identity::cloud::{Cloud, Release, Subscription};
use svc_identity::error::{Result, ServiceError};
use svc_store::UserRepository;

/// How long an answer about new versions is good, and how long none is asked for after there was none.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);
const NONE_FOR: Duration = Duration::from_secs(60);

/// A release as far as the cloud told, and since when that is known.
type Known = Option<(Instant, Option<Release>)>;

/// Seats that are taken and that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// Enabled accounts of people.
    pub used: u64,
    /// How many there may be; as many as one likes if absent.
    pub total: Option<u32>,
}

/// Asks the cloud, and answers for it where there is none.
#[derive(Debug, Clone)]
pub struct CloudInfo {
    users: UserRepository,
    cloud: Arc<dyn Cloud>,
    channel: ReleaseChannel,
    dev: bool,
    release: Arc<Mutex<Known>>,
}

impl CloudInfo {
    /// About a server that follows `channel`.
    pub fn new(users: UserRepository, cloud: Arc<dyn Cloud>, channel: ReleaseChannel, dev: bool) -> Self {
        Self {
            users,
            cloud,
            channel,
            dev,
            release: Arc::default(),
        }
    }

    /// The channel that the server follows.
    pub fn channel(&self) -> ReleaseChannel {
        self.channel
    }

    /// The newest release. Asked for once an hour, by one request at a time.
    ///
    /// # Errors
    /// Unavailable when the cloud does not tell, and in development mode.
    pub async fn latest_release(&self) -> Result<Release> {
        const UNKNOWN: ServiceError = ServiceError::Away("the latest version cannot be fetched");
        if self.dev {
            return Err(UNKNOWN);
        }
        let mut known = self.release.lock().await;
        let fresh = known.as_ref().and_then(|(since, release)| {
            let good_for = if release.is_some() { GOOD_FOR } else { NONE_FOR };
            (since.elapsed() < good_for).then(|| release.clone())
        });
        let release = match fresh {
            Some(release) => release,
            None => {
                let release = self.cloud.latest_release(self.channel.name()).await.ok();
                *known = Some((Instant::now(), release.clone()));
                release
            }
        };
        release.ok_or(UNKNOWN)
    }

    /// Whether a release is newer than this server.
    pub fn is_newer(release: &Release) -> bool {
        let own = Version::parse(env!("CARGO_PKG_VERSION"));
        matches!((Version::parse(&release.version), own), (Ok(latest), Ok(own)) if latest > own)
    }

    /// The cloud's subscription for this server, if there is one.
    pub async fn subscription(&self) -> Option<Subscription> {
        self.cloud.subscription().await.ok()
    }

    /// Seats that are taken and that there are.
    ///
    /// # Errors
    /// The store's.
    pub async fn seats(&self) -> Result<Seats> {
        let total = self
            .subscription()
            .await
            .and_then(|subscription| subscription.seats);
        Ok(Seats {
            used: self.users.count_people().await?,
            total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_versions() {
        for (version, newer) in [
            ("0.0.9", false),
            (env!("CARGO_PKG_VERSION"), false),
            ("0.10.0", true),
            ("10.0.0", true),
            ("newest", false),
        ] {
            let release = Release {
                version: version.to_owned(),
                released_at: "2026-11-21".to_owned(),
                days_behind: 0,
            };
            assert_eq!(CloudInfo::is_newer(&release), newer, "{version}");
        }
    }
}
