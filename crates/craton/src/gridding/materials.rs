//! Material of the cells of a grid: averages of the media in them.

use craton_fd::{Material, Mixture};
use craton_model::{EarthModel, Elasticity, Interface, Losses, Region};
use craton_physics::Orthorhombic;

/// Number of samples of the material along each axis of a cell with several media.
const PLACES: usize = 4;
/// Distance [cells] below and above the centre of a cell within which its averages depend on interfaces.
pub const REACH: [f64; 2] = [1.51, 0.51];
/// Places just inside the sides of a cell, relative to its centre [cells].
pub const SIDES: [f64; 2] = [-0.499, 0.499];
/// Places just inside the sides of a cell and of the one below it along an axis, and between them [cells].
pub const CUT: [f64; 3] = [-1.499, -0.5, 0.499];

/// Material of cells, computed once for homogeneous regions: unrelaxed moduli, and losses.
pub struct Materials<'a> {
    pub model: &'a EarthModel,
    /// Whether a mesh defines where the regions are.
    is_in_bodies: bool,
    constant: Vec<Option<Material>>,
    losses: Vec<Option<Losses>>,
}

impl<'a> Materials<'a> {
    pub fn new(model: &'a EarthModel) -> Self {
        let regions = 0..model.regions().len();
        let constant = |region: &usize| model.is_constant(*region);
        let material = |region| constant(&region).then(|| of_medium(model, region, [0.0; 3]));
        let losses = |region| constant(&region).then(|| model.losses(region, [0.0; 3]));
        let is_in_bodies = model.regions().iter().any(|region| matches!(region.top, Interface::Mesh(_)));
        Self {
            model,
            is_in_bodies,
            constant: regions.clone().map(material).collect(),
            losses: regions.map(losses).collect(),
        }
    }

    fn at(&self, position: [f64; 3]) -> Material {
        self.in_region(self.model.region_at(position), position)
    }

    /// The material of a region at a position [m].
    pub fn in_region(&self, region: usize, position: [f64; 3]) -> Material {
        self.constant[region].unwrap_or_else(|| of_medium(self.model, region, position))
    }

    fn losses_at(&self, position: [f64; 3]) -> Losses {
        let region = self.model.region_at(position);
        self.losses[region].unwrap_or_else(|| self.model.losses(region, position))
    }

    /// 1/Qκ and 1/Qμ of a region at a position [m].
    pub fn losses_in(&self, region: usize, position: [f64; 3]) -> [f64; 2] {
        let Losses { bulk, shear } = self.losses[region].unwrap_or_else(|| self.model.losses(region, position));
        [bulk, shear]
    }

    /// Whether a region has the same material and losses at all positions.
    pub fn is_constant(&self, region: usize) -> bool {
        self.constant[region].is_some()
    }

    /// Whether a region is a volume whose grid is much finer than the cells.
    pub fn is_finer_in(&self, region: usize, spacing: [f64; 3]) -> bool {
        is_finer(&self.model.regions()[region], spacing)
    }

    /// Whether the medium at a position is a volume whose grid is much finer than the cells.
    fn is_finer(&self, place: [f64; 3], spacing: [f64; 3]) -> bool {
        is_finer(&self.model.regions()[self.model.region_at(place)], spacing)
    }

    /// The material of a cell; air if its centre is above the ground.
    ///
    /// The average over a cell with an interface or a fine volume: arithmetic for density, harmonic for moduli, over
    /// material of the same kind as the centre. Without other material of this kind, a very thin layer fills the whole
    /// cell. Along vertical lines the interfaces are exact, so that a horizontal interface has its exact place.
    pub fn of_cell(&self, centre: [f64; 3], spacing: [f64; 3]) -> Material {
        if self.is_above_ground(centre) {
            return Material::AIR;
        }
        let pieces = self.pieces(centre, spacing);
        if pieces.is_empty() { self.at(centre) } else { mean(&pieces) }
    }

