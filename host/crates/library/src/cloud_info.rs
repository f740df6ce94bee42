//! What the cloud knows about this server: the newest release, the subscription and its seats.

use std::sync::Arc;
use std::time::Duration;

use semver::Version;
use tokio::sync::Mutex;
use tokio::time::Instant;

use svc_domain::release_channel::ReleaseChannel;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{Cloud, Release, Subscription};
use svc_identity::cloud_credential::CloudCredentials;
use svc_identity::error::{Result, RetryReason, ServiceError, TryLater};
use svc_store::UserRepository;

/// Cache lifetime of a release.
const RELEASE_TTL: Duration = Duration::from_secs(60 * 60);
/// Cache lifetime of a failed request: short, because the cloud may be back at any time.
const FAILURE_TTL: Duration = Duration::from_secs(60);

/// A cached release with the time of the request; the inner `None` is a failure.
type CachedRelease = Option<(Instant, Option<Release>)>;

/// Used and available seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// Number of enabled accounts except the guest.
    pub used: u64,
    /// Maximum; unlimited if `None`.
    pub total: Option<u32>,
}

/// Requests data from the cloud and caches it.
#[derive(Debug, Clone)]
pub struct CloudInfo {
    users: UserRepository,
    cloud: Arc<dyn Cloud>,
    credentials: CloudCredentials,
    channel: ReleaseChannel,
    committed_at: Option<Timestamp>,
    dev: bool,
    release: Arc<Mutex<CachedRelease>>,
}

impl CloudInfo {
    /// Creates the service for a server on `channel`.
    pub fn new(
        users: UserRepository,
        cloud: Arc<dyn Cloud>,
        credentials: CloudCredentials,
        channel: ReleaseChannel,
        committed_at: Option<Timestamp>,
        dev: bool,
    ) -> Self {
        Self {
            users,
            cloud,
            credentials,
            channel,
            committed_at,
            dev,
            release: Arc::default(),
        }
    }

    /// The release channel of this server.
    pub fn channel(&self) -> ReleaseChannel {
        self.channel
    }

    /// The newest release, cached for an hour; concurrent calls share one request.
    ///
    /// # Errors
    /// Try later if the cloud does not respond, and in development mode.
    pub async fn latest_release(&self) -> Result<Release> {
        const UNKNOWN: ServiceError = ServiceError::TryLater(TryLater::unavailable(
            RetryReason::ReleaseUnknown,
            "the latest version cannot be fetched",
        ));
        if self.dev {
            return Err(UNKNOWN);
        }
        let mut cached = self.release.lock().await;
        let fresh = cached.as_ref().and_then(|(since, release)| {
            let ttl = if release.is_some() {
                RELEASE_TTL
            } else {
                FAILURE_TTL
            };
            (since.elapsed() < ttl).then(|| release.clone())
        });
        let release = match fresh {
            Some(release) => release,
            None => {
                let release = self.cloud.latest_release(self.channel.as_str()).await.ok();
                *cached = Some((Instant::now(), release.clone()));
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

    /// Whole days between the commit of this server and a newer release; 0 if either is unknown.
    pub fn days_behind(&self, release: &Release) -> u32 {
        const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
        let between = self
            .committed_at
            .filter(|_| Self::is_newer(release))
            .map(|own| release.released_at.millis().saturating_sub(own.millis()) / DAY_MILLIS);
        between.and_then(|days| u32::try_from(days).ok()).unwrap_or(0)
    }

    /// The cloud's subscription for this server; `None` for a server without a credential for the cloud, and while the
    /// cloud does not respond.
    pub async fn subscription(&self) -> Option<Subscription> {
        let credential = self.credentials.get().await.ok()??;
        self.cloud.subscription(credential.secret()).await.ok()
    }

    /// Used and available seats.
    ///
    /// # Errors
    /// Database errors.
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
                released_at: Timestamp::from_millis(0),
            };
            assert_eq!(CloudInfo::is_newer(&release), newer, "{version}");
        }
    }
}
