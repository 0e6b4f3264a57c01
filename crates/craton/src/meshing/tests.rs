//! Meshes of scenarios: their resolution, their slices, their boundaries, and how many elements they have.

use std::path::Path;

use super::*;
use crate::config::Method;
use crate::inputs::{Given, Inputs};
use crate::written::Scenario;

/// Scenarios of all kinds: the examples, and LOH.1 of other rocks.
fn setups() -> Vec<(String, Setup)> {
    let changed = [
        // A slow top on a long gradient, a gradient that ends, a fast lid.
        "model={ depth_table = { rows = [[0, 1500, 800, 2000], [12000, 8000, 4500, 3300]] } }",
        "model={ depth_table = { rows = [[0, 1500, 500, 2000], [1500, 6000, 3464, 2700]] } }",
        "model={ depth_table = { rows = [[0, 8000, 4500, 3300], [60, 6000, 3464, 2700], [120, 4000, 2000, 2400]] } }",
        "method.sem.element_size=300",
        "method.sem.element_size=900",
        "method.sem.doubling=false",
        "method.sem.degree=7",
    ];
    let examples = ["full_space", "half_space", "loh1", "valley", "anisotropic"].map(|name| (name, Vec::new()));
    // A box that is deeper than the example's.
    let deep =
        ["domain.x=[-4e3, 14e3]", "domain.y=[-4e3, 14e3]", "domain.z=[-12e3, 0.0]", "method.sem.max_frequency=2"];
    let changed = changed.map(|change| ("loh1", [change].into_iter().chain(deep).map(str::to_owned).collect()));
    let setup = |(name, changes): (&str, Vec<String>)| {
        (format!("{name} {changes:?}"), setup_of(&format!("examples/{name}/{name}.toml"), &changes))
    };
    examples.into_iter().chain(changed).map(setup).collect()
}

#[test]
fn a_mesh_that_is_too_coarse_is_reported() {
    for (name, mut setup) in setups() {
        let (mesh, quality) = mesh(&setup, |_| Ok(())).unwrap();
        let warning = |setup: &Setup| {
            let points = points_per_wavelength(&mesh, &quality, setup);
            Resolution::new(&mesh, &quality, setup, &points).warning(setup)
        };
        assert_eq!(warning(&setup), None, "{name}");
        let Method::Sem(sem) = &mut setup.method else { panic!("{name} is solved by spectral elements") };
        sem.max_frequency *= 3.0;
        let text = warning(&setup).unwrap();
        assert!(text.contains(", less than method.sem.max_frequency = ") && text.contains("element"), "{name}: {text}");
    }
}

#[test]
fn the_frequency_that_fits_is_that_of_the_planned_mesh() {
    // Meshes of a globe from much coarser to finer ones, whose thin layers determine the elements of the coarse ones.
    let globe =
        |frequency: f64| setup_of("examples/globe/globe.toml", &[format!("method.sem.max_frequency={frequency}")]);
    let planned = |frequency: f64| n_elements(&globe(0.01), &WaveSizes::at(&globe(0.01), frequency)).unwrap() as f64;
    for given in [0.002, 0.01, 0.1] {
        let most = 150_000.0;
        let found = highest_frequency(&globe(given), most, None).unwrap();
        assert!(planned(found) <= most && planned(1.1 * found) > most, "{given}: {found}");
        let known = highest_frequency(&globe(given), most, Some(planned(given))).unwrap();
        assert!(planned(known) <= most && planned(1.1 * known) > most, "{given}: {known}");
    }
    assert_eq!(
        highest_frequency(&setup_of("examples/loh1/loh1.toml", &["method.sem.element_size=300".to_owned()]), 1e6, None),
        None
    );
}

