//! Colours of lines and text, and Crameri's perceptually uniform colour maps.

/// A colour, red, green, blue and opacity from 0 to 255.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Colour(pub(crate) [u8; 4]);

impl Colour {
    pub(crate) const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue, 255])
    }

    /// The same colour with an `opacity` from 0 (invisible) to 1.
    pub(crate) fn with_opacity(self, opacity: f64) -> Self {
        let [red, green, blue, _] = self.0;
        Self([red, green, blue, (255.0 * opacity).round() as u8])
    }

    /// Linear interpolation to `other`: this colour for 0, the other for 1; opaque.
    pub(crate) fn towards(self, other: Self, fraction: f64) -> Self {
        let blend = |i: usize| {
            let (from, to) = (f64::from(self.0[i]), f64::from(other.0[i]));
            nearest_byte(from + fraction * (to - from))
        };
        Self::rgb(blend(0), blend(1), blend(2))
    }

    /// The colour scaled in brightness (above 1 is brighter).
    pub(crate) fn lit(self, light: f64) -> Self {
        if light < 1.0 {
            Self::BLACK.towards(self, light.max(0.0))
        } else {
            self.towards(Self::WHITE, (light - 1.0).min(1.0))
        }
    }

    /// Whether white has a better contrast on it than ink.
    pub(crate) fn is_dark(self) -> bool {
        let [red, green, blue, _] = self.0.map(f64::from);
        0.299 * red + 0.587 * green + 0.114 * blue < 115.0
    }

    pub(crate) const WHITE: Self = Self::rgb(255, 255, 255);
    pub(crate) const BLACK: Self = Self::rgb(0, 0, 0);
    /// Text and traces.
    pub(crate) const INK: Self = Self::rgb(26, 28, 31);
    /// Secondary text.
    pub(crate) const SOFT_INK: Self = Self::rgb(95, 101, 110);
    /// Frames and tick marks.
    pub(crate) const FRAME: Self = Self::rgb(158, 164, 172);
    /// Lines of the grid.
    pub(crate) const GRID: Self = Self::rgb(230, 233, 236);
    /// The star of a source.
    pub(crate) const YELLOW: Self = Self::rgb(255, 214, 10);
    /// Traces that are compared with the reference.
    pub(crate) const VERMILION: Self = Self::rgb(213, 94, 0);
    /// Differences.
    pub(crate) const BLUE: Self = Self::rgb(0, 114, 178);
}

/// `value.round() as u8` without a function call, which dominates the time of shaded areas on processors without a rounding instruction.
fn nearest_byte(value: f64) -> u8 {
    let below = value as u8;
    below.saturating_add(u8::from(value - f64::from(below) >= 0.5))
}

/// Distinct colours for up to seven lines, distinguishable for colour-blind readers.
///
/// # Source
/// Okabe and Ito (2008), Color Universal Design; yellow is omitted because it is too pale on white.
const DISTINCT: [Colour; 7] = [
    Colour::rgb(0, 114, 178),
    Colour::rgb(213, 94, 0),
    Colour::rgb(0, 158, 115),
    Colour::rgb(204, 121, 167),
    Colour::rgb(230, 159, 0),
    Colour::rgb(86, 180, 233),
    Colour::rgb(26, 28, 31),
];

/// Colour of line `index` of `count`: distinct colours for a few lines, samples of batlow for many.
pub(crate) fn line_colour(index: usize, count: usize) -> Colour {
    if count <= DISTINCT.len() {
        DISTINCT[index]
    } else {
        // The light end of the map is too pale for a line on white.
        ColourMap::Batlow.at(0.88 * index as f64 / (count - 1) as f64)
    }
}

/// A perceptually uniform colour map.
///
/// # Source
/// Crameri (2018), Scientific colour maps, version 8.0, doi 10.5281/zenodo.8035877.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColourMap {
    /// Dark blue, green, orange, pink: for any sequential quantity.
    #[default]
    Batlow,
    /// Black, red, yellow, pale: sequential.
    Lajolla,
    /// Black, blue, white: sequential.
    Oslo,
    /// Red, pale, blue: diverging; slow to fast in seismic tomography.
    Roma,
    /// Blue, white, red: diverging; for wavefields.
    Vik,
    /// White, grey, black: diverging; for seismic sections. A ramp defined here.
    Grey,
}

impl ColourMap {
    /// Number of colours in each table.
    const COLOURS: usize = 256;

