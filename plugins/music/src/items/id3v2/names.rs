//! Frame ids of ID3v2: the known ones, and the conversion of those of ID3v2.2.

/// Ids of 2.3 and 2.4 that identify a frame at any offset, sorted.
const KNOWN: [&[u8; 4]; 93] = [
    b"AENC", b"APIC", b"ASPI", b"CHAP", b"COMM", b"COMR", b"CTOC", b"ENCR", b"EQU2", b"EQUA", b"ETCO",
    b"GEOB", b"GRID", b"GRP1", b"IPLS", b"LINK", b"MCDI", b"MLLT", b"MVIN", b"MVNM", b"OWNE", b"PCNT",
    b"PCST", b"POPM", b"POSS", b"PRIV", b"RBUF", b"RVA2", b"RVAD", b"RVRB", b"SEEK", b"SIGN", b"SYLT",
    b"SYTC", b"TALB", b"TBPM", b"TCAT", b"TCMP", b"TCOM", b"TCON", b"TCOP", b"TDAT", b"TDEN", b"TDES",
    b"TDLY", b"TDOR", b"TDRC", b"TDRL", b"TDTG", b"TENC", b"TEXT", b"TFLT", b"TGID", b"TIME", b"TIPL",
    b"TIT1", b"TIT2", b"TIT3", b"TKEY", b"TLAN", b"TLEN", b"TMCL", b"TMED", b"TMOO", b"TOAL", b"TOFN",
    b"TOLY", b"TOPE", b"TORY", b"TOWN", b"TPE1", b"TPE2", b"TPE3", b"TPE4", b"TPOS", b"TPUB", b"TRCK",
    b"TRDA", b"TRSN", b"TRSO", b"TSIZ", b"TSO2", b"TSOA", b"TSOC", b"TSOP", b"TSOT", b"TSRC", b"TSSE",
    b"TSST", b"TXXX", b"TYER", b"UFID", b"USLT",
];

/// Ids of 2.2, sorted, and their successors.
const OLD: [(&[u8; 3], &[u8; 4]); 37] = [
    (b"BUF", b"RBUF"),
    (b"CNT", b"PCNT"),
    (b"COM", b"COMM"),
    (b"GEO", b"GEOB"),
    (b"IPL", b"IPLS"),
    (b"MCI", b"MCDI"),
    (b"PIC", b"APIC"),
    (b"POP", b"POPM"),
    (b"TAL", b"TALB"),
    (b"TBP", b"TBPM"),
    (b"TCM", b"TCOM"),
    (b"TCO", b"TCON"),
    (b"TCP", b"TCMP"),
    (b"TCR", b"TCOP"),
    (b"TDA", b"TDAT"),
    (b"TEN", b"TENC"),
    (b"TIM", b"TIME"),
    (b"TLE", b"TLEN"),
    (b"TOR", b"TORY"),
    (b"TP1", b"TPE1"),
    (b"TP2", b"TPE2"),
    (b"TP3", b"TPE3"),
    (b"TP4", b"TPE4"),
    (b"TPA", b"TPOS"),
    (b"TRC", b"TSRC"),
    (b"TRK", b"TRCK"),
    (b"TS2", b"TSO2"),
    (b"TSA", b"TSOA"),
    (b"TSC", b"TSOC"),
    (b"TSP", b"TSOP"),
    (b"TST", b"TSOT"),
    (b"TT2", b"TIT2"),
    (b"TXT", b"TEXT"),
    (b"TXX", b"TXXX"),
    (b"TYE", b"TYER"),
    (b"UFI", b"UFID"),
    (b"ULT", b"USLT"),
];

/// The successor of an id of 2.2; the id itself with a space if there is none.
pub(super) fn upgraded(old: [u8; 3]) -> [u8; 4] {
    let [a, b, c] = old;
    let found = OLD.binary_search_by_key(&&old, |(name, _)| *name);
    let found = found.ok().and_then(|place| OLD.get(place));
    found.map_or([a, b, c, b' '], |(_, name)| **name)
}

/// Whether a frame with a known id of this version begins with these bytes.
pub(super) fn is_known(version: u8, bytes: &[u8]) -> bool {
    if version == 2 {
        let name = bytes.first_chunk::<3>().filter(|name| super::is_id(*name));
        return name.is_some_and(|name| OLD.binary_search_by_key(&name, |(old, _)| *old).is_ok());
    }
    let name = bytes.first_chunk::<4>().filter(|name| super::is_id(*name));
    name.is_some_and(|name| KNOWN.binary_search(&name).is_ok())
}
