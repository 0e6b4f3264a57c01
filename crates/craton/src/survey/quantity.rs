//! Recorded quantities: fields of the grid, names, and header codes.

use craton_fd::acoustic::AcousticField;

use super::config::Quantity;

impl Quantity {
    /// The field of a shot.
    pub fn field(self) -> AcousticField {
        match self {
            Self::Pressure => AcousticField::Pressure,
            Self::VelocityX => AcousticField::Velocity(0),
            Self::VelocityY => AcousticField::Velocity(1),
            Self::VelocityZ => AcousticField::Velocity(2),
        }
    }

    /// Whether it is a velocity, which is sampled at half steps.
    pub fn is_velocity(self) -> bool {
        self != Self::Pressure
    }

    /// Its name in the survey file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pressure => "pressure",
            Self::VelocityX => "velocity_x",
            Self::VelocityY => "velocity_y",
            Self::VelocityZ => "velocity_z",
        }
    }

    /// Its description and unit.
    pub fn in_words(self) -> [&'static str; 2] {
        match self {
            Self::Pressure => ["Pressure", "Pa"],
            Self::VelocityX => ["Velocity towards the east", "m/s"],
            Self::VelocityY => ["Velocity towards the north", "m/s"],
            Self::VelocityZ => ["Velocity upwards", "m/s"],
        }
    }

    /// The unit as in trace headers.
    pub fn unit_code(self) -> i16 {
        if self.is_velocity() { 6 } else { 1 }
    }

    /// Trace identification codes of multicomponent receivers: pressure, vertical, cross-line (here y) and in-line (x)
    /// motion.
    pub fn trace_code(self) -> i16 {
        match self {
            Self::Pressure => 11,
            Self::VelocityZ => 12,
            Self::VelocityY => 13,
            Self::VelocityX => 14,
        }
    }
}