    /// 1/Qκ and 1/Qμ of a cell: those of the average of [`Self::of_cell`], to first order.
    pub fn losses_of_cell(&self, centre: [f64; 3], spacing: [f64; 3]) -> [f64; 2] {
        if self.is_above_ground(centre) {
            return [0.0; 2];
        }
        let pieces = self.pieces(centre, spacing);
        if pieces.is_empty() {
            let Losses { bulk, shear } = self.losses_at(centre);
            return [bulk, shear];
        }
        let mean = |modulus: fn(&Material) -> f64, loss: fn(&Losses) -> f64| {
            let weights = pieces.iter().map(|piece| piece.length / modulus(&piece.material));
            let lost =
                pieces.iter().zip(weights.clone()).map(|(piece, weight)| weight * loss(&self.losses_at(piece.place)));
            lost.sum::<f64>() / weights.sum::<f64>()
        };
        let shear = if pieces[0].material.mu > 0.0 { mean(|own| own.mu, |losses| losses.shear) } else { 0.0 };
        [mean(bulk_modulus, |losses| losses.bulk), shear]
    }

    /// The pieces of a cell with several media that are of the kind of its centre, fluid or solid; none if it has one medium.
    fn pieces(&self, centre: [f64; 3], spacing: [f64; 3]) -> Vec<Piece> {
        let corners = corners(centre, spacing);
        let has_several = corners.iter().any(|&corner| self.model.region_at(corner) != self.model.region_at(centre));
        if !has_several && !self.is_finer(centre, spacing) {
            return Vec::new();
        }
        let is_fluid = self.at(centre).mu == 0.0;
        let tops = self.tops(centre, spacing);
        let lines = tops.lines(centre, spacing);
        let pieces = lines.iter().flat_map(|line| self.along_line(line, ends(centre, spacing)));
        pieces.filter(|piece| (piece.material.mu == 0.0) == is_fluid).collect()
    }

    /// Averages of the solids in the volumes of the values of a cell; `None` if each volume is in one medium or the cell is not solid.
    ///
    /// # Arguments
    /// * `shift` – distance [cells] from the centre of a cell to that of the volumes of its lower faces along each axis: 0.5, or 0 where the cell
    ///   below is a copy of this one
    pub fn mixture(&self, centre: [f64; 3], spacing: [f64; 3], shift: [f64; 3]) -> Option<Mixture> {
        if self.is_above_ground(centre) || self.at(centre).mu == 0.0 {
            return None;
        }
        if self.is_cut(centre, spacing) {
            let tops = self.tops(centre, spacing);
            // Volumes that differ in height have the same lines.
            let mut known: [Option<Vec<Line>>; 4] = Default::default();
            return mixture(shift, |middle| {
                let place = [0, 1, 2].map(|axis| centre[axis] + middle[axis] * spacing[axis]);
                let number = usize::from(middle[0] < 0.0) + 2 * usize::from(middle[1] < 0.0);
                let lines = known[number].get_or_insert_with(|| tops.lines(place, spacing));
                average(lines.iter().map(|line| self.along_line(line, ends(place, spacing))), PLACES)
            });
        }
        if self.is_finer(centre, spacing) { self.mixture_in_volume(centre, spacing, shift) } else { None }
    }

    /// Whether an interface between different media is in a cell or those below it along any axis, of which the values at its lower faces and edges
    /// have averages.
    fn is_cut(&self, centre: [f64; 3], spacing: [f64; 3]) -> bool {
        let places = |axis: usize| CUT.map(|shift| centre[axis] + shift * spacing[axis]);
        let [x, y, [bottom, _, top]] = [places(0), places(1), places(2)];
        // Regions follow one another upwards, so the lowest and the highest tell whether there are interfaces between them.
        let columns = x.into_iter().flat_map(|x| y.map(move |y| [[x, y, top], [x, y, bottom]]));
        let regions = columns.map(|ends| ends.map(|end| self.model.region_at(end)));
        let (first, last) =
            regions.fold((usize::MAX, 0), |(first, last), [top, bottom]| (first.min(top), last.max(bottom)));
        let solids = || self.constant[first..=last].iter().filter(|own| own.is_none_or(|own| own.mu > 0.0));
        let is_one = || solids().all(|own| own.is_some() && own == solids().next().expect("the same list"));
        first != last && !is_one()
    }

