//! Numbers in either byte order.

/// Byte order of a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

impl ByteOrder {
    /// Byte order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };

    /// Reads a number from the first bytes.
    pub(crate) fn read<T: Word>(self, bytes: &[u8]) -> T {
        T::read(self, bytes)
    }

    /// Writes a number to the first bytes.
    pub(crate) fn write<T: Word>(self, value: T, bytes: &mut [u8]) {
        value.write(self, bytes);
    }
}

/// A number of a binary file.
pub(crate) trait Word: Copy {
    fn read(order: ByteOrder, bytes: &[u8]) -> Self;
    fn write(self, order: ByteOrder, bytes: &mut [u8]);
    /// Converts to this type, rounding to the nearest value; integers are truncated.
    fn from_f64(value: f64) -> Self;
    /// Converts to the nearest f64.
    fn to_f64(self) -> f64;
}

macro_rules! words {
    ($($kind:ty),*) => { $(
        impl Word for $kind {
            fn read(order: ByteOrder, bytes: &[u8]) -> Self {
                let word = std::array::from_fn(|index| bytes[index]);
                match order {
                    ByteOrder::Little => Self::from_le_bytes(word),
                    ByteOrder::Big => Self::from_be_bytes(word),
                }
            }

            fn write(self, order: ByteOrder, bytes: &mut [u8]) {
                let word = match order {
                    ByteOrder::Little => self.to_le_bytes(),
                    ByteOrder::Big => self.to_be_bytes(),
                };
                bytes[..word.len()].copy_from_slice(&word);
            }

            fn from_f64(value: f64) -> Self {
                value as $kind
            }

            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )* };
}

words!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
