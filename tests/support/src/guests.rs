//! Builds the guests of this folder: WebAssembly text in the frame, embedded into the interface, with a manifest.
//!
//! Each `*.wat` says in its first line what it does. `Answer` makes guests that give one fixed answer.

use std::path::{Path, PathBuf};

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;
use wit_parser::abi::{AbiVariant, WasmType};

/// The module around the body of a guest.
const FRAME: &str = include_str!("../../guests/frame.wat");

/// A minimal manifest for files of kind `music` with the extension `shared` or the id.
pub fn manifest(id: &str) -> String {
    let extension = id.get(..16).unwrap_or(id);
    format!(
        r#"
id = "{id}"
name = "Guest {id}"
version = "1.0.0"
interface = "0.1"
[[kinds]]
kind = "music"
extensions = ["{extension}", "shared"]
[permissions]
source = "Reads the file"
log = "Says what it finds"
[limits]
memory-mib = 64
read-mib = 8
seconds-per-file = 0.2
"#
    )
}

/// The manifest of a plugin that defines a kind whose files, `*.shared`, are items with the fields `x.<id>.series` (text:
/// search, sort, facet) and `x.<id>.number` (integer: sort).
pub fn kind_manifest(id: &str, kind: &str) -> String {
    let text = manifest(id);
    let (start, rest) = text.split_once("[[kinds]]").unwrap();
    let (_, permissions) = rest.split_once("[permissions]").unwrap();
    let kind = format!(
        r#"[[kinds]]
kind = "{kind}"
label = {{ en = "Things", item = "Thing" }}
app = "photos"
extensions = ["shared"]
media-types = {{ shared = "application/x-shared" }}
item = "file"
[[kinds.fields]]
key = "x.{id}.series"
label = {{ en = "Series" }}
type = "text"
search = true
sort = true
facet = true
[[kinds.fields]]
key = "x.{id}.number"
label = {{ en = "Number" }}
type = "integer"
sort = true
"#
    );
    format!("{start}{kind}[permissions]{permissions}")
}

/// A plugin with this body that defines a kind, see [`kind_manifest`].
pub fn kind_plugin(body: &str, id: &str, kind: &str) -> Vec<u8> {
    with_manifest(component(body), &kind_manifest(id, kind))
}

