//! Signs for sources and stations, and names that do not cover each other.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::canvas::Canvas;
use crate::colour::Colour;
use crate::layout::Area;
use crate::pen::{Lettering, Pen, SMALL};

/// Draws a five-pointed star, the sign of a source whose mechanism is not shown.
pub(crate) fn draw_star(canvas: &mut Canvas, centre: [f64; 2], radius: f64) {
    const INNER: f64 = 0.42;
    let corner = |index: u32| {
        let angle = f64::from(index) * std::f64::consts::PI / 5.0;
        let reach = if index.is_multiple_of(2) { radius } else { INNER * radius };
        [centre[0] + reach * angle.sin(), centre[1] - reach * angle.cos()]
    };
    let corners: Vec<[f64; 2]> = (0..10).map(corner).collect();
    canvas.polygon(&corners, Colour::YELLOW, Some(&Pen::new(Colour::INK, 0.9)));
}

/// Draws a triangle, the sign of a station.
pub(crate) fn draw_station(canvas: &mut Canvas, centre: [f64; 2], radius: f64) {
    let [x, y] = centre;
    let half = 1.1 * radius;
    let corners = [[x, y - radius], [x + half, y + FRAC_1_SQRT_2 * radius], [x - half, y + FRAC_1_SQRT_2 * radius]];
    canvas.polygon(&corners, Colour::WHITE, Some(&Pen::new(Colour::INK, 1.0)));
}

/// Names beside points, left out where there is no room.
#[derive(Default)]
pub(crate) struct Names {
    taken: Vec<Area>,
}

impl Names {
    const LETTERING: Lettering = Lettering::new(9.5, Colour::INK).rimmed();

    /// Keeps names away from a sign.
    pub(crate) fn keep_clear(&mut self, centre: [f64; 2], radius: f64) {
        self.taken.push(Area {
            left: centre[0] - radius,
            top: centre[1] - radius,
            right: centre[0] + radius,
            bottom: centre[1] + radius,
        });
    }

    /// Writes a name to the right, left, above or below of a point: the first of them that is free inside `bounds`.
    pub(crate) fn write(&mut self, canvas: &mut Canvas, bounds: &Area, centre: [f64; 2], radius: f64, name: &str) {
        let (width, half) = (Self::LETTERING.width_of(name), 0.55 * Self::LETTERING.size);
        let [x, y] = centre;
        let beside = radius + 4.0;
        let places = [
            [x + beside, y],
            [x - beside - width, y],
            [x - width / 2.0, y - beside - half],
            [x - width / 2.0, y + beside + half],
        ];
        let room =
            places.map(|[left, middle]| Area { left, top: middle - half, right: left + width, bottom: middle + half });
        let free = |area: &&Area| area.is_inside(bounds) && !self.taken.iter().any(|other| other.overlaps(area));
        if let Some(area) = room.iter().find(free).copied() {
            let baseline = area.centre()[1] + SMALL.half_height();
            canvas.text([area.left, baseline], name, &Self::LETTERING);
            self.taken.push(area);
        }
    }
}
