//! Grids of small scenarios: boundaries, cells that contain interfaces, and warnings.

use std::path::PathBuf;

use super::materials::Materials;
use super::*;
use crate::config::Method;
use crate::written::Scenario;
use craton_fd::Material;
use craton_physics::Orthorhombic;

/// Cells of 100 m, 20 by 20 by 10.
const SCENARIO: &str = r#"
duration = 0.1
[domain]
x = [-1000.0, 1000.0]
y = [-1000.0, 1000.0]
z = [-1000.0, 0.0]
[model.homogeneous]
vp = 3000.0
vs = 1700.0
rho = 2300.0
[[source]]
position = [0.0, 0.0, -500.0]
moment_tensor = { xx = 1.0e14, yy = 1.0e14, zz = 1.0e14 }
time_function.gaussian = { sigma = 0.1, centre = 0.5 }
[receivers]
stations = [{ code = "XX.A", position = [310.0, -220.0, 0.0] }]
[method.fd]
max_frequency = 1.0
grid_spacing = 100.0
[output]
directory = "results"
"#;

/// Layers from the top down, with the tops of all but the first.
pub fn layers(tops: &[(f64, &str)]) -> String {
    let rock = "vp = 2500.0, vs = 1200.0, rho = 2200.0";
    let water = "vp = 1500.0, vs = 0.0, rho = 1000.0";
    let of = |what: &str| if what == "water" { water } else { rock };
    let layer = |&(top, what): &(f64, &str)| format!("{{ top = {top:?}, {} }}", of(what));
    let all: Vec<String> = tops.iter().map(layer).collect();
    format!("model={{ layered = {{ layers = [{}] }} }}", all.join(", "))
}

pub fn setup(changes: &[&str]) -> Setup {
    setup_in(PathBuf::new(), changes)
}

pub fn setup_in(folder: PathBuf, changes: &[&str]) -> Setup {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    Setup::new(&Scenario::parse("it.toml", SCENARIO, folder, &changes).unwrap()).unwrap()
}

/// A folder with `slope.asc`, a surface from -100 m in the west of the box that falls by `fall` [m] to its east.
pub fn slope(fall: f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row: Vec<String> = (0..5).map(|i| (-100.0 - 0.5 * fall * (f64::from(i) - 0.5)).to_string()).collect();
    let rows = vec![row.join(" "); 5].join("\n");
    let header = "ncols 5\nnrows 5\nxllcenter -2000\nyllcenter -2000\ncellsize 1000\n";
    std::fs::write(folder.path().join("slope.asc"), format!("{header}{rows}\n")).unwrap();
    folder
}

pub fn fd(setup: &Setup) -> &Fd {
    let Method::Fd(fd) = &setup.method else { unreachable!("the method is finite differences") };
    fd
}

fn plan(changes: &[&str]) -> GridPlan {
    let setup = setup(changes);
    GridPlan::new(&setup, fd(&setup))
}

fn warnings(changes: &[&str]) -> String {
    warnings_of(&setup(changes))
}

fn warnings_of(setup: &Setup) -> String {
    GridPlan::new(setup, fd(setup)).warnings(setup, fd(setup)).join("\n")
}

#[test]
fn every_side_has_its_own_absorbing_boundary() {
    let plan = plan(&[
        "method.fd.absorbing={ cpml = { cells = 6 }, x_min = { cpml = { cells = 14, reflection = 1e-5 } }, \
         y_max = { cpml = { cells = 3, inside = true } }, bottom = { paraxial = {} } }",
        "method.fd.sponge={ sides = ['x_min', 'top'], cells = 5, factor = 0.02, top = { cells = 8 }, y_min = { factor = 0.01 } }",
    ]);
    let cells = plan.boundaries.sides.map(|side| match side {
        Side::Layer(layer) => Some(layer.cells),
        _ => None,
    });
    assert_eq!(cells, [Some(14), Some(6), Some(6), Some(3), None, None]);
    assert_eq!(plan.boundaries.sides[4..], [Side::Paraxial, Side::Free]);
    assert!(matches!(plan.boundaries.sides[0], Side::Layer(layer) if layer.reflection == 1e-5));
    assert_eq!(plan.grid.cells, [40, 26, 10]);
    assert_eq!(plan.grid.origin, [-2400.0, -1600.0, -1000.0]);
    assert!(plan.is_in_layer([0.0, 800.0, -500.0]) && !plan.is_in_layer([0.0, 600.0, -500.0]));
    let sponge = |cells, factor| Some(Sponge { cells, factor });
    let expected = [sponge(5, 0.02), None, sponge(5, 0.01), None, None, sponge(8, 0.02)];
    assert_eq!(plan.boundaries.sponges, expected);
}

