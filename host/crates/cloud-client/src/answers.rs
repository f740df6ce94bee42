//! What a plugin may answer. Its values come from a service that the server does not trust with more than accounts: each
//! is checked before anything else sees it. An error says what is wrong, without the value.

use semver::Version;
use url::Url;

use crate::egress::is_loopback;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{
    CloudAccount, CloudError, CloudFeatures, CloudInvitationStatus, CloudReleaseChannel, CloudSession,
    CreatedInvitation, InvitationRequest, Release, SignedOut, Subscription,
};
use svc_plugin_host::cloud::guest;

/// The result of a check.
pub(crate) type Checked<T> = Result<T, &'static str>;

/// Characters of an id: `<issuer>|<sub>` has at most 255 of each.
const ID: usize = 512;
/// Characters of names, as the protocol has them.
const DISPLAY_NAME: usize = 128;
const USERNAME: usize = 64;
/// Values of the claim that is mapped to roles, and bytes of one: those of a large company.
const GROUPS: usize = 1_000;
const GROUP: usize = 256;
/// Bytes of a token of a session; access tokens with many claims have some thousand.
const TOKEN: usize = 16 * 1024;
/// Characters of an address: what browsers and proxies accept.
const URL: usize = 8 * 1024;
/// Invitations that an account can hold on one server.
const BOUND: usize = 1_000;
/// Release channels, and characters of a description.
const CHANNELS: usize = 32;
const DESCRIPTION: usize = 200;
/// The last millisecond of the year 9999, beyond which a time cannot be written.
const LAST_MILLIS: u64 = 253_402_300_799_999;
/// Stands for the code of a service that is not one.
const OTHER_CODE: &str = "refused_by_cloud";

/// Why the service refused, as far as its code is one.
pub(crate) fn error(error: guest::CloudError) -> CloudError {
    match error {
        guest::CloudError::Unsupported => CloudError::Unsupported,
        guest::CloudError::Unavailable => CloudError::Unavailable,
        guest::CloudError::Rejected => CloudError::Rejected,
        guest::CloudError::TargetUnavailable => CloudError::TargetUnavailable,
        guest::CloudError::Refused(code) => {
            let is_character = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
            let is_code = matches!(code.len(), 1..=64) && code.bytes().all(is_character);
            CloudError::Refused(if is_code { code } else { OTHER_CODE.to_owned() })
        }
    }
}

pub(crate) fn features(features: guest::ServiceFeatures) -> CloudFeatures {
    let has = |feature| features.contains(feature);
    CloudFeatures {
        accounts: has(guest::ServiceFeatures::ACCOUNTS),
        sign_in: has(guest::ServiceFeatures::SIGN_IN),
        logout: has(guest::ServiceFeatures::LOGOUT),
        invitations: has(guest::ServiceFeatures::INVITATIONS),
        licensing: has(guest::ServiceFeatures::LICENSING),
        releases: has(guest::ServiceFeatures::RELEASES),
    }
}

pub(crate) fn account(account: guest::ServiceAccount) -> Checked<CloudAccount> {
    let groups = account.groups;
    if groups.len() > GROUPS || groups.iter().any(|group| group.len() > GROUP) {
        return Err("it has too many groups, or too long ones");
    }
    Ok(CloudAccount {
        id: id(account.id)?,
        display_name: account.display_name.and_then(|text| shown(text, DISPLAY_NAME)),
        username: account.username.and_then(|text| shown(text, USERNAME)),
        groups,
        expires_at: account.expires_at.map(time).transpose()?,
    })
}

pub(crate) fn session(session: guest::ServiceSession) -> Checked<CloudSession> {
    Ok(CloudSession {
        account: account(session.account)?,
        token: session.token.map(token).transpose()?,
        session_id: session.session_id.map(id).transpose()?,
    })
}

pub(crate) fn signed_out(report: guest::SignedOut) -> Checked<SignedOut> {
    if report.account_id.is_none() && report.session_id.is_none() {
        return Err("it names neither an account nor a session");
    }
    Ok(SignedOut {
        id: id(report.id)?,
        account_id: report.account_id.map(id).transpose()?,
        session_id: report.session_id.map(id).transpose()?,
    })
}

/// A token or a credential, which travels in a header.
pub(crate) fn token(text: String) -> Checked<String> {
    let is_token = matches!(text.len(), 1..=TOKEN) && text.bytes().all(|byte| byte.is_ascii_graphic());
    is_token.then_some(text).ok_or("it is not a token")
}

