//! Parameters of the elastic law, inertia and relaxing moduli at the points of an element.

use craton_mesh::HexMesh;
use craton_model::{
    Attenuation, Coefficients, EarthModel, Elasticity, Losses, MOST_MECHANISMS, Medium, RadialMedia, Relaxing,
    Transverse,
};
use craton_numerics::gll::Gll;
use craton_physics::Love;
use craton_sem_kernels::{MaterialKind, Phase, Relaxation, Rheology};

use crate::elements::Recipe;

/// Parameters of an element, at all points if its material varies, otherwise once.
#[derive(Default)]
pub struct Moduli {
    /// `[point][parameter]` [Pa], in a fluid [m³/kg].
    pub parameters: Vec<f64>,
    /// Density [kg/m³], in a fluid 1/κ [1/Pa], `[point]`.
    pub inertia: Vec<f64>,
    /// Moduli that relax, `[relaxing point][mechanism][λ_l, μ_l]`, or without the point.
    pub relaxing: Vec<f64>,
    /// The last losses, with the relaxation of their element, and their coefficients.
    coefficients: Option<((Relaxation, Losses), Coefficients)>,
    /// Properties of media that depend on height alone, `[point]`.
    radial: Vec<Transverse>,
}

/// What the points of an element have in common.
struct Place<'a> {
    recipe: &'a Recipe<'a>,
    rheology: Rheology,
    region: usize,
    /// The attenuation, if the element has memory variables.
    attenuation: Option<&'a Attenuation>,
}

impl Moduli {
    /// Computes the parameters of an element.
    ///
    /// # Arguments
    /// * `positions` – positions of its points [m], or of any point if the material does not vary
    pub fn fill(&mut self, recipe: &Recipe, rheology: Rheology, element: usize, positions: &[[f64; 3]]) {
        self.parameters.clear();
        self.inertia.clear();
        self.relaxing.clear();
        let region = usize::from(recipe.mesh.region[element]);
        let attenuation = recipe.model.attenuation().filter(|_| rheology.relaxation != Relaxation::None);
        let place = Place { recipe, rheology, region, attenuation: attenuation.map(|shared| &**shared) };
        let varies = positions.len() > 1;
        match recipe.model.radial_media(region).filter(|_| varies && rheology.material != MaterialKind::Anisotropic) {
            Some(media) => self.fill_radial(&place, media, positions),
            None => {
                for (point, &position) in positions.iter().enumerate() {
                    let position = place_of_medium(recipe.model, recipe.mesh, element as u32, position);
                    let medium = recipe.model.medium_in_space(region, position);
                    self.push(&place, &medium, position, varies.then_some(point));
                }
            }
        }
    }

    /// Computes the parameters of media that depend on height alone. The direction of an axis has its own coefficients.
    fn fill_radial(&mut self, place: &Place, media: RadialMedia, positions: &[[f64; 3]]) {
        let mut radial = std::mem::take(&mut self.radial);
        media.properties(positions, &mut radial);
        let losses = place.recipe.model.constant_losses(place.region);
        let coefficients = match place.attenuation {
            None => Some(None),
            Some(_) => losses.map(|losses| Some(self.coefficients(place, losses))),
        };
        for (point, (own, &position)) in radial.iter().zip(positions).enumerate() {
            match (&coefficients, place.rheology.material) {
                (Some(coefficients), MaterialKind::Isotropic | MaterialKind::Fluid) => {
                    self.push_isotropic(place, own, coefficients.as_ref(), point);
                }
                _ => self.push(place, &own.medium(), position, Some(point)),
            }
        }
        self.radial = radial;
    }

    /// [`Self::push`] for an isotropic medium.
    fn push_isotropic(&mut self, place: &Place, own: &Transverse, coefficients: Option<&Coefficients>, point: usize) {
        debug_assert!(own.is_isotropic(), "the rheology of an isotropic medium");
        let &Transverse { vpv: vp, vsv: vs, rho, .. } = own;
        let mut mu = rho * vs * vs;
        let mut kappa = rho * vp * vp - 4.0 / 3.0 * mu;
        if let Some(coefficients) = coefficients {
            let [bulk, shear] = coefficients.unrelaxed;
            (kappa, mu) = (bulk * kappa, shear * mu);
            self.push_relaxing(place, || coefficients.relaxing([kappa, mu]), Some(point));
        }
        match place.rheology.phase() {
            Phase::Solid => {
                self.parameters.extend([kappa - 2.0 / 3.0 * mu, mu]);
                self.inertia.push(rho);
            }
            Phase::Fluid => {
                self.parameters.push(1.0 / rho);
                self.inertia.push(1.0 / kappa);
            }
        }
    }

    /// Appends the parameters, the inertia and the relaxing moduli of a medium.
    ///
    /// # Arguments
    /// * `point` – point of the element, if the material varies
    fn push(&mut self, place: &Place, medium: &Medium, position: [f64; 3], point: Option<usize>) {
        if place.attenuation.is_none() {
            self.push_elastic(place.rheology, medium);
            return;
        }
        let losses = place.recipe.model.losses_in_space(place.region, position, medium);
        let Relaxing { medium, moduli } = self.coefficients(place, losses).of(medium);
        self.push_elastic(place.rheology, &medium);
        self.push_relaxing(place, || moduli, point);
    }