#[test]
fn settings_without_a_side_apply_to_all_sides() {
    let all = plan(&["method.fd.absorbing={ paraxial = {} }"]).boundaries.sides;
    assert_eq!((&all[..5], all[5]), (&[Side::Paraxial; 5][..], Side::Free));
    let plan = plan(&["method.fd.absorbing.cpml.cells=4"]);
    assert_eq!(plan.around, [[4, 4], [4, 4], [4, 0]]);
}

#[test]
fn the_slowest_wave_in_a_fluid_determines_the_cells() {
    let sea = layers(&[(0.0, "water"), (-400.0, "rock")]);
    let keys = "method={ fd = { max_frequency = 5.0, points_per_wavelength = 8.0 } }";
    // Rock has vs 1200: slower than water.
    assert_eq!(plan(&[&sea, keys]).grid.spacing[0], 2000.0 / (2000.0_f64 / 30.0).ceil());
    let fast = sea.replace("vs = 1200.0", "vs = 1600.0");
    let setup = setup(&[&fast, keys]);
    let plan = GridPlan::new(&setup, fd(&setup));
    assert_eq!(plan.grid.spacing[0], 2000.0 / (2000.0_f64 / 37.5).ceil());
    let resolution = plan.resolution(&setup, fd(&setup));
    assert!((resolution.points_per_wavelength - 1500.0 / 5.0 / plan.grid.spacing[0]).abs() < 1e-9);
    assert_eq!(resolution.centre[2], 0.0, "in the water");
    // Cells are lower than wide, so that the sea bottom is on a face.
    let faces = 600.0 / plan.grid.spacing[2];
    assert!(plan.grid.spacing[2] > 0.8 * plan.grid.spacing[0] && (faces - faces.round()).abs() < 1e-9, "{faces}");
}

#[test]
fn the_worst_sampling_is_where_waves_are_slowest() {
    // A low-velocity zone below a fast lid.
    let table = "model={ depth_table = { rows = [[0, 4000, 2300, 2600], [500, 4000, 2300, 2600], [800, 3000, 1200, 2400], \
                 [1000, 4000, 2300, 2600], [1500, 4000, 2300, 2600]] } }";
    let setup = setup(&[table]);
    let plan = GridPlan::new(&setup, fd(&setup));
    let [x, y, z] = plan.resolution(&setup, fd(&setup)).centre;
    assert!((z + 800.0).abs() < 1.0, "{x} {y} {z}");
}

#[test]
fn a_cell_with_its_centre_in_a_thin_layer_has_the_material_of_the_layer() {
    let setup = setup(&[&layers(&[(0.0, "rock"), (-645.0, "water"), (-655.0, "rock")])]);
    let sill = Materials::new(&setup.model).of_cell([50.0, 50.0, -650.0], [100.0; 3]);
    assert_eq!(sill, Material::from_speeds(1500.0, 0.0, 1000.0));
}

