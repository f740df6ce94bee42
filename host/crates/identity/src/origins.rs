//! CORS: the web origins that may call the API, from the operator's options and from administrators.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;
use url::Url;

use crate::error::{Result, ServiceError};
use crate::{AuthContext, Context, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::CorsOriginId;
use svc_domain::origin::CorsOrigin;
use svc_store::SettingsRepository;

/// In characters: a scheme, a host name of 253, a port.
const MAX_LENGTH: usize = 300;

/// The service for allowed origins. Clones share the list.
#[derive(Debug, Clone)]
pub struct Origins {
    context: Context,
    settings: SettingsRepository,
    built_in: Arc<[String]>,
    allowed: Arc<RwLock<Arc<BTreeSet<String>>>>,
    reading: Arc<Mutex<()>>,
}

impl Origins {
    /// Reads the stored origins and adds the configured ones.
    ///
    /// # Errors
    /// Database errors.
    pub async fn open(
        context: Context,
        settings: SettingsRepository,
        built_in: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        let origins = Self {
            context,
            settings,
            built_in: built_in.into_iter().collect(),
            allowed: Arc::default(),
            reading: Arc::default(),
        };
        origins.reload().await?;
        Ok(origins)
    }

    /// Reads the stored origins again.
    ///
    /// # Errors
    /// Database errors.
    pub async fn reload(&self) -> Result<()> {
        // Serialised, so that an older result never replaces a newer one.
        let _reading = self.reading.lock().await;
        let stored = self.settings.cors_origins().await?;
        let stored = stored.into_iter().map(|origin| origin.origin);
        let all = Arc::new(self.built_in.iter().cloned().chain(stored).collect());
        *self.allowed.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Whether an origin may call the API; compared exactly.
    pub fn allows(&self, origin: &str) -> bool {
        self.allowed
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(origin)
    }

    /// The origins that administrators added, oldest first.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self) -> Result<Vec<CorsOrigin>> {
        Ok(self.settings.cors_origins().await?)
    }

    /// Allows an origin with effect on the next request. Returns the existing entry if it is already allowed.
    ///
    /// # Errors
    /// Invalid unless it is a well-formed origin; database errors.
    pub async fn add(&self, by: AuthContext, text: &str) -> Result<CorsOrigin> {
        let origin = normalised(text).map_err(|message| ServiceError::invalid("origin", message))?;
        let origins = self.clone();
        run_to_completion(&self.context.tasks, "origin-add", async move {
            let context = &origins.context;
            let now = context.now();
            let new = CorsOrigin {
                id: context.ids.next(now),
                origin,
                created_at: now,
            };
            let mut change = context.change_by(&by).await?;
            let (stored, is_new) = change.insert_cors_origin(&new).await?;
            if is_new {
                let details = [("origin", stored.origin.clone())];
                change
                    .audit(&context.audit_of(&by, AuditEvent::OriginAdded, None, &details))
                    .await?;
            }
            // No permission snapshot is affected, but other processes must reload.
            change.commit_of([]).await?;
            origins.reload().await?;
            Ok(stored)
        })
        .await
    }

    /// Removes an origin; `false` if it was not in the list.
    ///
    /// # Errors
    /// Database errors.
    pub async fn remove(&self, by: AuthContext, id: CorsOriginId) -> Result<bool> {
        let origins = self.clone();
        run_to_completion(&self.context.tasks, "origin-remove", async move {
            let context = &origins.context;
            let mut change = context.change_by(&by).await?;
            let removed = change.delete_cors_origin(id).await?;
            let was_there = removed.is_some();
            if let Some(origin) = removed {
                let details = [("origin", origin)];
                change
                    .audit(&context.audit_of(&by, AuditEvent::OriginRemoved, None, &details))
                    .await?;
            }
            change.commit_of([]).await?;
            origins.reload().await?;
            Ok(was_there)
        })
        .await
    }
}

/// Normalises an origin to the form that browsers send.
///
/// # Errors
/// The reason, as text for the client.
pub fn normalised(text: &str) -> std::result::Result<String, &'static str> {
    const FORM: &str = "must be an origin such as https://app.example, without path, user or query";
    if text.len() > MAX_LENGTH {
        return Err("is too long");
    }
    // The URL parser ignores these characters; an origin contains none of them.
    if text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '*')) {
        return Err(FORM);
    }
    let url = Url::parse(text).map_err(|_| FORM)?;
    let scheme = matches!(url.scheme(), "http" | "https");
    // The URL parser accepts any number of slashes and escapes in the host.
    let Some((_, rest)) = text
        .split_once("://")
        .filter(|(_, rest)| !rest.starts_with('/') && !rest.contains('%'))
    else {
        return Err(FORM);
    };
    let bare = url.username().is_empty()
        && url.password().is_none()
        && !rest.contains('@')
        && url.query().is_none()
        && url.fragment().is_none()
        && url.path() == "/"
        && rest.trim_end_matches('/').len() + 1 >= rest.len();
    match url.host_str() {
        Some(host) if scheme && bare && !host.ends_with('.') => Ok(url.origin().ascii_serialization()),
        _ => Err(FORM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_normalised_to_the_form_of_browsers() {
        for (text, expected) in [
            ("https://app.example", "https://app.example"),
            ("https://app.example/", "https://app.example"),
            ("HTTPS://APP.Example:443", "https://app.example"),
            ("http://app.example:80", "http://app.example"),
            ("http://192.168.1.2:3000", "http://192.168.1.2:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("http://localhost:5173", "http://localhost:5173"),
        ] {
            assert_eq!(normalised(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn malformed_origins_are_rejected() {
        let long = format!("https://{}.example", "a".repeat(300));
        for text in [
            "",
            "*",
            "null",
            "app.example",
            "https://",
            "https:app.example",
            "https:/app.example",
            "https:///app.example",
            "https://%61pp.example",
            "https://*.example",
            "https://user@app.example",
            "https://user:pass@app.example",
            "https://@app.example",
            "https://app.example/path",
            "https://app.example//",
            "https://app.example?x",
            "https://app.example#x",
            "https://app.example:99999",
            "https://app.example.",
            "ftp://app.example",
            "file:///etc",
            "javascript:alert(1)",
            "https://app.example\\evil",
            " https://app.example",
            "https://app.exa\tmple",
            "https://app.example\0",
            &long,
        ] {
            assert!(normalised(text).is_err(), "{text:?}");
        }
    }
}