#[test]
fn slices_of_a_scenario_are_parts_of_its_mesh() {
    let changes = ["method.sem.max_frequency=0.008", "method.sem.elements=[32, 32]"].map(str::to_owned);
    let setup = setup_of("examples/bolivia/bolivia.toml", &changes);
    let (whole, quality) = mesh(&setup, |_| Ok(())).unwrap();
    let slices: Vec<MeshSlice> =
        (0..4).map(|index| mesh_slice(&setup, [2, 2], [index % 2, index / 2]).unwrap()).collect();
    assert!(slices.iter().all(|slice| slice.elements_of_whole == whole.n_elements()));
    let mut volume = 0.0;
    let mut count = 0;
    for (part, slice) in slices.iter().enumerate() {
        let is_own = |element: u32| slice.part_of_tile[slice.mesh.tile_of(element) as usize] == part as u32;
        let own: Vec<u32> = (0..slice.mesh.n_elements() as u32).filter(|&element| is_own(element)).collect();
        count += own.len();
        volume += own.iter().map(|&element| slice.quality.elements[element as usize].volume).sum::<f64>();
    }
    assert_eq!(count, whole.n_elements());
    assert!((volume / quality.total_volume() - 1.0).abs() < 1e-12, "{volume}");
    assert!(
        mesh_slice(&setup, [99, 1], [0, 0]).is_err_and(|error| error.to_string().contains("slice [0, 0] of [99, 1]"))
    );
}

fn setup_of(file: &str, changes: &[String]) -> Setup {
    let file = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
    Setup::new(&Scenario::read(Path::new(&file), changes).unwrap()).unwrap()
}

#[test]
fn the_mesh_of_the_global_benchmark_has_its_documented_elements_in_64_equal_slices() {
    let setup = setup_of("benches/globe/bolivia.toml", &[]);
    let counts = |plan: &BoxPlan| Ok((plan.n_elements(), plan.window(plan.slice([8, 8], [3, 6])?).n_elements()));
    assert_eq!(with_plan(&setup, &WaveSizes::new(&setup), counts).unwrap(), (655_360, 10_240));
}

#[test]
fn elements_of_a_chunk_follow_the_discontinuities_of_a_reference_earth() {
    for earth in ["prem", "prem_anisotropic", "iasp91", "ak135", "ak135_f"] {
        let coarse = ["method.sem.max_frequency=0.004", "method.sem.elements=[16, 16]"].map(str::to_owned);
        let changes = [&coarse[..], &[format!("model.earth.name=\"{earth}\""), "domain.chunk.depth=2880e3".to_owned()]];
        let setup = setup_of("examples/bolivia/bolivia.toml", &changes.concat());
        let (mesh, _) = mesh(&setup, |_| Ok(())).unwrap();
        let extents = (0..mesh.n_elements() as u32).map(|element| vertical_extent(&mesh, element, &setup.frame));
        let extents: Vec<[f64; 2]> = extents.collect();
        let tops = setup.model.regions()[1..].iter().map(|region| region.top.elevation(0.0, 0.0));
        let tops: Vec<f64> = tops.collect();
        assert!(tops.iter().any(|top| (-670e3..=-660e3).contains(top)), "{earth}: {tops:?}");
        for top in tops {
            let ends = |end: usize| extents.iter().filter(|extent| (extent[end] - top).abs() < 1e-3).count();
            assert!(ends(0) >= 64 && ends(1) >= 64, "{earth}: {top} m has {} and {} elements", ends(0), ends(1));
            let is_cut = |extent: &&[f64; 2]| extent[0] < top - 1e-3 && extent[1] > top + 1e-3;
            assert_eq!(extents.iter().find(is_cut), None, "{earth}: an element across {top} m");
        }
    }
}

/// A deep uniform box with narrow elements at the top that double below each of these depths.
fn doubled(elements: usize, depths: &str) -> Setup {
    let changes = [
        "domain.z=[-60000, 0]".to_owned(),
        "model={ homogeneous = { vp = 4000, vs = 2000, rho = 2600 } }".to_owned(),
        "method.sem.max_frequency=2".to_owned(),
        format!("method.sem.elements=[{elements}, {elements}]"),
        format!("method.sem.doubling_depths={depths}"),
    ];
    setup_of("examples/loh1/loh1.toml", &changes)
}