#[test]
fn values_whose_volumes_an_interface_cuts_have_averages_of_layers() {
    let setup = setup(&["model={ layered = { layers = [{ vp = 4000.0, vs = 2000.0, rho = 2600.0 }, \
                         { top = -530.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 }] } }"]);
    let materials = Materials::new(&setup.model);
    let [soft, hard] =
        [[4000.0, 2000.0, 2600.0], [6000.0, 3464.0, 2700.0]].map(|[vp, vs, rho]| Material::from_speeds(vp, vs, rho));
    let layers = |part: f64| {
        let solid = |own: Material| Orthorhombic::isotropic(own.lambda, own.mu);
        Orthorhombic::laminate(2, &[(part, solid(hard)), (1.0 - part, solid(soft))])
    };
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} of {expected}");
    // The interface is 0.7 of a cell above the lower face of its cell, and 0.2 of a cell above the bottom of the volume of the upper face.
    let at = |z: f64| materials.mixture([50.0, 50.0, z], [100.0; 3], [0.5; 3]);
    let cut = at(-550.0).unwrap();
    near(cut.normal.normal[2][2], layers(0.7).normal[2][2]);
    near(cut.normal.normal[0][0], layers(0.7).normal[0][0]);
    near(cut.shear[2], layers(0.7).shear[2]);
    near(cut.shear[0], hard.mu);
    near(cut.rho[0], 0.7 * 2700.0 + 0.3 * 2600.0);
    near(cut.rho[2], 2700.0);
    let above = at(-450.0).unwrap();
    near(above.normal.normal[2][2], soft.lambda + 2.0 * soft.mu);
    near(above.shear[0], layers(0.2).shear[0]);
    near(above.shear[2], soft.mu);
    near(above.rho[2], 0.2 * 2700.0 + 0.8 * 2600.0);
    assert_eq!(at(-350.0), None);
    assert_eq!(at(-750.0), None);
    // At the lower end of the grid, the volumes of faces are those of cells.
    let end = materials.mixture([50.0, 50.0, -550.0], [100.0; 3], [0.0; 3]).unwrap();
    assert_eq!(end.shear, end.normal.shear);
}

#[test]
fn thin_layers_are_averaged_wherever_they_are_and_equal_layers_are_not() {
    let of = |middle: &str| {
        let rock = "vp = 4000.0, vs = 2000.0, rho = 2600.0";
        let model = format!(
            "model={{ layered = {{ layers = [{{ {rock} }}, {{ top = -610.0, {middle} }}, {{ top = -720.0, {rock} }}] }} }}"
        );
        setup(&[&model])
    };
    let at = |setup: &Setup, z: f64| Materials::new(&setup.model).mixture([50.0, 50.0, z], [100.0; 3], [0.5; 3]);
    let thin = of("vp = 6000.0, vs = 3464.0, rho = 2700.0");
    // The layer of 1.1 cells is between the middle of the cell and the bottom of the next one.
    for z in [-550.0, -650.0, -750.0] {
        assert!(at(&thin, z).is_some(), "{z}");
    }
    assert!(at(&thin, -450.0).is_none() && at(&thin, -850.0).is_none());
    assert!(at(&of("vp = 4000.0, vs = 2000.0, rho = 2600.0"), -650.0).is_none());
}

#[test]
fn moved_interfaces_and_thin_layers_are_reported() {
    let sea = |bottom: f64| layers(&[(0.0, "water"), (bottom, "rock")]);
    assert_eq!(warnings(&[&sea(-300.0)]), "");
    let moved = warnings(&[&sea(-270.0)]);
    assert!(moved.contains("at z = -270.000 m") && moved.contains("moves to -300.000 m on the grid"), "{moved}");
    let thin = warnings(&[&sea(-40.0)]);
    assert!(thin.contains("water of 40.000 m is thinner than cells of 100.000 m"), "{thin}");
    let sill = warnings(&[&layers(&[(0.0, "rock"), (-620.0, "water"), (-640.0, "rock")])]);
    assert!(sill.contains("water of 20.000 m"), "{sill}");
}