/// An address that a browser may be sent to.
pub(crate) fn address(text: String) -> Checked<String> {
    let url = Some(text).filter(|text| text.len() <= URL);
    let url = url.and_then(|text| Url::parse(&text).ok()).filter(is_safe);
    url.map(String::from)
        .ok_or("it is not an address with https, or with http of this machine")
}

fn is_safe(url: &Url) -> bool {
    let is_plain = url.username().is_empty() && url.password().is_none();
    is_plain && (url.scheme() == "https" && url.has_host() || url.scheme() == "http" && is_loopback(url))
}

pub(crate) fn invitation(
    created: guest::CreatedInvitation,
    request: &InvitationRequest,
) -> Checked<CreatedInvitation> {
    if request.target.is_none() && created.shortcode.is_none() {
        return Err("it has no shortcode, and is not addressed to anyone");
    }
    let expires_at = time(created.expires_at)?;
    if expires_at > request.expires_at {
        return Err("it ends later than requested");
    }
    Ok(CreatedInvitation {
        id: id(created.id)?,
        shortcode: created.shortcode.map(shortcode).transpose()?,
        url: created.url.map(address).transpose()?,
        expires_at,
    })
}

fn shortcode(text: String) -> Checked<String> {
    let is_character = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    let is_shortcode = matches!(text.len(), 4..=64) && text.bytes().all(is_character);
    is_shortcode.then_some(text).ok_or("it is not a shortcode")
}

/// As many statuses as were asked for.
pub(crate) fn statuses(
    statuses: Vec<Option<guest::InvitationStatus>>,
    asked: usize,
) -> Checked<Vec<Option<CloudInvitationStatus>>> {
    if statuses.len() != asked {
        return Err("there is not one status for each invitation");
    }
    statuses
        .into_iter()
        .map(|status| status.map(invitation_status).transpose())
        .collect()
}

fn invitation_status(status: guest::InvitationStatus) -> Checked<CloudInvitationStatus> {
    Ok(match status {
        guest::InvitationStatus::Active => CloudInvitationStatus::Active,
        guest::InvitationStatus::Bound(since) => CloudInvitationStatus::Bound(time(since)?),
        guest::InvitationStatus::Claimed => CloudInvitationStatus::Claimed,
        guest::InvitationStatus::Expired => CloudInvitationStatus::Expired,
        guest::InvitationStatus::Revoked => CloudInvitationStatus::Revoked,
    })
}

pub(crate) fn ids(ids: Vec<String>) -> Checked<Vec<String>> {
    if ids.len() > BOUND {
        return Err("there are too many invitations");
    }
    ids.into_iter().map(id).collect()
}

pub(crate) fn subscription(subscription: guest::ServiceSubscription) -> Checked<Subscription> {
    Ok(Subscription {
        tier: name(subscription.tier)?,
        seats: subscription.seats,
        expires_at: subscription.expires_at.map(time).transpose()?,
    })
}

pub(crate) fn channels(channels: Vec<guest::ReleaseChannel>) -> Checked<Vec<CloudReleaseChannel>> {
    if channels.len() > CHANNELS {
        return Err("there are too many release channels");
    }
    let channels = channels.into_iter().map(|channel| {
        Ok(CloudReleaseChannel {
            id: name(channel.id)?,
            description: channel.description.and_then(|text| shown(text, DESCRIPTION)),
        })
    });
    channels.collect()
}

pub(crate) fn release(release: guest::Release) -> Checked<Release> {
    if release.version.len() > 64 || Version::parse(&release.version).is_err() {
        return Err("it is not a semantic version");
    }
    Ok(Release {
        version: release.version,
        released_at: time(release.released_at)?,
    })
}

/// An id of the service, which is stored and compared, and shown in the log.
fn id(text: String) -> Checked<String> {
    let is_id = !text.is_empty() && text.chars().count() <= ID && !text.chars().any(char::is_control);
    is_id.then_some(text).ok_or("it is not an id")
}

/// A name that programs use: `[a-z0-9-]{1,32}`.
fn name(text: String) -> Checked<String> {
    let is_character = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let is_name = matches!(text.len(), 1..=32) && text.bytes().all(is_character);
    is_name
        .then_some(text)
        .ok_or("it is not a name of a tier or a channel")
}

/// A text for people in one line; none rather than one that is not.
fn shown(text: String, most: usize) -> Option<String> {
    let text = text.trim();
    let is_shown = !text.is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control);
    is_shown.then(|| text.to_owned())
}

