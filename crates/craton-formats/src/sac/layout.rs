//! Layout of a SAC header: 70 floats, 40 integers, 192 characters.

use crate::ByteOrder;

/// Size of the header [bytes].
pub(super) const HEADER_BYTES: usize = 632;

/// Marks an absent number; as text, an absent text.
pub(super) const ABSENT: f32 = -12345.0;
const ABSENT_TEXT: &str = "-12345";

/// Header version this crate reads and writes.
pub(super) const VERSION: i32 = 6;

pub(super) const EXPECTED_VERSION: &str =
    "6, in either byte order, in a header of 632 bytes; the file is not SAC or was truncated";

const FLOATS: usize = 70;
const INTEGERS: usize = 40;
const INTEGERS_AT: usize = 4 * FLOATS;
const TEXT_AT: usize = INTEGERS_AT + 4 * INTEGERS;
const TEXT_BYTES: usize = HEADER_BYTES - TEXT_AT;

/// Characters of a text field, except for the event name.
const TEXT_WIDTH: usize = 8;

/// Index of a field among the floats.
#[derive(Clone, Copy)]
pub(super) enum Float {
    Delta = 0,
    DepMin = 1,
    DepMax = 2,
    Begin = 5,
    End = 6,
    Origin = 7,
    Pick = 10,
    StationLatitude = 31,
    StationLongitude = 32,
    StationElevation = 33,
    StationDepth = 34,
    EventLatitude = 35,
    EventLongitude = 36,
    EventDepthKm = 38,
    Distance = 50,
    EventAzimuth = 51,
    BackAzimuth = 52,
    Arc = 53,
    DepMean = 56,
    Azimuth = 57,
    Inclination = 58,
}

/// Index of `USER0` among the floats.
pub(super) const USER0: usize = 40;

/// Index of a field among the integers.
#[derive(Clone, Copy)]
pub(super) enum Integer {
    Year = 0,
    DayOfYear = 1,
    Hour = 2,
    Minute = 3,
    Second = 4,
    Millisecond = 5,
    Version = 6,
    SampleCount = 9,
    FileType = 15,
    Quantity = 16,
    ReferenceType = 17,
    IsEven = 35,
    MayOverwrite = 37,
    ComputeDistance = 38,
}

/// Offset of a text field.
#[derive(Clone, Copy)]
pub(super) enum Text {
    Station = 0,
    EventName = 8,
    Location = 24,
    Pick = 48,
    Unit = 136,
    Surface = 144,
    Component = 160,
    Network = 168,
}

impl Text {
    /// Number of characters of the field.
    pub fn width(self) -> usize {
        match self {
            Self::EventName => 2 * TEXT_WIDTH,
            _ => TEXT_WIDTH,
        }
    }
}

/// `IFTYPE`: a time series.
pub(super) const TIME_SERIES: i32 = 1;
/// `IDEP`: unknown; also `IZTYPE`.
pub(super) const UNKNOWN: i32 = 5;
/// `IDEP`: displacement.
pub(super) const DISPLACEMENT: i32 = 6;
/// `IDEP`: velocity.
pub(super) const VELOCITY: i32 = 7;
/// `IDEP`: acceleration.
pub(super) const ACCELERATION: i32 = 8;
/// `IZTYPE`: the reference time is the origin time.
pub(super) const AT_ORIGIN: i32 = 11;

/// The header as stored in the file.
pub(super) struct RawHeader {
    floats: [f32; FLOATS],
    integers: [i32; INTEGERS],
    text: [u8; TEXT_BYTES],
}

impl RawHeader {
    /// Creates a header in which every field is absent.
    pub fn absent() -> Self {
        let mut header =
            Self { floats: [ABSENT; FLOATS], integers: [ABSENT as i32; INTEGERS], text: [b' '; TEXT_BYTES] };
        for field in header.text.chunks_mut(TEXT_WIDTH) {
            field[..ABSENT_TEXT.len()].copy_from_slice(ABSENT_TEXT.as_bytes());
        }
        // The event name is a single text of double width.
        header.text[2 * TEXT_WIDTH..3 * TEXT_WIDTH].fill(b' ');
        header
    }

    /// Parses the header and detects its byte order; `None` if it is not version 6.
    pub fn from_bytes(bytes: &[u8]) -> Option<(Self, ByteOrder)> {
        let order =
            [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| version(bytes, *order) == Some(VERSION))?;
        let word = |index: usize| &bytes[4 * index..4 * index + 4];
        let header = Self {
            floats: std::array::from_fn(|index| order.read(word(index))),
            integers: std::array::from_fn(|index| order.read(word(FLOATS + index))),
            text: std::array::from_fn(|index| bytes[TEXT_AT + index]),
        };
        Some((header, order))
    }

    /// Serialises the header to 632 bytes, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(self.floats.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(self.integers.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(self.text);
        bytes
    }

    pub fn float(&self, field: Float) -> Option<f64> {
        self.float_at(field as usize)
    }

    /// The shortest decimal that rounds to the stored value; `None` if it is absent.
    pub fn float_at(&self, index: usize) -> Option<f64> {
        let value = self.floats[index];
        let shortest = || value.to_string().parse().expect("a printed float is a number");
        (value != ABSENT && value.is_finite()).then(shortest)
    }

    pub fn set_float(&mut self, field: Float, value: Option<f32>) {
        self.set_float_at(field as usize, value);
    }

    pub fn set_float_at(&mut self, index: usize, value: Option<f32>) {
        self.floats[index] = value.unwrap_or(ABSENT);
    }

    pub fn integer(&self, field: Integer) -> i32 {
        self.integers[field as usize]
    }

    pub fn set_integer(&mut self, field: Integer, value: i32) {
        self.integers[field as usize] = value;
    }

    pub fn text(&self, field: Text) -> String {
        let at = field as usize;
        let text = String::from_utf8_lossy(&self.text[at..at + field.width()]);
        let text = text.trim_matches(['\0', ' ']);
        if text == ABSENT_TEXT { String::new() } else { text.to_owned() }
    }

    /// Sets an ASCII text that fits into the field; an empty one means absent.
    pub fn set_text(&mut self, field: Text, text: &str) {
        let text = if text.is_empty() { ABSENT_TEXT } else { text };
        let field = &mut self.text[field as usize..][..field.width()];
        field.fill(b' ');
        field[..text.len()].copy_from_slice(text.as_bytes());
    }

    /// `NPTS`; 0 if the field is absent or negative.
    pub fn sample_count(&self) -> usize {
        usize::try_from(self.integer(Integer::SampleCount)).unwrap_or(0)
    }
}

fn version(bytes: &[u8], order: ByteOrder) -> Option<i32> {
    let at = INTEGERS_AT + 4 * Integer::Version as usize;
    (bytes.len() >= HEADER_BYTES).then(|| order.read(&bytes[at..]))
}

/// The value found in the version word, for error messages.
pub(super) fn version_found(bytes: &[u8]) -> String {
    version(bytes, ByteOrder::Little)
        .map_or_else(|| format!("none, since the file has {} bytes", bytes.len()), |version| version.to_string())
}