#[test]
fn unsuitable_sides_and_sponges_are_reported() {
    let sea = layers(&[(0.0, "water"), (-300.0, "rock")]);
    let paraxial = "method.fd.absorbing={ paraxial = {} }";
    assert_eq!(warnings(&[paraxial]), "");
    assert!(
        warnings(&[&sea, paraxial]).contains("instability is possible at x_min"),
        "{}",
        warnings(&[&sea, paraxial])
    );
    let below = "method.fd.absorbing={ bottom = { paraxial = {} } }";
    assert_eq!(warnings(&[&sea, below]), "", "no interface intersects the bottom");
    let thick = warnings(&["method.fd.absorbing={ x_max = { cpml = { cells = 21 } } }"]);
    assert!(thick.contains("the absorbing layer of 21 cells at x_max is thicker than the box with 20 cells. Usually 10 cells are sufficient (method.fd.absorbing)"), "{thick}");
    let sponge = "method.fd.sponge={ sides = ['top'], cells = 3 }";
    assert!(warnings(&[sponge]).contains("XX.A is in the sponge"), "{}", warnings(&[sponge]));
    let wide = warnings(&["method.fd.sponge={ sides = ['top'], cells = 3, bottom = { cells = 17 } }"]);
    assert!(wide.contains("source 1 and 1 more are in the sponge"), "{wide}");
}

#[test]
fn a_receiver_near_the_sea_floor_has_the_medium_of_its_cell() {
    // The cell from -200 to -100 m is rock, although the model has water in its upper part.
    let sea = layers(&[(0.0, "water"), (-110.0, "rock")]);
    let setup = setup(&[&sea]);
    let grid = GridPlan::new(&setup, fd(&setup)).grid;
    let is_fluid = |z: f64| medium_on_grid(&setup.model, &grid, [0.0, 0.0, z]).is_fluid();
    assert_eq!([-120.0, -105.0, -100.0, -95.0, 0.0].map(is_fluid), [false, false, false, true, true]);
    // Conversely, rock in a cell of water.
    let setup = self::setup(&[&layers(&[(0.0, "water"), (-160.0, "rock")])]);
    let is_fluid = |z: f64| medium_on_grid(&setup.model, &grid, [0.0, 0.0, z]).is_fluid();
    assert_eq!([-205.0, -200.0, -195.0, -165.0, -150.0].map(is_fluid), [false, false, true, true, true]);
}

#[test]
fn insufficient_sampling_is_reported_even_if_requested() {
    let warned = |keys: &str| warnings(&[&format!("method={{ fd = {{ max_frequency = 5.0, {keys} }} }}")]);
    let nyquist = warned("order = 2, points_per_wavelength = 2.0");
    assert!(nyquist.contains("resolves only 0.5") && nyquist.contains("with 20.00 points"), "{nyquist}");
    assert!(nyquist.contains("raise method.fd.points_per_wavelength"), "{nyquist}");
    let coarse = warned("grid_spacing = 150.0, points_per_wavelength = 2.0");
    assert!(coarse.contains("lower method.fd.grid_spacing"), "{coarse}");
    // Long stencils, and Holberg stencils within their error bound, require fewer points.
    assert_eq!(warned("order = 16, points_per_wavelength = 4.5"), "");
    let four = "order = 8, points_per_wavelength = 4.0";
    assert!(warned(four).contains("resolves only"), "{}", warned(four));
    assert_eq!(warned(&format!("{four}, holberg = 0.01")), "");
    // The requested number of points may be larger.
    assert!(warned("grid_spacing = 30.0, points_per_wavelength = 20.0").contains("with 20.00 points"));
}

#[test]
fn surfaces_with_a_step_across_periodic_sides_are_reported() {
    let sides = "boundaries={ x_min = 'periodic', x_max = 'periodic' }";
    let [cliff, stair] = [400.0, 90.0].map(|fall| {
        let folder = slope(fall);
        let setup = setup_in(
            folder.path().to_owned(),
            &["domain.topography='slope.asc'", "receivers.snap_to_surface=true", sides],
        );
        warnings_of(&setup)
    });
    assert!(cliff.contains("the ground has a step of 400.000 m between the periodic sides x_max and x_min. Give both sides the same heights"), "{cliff}");
    assert!(!stair.contains("has a step"), "{stair}");
    let across = sides.replace("x_", "y_");
    let folder = slope(400.0);
    let setup = setup_in(
        folder.path().to_owned(),
        &["domain.topography='slope.asc'", "receivers.snap_to_surface=true", &across],
    );
    assert!(!warnings_of(&setup).contains("jumps"), "the surface is level along y");
}

