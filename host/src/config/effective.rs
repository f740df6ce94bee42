//! The options in force by their names in the TOML file, for the routes of development mode.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::config::{CloudService, Config, OidcOptions};
use svc_domain::kind::MediaKind;
use url::Url;

fn path(path: &Path) -> Value {
    path.display().to_string().into()
}

/// An address without the password in it.
fn without_password(address: &str) -> String {
    match url::Url::parse(address) {
        Ok(mut url) if url.password().is_some() => {
            // Fails for addresses that have no place for one.
            let _ = url.set_password(None);
            url.into()
        }
        _ => address.to_owned(),
    }
}

impl Config {
    /// The directories of each kind that has some.
    fn roots(&self) -> Value {
        let mut by_kind = serde_json::Map::new();
        for (kind, root) in &self.media {
            let paths = by_kind
                .entry(kind.as_str())
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(paths) = paths {
                paths.push(path(root));
            }
        }
        Value::Object(by_kind)
    }

    fn oidc(&self, value: impl FnOnce(&OidcOptions) -> Value) -> Value {
        match &self.cloud.service {
            CloudService::Oidc(oidc) => value(oidc),
            _ => Value::Null,
        }
    }

    /// [`Config::effective`] of this configuration, for development mode.
    pub fn option_values(&self) -> Arc<dyn Fn(&str) -> Option<Value> + Send + Sync> {
        let config = self.clone();
        Arc::new(move |name| config.effective(name))
    }

    /// The value in force of an option; `None` if there is no such option. A secret gives `true` if it is set.
    pub fn effective(&self, name: &str) -> Option<Value> {
        let directories = |of: MediaKind| {
            let roots = self.media.iter().filter(|(kind, _)| *kind == of);
            roots.map(|(_, root)| path(root)).collect()
        };
        Some(match name {
            "data-dir" => path(&self.data_dir),
            "listen" => self.listen.to_string().into(),
            "music-dirs" => directories(MediaKind::music()),
            "photos-dirs" => directories(MediaKind::photos()),
            "movies-dirs" => directories(MediaKind::movies()),
            "tv-dirs" => directories(MediaKind::tv()),
            "roots" => self.roots(),
            "database-url" => without_password(&self.database_url).into(),
            "plugin-dir" => self.plugin_dir.as_deref().map_or(Value::Null, path),
            "dev" => self.dev.into(),
            "kiosk" => self.kiosk.into(),
            "setup-token" => self.setup_token.is_some().into(),
            "release-channel" => self.release_channel.as_str().into(),
            "trusted-proxies" => self.trusted_proxies.iter().map(ToString::to_string).collect(),
            "base-url" => self
                .base_url
                .as_ref()
                .map_or(Value::Null, |url| url.as_str().into()),
            "cloud-url" => match &self.cloud.service {
                CloudService::Cloud(url) => url.as_str().into(),
                _ => Value::Null,
            },
            "oidc-issuer" => self.oidc(|oidc| oidc.issuer.as_str().into()),
            "oidc-client-id" => self.oidc(|oidc| oidc.client_id.as_str().into()),
            "oidc-client-secret-file" => self.oidc(|oidc| oidc.client_secret.is_some().into()),
            "oidc-groups-claim" => self.oidc(|oidc| oidc.groups_claim.clone().into()),
            "oidc-default-role" => self.oidc(|oidc| oidc.policy.default_role.clone().into()),
            "oidc-role-map" => self.oidc(|oidc| oidc.policy.role_map.to_string().into()),
            "oidc-button-label" => self.oidc(|oidc| oidc.policy.label.clone().into()),
            "cloud-plugin" => self.cloud.plugin.as_deref().map_or(Value::Null, path),
            "cloud-origins" => self.cloud.origins.iter().map(Url::as_str).collect(),
            "cloud-private-hosts" => self.cloud.private_hosts.clone().into(),
            "cloud-ca-file" => self.cloud.ca_file.as_deref().map_or(Value::Null, path),
            "thumbnail-cache-mib" => self.thumbnail_cache_mib.into(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CloudConfig;
    use crate::config::file::names;
    use svc_covers::covers;
    use svc_domain::release_channel::ReleaseChannel;

    fn config() -> Config {
        Config {
            data_dir: "/data".into(),
            listen: ([127, 0, 0, 1], 8420).into(),
            media: vec![
                (MediaKind::music(), "/a".into()),
                (MediaKind::music(), "/b".into()),
                (MediaKind::tv(), "/tv".into()),
            ],
            database_url: "postgres://svc:secret@db:5432/svc".to_owned(),
            plugin_dir: None,
            dev: true,
            kiosk: false,
            setup_token: Some("secret".to_owned()),
            release_channel: ReleaseChannel::Beta,
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            base_url: Some("https://media.example/".parse().unwrap()),
            thumbnail_cache_mib: 5,
            cloud: CloudConfig::default(),
        }
    }

    #[covers("A6")]
    #[test]
    fn every_option_of_the_file_has_a_value_and_no_secret_is_shown() {
        let names = names();
        for name in ["data-dir", "cloud-ca-file"] {
            assert!(names.iter().any(|known| known == name), "{names:?}");
        }
        let config = config();
        let values: Vec<Value> = names.iter().filter_map(|name| config.effective(name)).collect();
        assert_eq!(values.len(), names.len(), "{names:?}");
        assert!(!Value::from(values).to_string().contains("secret"));
        assert_eq!(config.effective("nothing"), None);
    }

    #[test]
    fn value_is_the_one_in_force() {
        let config = config();
        for (name, value) in [
            ("music-dirs", serde_json::json!(["/a", "/b"])),
            ("photos-dirs", serde_json::json!([])),
            ("roots", serde_json::json!({"music": ["/a", "/b"], "tv": ["/tv"]})),
            ("database-url", "postgres://svc@db:5432/svc".into()),
            ("plugin-dir", Value::Null),
            ("setup-token", true.into()),
            ("release-channel", "beta".into()),
            ("trusted-proxies", serde_json::json!(["10.0.0.0/8"])),
            ("thumbnail-cache-mib", 5.into()),
            ("cloud-url", Value::Null),
            ("cloud-origins", serde_json::json!([])),
        ] {
            assert_eq!(config.effective(name), Some(value), "{name}");
        }
        assert_eq!(without_password("sqlite:/data/svc.db"), "sqlite:/data/svc.db");
    }
}
