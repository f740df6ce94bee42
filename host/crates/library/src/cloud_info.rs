//! What the cloud knows about this server: the newest release, the subscription and its seats.

use std::sync::Arc;
use std::time::Duration;

use semver::Version;
use tokio::sync::Mutex;
use tokio::time::Instant;

use svc_domain::release_channel::ReleaseChannel;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{Cloud, CloudReleaseChannel, Release, Subscription};
use svc_identity::error::{Result, RetryReason, ServiceError, TryLater};
use svc_identity::seats;
use svc_store::UserRepository;

/// Cache lifetime of a release, and of the channels.
const RELEASE_TTL: Duration = Duration::from_secs(60 * 60);
/// Cache lifetime of a failed request: short, because the cloud may be back at any time.
const FAILURE_TTL: Duration = Duration::from_secs(60);

/// An answer of the cloud with the time of the request; the inner `None` is a failure.
type Cached<T> = Mutex<Option<(Instant, Option<T>)>>;

/// The cached answer while it is fresh, else that of a new request, which concurrent calls share.
async fn fresh<T: Clone>(cache: &Cached<T>, request: impl Future<Output = Option<T>>) -> Option<T> {
    let mut cached = cache.lock().await;
    if let Some((since, answer)) = cached.as_ref() {
        let ttl = if answer.is_some() {
            RELEASE_TTL
        } else {
            FAILURE_TTL
        };
        if since.elapsed() < ttl {
            return answer.clone();
        }
    }
    let answer = request.await;
    *cached = Some((Instant::now(), answer.clone()));
    answer
}

/// A release channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its name in options.
    pub name: String,
    /// For whom it is.
    pub description: String,
}

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
    seats: seats::Seats,
    channel: ReleaseChannel,
    committed_at: Option<Timestamp>,
    dev: bool,
    release: Arc<Cached<Release>>,
    channels: Arc<Cached<Vec<CloudReleaseChannel>>>,
}

impl CloudInfo {
    /// Creates the service for a server on `channel`.
    pub fn new(
        users: UserRepository,
        cloud: Arc<dyn Cloud>,
        seats: seats::Seats,
        channel: ReleaseChannel,
        committed_at: Option<Timestamp>,
        dev: bool,
    ) -> Self {
        Self {
            users,
            cloud,
            seats,
            channel,
            committed_at,
            dev,
            release: Arc::default(),
            channels: Arc::default(),
        }
    }

    /// The release channel of this server.
    pub fn channel(&self) -> ReleaseChannel {
        self.channel
    }

    /// The channels of this server and further ones of the cloud, which also describes those that it knows; cached for an
    /// hour. In development mode the cloud is not asked.
    pub async fn channels(&self) -> Vec<Channel> {
        let of_cloud = if self.dev || !self.cloud.features().releases {
            Vec::new()
        } else {
            let request = async { self.cloud.release_channels().await.ok() };
            fresh(&self.channels, request).await.unwrap_or_default()
        };
        merged(of_cloud)
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
        let request = async { self.cloud.latest_release(self.channel.as_str()).await.ok() };
        let release = fresh(&self.release, request).await;
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

    /// The cloud's subscription for this server, the last one that it reported while it does not respond; `None` for a
    /// server without a credential for the cloud, and while nothing is known.
    ///
    /// # Errors
    /// Database errors.
    pub async fn subscription(&self) -> Result<Option<Subscription>> {
        self.seats.subscription().await
    }

    /// Used and available seats.
    ///
    /// # Errors
    /// Database errors.
    pub async fn seats(&self) -> Result<Seats> {
        let subscription = self.subscription().await?;
        Ok(Seats {
            used: self.users.count_people().await?,
            total: subscription.and_then(|subscription| subscription.seats),
        })
    }
}

/// The channels of this server in their order, then those that only the cloud has.
fn merged(of_cloud: Vec<CloudReleaseChannel>) -> Vec<Channel> {
    let mut channels: Vec<Channel> = ReleaseChannel::ALL
        .map(|channel| Channel {
            name: channel.as_str().to_owned(),
            description: channel.about().to_owned(),
        })
        .into();
    for channel in of_cloud {
        match channels.iter_mut().find(|known| known.name == channel.id) {
            Some(known) => known.description = channel.description.unwrap_or(known.description.clone()),
            None => channels.push(Channel {
                description: channel.description.unwrap_or_default(),
                name: channel.id,
            }),
        }
    }
    channels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_the_cloud_follow_those_of_the_server() {
        let channel = |id: &str, description: Option<&str>| CloudReleaseChannel {
            id: id.to_owned(),
            description: description.map(str::to_owned),
        };
        let of_cloud = vec![
            channel("lts", Some("For years.")),
            channel("stable", Some("Tested.")),
            channel("beta", None),
        ];
        let merged = merged(of_cloud);
        let names: Vec<&str> = merged.iter().map(|channel| channel.name.as_str()).collect();
        assert_eq!(names, ["stable", "beta", "dev", "lts"]);
        let descriptions: Vec<&str> = merged
            .iter()
            .map(|channel| channel.description.as_str())
            .collect();
        assert_eq!(
            descriptions,
            [
                "Tested.",
                ReleaseChannel::Beta.about(),
                ReleaseChannel::Dev.about(),
                "For years."
            ]
        );
    }

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
