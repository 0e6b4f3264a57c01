//! Optical fibres: strain along a cable, as distributed acoustic sensing measures it.

use crate::AcquisitionError;
use crate::error::{check, finite, positive};

/// Largest number of channels of a fibre.
const MOST_CHANNELS: f64 = 1e6;

/// Distance along the cable within which two points are one, relative to the length of the cable.
const SAME: f64 = 1e-10;

/// A fibre and its channels.
///
/// A channel records the elongation of the cable within the gauge length around its centre, divided by the gauge length. The elongation of a straight piece is
/// the difference of the displacements of its ends along the piece, so that this average of the strain is exact. Verified by
/// `fibres::a_uniform_strain_has_its_value_along_every_piece`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fibre {
    /// Name.
    pub name: String,
    /// Length over which strain is averaged \[m\].
    pub gauge_length: f64,
    /// Distance between channels along the cable \[m\].
    pub spacing: f64,
    /// Points whose motion is needed: ends of gauge lengths and bends between them, x, y, z \[m\].
    pub points: Vec<[f64; 3]>,
    /// The channels, along the cable.
    pub channels: Vec<FibreChannel>,
}

/// A channel of a fibre.
#[derive(Debug, Clone, PartialEq)]
pub struct FibreChannel {
    /// Distance of the centre from the beginning of the cable \[m\].
    pub distance: f64,
    /// Centre of the gauge length, x, y, z \[m\].
    pub position: [f64; 3],
    /// What the motion of each point contributes to the strain.
    pub terms: Vec<FibreTerm>,
}

/// What the motion of a point contributes to the strain of a channel: the scalar product with a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FibreTerm {
    /// The point, an index of [`Fibre::points`].
    pub point: usize,
    /// The weight \[1/m\].
    pub weight: [f64; 3],
}

impl Fibre {
    /// Places channels along a cable: the first one half a gauge length from its beginning, and as many as fit.
    ///
    /// # Arguments
    /// * `path` – the cable: at least two points that are connected by straight pieces, x, y, z \[m\]
    /// * `gauge_length` – length over which strain is averaged \[m\]
    /// * `spacing` – distance between channels along the cable \[m\]
    /// # Errors
    /// A number that is not finite or not positive, a cable that is shorter than the gauge length, more than a million channels.
    pub fn new(name: &str, path: &[[f64; 3]], gauge_length: f64, spacing: f64) -> Result<Self, AcquisitionError> {
        let named = |what: &str| format!("{what} of fibre {name}");
        positive(&named("gauge length"), gauge_length, "a positive number of m", "give the gauge length in metres")?;
        positive(&named("spacing"), spacing, "a positive number of m", "give the distance of channels in metres")?;
        for value in path.iter().flatten() {
            finite(&named("a coordinate"), *value, "a finite number of m")?;
        }
        let cable = Cable::new(path);
        let tolerance = SAME * cable.length();
        let count = ((cable.length() - gauge_length + tolerance) / spacing).floor() + 1.0;
        let fits = "at least the gauge length";
        check(count >= 1.0, &named("length [m]"), cable.length(), fits, "extend the path, or reduce the gauge length")?;
        check(count <= MOST_CHANNELS, &named("number of channels"), count, "<= 1,000,000", "increase the spacing")?;
        let centres = (0..count as usize).map(|channel| 0.5 * gauge_length + channel as f64 * spacing);
        let gauges: Vec<Vec<f64>> = centres.map(|centre| cable.gauge(centre, gauge_length, tolerance)).collect();
        let mut places: Vec<f64> = gauges.iter().flatten().copied().collect();
        places.sort_by(f64::total_cmp);
        places.dedup_by(|next, place| *next - *place <= tolerance);
        let index_of = |place: &f64| places.partition_point(|known| *known < *place - tolerance);
        let channel = |gauge: &Vec<f64>| {
            let distance = 0.5 * (gauge[0] + gauge[gauge.len() - 1]);
            let points: Vec<usize> = gauge.iter().map(index_of).collect();
            FibreChannel { distance, position: cable.at(distance), terms: terms(&cable, gauge, &points) }
        };
        let channels = gauges.iter().map(channel).collect();
        let points = places.iter().map(|&place| cable.at(place)).collect();
        Ok(Self { name: name.to_owned(), gauge_length, spacing, points, channels })
    }