    /// Coefficients of media with some losses.
    fn coefficients(&mut self, place: &Place, losses: Losses) -> Coefficients {
        let key = (place.rheology.relaxation, losses);
        if let Some((known, coefficients)) = &self.coefficients
            && *known == key
        {
            return *coefficients;
        }
        let attenuation = place.attenuation.expect("an element with memory variables");
        let plain = attenuation.coefficients(losses);
        let coefficients = match concentration(place.rheology.relaxation, place.recipe.gll) {
            Some(concentration) => attenuation.concentrated(&plain, concentration),
            None => plain,
        };
        self.coefficients = Some((key, coefficients));
        coefficients
    }

    fn push_elastic(&mut self, rheology: Rheology, medium: &Medium) {
        push_parameters(medium, rheology.material, &mut self.parameters);
        self.inertia.push(match rheology.phase() {
            Phase::Solid => medium.rho(),
            Phase::Fluid => 1.0 / (medium.rho() * medium.fastest().powi(2)),
        });
    }

    /// Appends the relaxing moduli, unless the point has no memory variables.
    fn push_relaxing(
        &mut self,
        place: &Place,
        moduli: impl FnOnce() -> [[f64; 2]; MOST_MECHANISMS],
        point: Option<usize>,
    ) {
        let (relaxation, gll) = (place.rheology.relaxation, place.recipe.gll);
        let along = gll.points.len();
        let indices = |point: usize| [point % along, point / along % along, point / (along * along)];
        if point.is_none_or(|point| relaxation.place(indices(point), along).is_some()) {
            let ratio = weight_ratio(relaxation, gll);
            let moduli = moduli();
            let own = moduli[..relaxation.mechanisms()].iter().flatten();
            self.relaxing.extend(own.map(|modulus| ratio * modulus));
        }
    }
}

/// Concentration of strain at the relaxing points if the other points do not relax, for the bulk and the shear modulus: c (r - 1) of
/// [`craton_model::Attenuation::concentrated`].
///
/// With these values of c, plane waves have the quality factors of their moduli (`attenuation::waves_have_the_speed_and_quality_factor_of_their_moduli`).
fn concentration(relaxation: Relaxation, gll: &Gll) -> Option<[f64; 2]> {
    let c = match relaxation {
        Relaxation::None | Relaxation::Full { .. } => return None,
        Relaxation::Odd { .. } => [1.0, 0.18],
        Relaxation::Inner { .. } => [1.0, 0.43],
    };
    Some(c.map(|c| c * (weight_ratio(relaxation, gll) - 1.0)))
}

/// Quadrature weight of an element over that of its relaxing points.
pub fn weight_ratio(relaxation: Relaxation, gll: &Gll) -> f64 {
    match relaxation {
        Relaxation::None | Relaxation::Full { .. } => 1.0,
        Relaxation::Odd { .. } => {
            let odd: f64 = gll.weights.iter().skip(1).step_by(2).sum();
            (gll.weights.iter().sum::<f64>() / odd).powi(3)
        }
        Relaxation::Inner { .. } => {
            let all = gll.weights.iter().sum::<f64>();
            (all / (all - 2.0 * gll.weights[0])).powi(3)
        }
    }
}

/// The position that decides the medium at a position of an element: its centre where the medium is constant within elements.
///
/// # Arguments
/// * `position` – in a layer around the domain, see [`HexMesh::medium_position`]
pub fn place_of_medium(model: &EarthModel, mesh: &HexMesh, element: u32, position: [f64; 3]) -> [f64; 3] {
    let region = usize::from(mesh.region[element as usize]);
    if model.is_by_element(region) { mesh.position(mesh.parent(element), [0.0; 3]) } else { position }
}

/// The medium at a position of an element, in mesh coordinates.
pub fn medium_in_element(model: &EarthModel, mesh: &HexMesh, element: u32, position: [f64; 3]) -> Medium {
    let region = usize::from(mesh.region[element as usize]);
    model.medium_in_space(region, place_of_medium(model, mesh, element, position))
}

/// Appends the parameters of a medium [Pa], of a fluid [m³/kg].
fn push_parameters(medium: &Medium, material: MaterialKind, parameters: &mut Vec<f64>) {
    match (material, medium.elasticity()) {
        (MaterialKind::Isotropic, Elasticity::Isotropic { vp, vs }) => {
            let mu = medium.rho() * vs * vs;
            parameters.extend([medium.rho() * vp * vp - 2.0 * mu, mu]);
        }
        (MaterialKind::TransverselyIsotropic, Elasticity::Isotropic { vp, vs }) => {
            let mu = medium.rho() * vs * vs;
            parameters.extend(Love::isotropic(medium.rho() * vp * vp - 2.0 * mu, mu).parameters());
        }
        (MaterialKind::TransverselyIsotropic, Elasticity::Transverse { love, .. }) => {
            parameters.extend(love.parameters())
        }
        (MaterialKind::Anisotropic, _) => parameters.extend(medium.stiffness().0),
        (MaterialKind::Fluid, _) => parameters.push(1.0 / medium.rho()),
        (material, medium) => unreachable!("{material:?} cannot represent {medium:?}"),
    }
}
