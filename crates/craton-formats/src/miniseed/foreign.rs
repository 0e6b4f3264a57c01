//! Detection of files that are not miniSEED 2.

use super::record::may_be_record;
use crate::error::Refused;

/// First bytes of other formats, and their names.
const SIGNATURES: [(&[u8], &str); 14] = [
    (b"MS\x03", "miniSEED 3"),
    (b"<", "an XML document"),
    (b"\xEF\xBB\xBF<", "an XML document"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x89HDF", "an HDF5 file (ASDF?)"),
    (b"CDF", "a netCDF file"),
    (b"WID", "a GSE file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"C 1", "a SEG-Y file"),
    (b"C01", "a SEG-Y file"),
    (b"\xC3\x40\xF1", "a SEG-Y file"),
    (b"\xC3\xF0\xF1", "a SEG-Y file"),
];

const EXPECTED: &str = "miniSEED 2: records that start with six digits and D, R, Q or M";

/// Refuses a file that does not start with a record; the error names its probable format.
pub(super) fn check(bytes: &[u8]) -> Result<(), Refused> {
    if may_be_record(bytes) { Ok(()) } else { Err(Refused::new("content", kind(bytes), EXPECTED)) }
}

fn kind(bytes: &[u8]) -> String {
    let known = SIGNATURES.iter().find(|(beginning, _)| bytes.starts_with(beginning));
    if let Some((_, name)) = known {
        return (*name).to_owned();
    }
    let is_volume = bytes.len() > 7 && bytes[..6].iter().all(u8::is_ascii_digit) && b"VAST".contains(&bytes[6]);
    // The version of SAC's header, in either byte order.
    let is_sac = bytes.get(304..308).is_some_and(|version| matches!(version, b"\0\0\0\x06" | b"\x06\0\0\0"));
    let start = &bytes[..bytes.len().min(16)];
    let is_text =
        !bytes.is_empty() && bytes.iter().take(256).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    match () {
        () if bytes.is_empty() => "an empty file".to_owned(),
        () if is_volume => "a full SEED volume, with control headers (convert it with ObsPy or rdseed)".to_owned(),
        () if is_sac => "a SAC file".to_owned(),
        () if is_text => format!("text that starts with `{}`", start.escape_ascii()),
        () => format!("unknown: {} bytes that start with `{}`", bytes.len(), start.escape_ascii()),
    }
}