/// The body of a guest of this folder, by its file's name.
pub fn body(name: &str) -> String {
    let path = repository().join("tests/guests").join(format!("{name}.wat"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A plugin made of a guest of this folder.
pub fn plugin(name: &str, id: &str) -> Vec<u8> {
    with_manifest(component(&body(name)), &manifest(id))
}

/// A component made of a guest's body. Its lines that import more than the frame does go before the definitions, where
/// WebAssembly text wants them.
pub fn component(body: &str) -> Vec<u8> {
    encode(&repository().join("wit/v0.1"), &module(body))
}

/// The text of the module with this body.
fn module(body: &str) -> String {
    let (imports, rest): (Vec<_>, Vec<_>) = body.lines().partition(|line| line.starts_with("(import"));
    let module = format!("(module\n{}", imports.join("\n"));
    FRAME
        .replace("BODY", &rest.join("\n"))
        .replacen("(module", &module, 1)
}

/// A thumbnailer, made of a guest of this folder; it takes every extension and type of `[thumbnailer]`.
pub fn renderer(name: &str, id: &str) -> Vec<u8> {
    let frame = FRAME.replace(
        "svc:plugin/extractor@0.1.0#extract",
        "svc:plugin/thumbnailer@0.1.0#render",
    );
    let component = encode(
        &repository().join("wit/v0.1"),
        &frame.replace("BODY", &body(name)),
    );
    let manifest = manifest(id);
    let (start, rest) = manifest.split_once("[[kinds]]").unwrap();
    let (_, permissions) = rest.split_once("[permissions]").unwrap();
    let (permissions, _) = permissions.split_once("[limits]").unwrap();
    let thumbnailer = "[thumbnailer]\nextensions = [\"jpg\", \"png\"]\nmedia-types = [\"image/jpeg\", \"image/png\"]\n\
                   [thumbnailer.limits]\nseconds-per-file = 0.2\n";
    with_manifest(
        component,
        &format!("{start}{thumbnailer}[permissions]{permissions}"),
    )
}

/// A plugin of the cloud made of a guest of this folder, which imports `http`, `state` and `log`. Functions that the guest
/// lacks trap; it says that it has all features, unless it says itself what it has.
pub fn cloud_plugin(name: &str, id: &str) -> Vec<u8> {
    let wit = repository().join("wit/v0.1");
    let body = body(name);
    let (imports, rest): (Vec<_>, Vec<_>) = body.lines().partition(|line| line.starts_with("(import"));
    let features = if body.contains("cloud@0.1.0#features\"") {
        ""
    } else {
        ALL_CLOUD_FEATURES
    };
    let text = CLOUD_FRAME
        .replace("IMPORTS", &imports.join("\n"))
        .replace("FEATURES", features)
        .replace("LACKS", &lacking_cloud_functions(&wit, &body))
        .replace("BODY", &rest.join("\n"));
    let manifest = format!(
        r#"
id = "{id}"
name = "Guest {id}"
version = "1.0.0"
interface = "0.1"
[cloud]
[permissions]
http = "Requests what tests want"
state = "Stores what tests want"
log = "Writes what tests want"
"#
    );
    with_manifest(encode(&wit, &text), &manifest)
}

const ALL_CLOUD_FEATURES: &str =
    r#"(func (export "svc:plugin/cloud@0.1.0#features") (result i32) (i32.const 63))"#;

/// The module around a guest of the cloud. What the host hands over is written one after the other.
const CLOUD_FRAME: &str = r#"(module
  IMPORTS
  (memory (export "memory") 20)
  (global $free (mut i32) (i32.const 262144))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $free))
    (global.set $free (i32.and (i32.add (i32.add (local.get $at) (local.get 3)) (i32.const 15)) (i32.const -16)))
    (loop $more
      (if (i32.gt_u (global.get $free) (i32.mul (memory.size) (i32.const 65536))) (then
        (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
        (br $more))))
    (local.get $at))
  FEATURES
  LACKS
  BODY
)"#;

