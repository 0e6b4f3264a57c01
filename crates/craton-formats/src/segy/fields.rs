//! Headers of numbers at fixed bytes: struct, reader, writer and documentation from one table.

/// Declares a header. Each row gives the first byte of a field as the standard counts, the field and its kind; bytes
/// that no row names are left as they are when the header is written.
macro_rules! header {
    (
        $(#[$about:meta])*
        pub struct $name:ident from byte $first:literal {
            $( $(#[$doc:meta])* $at:literal $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $( $(#[$doc])* #[doc = concat!("\n\nByte ", $at, ".")] pub $field: $kind, )*
        }

        impl $name {
            pub(crate) fn decode(bytes: &[u8], order: crate::ByteOrder) -> Self {
                Self { $( $field: order.read(&bytes[$at - $first..]), )* }
            }

            pub(crate) fn encode(&self, bytes: &mut [u8], order: crate::ByteOrder) {
                $( order.write(self.$field, &mut bytes[$at - $first..]); )*
            }

            /// A field for messages: its name and where it stands.
            pub(crate) fn place(field: &str) -> String {
                let rows = [$( (stringify!($field), $at, size_of::<$kind>()) ),*];
                let (name, at, bytes) =
                    rows.into_iter().find(|row| row.0 == field).expect("callers name fields of this header");
                format!("{} (bytes {at}-{})", name.replace('_', " "), at + bytes - 1)
            }
        }
    };
}

pub(super) use header;
