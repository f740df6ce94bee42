//! Custom sections of modules and components: what is removed, and the manifest that is added.
//!
//! A binary is a header of 8 bytes and sections of an id, a length and a content. A component contains modules and
//! components as sections, whose sections are rewritten too. Nothing else is interpreted.

/// The custom section with the manifest.
pub(crate) const MANIFEST_SECTION: &str = "svc:manifest";

const HEADER_BYTES: usize = 8;
const CUSTOM: u8 = 0;
/// Ids of sections of a component that contain a whole binary: a core module, a component.
const NESTED: [u8; 2] = [1, 4];

/// Whether the bytes are a core module: layer 0 in the header.
pub(crate) fn is_core_module(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0asm") && bytes.get(6..8) == Some(&[0, 0])
}

/// The binary without debug information and without manifests; names of functions stay. `None` if the sections cannot
/// be read to the end.
pub(crate) fn strip(bytes: &[u8]) -> Option<Vec<u8>> {
    rewrite(bytes, &|name| {
        !name.starts_with(".debug_")
            && ![
                "sourceMappingURL",
                "external_debug_info",
                "build_id",
                MANIFEST_SECTION,
            ]
            .contains(&name)
    })
}

/// Appends a custom section.
pub(crate) fn append(bytes: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut section = Vec::with_capacity(name.len() + content.len() + 5);
    push_length(&mut section, name.len());
    section.extend_from_slice(name.as_bytes());
    section.extend_from_slice(content);
    bytes.push(CUSTOM);
    push_length(bytes, section.len());
    bytes.extend_from_slice(&section);
}

fn rewrite(bytes: &[u8], keeps: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let (header, mut rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let is_component = !is_core_module(header);
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(header);
    while let Some((id, after)) = rest.split_first() {
        let (length, after) = length(after)?;
        let (content, after) = after.split_at_checked(length)?;
        rest = after;
        if *id == CUSTOM && !keeps(custom_name(content)?) {
            continue;
        }
        let nested = (is_component && NESTED.contains(id)).then(|| rewrite(content, keeps));
        let content = match &nested {
            Some(rewritten) => rewritten.as_deref()?,
            None => content,
        };
        kept.push(*id);
        push_length(&mut kept, content.len());
        kept.extend_from_slice(content);
    }
    Some(kept)
}

fn custom_name(content: &[u8]) -> Option<&str> {
    let (size, rest) = length(content)?;
    std::str::from_utf8(rest.get(..size)?).ok()
}

/// An unsigned LEB128 number of at most 32 bits, and what follows it.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(number).ok()?, bytes.get(at + 1..)?));
        }
    }
    None
}

fn push_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";
    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    fn with(mut bytes: Vec<u8>, sections: &[(&str, &[u8])]) -> Vec<u8> {
        for (name, content) in sections {
            append(&mut bytes, name, content);
        }
        bytes
    }

    #[test]
    fn debug_information_and_manifests_go_and_names_stay_at_every_depth() {
        let long = vec![7; 300];
        let module = with(
            MODULE.to_vec(),
            &[("name", b"n"), (".debug_info", &long), ("svc:manifest", b"m")],
        );
        let stripped = with(MODULE.to_vec(), &[("name", b"n")]);
        assert_eq!(strip(&module), Some(stripped.clone()));
        let component = |inner: &[u8]| {
            let mut bytes = COMPONENT.to_vec();
            bytes.push(1);
            push_length(&mut bytes, inner.len());
            bytes.extend(inner);
            with(bytes, &[("producers", b"p")])
        };
        assert_eq!(strip(&component(&module)), Some(component(&stripped)));
    }

    #[test]
    fn truncated_binary_is_rejected_at_every_length() {
        let whole = with(MODULE.to_vec(), &[("name", &[1; 200])]);
        let cuts: Vec<usize> = (0..whole.len())
            .filter(|cut| strip(whole.get(..*cut).unwrap()).is_some())
            .collect();
        assert_eq!(cuts, [HEADER_BYTES], "only the header alone is a whole binary");
    }
}
