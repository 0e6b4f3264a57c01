//! Madagascar's regularly sampled format (RSF): a text header of `key=value` words, and numbers in a separate file or after the header.
//!
//! | keys of axis 1, 2 ... | |
//! |---|---|
//! | `n1` | number of points, 1 by default |
//! | `o1`, `d1` | origin and spacing, 0 and 1 by default |
//! | `label1`, `unit1` | label and unit of the axis |
//!
//! The first axis is the fastest. If a key occurs several times, the last value takes precedence, since programs append to the header.
//!
//! Source: Madagascar, Guide to RSF file format.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::ByteOrder;
use crate::atomic;
use crate::error::{Refused, Result};
use crate::input::Input;
use crate::raw::{Number, RawReader};
use crate::volume::{Axis, Volume, VolumeReader};

mod header;

use header::Header;

/// Marks the end of a header that is followed by its data.
const MARK: [u8; 3] = [0x0C, 0x0C, 0x04];

/// Largest size of a header [bytes].
const LARGEST_HEADER: u64 = 1 << 20;

/// Largest number of axes of a file, as in Madagascar.
const LARGEST_RANK: usize = 9;

/// Reads a complete file, see [`open`].
///
/// # Errors
/// As [`open`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<Volume> {
    open(path)?.read_whole()
}

/// Opens a file with `data_format` `native_float` (in the byte order of this machine) or `xdr_float` (big-endian). Trailing axes of one
/// point are dropped. A relative `in` is relative to the folder of the header.
///
/// # Errors
/// A header without `n1` or `in`, or with a malformed value; another data format; data of another size; a file that cannot be read.
pub fn open(path: &Path) -> Result<RawReader> {
    let mut input = Input::open(path)?;
    let (text, data_at) = read_header(&mut input)?;
    let header = Header::parse(path, &text);
    let axes = axes(&header)?;
    let order = byte_order(&header)?;
    match (header.data()?, data_at) {
        ("stdin", Some(start)) => RawReader::new(input, start, axes, Number::F32, order),
        ("stdin", None) => {
            Err(header.refuse("in", "a header that ends with the bytes 0c 0c 04 and its data, or the name of a file"))
        }
        (name, _) => {
            let data = path.parent().unwrap_or(Path::new("")).join(name);
            RawReader::new(Input::open(&data)?, 0, axes, Number::F32, order)
        }
    }
}

/// Path of the data file as named in the header, absolute or relative to its folder; `None` if the data follow the header.
///
/// # Errors
/// A header without `in`, or a file that cannot be read.
pub fn data_file(path: &Path) -> Result<Option<PathBuf>> {
    let (text, _) = read_header(&mut Input::open(path)?)?;
    let header = Header::parse(path, &text);
    Ok(Some(header.data()?).filter(|name| *name != "stdin").map(PathBuf::from))
}

/// Reads the text of the header, and the offset of the data if they follow it.
fn read_header(input: &mut Input) -> Result<(String, Option<u64>)> {
    let mut bytes = vec![0; input.size().min(LARGEST_HEADER) as usize];
    input.read_at(0, &mut bytes)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match bytes.windows(MARK.len()).position(|window| window == MARK) {
        Some(at) => Ok((text(&bytes[..at]), Some((at + MARK.len()) as u64))),
        None if input.size() <= LARGEST_HEADER => Ok((text(&bytes), None)),
        None => {
            let expected = format!("at most {LARGEST_HEADER} before the bytes 0c 0c 04; the file may not be RSF");
            Err(Refused::new("size of the header in bytes", input.size(), expected).unreadable(input.path()))
        }
    }
}

fn axes(header: &Header) -> Result<Vec<Axis>> {
    let mut axes = Vec::new();
    for number in 1..=LARGEST_RANK {
        let key = |stem: &str| format!("{stem}{number}");
        axes.push(Axis {
            count: header.count(&key("n"))?.unwrap_or(1),
            origin: header.number(&key("o"))?.unwrap_or(0.0),
            spacing: header.number(&key("d"))?.unwrap_or(1.0),
            label: header.text(&key("label")).unwrap_or_default().to_owned(),
            unit: header.text(&key("unit")).unwrap_or_default().to_owned(),
        });
    }
    header.required("n1", "the number of points along the fastest axis")?;
    let last = axes.iter().rposition(|axis| axis.count > 1).unwrap_or(0);
    axes.truncate(last + 1);
    Ok(axes)
}

fn byte_order(header: &Header) -> Result<ByteOrder> {
    if header.count("esize")?.is_some_and(|bytes| bytes != Number::F32.bytes()) {
        return Err(header.refuse("esize", "4, the size of a float"));
    }
    match header.text("data_format").unwrap_or("native_float") {
        "native_float" => Ok(ByteOrder::NATIVE),
        "xdr_float" => Ok(ByteOrder::Big),
        _ => Err(header.refuse("data_format", "native_float or xdr_float; convert the file with sfdd")),
    }
}

/// Writes the header, and next to it the data as `native_float`, in a file with the name of the header plus `@`. Both are written
/// atomically, the data first. `in` is a name without a folder, which Madagascar resolves in its working directory.
///
/// # Errors
/// [`crate::FormatError::Unwritable`] for more than 9 axes, or a label, unit or file name with a quotation mark or a line break;
/// [`crate::FormatError::Io`] if a file cannot be written.
pub fn write(path: &Path, volume: &Volume) -> Result<()> {
    let refuse = |what: &str, value: &dyn ToString, expected: String| {
        Refused::new(what, value.to_string(), expected).unwritable(path)
    };
    let axes = volume.axes();
    if axes.len() > LARGEST_RANK {
        return Err(refuse("number of axes", &axes.len(), format!("at most {LARGEST_RANK}")));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned() + "@";
    let texts = axes.iter().flat_map(|axis| [("label", &axis.label), ("unit", &axis.unit)]);
    for (what, text) in texts.chain([("file name", &name)]) {
        if text.contains(|c: char| c == '"' || c.is_control()) {
            return Err(refuse(what, text, "neither quotation marks nor line breaks".to_owned()));
        }
    }
    atomic::write_with(&path.with_file_name(&name), |out| {
        volume.values().iter().try_for_each(|value| out.write_all(&value.to_ne_bytes()))
    })?;
    atomic::write_with(path, |out| {
        for (number, Axis { count, origin, spacing, label, unit }) in (1..).zip(axes) {
            writeln!(out, "n{number}={count} o{number}={origin} d{number}={spacing}")?;
            writeln!(out, "label{number}=\"{label}\" unit{number}=\"{unit}\"")?;
        }
        writeln!(out, "data_format=\"native_float\" esize=4\nin=\"{name}\"")
    })
}
