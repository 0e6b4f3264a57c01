//! Pictures of gravity: ten fields of a few point masses on a grid, at scattered points, along a line and down a borehole.

use std::path::Path;

use craton_view::*;

const SIZE: [usize; 2] = [150, 100];
const X: [f64; 2] = [-7500.0, 7400.0];
const Y: [f64; 2] = [-5000.0, 4900.0];
/// Titles, units and SI to unit of the ten fields.
const FIELDS: [(&str, &str, f64); 10] = [
    ("V", "m²/s²", 1.0),
    ("g_e", "mGal", 1e5),
    ("g_n", "mGal", 1e5),
    ("g_u", "mGal", 1e5),
    ("g_ee", "E", 1e9),
    ("g_en", "E", 1e9),
    ("g_eu", "E", 1e9),
    ("g_nn", "E", 1e9),
    ("g_nu", "E", 1e9),
    ("g_uu", "E", 1e9),
];

/// Position \[m\] and excess mass \[kg\] of the bodies.
const MASSES: [[f64; 4]; 3] =
    [[-2500.0, -1000.0, -1800.0, 4e12], [3000.0, 1500.0, -900.0, 8e11], [1200.0, -2600.0, -1200.0, -1.2e12]];

pub fn draw(folder: &Path) -> Result<()> {
    let grid: Vec<[f64; 3]> = (0..SIZE[0] * SIZE[1])
        .map(|i| [X[0] + 100.0 * (i % SIZE[0]) as f64, Y[0] + 100.0 * (i / SIZE[0]) as f64, 0.0])
        .collect();
    draw_grids(&grid, folder)?;
    draw_errors(&grid, folder)?;
    draw_points(folder)?;
    draw_profiles(folder)
}

/// Potential, attraction east, north, up and the tensor of gravity of the masses in the units of `FIELDS`.
fn fields(point: [f64; 3]) -> [f64; 10] {
    const GRAVITATIONAL_CONSTANT: f64 = 6.6743e-11;
    let mut sums = [0.0; 10];
    for [x, y, z, mass] in MASSES {
        let to = [x - point[0], y - point[1], z - point[2]];
        let square = to.iter().map(|d| d * d).sum::<f64>();
        let (distance, strength) = (square.sqrt(), GRAVITATIONAL_CONSTANT * mass);
        sums[0] += strength / distance;
        for axis in 0..3 {
            sums[1 + axis] += strength * to[axis] / distance.powi(3);
        }
        for (sum, [i, j]) in sums[4..].iter_mut().zip([[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]) {
            let trace = if i == j { square } else { 0.0 };
            *sum += strength * (3.0 * to[i] * to[j] - trace) / distance.powi(5);
        }
    }
    std::array::from_fn(|field| sums[field] * FIELDS[field].2)
}

fn component(points: &[[f64; 3]], field: usize) -> Vec<f64> {
    points.iter().map(|&point| fields(point)[field]).collect()
}

fn panel<'a>(field: usize, samples: FieldSamples<'a>) -> FieldPanel<'a> {
    let (title, unit, _) = FIELDS[field];
    FieldPanel { title, unit, samples, colours: FieldColours::default(), place: None }
}

fn draw_grids(grid: &[[f64; 3]], folder: &Path) -> Result<()> {
    let values: Vec<Vec<f64>> = (0..10).map(|field| component(grid, field)).collect();
    let raster = |field: usize| FieldSamples::Grid(Raster { size: SIZE, x: X, y: Y, values: &values[field] });
    let ten: Vec<_> = (0..10).map(|field| panel(field, raster(field))).collect();
    let square = |x: f64, y: f64, half: f64| -> Vec<[f64; 2]> {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]
            .map(|[i, j]| [x + i * half, y + j * half])
            .into()
    };
    let bodies: Vec<_> = MASSES.map(|[x, y, _, _]| square(x, y, 600.0)).into();
    let options = FieldMapOptions { title: "Gravity of three point masses".into(), ..FieldMapOptions::default() };
    field_maps(&ten, &options, folder.join("fields_all.png"))?;
    let options = FieldMapOptions { contours: true, outlines: &bodies, ..options };
    field_maps(&ten[..4], &options, folder.join("fields_four.png"))?;
    field_maps(&ten[3..4], &options, folder.join("fields_one.png"))?;
    let places = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
    let six: Vec<_> = ten[4..].iter().zip(places).map(|(panel, at)| FieldPanel { place: Some(at), ..*panel }).collect();
    let options = FieldMapOptions { title: "Its tensor".into(), ..options };
    field_maps(&six, &options, folder.join("fields_tensor.png"))
}

