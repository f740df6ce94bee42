//! Directories of media as they are on disk.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::time::Timestamp;
use svc_library::browse::{BrowsedDirectory, BrowsedNode, NodeContent};

/// A directory and what lies in it.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "BrowsedDirectory"))]
#[serde(rename_all = "camelCase")]
pub struct LsView {
    /// The kind whose directories are shown.
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    /// The directory's path below the root; empty for the root itself.
    path: String,
    /// Directories first.
    nodes: Vec<NodeView>,
}

/// A directory or file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "BrowsedNode"))]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    name: String,
    /// Path below the root: what to ask for next.
    path: String,
    /// `directory` or `file`.
    #[serde(rename = "type")]
    node_type: &'static str,
    /// Bytes of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
    /// The kind as which the file is indexed, if a plugin reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    media_kind: Option<MediaKind>,
    /// Whether the file is in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed: Option<bool>,
    has_children: bool,
    /// Always empty: the place for what is asked for when a tree view expands the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<Vec<String>>))]
    children: Option<[u8; 0]>,
}

impl LsView {
    /// With `children` in each directory if `add_empty`, otherwise in those that have any.
    pub fn new(directory: BrowsedDirectory, add_empty: bool) -> Self {
        Self {
            root_dir: directory.kind,
            path: text(&directory.path),
            nodes: directory
                .nodes
                .into_iter()
                .map(|node| NodeView::new(node, add_empty))
                .collect(),
        }
    }
}

impl NodeView {
    fn new(node: BrowsedNode, add_empty: bool) -> Self {
        let base = Self {
            name: node.path.file_name().to_owned(),
            path: text(&node.path),
            node_type: "directory",
            size: None,
            modified_at: node.modified_at,
            media_kind: None,
            indexed: None,
            has_children: false,
            children: None,
        };
        match node.content {
            NodeContent::Directory { has_children } => Self {
                has_children,
                children: (add_empty || has_children).then_some([]),
                ..base
            },
            NodeContent::File { size, kind, indexed } => Self {
                node_type: "file",
                size: Some(size),
                media_kind: kind,
                indexed: Some(indexed),
                ..base
            },
        }
    }
}

fn text(path: &RelativePath) -> String {
    path.as_str().to_owned()
}