    /// As [`Self::mixture`] in a region that varies inside cells, from the material at the centres of half cells along each axis.
    fn mixture_in_volume(&self, centre: [f64; 3], spacing: [f64; 3], shift: [f64; 3]) -> Option<Mixture> {
        /// Relative difference of shear moduli beyond which averages are orthorhombic.
        const SMALL: f64 = 0.05;
        const HALVES: [f64; 3] = [-0.75, -0.25, 0.25];
        let at = |number: usize| {
            let place = [number % 3, number / 3 % 3, number / 9];
            self.at([0, 1, 2].map(|axis| centre[axis] + HALVES[place[axis]] * spacing[axis]))
        };
        let samples: [Material; 27] = std::array::from_fn(at);
        let greatest = samples.iter().fold(0.0, |most: f64, own| most.max(own.mu));
        let least = samples.iter().filter(|own| own.mu > 0.0).fold(f64::INFINITY, |least: f64, own| least.min(own.mu));
        if greatest - least <= SMALL * greatest {
            return None;
        }
        mixture(shift, |middle| {
            // The halves of the volume along each axis: the upper two of the cell itself, the lower two of the volume of a lower face.
            let first = middle.map(|middle| if middle < 0.0 { 0 } else { 1 });
            let line = |[i, j]: [usize; 2]| {
                let piece = |k: usize| {
                    let material = samples[first[0] + i + 3 * (first[1] + j) + 9 * (first[2] + k)];
                    Piece { length: 1.0, place: middle, material }
                };
                vec![piece(0), piece(1)]
            };
            average([[0, 0], [1, 0], [0, 1], [1, 1]].map(line).into_iter(), 2)
        })
    }

    /// The interfaces around a cell.
    fn tops(&self, centre: [f64; 3], spacing: [f64; 3]) -> Tops<'a> {
        let [x, y, z] =
            [0, 1, 2].map(|axis| [centre[axis] - REACH[0] * spacing[axis], centre[axis] + REACH[1] * spacing[axis]]);
        let top = |region: &'a Region| match &region.top {
            Interface::Grid(grid) => match grid.bounds(x, y) {
                [low, _] if low > z[1] => Top::At(f64::INFINITY),
                [_, high] if high < z[0] => Top::At(f64::NEG_INFINITY),
                _ => Top::Of(&region.top),
            },
            Interface::Flat(z) => Top::At(*z),
            Interface::Mesh(_) => Top::Of(&region.top),
        };
        Tops(self.model.regions().iter().map(top).collect())
    }

    fn is_above_ground(&self, [x, y, z]: [f64; 3]) -> bool {
        z > self.model.surface().elevation(x, y)
    }

    /// The pieces of a vertical line between two heights [m], below the ground.
    fn along_line(&self, Line { place: [x, y], tops }: &Line, [bottom, top]: [f64; 2]) -> Vec<Piece> {
        let top = top.min(tops[0]);
        let mut ends: Vec<f64> = tops.iter().copied().filter(|z| (bottom..top).contains(z)).collect();
        ends.extend([bottom, top]);
        ends.sort_by(f64::total_cmp);
        let mut pieces = Vec::with_capacity(ends.len());
        for ends in ends.windows(2).filter(|ends| ends[1] > ends[0]) {
            let (low, length) = (ends[0], ends[1] - ends[0]);
            let region = self.region_on_line([*x, *y, low + 0.5 * length], tops);
            let count = if self.constant[region].is_some() { 1 } else { PLACES };
            let part = length / count as f64;
            pieces.extend((0..count).map(|n| {
                let place = [*x, *y, low + (n as f64 + 0.5) * part];
                Piece { length: part, place, material: self.in_region(self.region_on_line(place, tops), place) }
            }));
        }
        pieces
    }

    /// The region at a position on a line.
    fn region_on_line(&self, position: [f64; 3], tops: &[f64]) -> usize {
        match self.is_in_bodies {
            true => self.model.region_at(position),
            false => tops[1..].iter().take_while(|top| position[2] <= **top).count(),
        }
    }
}

