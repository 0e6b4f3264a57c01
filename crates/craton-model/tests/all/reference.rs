//! Reference Earth models agree with published tables, and start a region at each discontinuity.

use std::path::Path;

use craton_formats::table;
use craton_model::{
    Boundaries, DepthRow, EarthModel, EarthTop, Elasticity, Interface, ReferenceEarth, ReferenceOptions,
};

const ALL: [ReferenceEarth; 5] = [
    ReferenceEarth::Prem,
    ReferenceEarth::PremAnisotropic,
    ReferenceEarth::Iasp91,
    ReferenceEarth::Ak135,
    ReferenceEarth::Ak135F,
];

fn reference(earth: ReferenceEarth) -> EarthModel {
    EarthModel::reference(earth, ReferenceOptions::default(), -earth.core_depth()).unwrap()
}

fn rows(text: &str) -> Vec<DepthRow> {
    DepthRow::from_table(&table::parse(text, Path::new("table.txt")).unwrap()).unwrap()
}

/// Largest differences of vp, vs [m/s] and rho [kg/m³] from a table, with each row compared on its side of a boundary.
fn differences(model: &EarthModel, rows: &[DepthRow]) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for (index, row) in rows.iter().enumerate() {
        let is_upper_side = rows.get(index + 1).is_none_or(|next| next.depth == row.depth);
        let inside = if is_upper_side { 1e-3 } else { -1e-3 };
        let region = model.region_at([0.0, 0.0, inside - row.depth]);
        let medium = model.medium(region, [0.0, 0.0, -row.depth]);
        let Elasticity::Isotropic { vp, vs } = *medium.elasticity() else { panic!("{medium:?}") };
        for (worst, difference) in worst.iter_mut().zip([vp - row.vp, vs - row.vs, medium.rho() - row.rho]) {
            *worst = worst.max(difference.abs());
        }
    }
    worst
}

fn tops(model: &EarthModel) -> Vec<f64> {
    model.regions().iter().map(|region| region.top.elevation(0.0, 0.0)).collect()
}

#[test]
fn isotropic_prem_agrees_with_the_table_of_qssp() {
    let rows = rows(include_str!("data/prem_qssp.txt"));
    assert_eq!(rows.len(), 83);
    for boundaries in [Boundaries::Jumps, Boundaries::All] {
        let options = ReferenceOptions { boundaries, ..ReferenceOptions::default() };
        let model = EarthModel::reference(ReferenceEarth::Prem, options, -2_891_000.0).unwrap();
        let worst = differences(&model, &rows);
        // The table is rounded to 1e-6 km/s and g/cm3, and its depths to 1e-4 km; speeds change by up to 5e-3 km/s per km.
        // At a merged boundary the lower side applies to both; the S speeds differ by 0.143 m/s at 771 km.
        let rounding = if boundaries == Boundaries::All { 0.76e-3 } else { 0.15 };
        assert!(worst.iter().all(|difference| *difference < rounding), "{boundaries:?}: {worst:?}");
    }
}

#[test]
fn iasp91_and_ak135_agree_with_the_tables_of_taup() {
    // The table is rounded to 1e-4 km/s and g/cm3.
    let whole = |earth| EarthModel::reference(earth, ReferenceOptions::default(), -6_371_000.0).unwrap();
    let worst = differences(&whole(ReferenceEarth::Iasp91), &rows(include_str!("data/iasp91_tvel.txt")));
    assert!(worst.iter().all(|difference| *difference < 0.0501), "{worst:?}");
    for (earth, table) in [
        (ReferenceEarth::Ak135, include_str!("../../data/ak135.txt")),
        (ReferenceEarth::Ak135F, include_str!("../../data/ak135f.txt")),
    ] {
        let worst = differences(&whole(earth), &rows(table));
        assert!(worst.iter().all(|difference| *difference < 1e-9), "{worst:?}");
    }
}