    /// The same fibre with its points at other positions, by index.
    ///
    /// # Panics
    /// If there are not as many positions as points.
    pub fn with_points(self, points: Vec<[f64; 3]>) -> Self {
        assert_eq!(points.len(), self.points.len(), "a position for each point");
        Self { points, ..self }
    }
}

/// The terms of a gauge length: for each straight piece, the difference along it of the motions of its ends.
fn terms(cable: &Cable, gauge: &[f64], points: &[usize]) -> Vec<FibreTerm> {
    let length = gauge[gauge.len() - 1] - gauge[0];
    let mut terms: Vec<FibreTerm> = Vec::with_capacity(gauge.len());
    let mut add = |point: usize, weight: [f64; 3]| match terms.iter_mut().find(|term| term.point == point) {
        Some(known) => known.weight = std::array::from_fn(|axis| known.weight[axis] + weight[axis]),
        None => terms.push(FibreTerm { point, weight }),
    };
    for (ends, places) in points.windows(2).zip(gauge.windows(2)) {
        let along = cable.direction(0.5 * (places[0] + places[1])).map(|component| component / length);
        add(ends[0], along.map(|component| -component));
        add(ends[1], along);
    }
    terms
}

/// A cable of straight pieces.
struct Cable {
    points: Vec<[f64; 3]>,
    /// Distance of each point from the beginning [m].
    distances: Vec<f64>,
}

impl Cable {
    /// The cable along a path; repeated points count once.
    fn new(path: &[[f64; 3]]) -> Self {
        let (mut points, mut distances): (Vec<[f64; 3]>, Vec<f64>) = (Vec::new(), Vec::new());
        for &point in path {
            let step = points.last().map(|last: &[f64; 3]| norm(difference(point, *last)));
            if step != Some(0.0) {
                distances.push(distances.last().copied().unwrap_or(0.0) + step.unwrap_or(0.0));
                points.push(point);
            }
        }
        Self { points, distances }
    }

    fn length(&self) -> f64 {
        self.distances.last().copied().unwrap_or(0.0)
    }

    /// The ends of a gauge length and the bends between them, as distances from the beginning.
    fn gauge(&self, centre: f64, length: f64, tolerance: f64) -> Vec<f64> {
        let [from, to] = [centre - 0.5 * length, (centre + 0.5 * length).min(self.length())];
        let first = self.distances.partition_point(|&bend| bend <= from + tolerance);
        let bends = self.distances[first..].iter().take_while(|&&bend| bend < to - tolerance);
        std::iter::once(from).chain(bends.copied()).chain(std::iter::once(to)).collect()
    }

    /// The piece that contains a place, as the index of its end.
    fn piece(&self, distance: f64) -> usize {
        self.distances.partition_point(|&end| end < distance).clamp(1, self.points.len() - 1)
    }

    fn at(&self, distance: f64) -> [f64; 3] {
        let end = self.piece(distance);
        let behind = distance - self.distances[end - 1];
        let along = self.direction(distance);
        std::array::from_fn(|axis| self.points[end - 1][axis] + behind * along[axis])
    }

    /// Unit vector along the piece that contains a place.
    fn direction(&self, distance: f64) -> [f64; 3] {
        let end = self.piece(distance);
        let piece = difference(self.points[end], self.points[end - 1]);
        let length = norm(piece);
        piece.map(|component| component / length)
    }
}

fn difference(to: [f64; 3], from: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| to[axis] - from[axis])
}

fn norm(vector: [f64; 3]) -> f64 {
    vector.iter().map(|component| component * component).sum::<f64>().sqrt()
}