/// The interfaces that may be in or around a cell, from the surface down.
struct Tops<'a>(Vec<Top<'a>>);

/// An interface around a cell.
enum Top<'a> {
    /// At a height [m]; infinite if the interface is far above or below the cell.
    At(f64),
    /// At a height that depends on the position.
    Of(&'a Interface),
}

/// A vertical line.
struct Line {
    place: [f64; 2],
    /// Elevations of the interfaces from the surface down [m].
    tops: Vec<f64>,
}

impl Tops<'_> {
    /// Vertical lines through a volume, x fastest.
    fn lines(&self, centre: [f64; 3], spacing: [f64; 3]) -> Vec<Line> {
        let part = |digit: usize| (digit as f64 + 0.5) / PLACES as f64 - 0.5;
        let line = |number: usize| {
            let place @ [x, y] =
                [(0, number % PLACES), (1, number / PLACES)].map(|(a, n)| centre[a] + part(n) * spacing[a]);
            let elevation = |top: &Top| match top {
                Top::At(z) => *z,
                Top::Of(interface) => interface.elevation(x, y),
            };
            Line { place, tops: self.0.iter().map(elevation).collect() }
        };
        (0..PLACES * PLACES).map(line).collect()
    }
}

/// Heights of the ends of the lines through a volume [m].
fn ends(centre: [f64; 3], spacing: [f64; 3]) -> [f64; 2] {
    [-0.5, 0.5].map(|side| centre[2] + side * spacing[2])
}

/// A piece of a vertical line in one medium.
#[derive(Clone, Copy)]
struct Piece {
    /// Length [m].
    length: f64,
    /// Its middle [m].
    place: [f64; 3],
    material: Material,
}

/// Whether a region is a volume whose grid is much finer than cells.
pub fn is_finer(region: &Region, spacing: [f64; 3]) -> bool {
    /// Spacing relative to a cell beyond which the centre of the cell is sufficient.
    const CLOSE: f64 = 0.6;
    let craton_model::Material::Volume(volume) = &region.material else { return false };
    volume.axes().iter().zip(spacing).any(|(points, cell)| points.count > 1 && points.spacing < CLOSE * cell)
}

/// The averages over the volumes of the values of a cell.
///
/// # Arguments
/// * `shift` – of [`Materials::mixture`]
/// * `volume` – the average over the volume around a place [cells from the centre]
fn mixture(shift: [f64; 3], mut volume: impl FnMut([f64; 3]) -> Option<(Orthorhombic, f64)>) -> Option<Mixture> {
    let mut lower =
        |axes: &[usize]| volume([0, 1, 2].map(|axis| if axes.contains(&axis) { -shift[axis] } else { 0.0 }));
    let (normal, rho) = lower(&[])?;
    let shear = [[1, 2], [0, 2], [0, 1]].map(|axes| lower(&axes).map_or(normal, |(solid, _)| solid));
    Some(Mixture {
        normal,
        shear: [0, 1, 2].map(|axis| shear[axis].shear[axis]),
        rho: [0, 1, 2].map(|axis| lower(&[axis]).map_or(rho, |(_, rho)| rho)),
    })
}

