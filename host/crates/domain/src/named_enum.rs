//! `named_enum!`: enums with a name for the API, and a number for the store if they have one.

/// Defines an enum with `ALL`, `as_str` and `from_name`; with `: i16` also a number per variant and `from_number`.
#[macro_export]
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant),+
        }

        $crate::named_enum!(@names $name { $($variant => $text),+ });
    };
    ($(#[$meta:meta])* pub enum $name:ident: i16 {
        $($(#[$doc:meta])* $variant:ident = $number:literal => $text:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[repr(i16)]
        pub enum $name {
            $($(#[$doc])* $variant = $number),+
        }

        $crate::named_enum!(@names $name { $($variant => $text),+ });

        impl $name {
            /// The variant with this number in the store.
            pub fn from_number(number: i16) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| *variant as i16 == number)
            }
        }
    };
    (@names $name:ident { $($variant:ident => $text:literal),+ }) => {
        impl $name {
            /// All variants, in the order of their declaration.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name in the API, and in the store if that has no number for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// The variant with exactly this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == name)
            }
        }
    };
}

pub use named_enum;

#[cfg(test)]
mod tests {
    #![expect(unreachable_pub, reason = "the macro defines public enums")]

    named_enum! {
        /// With numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Color: i16 {
            /// Has a gap before it.
            Red = 3 => "red",
            /// First number.
            Blue = 0 => "blue",
        }
    }

    #[test]
    fn names_and_numbers_round_trip() {
        for color in Color::ALL {
            assert_eq!(Color::from_name(color.as_str()), Some(color));
            assert_eq!(Color::from_number(color as i16), Some(color));
        }
        assert_eq!(Color::ALL, [Color::Red, Color::Blue]);
        assert_eq!((Color::from_name("Red"), Color::from_number(1)), (None, None));
    }
}