#[test]
fn impossible_doublings_are_refused_with_their_depths() {
    let refused = |elements, depths| {
        let error = mesh(&doubled(elements, depths), |_| Ok(())).err().unwrap();
        let hint = miette::Diagnostic::help(&error).unwrap().to_string();
        (error.to_string(), hint)
    };
    let (error, hint) = refused(42, "[1000, 4000]");
    assert!(error.starts_with("method.sem.doubling_depths = [1000, 4000]: the numbers of elements along x and y at the top must be multiples of 8"), "{error}");
    assert_eq!(hint, "set method.sem.elements = [48, 48], or give fewer depths");
    let (error, hint) = refused(8, "[1000]");
    assert!(error.starts_with("method.sem.doubling_depths = [1000]: the numbers of elements along x and y at the top must be multiples of 4"), "{error}");
    assert_eq!(hint, "use more or smaller elements at the top, or fewer or other depths");
}

#[test]
fn layers_inside_the_domain_end_at_its_sides() {
    let distances = |more: &str| {
        let changes = ["method.sem.absorbing.cpml.inside=true".to_owned(), more.to_owned()];
        let setup = setup_of("examples/loh1/loh1.toml", &changes);
        let (domain, _) = mesh(&setup, |_| Ok(())).unwrap();
        let whole = domain.with_pml(setup.elements_across_layers()).unwrap();
        let along = |axis: usize| whole.control_nodes.iter().map(move |node| node[axis]);
        let ends = [setup.x, setup.y, setup.z].into_iter().enumerate().flat_map(|(axis, [low, high])| {
            [along(axis).fold(f64::INFINITY, f64::min) - low, along(axis).fold(f64::NEG_INFINITY, f64::max) - high]
        });
        ends.map(f64::abs).collect::<Vec<f64>>()
    };
    for doubling in [true, false] {
        // An element is 350 to 700 m wide.
        let found = distances(&format!("method.sem.doubling={doubling}"));
        assert!(found.iter().all(|&distance| distance < 200.0), "{found:?}");
    }
    for elements in ["[4, 6]", "[9, 12]"] {
        let found = distances(&format!("method.sem.elements={elements}"));
        assert!(found[..4].iter().all(|&distance| distance < 1.0), "{elements}: {found:?}");
    }
}

#[test]
fn the_lower_bound_of_the_number_of_elements_holds() {
    // Prescribed elements that end wider than the waves allow.
    let wide = ("twice as wide below two depths".to_owned(), doubled(40, "[10, 1000]"));
    for (name, setup) in setups().into_iter().chain([wide]) {
        let mut planned = 0;
        let note = |elements: PlannedElements| {
            planned = elements.all - elements.in_layers;
            Ok(())
        };
        let (mesh, _) = mesh(&setup, note).unwrap();
        assert_eq!(mesh.n_elements(), planned, "{name}");
        let (fewest, elements) = (fewest_elements(&setup), planned as f64);
        assert!((0.02 * elements..0.6 * elements).contains(&fewest), "{name}: {fewest} of {elements}");
    }
}

