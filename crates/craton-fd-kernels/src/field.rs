//! The nine fields and their positions on the staggered grid.

use craton_numerics::staggered::GridPoints;

/// A component of velocity or stress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Velocity along an axis, 0 to 2 [m/s].
    Velocity(usize),
    /// Stress [Pa], 0 to 5 in Voigt order: xx, yy, zz, yz, xz, xy.
    Stress(usize),
}

/// Axes of the stresses in Voigt order.
const AXES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];

impl Field {
    /// All fields: velocities, then stresses.
    pub const ALL: [Self; 9] = [
        Self::Velocity(0),
        Self::Velocity(1),
        Self::Velocity(2),
        Self::Stress(0),
        Self::Stress(1),
        Self::Stress(2),
        Self::Stress(3),
        Self::Stress(4),
        Self::Stress(5),
    ];

    /// The stress component on faces normal to axis `a`, acting along axis `b`.
    pub fn stress(a: usize, b: usize) -> Self {
        Self::Stress(voigt(a, b))
    }

    /// Its name in a checkpoint.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 9] = [
            "state/vx",
            "state/vy",
            "state/vz",
            "state/sxx",
            "state/syy",
            "state/szz",
            "state/syz",
            "state/sxz",
            "state/sxy",
        ];
        NAMES[self.index()]
    }

    /// Whether it is located at whole or half points along x, y, z.
    #[inline(always)]
    pub const fn points(self) -> [GridPoints; 3] {
        let mut points = [GridPoints::Half; 3];
        match self {
            Self::Velocity(component) => points[component] = GridPoints::Whole,
            Self::Stress(index) => {
                let [a, b] = AXES[index];
                if a != b {
                    points[a] = GridPoints::Whole;
                    points[b] = GridPoints::Whole;
                }
            }
        }
        points
    }

    /// Index in [`Self::ALL`].
    #[inline]
    pub fn index(self) -> usize {
        match self {
            Self::Velocity(component) => component,
            Self::Stress(index) => 3 + index,
        }
    }
}

/// Index of a stress component in Voigt order.
pub const fn voigt(a: usize, b: usize) -> usize {
    if a == b { a } else { 6 - a - b }
}
