//! The header: number type, order and shape.

use crate::ByteOrder;
use crate::error::{Refused, Result};
use crate::input::Input;

/// First bytes of every file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Largest size of a header [bytes]; those of tables have about a hundred.
const LARGEST_HEADER: u64 = 1 << 16;

/// Number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl Number {
    /// NumPy type codes, which end in the number of bytes.
    const CODES: [(&str, Self); 10] = [
        ("f4", Self::F32),
        ("f8", Self::F64),
        ("i1", Self::I8),
        ("i2", Self::I16),
        ("i4", Self::I32),
        ("i8", Self::I64),
        ("u1", Self::U8),
        ("u2", Self::U16),
        ("u4", Self::U32),
        ("u8", Self::U64),
    ];

    /// Size of a number [bytes].
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }
}

/// Content of a header, validated against the file size.
#[derive(Debug)]
pub(super) struct Header {
    pub number: Number,
    pub order: ByteOrder,
    pub is_fortran: bool,
    pub rows: usize,
    pub columns: usize,
    /// Byte offset of the numbers.
    pub bytes: u64,
}

impl Header {
    pub fn read(input: &mut Input) -> Result<Self> {
        let path = input.path().to_owned();
        let (text, bytes) = read_text(input)?.map_err(|refused| refused.unreadable(&path))?;
        Self::parse(&text, bytes, input.size()).map_err(|refused| refused.unreadable(&path))
    }

    fn parse(text: &str, bytes: u64, file_bytes: u64) -> Result<Self, Refused> {
        let (number, order) = number(entry(text, "descr")?)?;
        let is_fortran = match entry(text, "fortran_order")? {
            "True" => true,
            "False" => false,
            other => return Err(Refused::new("fortran_order", other, "True or False")),
        };
        let (rows, columns) = shape(entry(text, "shape")?)?;
        let size = number.size();
        let wanted = rows.checked_mul(columns).and_then(|count| count.checked_mul(size)).map(|size| size as u64);
        let found = file_bytes - bytes;
        if wanted != Some(found) {
            let hint = match wanted.is_some_and(|wanted| wanted < found) {
                true => "save one array per file",
                false => "the file was truncated; save or copy it again",
            };
            let wanted = wanted.map_or("more than a file can hold".to_owned(), |wanted| wanted.to_string());
            let expected = format!("{wanted} for {rows} x {columns} numbers of {size} bytes; {hint}");
            return Err(Refused::new("size of the data in bytes", found, expected));
        }
        Ok(Self { number, order, is_fortran, rows, columns, bytes })
    }
}

/// Reads the text of the header and the offset of the numbers. The outer result is for reading, the inner one for validation.
fn read_text(input: &mut Input) -> Result<Result<(String, u64), Refused>> {
    let mut start = [0; 12];
    let length = input.size().min(start.len() as u64) as usize;
    input.read_at(0, &mut start[..length])?;
    let (text_at, text_bytes) = match beginning(&start[..length], input.size()) {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    let mut text = vec![0; text_bytes as usize];
    input.read_at(text_at, &mut text)?;
    Ok(Ok((String::from_utf8_lossy(&text).trim().to_owned(), text_at + text_bytes)))
}

/// Offset and length of the text of the header.
fn beginning(start: &[u8], file_bytes: u64) -> Result<(u64, u64), Refused> {
    if !start.starts_with(MAGIC) {
        let hint = match start.starts_with(b"PK") {
            true => "; this is an archive (.npz?), save one array with `numpy.save`",
            false => "; write the array with `numpy.save`",
        };
        let found: String =
            start.iter().take(MAGIC.len()).map(|&byte| char::from(byte).escape_default().to_string()).collect();
        return Err(Refused::new("first bytes", found, format!("\\x93NUMPY{hint}")));
    }
    let (text_at, text_bytes) = match start[MAGIC.len()..] {
        [1, 0, a, b, ..] => (10, u64::from(u16::from_le_bytes([a, b]))),
        [2 | 3, 0, a, b, c, d] => (12, u64::from(u32::from_le_bytes([a, b, c, d]))),
        [major, minor, ..] if !(1..=3).contains(&major) || minor != 0 => {
            return Err(Refused::new("version", format!("{major}.{minor}"), "1.0, 2.0 or 3.0"));
        }
        _ => {
            return Err(Refused::new(
                "size of the file in bytes",
                file_bytes,
                "a complete header; the file was truncated",
            ));
        }
    };
    if text_bytes > LARGEST_HEADER {
        return Err(Refused::new("length of the header in bytes", text_bytes, format!("at most {LARGEST_HEADER}")));
    }
    if text_at + text_bytes > file_bytes {
        let expected = format!("at least {}, the end of the header; the file was truncated", text_at + text_bytes);
        return Err(Refused::new("size of the file in bytes", file_bytes, expected));
    }
    Ok((text_at, text_bytes))
}

/// Value of a key of the dictionary, up to the following comma or brace.
fn entry<'a>(text: &'a str, key: &str) -> Result<&'a str, Refused> {
    let missing = || {
        Refused::new(
            "header",
            text,
            format!("a dictionary with the keys descr, fortran_order and shape; `{key}` is missing"),
        )
    };
    let tail = ['\'', '"'].iter().find_map(|quote| Some(text.split_once(&format!("{quote}{key}{quote}"))?.1));
    let value = tail.and_then(|tail| tail.trim_start().strip_prefix(':')).ok_or_else(missing)?.trim_start();
    let mut depth = 0_usize;
    let end = value.find(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ',' | '}' => return depth == 0,
            _ => {}
        }
        false
    });
    Ok(value[..end.unwrap_or(value.len())].trim())
}

fn number(descr: &str) -> Result<(Number, ByteOrder), Refused> {
    let refuse =
        |hint: &str| Refused::new("descr", descr, format!("a number type such as '<f8', '>f4' or '<i4'{hint}"));
    let code = descr.trim_matches(['\'', '"']);
    let order = match code.chars().next() {
        Some('<' | '|') => ByteOrder::Little,
        Some('>') => ByteOrder::Big,
        Some('[') => return Err(refuse("; combine the fields as columns with `numpy.column_stack`")),
        _ => return Err(refuse("; convert the array with `array.astype('f8')`")),
    };
    let known = Number::CODES.into_iter().find(|(known, _)| *known == &code[1..]);
    known.map(|(_, number)| (number, order)).ok_or_else(|| refuse("; convert the array with `array.astype('f8')`"))
}

fn shape(found: &str) -> Result<(usize, usize), Refused> {
    let refuse = |expected: &str| Refused::new("shape", found, expected);
    let inner = found.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let inner = inner.ok_or_else(|| refuse("a pair of counts, such as (1000, 7)"))?;
    let counts = inner.split(',').map(str::trim).filter(|count| !count.is_empty()).map(str::parse);
    let counts: Vec<usize> =
        counts.collect::<Result<_, _>>().map_err(|_| refuse("a pair of counts, such as (1000, 7)"))?;
    match counts[..] {
        [rows, columns] if rows > 0 && columns > 0 => Ok((rows, columns)),
        [_, _] => Err(refuse("at least one row and one column")),
        [_] => Err(refuse("two axes, rows and columns; combine columns with `numpy.column_stack`")),
        _ => Err(refuse("two axes, rows and columns; use `array.reshape(-1, columns)`")),
    }
}
