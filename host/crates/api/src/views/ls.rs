//! Entries of media directories on disk.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::time::Timestamp;
use svc_library::browse::{BrowsedDirectory, BrowsedNode, NodeContent};

/// A directory and its entries.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "BrowsedDirectory"))]
#[serde(rename_all = "camelCase")]
pub struct LsView {
    /// Media kind of the root directory.
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    /// Path of the directory, relative to the root directory; empty for the root directory.
    path: String,
    /// The entries, directories first.
    nodes: Vec<NodeView>,
}

/// A directory or file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "BrowsedNode"))]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    name: String,
    /// Path relative to the root directory: the parameter `path` that lists this directory.
    path: String,
    /// `directory` or `file`.
    #[serde(rename = "type")]
    node_type: &'static str,
    /// Size of a file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
    /// Media kind of a file that a plugin can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    media_kind: Option<MediaKind>,
    /// Whether a file is in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed: Option<bool>,
    has_children: bool,
    /// Always empty. Tree views add the entries of the directory here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<Vec<String>>))]
    children: Option<[u8; 0]>,
}

impl LsView {
    /// The view. `children` is present in all directories if `add_empty`, otherwise in directories that are not empty.
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