/// Volume, mass, mean moment of inertia, and the moment about the pole minus that about an axis in the equator, of the mesh of the globe.
fn moments(setup: &Setup, mesh: &HexMesh) -> [f64; 4] {
    /// Parts of an element along its vertical: the slope of the density changes at 600 km, inside elements.
    const SLABS: usize = 4;
    let gll = Gll::new(4).unwrap();
    let n = gll.points.len();
    let pole = setup.frame.axes_at(setup.frame.to_model(0.0, 90.0).unwrap())[2];
    let of_element = |element: u32| -> [f64; 4] {
        let region = usize::from(mesh.region[element as usize]);
        let at = |(slab, point): (usize, usize)| {
            let index = [point % n, point / n % n, point / (n * n)];
            let mut xi = index.map(|i| gll.points[i]);
            xi[2] = (2.0 * slab as f64 + 1.0 + xi[2]) / SLABS as f64 - 1.0;
            let [a, b, c] = mesh.jacobian(element, xi);
            let volume = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            let weight: f64 = index.iter().map(|&i| gll.weights[i]).product::<f64>() * volume / SLABS as f64;
            let position = mesh.position(element, xi);
            let squared: f64 = position.iter().map(|x| x * x).sum();
            let along: f64 = position.iter().zip(pole).map(|(x, p)| x * p).sum();
            let mass = weight * setup.model.medium_in_space(region, position).rho();
            // About the pole s - a^2; about the others, the mean of which is (s + a^2) / 2, where s is the square and a the part along the pole.
            [weight, mass, mass * squared * 2.0 / 3.0, mass * 0.5 * (squared - 3.0 * along * along)]
        };
        let points = (0..SLABS).flat_map(|slab| (0..n * n * n).map(move |point| (slab, point)));
        points.map(at).fold([0.0; 4], |sum, add| std::array::from_fn(|k| sum[k] + add[k]))
    };
    let sums: Vec<[f64; 4]> = (0..mesh.n_elements() as u32).into_par_iter().map(of_element).collect();
    sums.into_iter().fold([0.0; 4], |sum, add| std::array::from_fn(|k| sum[k] + add[k]))
}

/// PREM with coarse elements.
fn coarse_prem(more: &[&str]) -> (Setup, HexMesh) {
    let changes = ["method.sem.max_frequency=0.01", "model.earth.name=\"prem\""];
    let changes: Vec<String> = changes.iter().chain(more).map(|change| (*change).to_owned()).collect();
    let setup = setup_of("examples/globe/globe.toml", &changes);
    let (mesh, _) = mesh(&setup, |_| Ok(())).unwrap();
    (setup, mesh)
}

#[test]
fn an_elliptical_mesh_has_the_moments_of_a_rotating_earth() {
    let (setup, mesh) = coarse_prem(&["domain.globe.ellipticity=true"]);
    let [volume, mass, inertia, difference] = moments(&setup, &mesh);
    let sphere = 4.0 / 3.0 * std::f64::consts::PI * EARTH_RADIUS.powi(3);
    assert!((volume / sphere - 1.0).abs() < 1e-5 && (mass / 5.9733e24 - 1.0).abs() < 1e-3);
    assert!((inertia / 8.02e37 - 1.0).abs() < 1e-3);
    // Hydrostatic equilibrium: (C - A) / (M a^2) = 2/3 (e - m/2), with the flattening e and the ratio m of centrifugal force and gravity at the equator.
    // Terms of second order are neglected, about 1/300.
    let m = 7.292115e-5_f64.powi(2) * EARTH_RADIUS.powi(3) / 3.986004418e14;
    let expected = 2.0 / 3.0 * (1.0 / 299.9 - 0.5 * m);
    let found = difference / (mass * EARTH_RADIUS.powi(2));
    assert!((found / expected - 1.0).abs() < 0.01, "{found:e} {expected:e}");
}