fn time(millis: u64) -> Checked<Timestamp> {
    let millis = Some(millis).filter(|millis| (1..=LAST_MILLIS).contains(millis));
    let millis = millis.and_then(|millis| i64::try_from(millis).ok());
    millis
        .map(Timestamp::from_millis)
        .ok_or("a time is not within the years 1970 to 9999")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_are_none_are_replaced() {
        let code = |code: &str| error(guest::CloudError::Refused(code.to_owned()));
        let other = CloudError::Refused(OTHER_CODE.to_owned());
        assert_eq!(code("quota_2"), CloudError::Refused("quota_2".to_owned()));
        for wrong in ["", "Upper", "a b", "ä", "<b>", &"a".repeat(65)] {
            assert_eq!(code(wrong), other, "{wrong}");
        }
        assert_eq!(error(guest::CloudError::Rejected), CloudError::Rejected);
    }

    #[test]
    fn addresses_are_https_or_of_this_machine() {
        for safe in [
            "https://cloud.example/a?b=c",
            "http://localhost:8080/",
            "http://127.0.0.2/",
            "http://[::1]:1/x",
        ] {
            assert_eq!(address(safe.to_owned()).as_deref(), Ok(safe));
        }
        for unsafe_one in [
            "http://cloud.example/",
            "http://localhost.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "//cloud.example/",
            "https://user@cloud.example/",
            "https://:secret@cloud.example/",
            "file:///etc/passwd",
            "",
        ] {
            assert!(address(unsafe_one.to_owned()).is_err(), "{unsafe_one}");
        }
        assert!(address(format!("https://cloud.example/{}", "a".repeat(URL))).is_err());
    }

    fn guest_account() -> guest::ServiceAccount {
        guest::ServiceAccount {
            id: "https://issuer.example|17".to_owned(),
            display_name: Some(" Ada ".to_owned()),
            username: Some("a\nb".to_owned()),
            groups: vec!["staff".to_owned()],
            expires_at: Some(1_797_984_000_000),
        }
    }

    #[test]
    fn accounts_keep_what_can_be_shown() {
        let checked = account(guest_account()).unwrap();
        assert_eq!(checked.display_name.as_deref(), Some("Ada"));
        assert_eq!(checked.username, None);
        assert_eq!(
            checked.expires_at,
            Some(Timestamp::from_millis(1_797_984_000_000))
        );
        let wrong: [(&str, fn(&mut guest::ServiceAccount)); 5] = [
            ("no id", |account| account.id.clear()),
            ("control", |account| account.id.push('\u{7}')),
            ("long", |account| account.id = "x".repeat(ID + 1)),
            ("time", |account| account.expires_at = Some(u64::MAX)),
            ("groups", |account| {
                account.groups = vec![String::new(); GROUPS + 1];
            }),
        ];
        for (what, change) in wrong {
            let mut changed = guest_account();
            change(&mut changed);
            assert!(account(changed).is_err(), "{what}");
        }
    }

    #[test]
    fn invitations_fit_to_their_request() {
        let request = InvitationRequest {
            role: "music_user".to_owned(),
            target: None,
            expires_at: Timestamp::from_millis(2_000),
        };
        let created = |shortcode: Option<&str>, expires_at| guest::CreatedInvitation {
            id: "i_1".to_owned(),
            shortcode: shortcode.map(str::to_owned),
            url: Some("https://cloud.example/invite/x".to_owned()),
            expires_at,
        };
        assert!(invitation(created(Some("7K2M-9RBT"), 2_000), &request).is_ok());
        assert!(invitation(created(Some("7K2M-9RBT"), 2_001), &request).is_err());
        assert!(invitation(created(None, 1_000), &request).is_err());
        assert!(invitation(created(Some("<script>"), 1_000), &request).is_err());
        let addressed = InvitationRequest {
            target: Some("u_1".to_owned()),
            ..request
        };
        assert!(invitation(created(None, 1_000), &addressed).is_ok());
        assert!(statuses(vec![None, Some(guest::InvitationStatus::Bound(5))], 2).is_ok());
        assert!(statuses(vec![None], 2).is_err());
        assert!(statuses(vec![Some(guest::InvitationStatus::Bound(0))], 1).is_err());
    }

    #[test]
    fn tokens_versions_and_reports_have_their_form() {
        assert!(token("abc.DEF-_~".to_owned()).is_ok());
        for wrong in ["", "a b", "a\r\nX: y", "ä"] {
            assert!(token(wrong.to_owned()).is_err(), "{wrong:?}");
        }
        let of = |version: &str| {
            release(guest::Release {
                version: version.to_owned(),
                released_at: 1,
            })
        };
        assert!(of("1.2.3-beta.1").is_ok());
        assert!(of("newest").is_err());
        let report = guest::SignedOut {
            id: "r".to_owned(),
            account_id: None,
            session_id: None,
        };
        assert!(signed_out(report).is_err());
    }
}