/// Errors over many powers of ten, and with a range that is given.
fn draw_errors(grid: &[[f64; 3]], folder: &Path) -> Result<()> {
    let exact = component(grid, 3);
    let rough: Vec<f64> = exact.iter().map(|&value| f64::from(value as f32)).collect();
    let errors: Vec<f64> = exact.iter().zip(&rough).map(|(exact, rough)| rough - exact).collect();
    let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let potential: Vec<f64> = component(grid, 0).iter().map(|value| 3.2e3 + value).collect();
    let raster = |values| FieldSamples::Grid(Raster { size: SIZE, x: X, y: Y, values });
    let colours = FieldColours { range: Some([-1e-6, 1e-6]), ..FieldColours::default() };
    let logarithmic = FieldColours { logarithmic: true, ..FieldColours::default() };
    let panels = [
        FieldPanel { title: "Error of g_u in single precision", colours, ..panel(3, raster(&errors)) },
        FieldPanel { title: "Its size", colours: logarithmic, ..panel(3, raster(&sizes)) },
        FieldPanel { title: "V on a large constant", ..panel(0, raster(&potential)) },
    ];
    let options = FieldMapOptions { title: "Errors".into(), ..FieldMapOptions::default() };
    field_maps(&panels, &options, folder.join("fields_errors.png"))
}

fn draw_points(folder: &Path) -> Result<()> {
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let places: Vec<[f64; 2]> = (0..2000).map(|_| [X[0] + 14_900.0 * uniform(), Y[0] + 9_900.0 * uniform()]).collect();
    let points: Vec<[f64; 3]> = places.iter().map(|&[x, y]| [x, y, 0.0]).collect();
    let values: Vec<Vec<f64>> = [0, 3, 9].into_iter().map(|field| component(&points, field)).collect();
    let panels: Vec<_> = [0, 3, 9]
        .into_iter()
        .zip(&values)
        .map(|(field, values)| panel(field, FieldSamples::Points(&places, values)))
        .collect();
    let options = FieldMapOptions { title: "At 2000 stations".into(), ..FieldMapOptions::default() };
    field_maps(&panels, &options, folder.join("fields_points.png"))?;
    field_maps(&panels[1..2], &options, folder.join("fields_points_one.png"))
}

fn draw_profiles(folder: &Path) -> Result<()> {
    let steps: Vec<f64> = (0..300).map(|i| 50.0 * f64::from(i)).collect();
    let line: Vec<[f64; 3]> = steps.iter().map(|s| [X[0] + s, -1000.0, 0.0]).collect();
    let hole: Vec<[f64; 3]> = steps[..60].iter().map(|s| [-1500.0, -1000.0, -s]).collect();
    let draw = |points: &[[f64; 3]], places: &[f64], options: &FieldProfileOptions, name: &str| {
        let values: Vec<Vec<f64>> = (0..10).map(|field| component(points, field)).collect();
        let curves = |fields: &[usize]| -> Vec<ProfileCurve<'_>> {
            fields.iter().map(|&i| ProfileCurve { label: FIELDS[i].0, places, values: &values[i] }).collect()
        };
        let (potential, attraction, tensor) = (curves(&[0]), curves(&[1, 2, 3]), curves(&[4, 7, 9]));
        let panels = [
            ProfilePanel { title: "Potential", unit: "m²/s²", curves: &potential },
            ProfilePanel { title: "Attraction", unit: "mGal", curves: &attraction },
            ProfilePanel { title: "Tensor", unit: "E", curves: &tensor },
        ];
        field_profile(&panels, options, folder.join(name))
    };
    let options = FieldProfileOptions { title: "Across the largest mass".into(), ..FieldProfileOptions::default() };
    draw(&line, &steps, &options, "profile_line.png")?;
    let axis = ProfileAxis::Depth;
    let options = FieldProfileOptions { title: "Next to the largest mass".into(), axis, ..options };
    draw(&hole, &steps[..60], &options, "profile_borehole.png")
}