#[test]
fn the_p_waves_of_ak135_f_lose_energy_by_shear_alone() {
    let table = table::parse(include_str!("../../data/ak135f.txt"), Path::new("table.txt")).unwrap();
    let [vp, vs, qp, qmu] = ["vp_km_s", "vs_km_s", "qp", "qmu"].map(|name| table.require(name).unwrap());
    for row in (0..table.row_count()).filter(|row| qmu[*row] > 0.0) {
        let by_shear = 4.0 / 3.0 * (vs[row] / vp[row]).powi(2) / qmu[row];
        assert!((by_shear * qp[row] - 1.0).abs() < 2e-3, "row {row}: {by_shear} {}", 1.0 / qp[row]);
    }
    let options = ReferenceOptions { attenuated: true, ..ReferenceOptions::default() };
    for earth in [ReferenceEarth::Ak135, ReferenceEarth::Ak135F] {
        let model = EarthModel::reference(earth, options, -6_371_000.0).unwrap();
        for (z, bulk, shear) in
            [(-600e3, 0.0, 1.0 / 170.8), (-4000e3, 1.0 / 57_822.0, 0.0), (-6000e3, 0.0, 1.0 / 85.03)]
        {
            let place = [0.0, 0.0, z];
            let region = model.region_at(place);
            let losses = model.regions()[region].losses.at(place, &model.medium(region, place));
            assert!((losses.bulk - bulk).abs() < 1e-9 && (losses.shear - shear).abs() < 1e-4, "{losses:?}");
        }
    }
}

/// Mass [kg], and moment of inertia divided by mass and the square of the radius.
fn mass_and_inertia(model: &EarthModel) -> [f64; 2] {
    // The radial integral of 4 pi r^2 rho, and of 8/3 pi r^4 rho for the moment of inertia.
    let steps = 637_100;
    let (mut mass, mut inertia) = (0.0, 0.0);
    for step in 0..steps {
        let r = 10.0 * (f64::from(step) + 0.5);
        let place = [0.0, 0.0, r - 6_371_000.0];
        let shell = 4.0 * std::f64::consts::PI * r * r * 10.0 * model.medium(model.region_at(place), place).rho();
        mass += shell;
        inertia += 2.0 / 3.0 * r * r * shell;
    }
    [mass, inertia / (mass * 6_371_000.0_f64.powi(2))]
}

#[test]
fn the_table_of_ak135_f_has_nearly_the_mass_and_inertia_of_the_earth() {
    let model = EarthModel::reference(ReferenceEarth::Ak135F, ReferenceOptions::default(), -6_371_000.0).unwrap();
    let [mass, inertia] = mass_and_inertia(&model);
    assert!((mass / 5.972e24 - 1.0).abs() < 1e-3 && (inertia - 0.3307).abs() < 6e-4, "{mass:e} {inertia}");
}

#[test]
fn the_mass_of_prem_is_that_of_the_earth_and_its_outer_core_is_fluid() {
    let model = EarthModel::reference(ReferenceEarth::Prem, ReferenceOptions::default(), -6_371_000.0).unwrap();
    let fluid: Vec<f64> = (0..model.regions().len())
        .filter(|&region| model.is_fluid(region))
        .map(|region| tops(&model)[region])
        .collect();
    assert_eq!(fluid, [-2.891e6]);
    assert_eq!(model.regions().last().map(|region| region.top.elevation(0.0, 0.0)), Some(-5_149_500.0));
    let [mass, inertia] = mass_and_inertia(&model);
    // Dziewonski & Anderson (1981): 5.974e24 kg and 0.3308 with the ocean, which crust replaces here.
    assert!((mass / 5.974e24 - 1.0).abs() < 1e-3, "{mass:e}");
    assert!((inertia - 0.3308).abs() < 2e-4);
}

#[test]
fn anisotropic_prem_differs_from_isotropic_prem_only_between_moho_and_220_km() {
    let (model, isotropic) = (reference(ReferenceEarth::PremAnisotropic), reference(ReferenceEarth::Prem));
    assert!(model.is_anisotropic() && !isotropic.is_anisotropic());
    assert_eq!(tops(&model), tops(&isotropic));
    for region in 0..model.regions().len() {
        let place = [0.0, 0.0, 0.5 - 1000.0 * [7.0, 20.0, 100.0, 300.0, 500.0, 1500.0][region]];
        let same = model.medium(region, place) == isotropic.medium(region, place);
        assert_eq!(same, region != 2, "region {region}");
    }
}

#[test]
fn anisotropic_prem_has_the_equivalent_isotropic_moduli() {
    // The isotropic version in the paper is linear, an approximation of the Voigt average of the anisotropic version: they differ by up to
    // 1.1 m/s, in the middle.
    let (model, isotropic) = (reference(ReferenceEarth::PremAnisotropic), reference(ReferenceEarth::Prem));
    for depth in [24.4e3, 100e3, 160e3, 220e3] {
        let [ti, iso] = [&model, &isotropic].map(|model| model.medium(2, [0.0, 0.0, -depth]));
        let (lambda, mu) = ti.stiffness().isotropic_average();
        let (vp, vs) = (((lambda + 2.0 * mu) / ti.rho()).sqrt(), (mu / ti.rho()).sqrt());
        let Elasticity::Isotropic { vp: vp_iso, vs: vs_iso } = *iso.elasticity() else { panic!() };
        assert!((vp / vp_iso - 1.0).abs() < 1e-4 && (vs / vs_iso - 1.0).abs() < 3e-4, "{vp} {vp_iso} {vs} {vs_iso}");
        assert_eq!(ti.rho(), iso.rho());
    }
}

