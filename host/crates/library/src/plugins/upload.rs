//! Uploads: a new plugin waits for its permissions, and so does a new version unless its signer is known, it asks for
//! nothing more, and its kinds have everything that they had.

use std::collections::BTreeSet;

use svc_domain::audit::AuditEvent;
use svc_domain::plugin::{PluginDecisions, UploadedVersion};
use svc_identity::AuthContext;
use svc_identity::error::{Result, ServiceError};
use svc_plugin_host::{ExaminedPlugin, Manifest, PluginOrigin, PluginSignature};

use crate::plugins::{ManifestChanges, Plugin, PluginAdmin, conflict};

/// Plugins that may be uploaded; each is loaded at the start and takes memory.
const UPLOADED_PLUGINS: usize = 64;

/// An uploaded file.
#[derive(Debug)]
pub struct Upload {
    /// The component.
    pub component: Vec<u8>,
    /// Its signature.
    pub signature: Option<PluginSignature>,
    /// Wait for permissions even if the version could be used at once.
    pub hold: bool,
}

impl PluginAdmin {
    /// Stores an uploaded plugin. Nothing of it runs before its permissions are granted, except a new version with the
    /// signer, within the permissions and with the kinds, fields and extensions of the one in use, which replaces it at once.
    ///
    /// # Errors
    /// Invalid for a file that is not a plugin of this server, and for a wrong signature; conflict
    /// `plugin_action_conflict` if the id is that of a built-in plugin or of one in the plugin directory,
    /// `plugin_kind_taken` if another plugin has one of its kinds; database errors.
    pub async fn upload(&self, by: AuthContext, upload: Upload) -> Result<Plugin> {
        if let Some(signature) = &upload.signature {
            let verified = signature.verify(&upload.component);
            verified.map_err(|reason| ServiceError::invalid("signature", reason))?;
        }
        let (examined, upload) = self
            .on_plugin_host(move |plugins| (plugins.examine(&upload.component), upload))
            .await?;
        let examined = examined.map_err(|state| {
            let reason = state.reason().unwrap_or("it cannot be loaded");
            ServiceError::invalid("plugin", reason)
        })?;
        self.require_free_id(&examined.manifest.id)?;
        self.require_free_kinds(&examined.manifest)?;
        let this = self.clone();
        self.complete(
            "plugin-upload",
            async move { this.store(by, examined, upload).await },
        )
        .await
    }

    /// A plugin of the operator's own place cannot be replaced by an upload.
    fn require_free_id(&self, id: &str) -> Result<()> {
        let plugins = self.parts().plugins.list().into_iter();
        let mut others = plugins.filter(|status| !matches!(status.origin, PluginOrigin::Uploaded(_)));
        match others.find(|status| status.id() == id) {
            None => Ok(()),
            Some(other) => {
                let next = match &other.origin {
                    PluginOrigin::File(_) => "remove that file first",
                    PluginOrigin::BuiltIn(_) | PluginOrigin::Uploaded(_) => "give the plugin another id",
                };
                let place = other.origin.place();
                Err(conflict(format!(
                    "the id `{id}` is taken by a plugin that was not uploaded ({place}): {next}"
                )))
            }
        }
    }

    async fn store(&self, by: AuthContext, examined: ExaminedPlugin, upload: Upload) -> Result<Plugin> {
        let ExaminedPlugin { digest, manifest, .. } = examined;
        let context = &self.parts().context;
        let mut change = context.change_by(&by).await?;
        // Read while no other upload is stored, so that parallel ones cannot pass the limit together.
        let stored = self.parts().repository.uploaded_versions().await?;
        let mut decisions = change.plugin_decisions(&manifest.id).await?;
        let is_new = !decisions.is_uploaded();
        let uploaded = stored.iter().map(|version| version.plugin_id.as_str());
        let uploaded: BTreeSet<&str> = uploaded.collect();
        if is_new && uploaded.len() >= UPLOADED_PLUGINS {
            return Err(conflict(format!(
                "{UPLOADED_PLUGINS} plugins are uploaded, as many as may be"
            )));
        }
        let signed_by = upload.signature.map(|signature| signature.key);
        let of_current = stored
            .iter()
            .find(|version| decisions.current.as_ref() == Some(&version.digest));
        let known_signer =
            signed_by.is_some() && of_current.is_some_and(|version| version.signed_by == signed_by);
        let statuses = self.parts().plugins.list();
        let in_use = statuses
            .iter()
            .find(|status| decisions.current.as_ref() == Some(&status.digest));
        let in_use = in_use.and_then(|status| status.manifest.as_ref());
        let loses_nothing = in_use.is_some_and(|in_use| {
            let changes = ManifestChanges::between(Some(in_use), &manifest);
            changes.losses().is_empty()
        });
        let at_once = known_signer && loses_nothing && !upload.hold;
        place(&mut decisions, &digest, &manifest, at_once);
        let version = UploadedVersion {
            digest: digest.clone(),
            plugin_id: manifest.id.clone(),
            version: manifest.version.clone(),
            signed_by,
            uploaded_at: context.now(),
        };
        change.store_plugin_decisions(&decisions).await?;
        change.store_plugin_version(&version, &upload.component).await?;
        let details = [
            ("plugin", manifest.id.clone()),
            ("version", manifest.version.clone()),
            ("digest", digest),
            (
                "signed_by",
                version.signed_by.unwrap_or_else(|| "nobody".to_owned()),
            ),
        ];
        let entry = context.audit_of(&by, AuditEvent::PluginUploaded, None, &details);
        change.audit(&entry).await?;
        change.commit_without_invalidation().await?;
        let (plugin, version) = (&manifest.id, &manifest.version);
        tracing::info!(plugin, version, user = %by.actor.user.id, "a plugin was uploaded");
        self.reload().await?;
        self.get(&manifest.id).await
    }
}

/// Makes a version the one that waits, or the one in use if that needs nobody's consent but for further permissions.
fn place(decisions: &mut PluginDecisions, digest: &str, manifest: &Manifest, at_once: bool) {
    decisions.candidate = None;
    if decisions.current.as_deref() == Some(digest) {
        return;
    }
    decisions.candidate = Some(digest.to_owned());
    let mut permissions = manifest.permissions.keys();
    let granted = decisions.granted.clone();
    if at_once && permissions.all(|permission| granted.contains(permission)) {
        decisions.accept_candidate(granted);
    }
}