#[test]
fn positions_near_an_interface_stay_on_their_side_of_it() {
    let heights = |setup: &Setup, places: &[[f64; 3]]| -> Vec<(f64, Kind)> {
        let plan = GridPlan::new(setup, fd(setup));
        let medium = plan.medium::<f32>(setup, fd(setup), [1; 3], &PartExchange::solo(1)).unwrap();
        let put = |&place: &[f64; 3]| {
            let z = plan.in_its_kind(&medium, &setup.model, place);
            (z, medium.kind(plan.grid.cell_at([place[0], place[1], z])))
        };
        places.iter().map(put).collect()
    };
    // The sea floor at -270 m is at -300 m on the grid, and the one at -110 m at -100 m.
    let sea = |bottom: f64| setup(&[&layers(&[(0.0, "water"), (bottom, "rock")])]);
    let at = |z: f64| [10.0, 20.0, z];
    let expected = [(-300.0, Kind::Solid), (-269.0, Kind::Fluid)];
    assert_eq!(heights(&sea(-270.0), &[at(-270.0), at(-269.0)]), expected);
    assert_eq!(heights(&sea(-300.0), &[at(-300.0)]), [(-300.0, Kind::Solid)]);
    let (z, kind) = heights(&sea(-110.0), &[at(-105.0)])[0];
    assert!(kind == Kind::Fluid && (z + 100.0).abs() < 1e-3, "{z}");
    // Along a slope, on the sea floor and a metre above it.
    let folder = slope(400.0);
    let water = layers(&[(0.0, "water"), (-1.0, "rock")]).replace("-1.0", "'slope.asc'");
    let setup = setup_in(folder.path().to_owned(), &[&water]);
    let bottom = |i: i32| {
        let x = -950.0 + 64.0 * f64::from(i);
        [x, 33.0, setup.model.regions()[1].top.elevation(x, 33.0)]
    };
    for (above, expected) in [(0.0, Kind::Solid), (1.0, Kind::Fluid)] {
        let places: Vec<[f64; 3]> = (0..30).map(bottom).map(|[x, y, z]| [x, y, z + above]).collect();
        for ([x, _, at], (z, kind)) in places.iter().zip(heights(&setup, &places)) {
            assert!(kind == expected && (z - at).abs() < 100.0, "{x} {at}: {z} {kind:?}");
        }
    }
}

#[test]
fn a_horizontal_interface_in_a_cell_has_its_exact_place() {
    let rock = |top: f64, rho: f64| format!("{{ top = {top:?}, vp = 3000.0, vs = 1700.0, rho = {rho:?} }}");
    let layered = format!("model={{ layered = {{ layers = [{}, {}] }} }}", rock(0.0, 2000.0), rock(-446.0, 2600.0));
    let setup = setup(&[&layered]);
    let found = Materials::new(&setup.model).of_cell([50.0, 50.0, -450.0], [100.0; 3]);
    assert!((found.rho - (0.46 * 2000.0 + 0.54 * 2600.0)).abs() < 1e-9, "{}", found.rho);
    let compliance = (0.46 / 2000.0 + 0.54 / 2600.0) / 1700.0_f64.powi(2);
    assert!((found.mu * compliance - 1.0).abs() < 1e-12, "{}", found.mu);
}

