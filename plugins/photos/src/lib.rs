//! t
#![allow(missing_docs)]
use svc_plugin_api::*;
pub struct P;
impl Extractor for P { fn extract(s: &mut Source) -> Result<Option<Extraction>, ExtractError> { let mut e = ExtractionBuilder::new(); e.integer("x.size", s.size() as i64); Ok(e.finish()) } }
svc_plugin_api::export_plugin!(P, manifest = "plugin.toml");