#[test]
fn regions_start_at_discontinuities_or_at_all_boundaries() {
    assert_eq!(tops(&reference(ReferenceEarth::Prem)), [0.0, -15e3, -24.4e3, -220e3, -400e3, -670e3]);
    assert_eq!(tops(&reference(ReferenceEarth::Iasp91)), [0.0, -20e3, -35e3, -210e3, -410e3, -660e3]);
    assert_eq!(tops(&reference(ReferenceEarth::Ak135)), [0.0, -20e3, -35e3, -210e3, -410e3, -660e3]);
    assert_eq!(tops(&reference(ReferenceEarth::Ak135F)), [0.0, -10e3, -18e3, -80e3, -410e3, -660e3, -2740e3]);
    let all = ReferenceOptions { boundaries: Boundaries::All, ..ReferenceOptions::default() };
    let tops_of_all = |earth| tops(&EarthModel::reference(earth, all, -2.8e6).unwrap());
    assert_eq!(
        tops_of_all(ReferenceEarth::PremAnisotropic),
        [0.0, -15e3, -24.4e3, -80e3, -220e3, -400e3, -600e3, -670e3, -771e3, -2741e3]
    );
    assert_eq!(
        tops_of_all(ReferenceEarth::Iasp91),
        [0.0, -20e3, -35e3, -120e3, -210e3, -410e3, -660e3, -760e3, -2740e3]
    );
    assert_eq!(tops_of_all(ReferenceEarth::Ak135), [0.0, -20e3, -35e3, -210e3, -410e3, -660e3, -2740e3]);
}

#[test]
fn regions_end_at_the_bottom_of_the_domain() {
    let model = |bottom| EarthModel::reference(ReferenceEarth::Prem, ReferenceOptions::default(), bottom).unwrap();
    assert_eq!(tops(&model(-10e3)), [0.0]);
    assert_eq!(tops(&model(-220e3)), [0.0, -15e3, -24.4e3]);
    assert_eq!(tops(&model(-220.001e3)), [0.0, -15e3, -24.4e3, -220e3]);
}

#[test]
fn without_crust_the_mantle_extends_to_the_surface() {
    let options = ReferenceOptions { top: EarthTop::Mantle, ..ReferenceOptions::default() };
    let surface = |earth| {
        let model = EarthModel::reference(earth, options, -1e6).unwrap();
        assert_eq!(model.regions()[0].top, Interface::Flat(0.0));
        let medium = model.medium(0, [0.0; 3]);
        assert_eq!(model.medium(0, [0.0, 0.0, 5000.0]), medium, "the medium is constant above the surface");
        [medium.fastest(), medium.slowest(), medium.rho()]
    };
    let close = |got: [f64; 3], expected: [f64; 3]| {
        got.iter().zip(expected).for_each(|(g, e)| assert!((g - e).abs() < 1e-9, "{got:?} {expected:?}"));
    };
    close(surface(ReferenceEarth::Prem), [8125.7, 4500.0, 3383.4]);
    close(surface(ReferenceEarth::Iasp91), [8035.88, 4457.646, 3298.56]);
    close(surface(ReferenceEarth::Ak135), [8040.0, 4480.0, 3319.8]);
    close(surface(ReferenceEarth::Ak135F), [8035.5, 4483.9, 3641.0]);
}

#[test]
fn bottoms_beyond_the_centre_or_above_the_surface_are_refused() {
    let refused =
        |earth, bottom| EarthModel::reference(earth, ReferenceOptions::default(), bottom).unwrap_err().to_string();
    assert_eq!(
        refused(ReferenceEarth::Prem, -6.4e6),
        "z of the bottom = -6400000 is not allowed: it must be below 0 m, the surface, and at or above -6371000 m, the centre of PREM; z is negative below the surface"
    );
    for earth in ALL {
        let message = refused(earth, 1000.0);
        assert!(message.contains(earth.name()), "{message}");
        refused(earth, f64::NAN);
        refused(earth, 0.0);
        refused(earth, -6_371_001.0);
    }
}