#[test]
fn a_position_on_the_sea_bottom_has_a_place_in_the_water() {
    // The bottom at -270 m is at -300 m on the grid.
    for bottom in [-300.0, -270.0] {
        let setup = setup(&[&layers(&[(0.0, "water"), (bottom, "rock")])]);
        let plan = GridPlan::new(&setup, fd(&setup));
        let medium = plan.medium::<f32>(&setup, fd(&setup), [1; 3], &PartExchange::solo(1)).unwrap();
        let above = |z: f64| plan.above_sea_bottom(&medium, &setup.model, [10.0, 20.0, z]);
        let [x, y, z] = above(bottom).unwrap();
        assert!([x, y] == [10.0, 20.0] && (z - bottom).abs() < 0.01, "{z}");
        assert_eq!(medium.kind(plan.grid.cell_at([x, y, z])), Kind::Fluid);
        assert_eq!([0.0, bottom + 1.0, bottom - 1.0, -900.0].map(above), [None; 4]);
    }
}

#[test]
fn points_have_one_mechanism_where_that_is_accurate() {
    let with = |quality: &str, attenuation: &str, more: &[&str]| {
        let model = format!("model.homogeneous={{ vp = 3000.0, vs = 1700.0, rho = 2300.0, {quality} }}");
        let attenuation = format!("attenuation={{ reference_frequency = 1.0{attenuation} }}");
        let changes: [&str; 3] = [&model, &attenuation, "method.fd.max_frequency=1.0"];
        let plan = plan(&[&changes[..], more].concat());
        let mechanisms = plan.mechanisms.unwrap();
        let numbers = mechanisms.mechanisms.iter().flat_map(|own| own.polynomials.into_iter().flatten());
        assert!(numbers.into_iter().all(f64::is_finite), "{quality} {attenuation}");
        mechanisms.points
    };
    use MemoryPoints::{All, One};
    assert_eq!(with("qp = 120.0, qs = 60.0", "", &[]), One);
    assert_eq!(with("qmu = 31.0", "", &[]), One);
    assert_eq!(with("qkappa = 40.0", "", &[]), One);
    assert_eq!(with("qp = 40.0, qs = 20.0", "", &[]), All);
    assert_eq!(with("qp = 40.0, qs = 20.0", "", &["method.fd.memory='coarse'"]), One);
    assert_eq!(with("qp = 120.0, qs = 60.0", "", &["method.fd.memory='full'"]), All);
    assert_eq!(with("qp = 12.0, qs = 6.0", ", mechanisms = 8", &["method.fd.memory='coarse'"]), All);
    assert_eq!(with("qp = 120.0, qs = 60.0", "", &["method.fd.max_frequency=4.0"]), All);
    for mechanisms in 1..=8 {
        with("qp = 60.0, qs = 30.0", &format!(", mechanisms = {mechanisms}, band = [0.1, 1.0]"), &[]);
    }
    assert!(plan(&[]).mechanisms.is_none());
}

#[test]
fn cells_with_several_media_have_the_losses_of_their_compliance() {
    let rock = |top: f64, vs: f64, q: f64| {
        format!("{{ top = {top:?}, vp = 3000.0, vs = {vs:?}, rho = 2300.0, qkappa = {q:?}, qmu = {q:?} }}")
    };
    let layered =
        format!("model={{ layered = {{ layers = [{}, {}] }} }}", rock(0.0, 1700.0, 40.0), rock(-446.0, 1000.0, 80.0));
    let setup = setup(&[&layered, "attenuation.reference_frequency=1.0"]);
    let materials = Materials::new(&setup.model);
    let [_, shear] = materials.losses_of_cell([50.0, 50.0, -450.0], [100.0; 3]);
    let unrelaxed =
        |loss: f64| setup.model.attenuation().unwrap().coefficients(craton_model::Losses { bulk: loss, shear: loss });
    let compliances = [(1700.0_f64, 0.46, 0.025), (1000.0, 0.54, 0.0125)]
        .map(|(vs, part, loss)| (part / (vs * vs * unrelaxed(loss).unrelaxed[1]), loss));
    let expected = compliances.iter().map(|(own, loss)| own * loss).sum::<f64>()
        / compliances.iter().map(|(own, _)| own).sum::<f64>();
    assert!((shear / expected - 1.0).abs() < 1e-9, "{shear} {expected}");
    assert_eq!(materials.losses_of_cell([50.0, 50.0, 50.0], [100.0; 3]), [0.0; 2]);
}
