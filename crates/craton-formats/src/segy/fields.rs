//! Headers with numbers at fixed offsets: defines struct, reader, writer and documentation in one table.

/// Declares a header that is only read. Each row gives the first byte of a field in the numbering of the standard, the field and its type.
macro_rules! fields {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident from byte $first:literal {
            $( $(#[$doc:meta])* $at:literal $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visible struct $name {
            $( $(#[$doc])* #[doc = concat!("\n\nByte ", $at, ".")] pub $field: $kind, )*
        }

        impl $name {
            pub(crate) fn decode(bytes: &[u8], order: crate::ByteOrder) -> Self {
                Self { $( $field: order.read(&bytes[$at - $first..]), )* }
            }

            /// Name of a field with its byte range, for messages.
            pub(crate) fn place(field: &str) -> String {
                let rows = [$( (stringify!($field), $at, size_of::<$kind>()) ),*];
                let (name, at, bytes) =
                    rows.into_iter().find(|row| row.0 == field).expect("callers name fields of this header");
                format!("{} (bytes {at}-{})", name.replace('_', " "), at + bytes - 1)
            }
        }
    };
}

/// Declares a header that is read and written, with rows as in `fields`. Bytes that are not in a row are unchanged when it is written.
macro_rules! header {
    (
        $(#[$about:meta])*
        pub struct $name:ident from byte $first:literal {
            $( $(#[$doc:meta])* $at:literal $field:ident: $kind:ty, )*
        }
    ) => {
        $crate::segy::fields::fields! {
            $(#[$about])*
            #[derive(Eq)]
            pub struct $name from byte $first {
                $( $(#[$doc])* $at $field: $kind, )*
            }
        }

        impl $name {
            pub(crate) fn encode(&self, bytes: &mut [u8], order: crate::ByteOrder) {
                $( order.write(self.$field, &mut bytes[$at - $first..]); )*
            }
        }
    };
}

pub(super) use {fields, header};