/// Orthorhombic average and mean density of the solids on vertical lines through a volume; `None` if there are none. Layers along the lines are exact;
/// the averages of the lines form layers along x and y, in either order.
///
/// # Arguments
/// * `lines` – the pieces of each line, x fastest
/// * `places` – number of lines along x, and along y
fn average(lines: impl Iterator<Item = Vec<Piece>>, places: usize) -> Option<(Orthorhombic, f64)> {
    let (mut whole, mut mass) = (0.0, 0.0);
    // Most lines equal the one before.
    let mut last: (Vec<Piece>, Option<(f64, Orthorhombic)>) = (Vec::new(), None);
    let of_line = |line: Vec<Piece>| {
        let solids: Vec<Piece> = line.into_iter().filter(|piece| piece.material.mu > 0.0).collect();
        let length: f64 = solids.iter().map(|piece| piece.length).sum();
        whole += length;
        mass += solids.iter().map(|piece| piece.length * piece.material.rho).sum::<f64>();
        let is_equal = |(a, b): (&Piece, &Piece)| a.length == b.length && a.material == b.material;
        if solids.len() != last.0.len() || !solids.iter().zip(&last.0).all(is_equal) {
            let layers = solids
                .iter()
                .map(|Piece { length, material, .. }| (*length, Orthorhombic::isotropic(material.lambda, material.mu)));
            let layers: Vec<(f64, Orthorhombic)> = layers.collect();
            last = (solids, (length > 0.0).then(|| (length, Orthorhombic::laminate(2, &layers))));
        }
        last.1
    };
    let columns: Vec<Option<(f64, Orthorhombic)>> = lines.map(of_line).collect();
    let stack = |axis: usize, layers: &[Option<(f64, Orthorhombic)>]| {
        let layers: Vec<(f64, Orthorhombic)> = layers.iter().flatten().copied().collect();
        let length: f64 = layers.iter().map(|(part, _)| part).sum();
        (length > 0.0).then(|| (length, Orthorhombic::laminate(axis, &layers)))
    };
    let rows: Vec<_> = columns.chunks_exact(places).map(|row| stack(0, row)).collect();
    let across = |x: usize| columns.iter().skip(x).step_by(places).copied().collect::<Vec<_>>();
    let other_rows: Vec<_> = (0..places).map(|x| stack(1, &across(x))).collect();
    let ((_, one), (_, other)) = (stack(1, &rows)?, stack(0, &other_rows)?);
    Some((one.mean(&other), mass / whole))
}

/// Places just inside the corners of a cell.
fn corners(centre: [f64; 3], spacing: [f64; 3]) -> [[f64; 3]; 8] {
    std::array::from_fn(|number| [0, 1, 2].map(|axis| centre[axis] + SIDES[number >> axis & 1] * spacing[axis]))
}

/// Average of pieces, all solid or all fluid: arithmetic for density, of compliances for moduli.
fn mean(pieces: &[Piece]) -> Material {
    let whole: f64 = pieces.iter().map(|piece| piece.length).sum();
    let sum = |value: &dyn Fn(&Material) -> f64| {
        pieces.iter().map(|Piece { length, material, .. }| length * value(material)).sum::<f64>()
    };
    let mu = whole / sum(&|material| 1.0 / material.mu);
    let kappa = whole / sum(&|material| 1.0 / bulk_modulus(material));
    Material { lambda: kappa - 2.0 / 3.0 * mu, mu, rho: sum(&|material| material.rho) / whole }
}

fn bulk_modulus(material: &Material) -> f64 {
    material.lambda + 2.0 / 3.0 * material.mu
}

/// The unrelaxed medium of a region at a position.
pub fn of_medium(model: &EarthModel, region: usize, position: [f64; 3]) -> Material {
    let medium = model.medium(region, position);
    let own = match *medium.elasticity() {
        Elasticity::Isotropic { vp, vs } => Material::from_speeds(vp, vs, medium.rho()),
        Elasticity::Transverse { .. } | Elasticity::Anisotropic(_) => {
            unreachable!("a checked scenario has isotropic media where finite differences solve it")
        }
    };
    let Some(attenuation) = model.attenuation().filter(|_| model.relaxes(region)) else { return own };
    let [bulk, shear] = attenuation.coefficients(model.losses(region, position)).unrelaxed;
    let (kappa, mu) = (bulk * bulk_modulus(&own), shear * own.mu);
    Material { lambda: kappa - 2.0 / 3.0 * mu, mu, ..own }
}
