//! Prints what the plugin says about each file named on standard input, one Rust value a line, and the time.
#![allow(clippy::unwrap_used)]
use std::io::BufRead;
fn main() {
    let quiet = std::env::args().nth(1).as_deref() == Some("time");
    let mut total = std::time::Duration::ZERO; let mut n = 0u32; let mut reads = 0;
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let name = path.rsplit('/').next().unwrap().to_owned();
        let data = std::fs::read(&path).unwrap();
        if quiet {
            for _ in 0..20 { let mut s = svc_plugin_api::Source::from_bytes(&name, data.clone()); let t = std::time::Instant::now();
            let _ = std::hint::black_box(svc_plugin_api::run::<music::Music>(&mut s)); total += t.elapsed(); n += 1; reads += s.host_reads(); }
            continue;
        }
        let mut s = svc_plugin_api::Source::from_bytes(&name, data.clone());
        let r = svc_plugin_api::run::<music::Music>(&mut s);
        println!("{}", json(&path, &r, s.host_reads(), &data));
    }
    if quiet { println!("{:?} per file, {} reads per file, {n}", total / n, f64::from(reads as u32) / f64::from(n)); }
}
fn q(s: &str) -> String { let mut o = String::from("\""); for c in s.chars() { match c { '"' => o += "\\\"", '\\' => o += "\\\\", c if (c as u32) < 32 => o += &format!("\\u{:04x}", c as u32), c => o.push(c) } } o + "\"" }
fn json(path: &str, r: &Result<Option<svc_plugin_api::Extraction>, svc_plugin_api::ExtractError>, reads: u64, data: &[u8]) -> String {
    use svc_plugin_api::*;
    let e = match r { Err(e) => return format!("{{\"path\":{},\"error\":{}}}", q(path), q(&format!("{e:?}"))), Ok(None) => return format!("{{\"path\":{},\"none\":1}}", q(path)), Ok(Some(e)) => e };
    let mut o = format!("{{\"path\":{},\"reads\":{reads},\"title\":{},\"ms\":{},\"w\":{},\"h\":{},\"f\":{{", q(path), e.title.as_deref().map_or("null".into(), q), e.duration_ms.unwrap_or(0), e.width.unwrap_or(0), e.height.unwrap_or(0));
    o += &e.fields.iter().map(|f| format!("{}:{}", q(&f.key), match &f.value { Value::Text(t) => q(t), Value::Texts(t) => format!("[{}]", t.iter().map(|t| q(t)).collect::<Vec<_>>().join(",")), Value::Integer(i) => i.to_string(), Value::Real(r) => r.to_string(), Value::Boolean(b) => b.to_string(), Value::Rational(r) => format!("[{},{}]", r.numerator, r.denominator), Value::Date(d) => q(&format!("{:04}{}{}{}{}", d.year, d.month.map_or(String::new(), |m| format!("-{m:02}")), d.day.map_or(String::new(), |m| format!("-{m:02}")), d.time_ms.map_or(String::new(), |t| format!("T{:02}:{:02}:{:02}.{:03}", t/3600000, t/60000%60, t/1000%60, t%1000)), d.offset_minutes.map_or(String::new(), |m| format!("O{m}")))), v => q(&format!("{v:?}")) })).collect::<Vec<_>>().join(",");
    o += "},\"p\":[";
    o += &e.pictures.iter().enumerate().map(|(i, p)| { let b = match p.data { PictureData::At(s) => data[s.offset as usize..(s.offset + s.length) as usize].to_vec(), PictureData::OnRequest => art(path, data, i as u32) }; format!("[{},{},{},{},{}]", q(&p.purpose), q(&p.mime), b.len(), q(&format!("{:02x?}", &b[..b.len().min(4)])), matches!(p.data, PictureData::At(_))) }).collect::<Vec<_>>().join(",");
    o += "],\"warn\":["; o += &e.warnings.iter().map(|w| q(w)).collect::<Vec<_>>().join(","); o + "]}"
}
fn art(path: &str, data: &[u8], i: u32) -> Vec<u8> { let name = path.rsplit('/').next().unwrap(); svc_plugin_api::read_picture::<music::Music>(&mut svc_plugin_api::Source::from_bytes(name, data.to_vec()), i).unwrap_or_default() }