    fn table(self) -> Option<&'static [u8; 3 * Self::COLOURS]> {
        match self {
            Self::Batlow => Some(include_bytes!("../assets/batlow.rgb")),
            Self::Lajolla => Some(include_bytes!("../assets/lajolla.rgb")),
            Self::Oslo => Some(include_bytes!("../assets/oslo.rgb")),
            Self::Roma => Some(include_bytes!("../assets/roma.rgb")),
            Self::Vik => Some(include_bytes!("../assets/vik.rgb")),
            Self::Grey => None,
        }
    }

    /// Whether the map has a neutral middle, so that its range should lie symmetrically about zero.
    pub fn is_diverging(self) -> bool {
        matches!(self, Self::Roma | Self::Vik | Self::Grey)
    }

    /// The colour at `fraction` of the map, clamped to 0 to 1.
    pub(crate) fn at(self, fraction: f64) -> Colour {
        let place = fraction.clamp(0.0, 1.0) * (Self::COLOURS - 1) as f64;
        let below = (place as usize).min(Self::COLOURS - 2);
        self.entry(below).towards(self.entry(below + 1), place - below as f64)
    }

    /// A lighter colour at `fraction` of the map without its dark and pale ends, as a background for lines and symbols.
    pub(crate) fn soft(self, fraction: f64) -> Colour {
        self.at(0.15 + 0.57 * fraction.clamp(0.0, 1.0)).towards(Colour::WHITE, 0.28)
    }

    fn entry(self, index: usize) -> Colour {
        match self.table() {
            Some(table) => Colour::rgb(table[3 * index], table[3 * index + 1], table[3 * index + 2]),
            None => Colour::rgb(255 - index as u8, 255 - index as u8, 255 - index as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: [ColourMap; 5] =
        [ColourMap::Batlow, ColourMap::Lajolla, ColourMap::Oslo, ColourMap::Roma, ColourMap::Vik];

    /// Lightness L* of CIELAB, 0 to 100.
    fn lightness(colour: Colour) -> f64 {
        let linear = |byte: u8| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue, _] = colour.0.map(linear);
        let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        116.0 * luminance.cbrt() - 16.0
    }

    #[test]
    fn sequential_maps_grow_lighter_all_the_way() {
        for map in MAPS.into_iter().filter(|map| !map.is_diverging()) {
            let steps: Vec<f64> = (0..=16).map(|i| lightness(map.at(f64::from(i) / 16.0))).collect();
            assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{map:?} {steps:?}");
        }
    }

    #[test]
    fn diverging_maps_are_lightest_in_the_middle() {
        for map in MAPS.into_iter().filter(|map| map.is_diverging()) {
            let middle = lightness(map.at(0.5));
            assert!(middle > 85.0, "{map:?} {middle}");
            assert!(lightness(map.at(0.0)) < 40.0 && lightness(map.at(1.0)) < 40.0);
        }
    }

    #[test]
    fn grey_darkens_evenly_from_white_to_black() {
        assert_eq!([ColourMap::Grey.at(0.0), ColourMap::Grey.at(1.0)], [Colour::WHITE, Colour::BLACK]);
        let steps: Vec<f64> = (0..8).map(|i| lightness(ColourMap::Grey.at(f64::from(i) / 8.0))).collect();
        // Bytes of sRGB are nearly proportional to lightness.
        assert!(steps.windows(2).all(|pair| (pair[0] - pair[1] - 12.5).abs() < 2.5), "{steps:?}");
    }

    #[test]
    fn bytes_are_rounded_to_the_nearest() {
        let near = |value: f64| [value, value.next_down(), value.next_up()];
        let values = (-600..=600).flat_map(|half| near(0.5 * f64::from(half))).chain([f64::NAN, f64::INFINITY]);
        values.for_each(|value| assert_eq!(nearest_byte(value), value.round() as u8, "{value}"));
    }

    #[test]
    fn maps_hit_their_published_ends() {
        assert_eq!(ColourMap::Batlow.at(0.0), Colour::rgb(1, 25, 89));
        assert_eq!(ColourMap::Batlow.at(1.0), Colour::rgb(250, 204, 250));
        assert_eq!(ColourMap::Vik.at(-3.0), Colour::rgb(0, 18, 97));
        assert_eq!(ColourMap::Roma.at(7.0), Colour::rgb(3, 49, 152));
    }
}