#[test]
fn the_mesh_of_prem_has_its_mass_and_moment_of_inertia() {
    let (setup, mesh) = coarse_prem(&[]);
    let found = moments(&setup, &mesh);
    let gll = Gll::new(4).unwrap();
    let n = gll.points.len();
    // Densities are polynomials between heights that need not be boundaries of regions.
    const PARTS: usize = 400;
    let tops: Vec<f64> = setup.model.regions().iter().map(|region| region.top.elevation(0.0, 0.0)).collect();
    let mut exact = [0.0; 3];
    for (region, top) in tops.iter().enumerate() {
        let height = (top - tops.get(region + 1).copied().unwrap_or(-EARTH_RADIUS)) / PARTS as f64;
        for (part, point) in (0..PARTS).flat_map(|part| (0..n).map(move |point| (part, point))) {
            let z = top - height * (part as f64 + 0.5 * (1.0 + gll.points[point]));
            let r = EARTH_RADIUS + z;
            let shell = 4.0 * std::f64::consts::PI * r * r * 0.5 * gll.weights[point] * height;
            let mass = shell * setup.model.medium(region, [0.0, 0.0, z]).rho();
            exact = [exact[0] + shell, exact[1] + mass, exact[2] + mass * r * r * 2.0 / 3.0];
        }
    }
    assert!((exact[1] / 5.9733e24 - 1.0).abs() < 1e-3 && (exact[2] / 8.02e37 - 1.0).abs() < 1e-3, "{exact:?}");
    for (found, exact) in found.into_iter().zip(exact) {
        assert!((found / exact - 1.0).abs() < 1e-6, "{found:e} {exact:e} {:e}", found / exact - 1.0);
    }
    assert!(found[3].abs() < 1e-6 * found[2], "{found:?}");
}

/// An Earth with a ground, a Moho and ellipticity.
const REAL_EARTH: &str = r#"
title = "Real Earth"
duration = 100.0
[domain]
topography = "ground"
globe = { ellipticity = true, latitudes = "geocentric" }
[model.earth]
name = "prem"
moho = "moho"
[[source]]
longitude = 10.0
latitude = 20.0
depth = 1e5
moment_tensor = { xx = 1e15 }
time_function.gaussian = { sigma = 60.0 }
[receivers]
stations = [{ code = "XX.A", longitude = 180.0, latitude = 0.0 }]
[method.sem]
max_frequency = 0.005
[output]
directory = "results"
"#;

#[test]
fn the_surface_and_the_moho_of_a_globe_follow_their_grids() {
    let degrees = |from: f64, count: usize| (0..count).map(|i| from + 4.0 * i as f64).collect::<Vec<f64>>();
    let (longitudes, latitudes) = (degrees(-178.0, 90), degrees(-88.0, 45));
    let surface = |of: &dyn Fn(f64, f64) -> f64| {
        let at = |&latitude: &f64| {
            longitudes.iter().map(move |&longitude| of(longitude.to_radians(), latitude.to_radians()))
        };
        let values: Vec<f64> = latitudes.iter().flat_map(at).collect();
        Given::surface(longitudes.clone(), latitudes.clone(), values)
    };
    // Smooth at the poles and at the date line.
    let ground = |lon: f64, lat: f64| 3000.0 * lat.cos() * (lon - 1.0).cos() - 1500.0;
    let moho = |lon: f64, lat: f64| 35.0 - 15.0 * lat.sin() + 5.0 * lat.cos() * lon.sin();
    let inputs = Inputs::new().with("ground", surface(&ground)).with("moho", surface(&moho));
    let setup = Setup::new(&Scenario::from_toml(REAL_EARTH, ".", inputs).unwrap()).unwrap();
    let (mesh, _) = mesh(&setup, |_| Ok(())).unwrap();
    let tops = mesh.faces.iter().map(|face| face.element);
    let crust = |element: &u32| setup.model.regions().len() > 1 && mesh.region[*element as usize] == 0;
    let (mut highest, mut deepest) = (0.0_f64, 0.0_f64);
    for element in tops.filter(crust) {
        let at = |zeta: f64| setup.frame.from_space(mesh.position(element, [0.5, -1.0, zeta]));
        let [x, y, z] = at(1.0);
        let [lon, lat] = [x, y].map(|arc| arc / EARTH_RADIUS);
        highest = highest.max((z - ground(lon, lat)).abs());
        let [x, y, z] = at(-1.0);
        let [lon, lat] = [x, y].map(|arc| arc / EARTH_RADIUS);
        deepest = deepest.max((z + 1000.0 * moho(lon, lat)).abs());
    }
    // One element is ten degrees wide; a grid of four degrees is averaged over half of that.
    assert!(highest < 120.0 && deepest < 300.0, "{highest} {deepest}");
    assert!(highest > 0.0 && deepest > 0.0);
}