/// Exports of the interface `cloud` that a guest lacks, with the parameters that they must have.
fn lacking_cloud_functions(wit: &Path, body: &str) -> String {
    let mut resolve = Resolve::default();
    resolve.push_dir(wit).unwrap();
    let mut interfaces = resolve.interfaces.iter().map(|(_, interface)| interface);
    let cloud = interfaces
        .find(|interface| interface.name.as_deref() == Some("cloud"))
        .unwrap();
    let types = |types: &[WasmType]| {
        let names = types.iter().map(|one| match one {
            WasmType::I64 | WasmType::PointerOrI64 => "i64",
            WasmType::F32 => "f32",
            WasmType::F64 => "f64",
            _ => "i32",
        });
        names.collect::<Vec<_>>().join(" ")
    };
    let functions = cloud.functions.values().filter(|function| {
        let name = format!("cloud@0.1.0#{}\"", function.name);
        function.name != "features" && !body.contains(&name)
    });
    let lines = functions.map(|function| {
        let signature = resolve.wasm_signature(AbiVariant::GuestExport, function);
        let (params, results) = (types(&signature.params), types(&signature.results));
        let name = &function.name;
        format!("(func (export \"svc:plugin/cloud@0.1.0#{name}\") (param {params}) (result {results}) unreachable)")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A component made of a guest's body, for the version of the interface in this folder.
pub fn component_for(wit: &Path, version: &str, body: &str) -> Vec<u8> {
    encode(wit, &module(body).replace("0.1.0", version))
}

/// Appends the manifest as the section in which the host looks for it.
pub fn with_manifest(mut component: Vec<u8>, manifest: &str) -> Vec<u8> {
    const NAME: &[u8] = b"svc:manifest";
    let mut content = Vec::new();
    push_length(&mut content, NAME.len());
    content.extend(NAME);
    content.extend(manifest.as_bytes());
    component.push(0);
    push_length(&mut component, content.len());
    component.extend(content);
    component
}

/// The repository's root, from whichever crate includes this file.
pub fn repository() -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_dir.ancestors().find(|dir| dir.join("wit/v0.1").is_dir());
    root.expect("wit/v0.1 lies above the crate").to_owned()
}

fn encode(wit: &Path, text: &str) -> Vec<u8> {
    let mut module = wat::parse_str(text).unwrap();
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit).unwrap();
    let world = if text.contains("cloud@") {
        "cloud-client"
    } else if text.contains("thumbnailer@") {
        "image-thumbnailer"
    } else if text.contains("artwork@") {
        "media-extractor-with-artwork"
    } else if text.contains("pages@") {
        "media-extractor-with-pages"
    } else if text.contains("settings@") {
        "media-extractor-with-settings"
    } else {
        "media-extractor"
    };
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .unwrap()
        .encode()
        .unwrap()
}

fn push_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

/// A field or picture in the layout of the canonical ABI.
pub enum Part {
    Text(&'static str, &'static str),
    Integer(&'static str, i64),
    Real(&'static str, f64),
    Rational(&'static str, i64, i64),
    /// Year, month, day.
    Date(&'static str, u16, Option<u8>, Option<u8>),
    BytesAt(&'static str, u64, u64),
    /// MIME type, offset, length.
    Picture(&'static str, u64, u64),
}

/// The body of a guest with a fixed answer.
pub fn answering(parts: &[Part]) -> String {
    const TEXTS: usize = 8192;
    const FIELDS: usize = 16_384;
    const PICTURES: usize = 32_768;
    let mut texts = Vec::new();
    let mut fields = Vec::new();
    let mut pictures = Vec::new();
    let mut text = |text: &str| {
        let at = TEXTS + texts.len();
        texts.extend(text.as_bytes());
        [(at as u32).to_le_bytes(), (text.len() as u32).to_le_bytes()].concat()
    };
    for part in parts {
        let mut field = |key: &str, case: u8, payload: &[u8]| {
            let mut bytes = text(key);
            bytes.extend([case, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend(payload);
            bytes.resize(40, 0);
            fields.extend(bytes);
        };
        match part {
            Part::Text(key, value) => {
                let value = text(value);
                let mut bytes = text(key);
                bytes.extend([0; 8]);
                bytes.extend(value);
                bytes.resize(40, 0);
                fields.extend(bytes);
            }
            Part::Integer(key, value) => field(key, 2, &value.to_le_bytes()),
            Part::Real(key, value) => field(key, 3, &value.to_le_bytes()),
            Part::Rational(key, above, below) => {
                field(key, 4, &[above.to_le_bytes(), below.to_le_bytes()].concat());
            }
            Part::Date(key, year, month, day) => {
                let [low, high] = year.to_le_bytes();
                let option = |part: &Option<u8>| [u8::from(part.is_some()), part.unwrap_or(0)];
                field(key, 6, &[[low, high], option(month), option(day)].concat());
            }
            Part::BytesAt(key, offset, length) => {
                field(key, 7, &[offset.to_le_bytes(), length.to_le_bytes()].concat());
            }
            Part::Picture(mime, offset, length) => {
                pictures.extend(text("front"));
                pictures.extend(text(mime));
                pictures.extend([0; 8]);
                pictures.extend([offset.to_le_bytes(), length.to_le_bytes()].concat());
            }
        }
    }
    let mut answer = vec![0_u8; 88];
    answer[8] = 1;
    answer[64..68].copy_from_slice(&(FIELDS as u32).to_le_bytes());
    answer[68..72].copy_from_slice(&((fields.len() / 40) as u32).to_le_bytes());
    answer[72..76].copy_from_slice(&(PICTURES as u32).to_le_bytes());
    answer[76..80].copy_from_slice(&((pictures.len() / 40) as u32).to_le_bytes());
    let data = |at: usize, bytes: &[u8]| {
        let hex: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        format!("(data (i32.const {at}) \"{hex}\")\n")
    };
    [
        data(1024, &answer),
        data(TEXTS, &texts),
        data(FIELDS, &fields),
        data(PICTURES, &pictures),
        r#"(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))"#.to_owned(),
    ]
    .concat()
}
