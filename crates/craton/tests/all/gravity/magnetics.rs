//! Magnetic problems from file to results.

use craton_gravity::{
    Direction, Igrf, Isa, Magnetic, MagneticField, MagneticFields, Magnetisation, Points, Prism, Prisms, Workers, ball,
    magnetic_forward,
};

use super::{Results, assert_close, column, refusal, results, run};

const MAIN: Direction = Direction { inclination: 60.0, declination: -5.0 };
const REMANENT: Direction = Direction { inclination: -30.0, declination: 120.0 };

/// Cells on a lattice with a magnetised block in each of two bodies, above which there is a level grid.
const PROBLEM: &str = r#"
fields = ["tfa", "b_e", "b_n", "b_u", "b_d", "b_length"]
[[body]]
prisms = { rows = [[0.0, 50.0, 0.0, 50.0, -150.0, -100.0, 0.02], [50.0, 100.0, 0.0, 50.0, -150.0, -100.0, 0.06]] }
[[body]]
block = { x = [150.0, 200.0], y = [50.0, 100.0], z = [-150.0, -100.0], density = 2900.0 }
[points.grid]
x = [-150.0, 350.0]
y = [-100.0, 300.0]
spacing = [50.0, 50.0]
z = 40.0
[magnetisation]
field.given = { intensity = 50000.0, inclination = 60.0, declination = -5.0 }
[[magnetisation.body]]
susceptibility_per_density = 1.0
[[magnetisation.body]]
susceptibility = 0.01
remanent = { intensity = 3.0, inclination = -30.0, declination = 120.0 }
[output]
directory = "results"
formats = ["csv"]
pictures = false
"#;

/// The same problem by the library, at the points of the results.
fn expected(results: &Results) -> Magnetic {
    let cell = |west: f64, south: f64| Prism {
        west,
        east: west + 50.0,
        south,
        north: south + 50.0,
        bottom: -150.0,
        top: -100.0,
        density: 1.0,
    };
    let prisms = Prisms::new([cell(0.0, 0.0), cell(50.0, 0.0), cell(150.0, 50.0)]).expect("prisms");
    let main = MAIN.vector().map(|component| 5e-5 * component);
    let induced = Magnetisation::induced(&[0.02, 0.06, 0.01], main).expect("finite");
    let remanent = REMANENT.vector().map(|component| vec![0.0, 0.0, 3.0 * component]);
    let all = induced.plus(&Magnetisation::new(remanent).expect("finite")).expect("three prisms");
    let [x, y, z] = ["x_m", "y_m", "z_m"].map(|name| column(results, name));
    let points = Points::new((0..x.len()).map(|n| [x[n], y[n], z[n]])).expect("points");
    let workers = Workers::new(Some(1)).expect("a thread");
    magnetic_forward(&prisms, &all, &points, MagneticFields::WithGradient, &workers, Isa::detect()).expect("fields")
}

/// Compares columns in nT, relative to the largest value.
fn assert_match(found: &[f64], expected: &[f64], tolerance: f64, name: &str) {
    let largest = expected.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - 1e9 * expected).abs() <= tolerance * 1e9 * largest, "{name}: {found}, not {expected} T");
    }
}

#[test]
fn every_method_gives_the_fields_of_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, tolerance) in [("direct", 1e-9), ("tree", 3e-5), ("convolution", 3e-5)] {
        let path = format!("method.path='{path}'");
        run(folder.path(), PROBLEM, &[&path, "method.accuracy=1e-5", "compute.device='cpu'"]);
        let found = results(folder.path());
        let exact = expected(&found);
        let [e, n, u] = MagneticField::FLUX_DENSITY.map(|field| exact.get(field).expect("a component"));
        for (name, values) in [("b_e_nt", e), ("b_n_nt", n), ("b_u_nt", u)] {
            assert_match(&column(&found, name), values, tolerance, name);
        }
        assert_match(&column(&found, "tfa_nt"), &exact.total_field_anomaly(MAIN.vector()), tolerance, "tfa");
        let (up, down, length) = (column(&found, "b_u_nt"), column(&found, "b_d_nt"), column(&found, "b_length_nt"));
        assert!(up.iter().zip(&down).all(|(up, down)| *up == -down) && length.iter().all(|length| *length > 0.0));
    }
}

#[test]
fn gradients_are_those_of_the_library_and_of_the_anomaly() {
    let folder = tempfile::tempdir().expect("a folder");
    let fields =
        "fields=['tfa', 'tfa_e', 'tfa_n', 'tfa_u', 'tfa_gradient', 'b_ee', 'b_en', 'b_eu', 'b_nn', 'b_nu', 'b_uu']";
    run(folder.path(), PROBLEM, &[fields, "method.accuracy=1e-5"]);
    let found = results(folder.path());
    let exact = expected(&found);
    for (name, field) in [
        ("b_ee_nt_per_m", MagneticField::EastEast),
        ("b_en_nt_per_m", MagneticField::EastNorth),
        ("b_eu_nt_per_m", MagneticField::EastUp),
        ("b_nn_nt_per_m", MagneticField::NorthNorth),
        ("b_nu_nt_per_m", MagneticField::NorthUp),
        ("b_uu_nt_per_m", MagneticField::UpUp),
    ] {
        assert_match(&column(&found, name), exact.get(field).expect("the gradient"), 1e-12, name);
    }
    assert_match(&column(&found, "tfa_nt"), &exact.total_field_anomaly(MAIN.vector()), 1e-9, "tfa");
    // Between points 50 m apart, the mean of the slopes is the difference, within the curvature.
    let (tfa, slope) = (column(&found, "tfa_nt"), column(&found, "tfa_e_nt_per_m"));
    let differences: Vec<[f64; 2]> =
        (0..10).map(|n| [(tfa[n + 1] - tfa[n]) / 50.0, 0.5 * (slope[n] + slope[n + 1])]).collect();
    let largest = differences.iter().fold(0.0_f64, |most, [value, _]| most.max(value.abs()));
    assert!(differences.iter().all(|[a, b]| (a - b).abs() < 0.15 * largest), "{differences:?}");
    let [e, n, u, all] =
        ["tfa_e", "tfa_n", "tfa_u", "tfa_gradient"].map(|name| column(&found, &format!("{name}_nt_per_m"))[7]);
    assert_close(all, e.hypot(n).hypot(u), 1e-12);
}

#[test]
fn the_main_field_of_igrf_induces_and_si_units_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let igrf = "magnetisation.field={igrf={date='2022-07-02', longitude=19.9, latitude=50.1, height=200.0}}";
    run(folder.path(), PROBLEM, &[igrf, "output.units='si'", "magnetisation.body[1]={susceptibility=0.01}"]);
    let field = Igrf::get().field(2022.0 + 182.0 / 365.0, 19.9, 50.1, 200.0).expect("a date");
    let intensity = field.into_iter().fold(0.0, f64::hypot);
    let found = results(folder.path());
    let given = Direction::of(field);
    let given = format!(
        "magnetisation.field={{given={{intensity={}, inclination={}, declination={}}}}}",
        1e9 * intensity,
        given.inclination,
        given.declination
    );
    let igrf = column(&found, "tfa_t");
    run(folder.path(), PROBLEM, &[&given, "output.units='si'", "magnetisation.body[1]={susceptibility=0.01}"]);
    let given = column(&results(folder.path()), "tfa_t");
    let largest = igrf.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(largest > 1e-9 && igrf.iter().zip(&given).all(|(a, b)| (a - b).abs() < 1e-9 * largest));
}

#[test]
fn remanence_of_each_prism_comes_from_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.csv"), "m_e,m_n,m_u\n1.0,0.0,-2.0\n0.0,0.5,1.5\n").expect("written");
    let bodies = "magnetisation.body=[{vectors='m.csv'}, {}]";
    run(folder.path(), PROBLEM, &[bodies]);
    let table = column(&results(folder.path()), "b_u_nt");
    let one = |m: &str| {
        run(folder.path(), PROBLEM, &[&format!("magnetisation.body=[{m}, {{}}]")]);
        column(&results(folder.path()), "b_u_nt")
    };
    std::fs::write(folder.path().join("m.csv"), "m_e,m_n,m_u\n1.0,0.0,-2.0\n0,0,0\n").expect("written");
    let first = one("{vectors='m.csv'}");
    std::fs::write(folder.path().join("m.csv"), "m_e,m_n,m_u\n0,0,0\n0.0,0.5,1.5\n").expect("written");
    let second = one("{vectors='m.csv'}");
    let largest = table.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(table.iter().zip(first.iter().zip(&second)).all(|(all, (a, b))| (all - a - b).abs() < 1e-9 * largest));
    std::fs::write(folder.path().join("m.csv"), "m_e,m_n,m_u\n1.0,0.0,-2.0\n").expect("written");
    let message = refused(folder.path(), &PROBLEM.replace("susceptibility_per_density = 1.0", "vectors = \"m.csv\""));
    assert!(message.contains("m.csv") && message.contains("has 1 rows for 2 prisms"), "{message}");
}

fn refused(folder: &std::path::Path, problem: &str) -> String {
    let file = folder.join("wrong.toml");
    std::fs::write(&file, problem).expect("written");
    refusal(&file)
}

#[test]
fn mistakes_in_magnetic_problems_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let given = "field.given = { intensity = 50000.0, inclination = 60.0, declination = -5.0 }";
    let igrf = |date: &str| format!("field.igrf = {{ date = \"{date}\", longitude = 19.9, latitude = 50.1 }}");
    for (right, wrong, expected) in [
        ("\"tfa\", ", "\"g_d\", \"tfa\", ", "is a field of gravity, but the problem has a table [magnetisation]"),
        (
            "[[magnetisation.body]]\nsusceptibility = 0.01",
            "[[magnetisation.body]]\n[[magnetisation.body]]\nsusceptibility = 0.01",
            "has 3 items for 2 bodies",
        ),
        (given, &igrf("2022-02-30"), "is not a date"),
        (given, &igrf("2035-01-01"), "is outside the years of IGRF-14"),
        ("inclination = 60.0", "inclination = 95.0", "inclination"),
        (
            "susceptibility = 0.01\nremanent = { intensity = 3.0, inclination = -30.0, declination = 120.0 }",
            "susceptibilty = 0.01",
            "susceptibilty",
        ),
    ] {
        assert!(PROBLEM.contains(right), "{right}");
        let message = refused(folder.path(), &PROBLEM.replacen(right, wrong, 1));
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let start = PROBLEM.find("[magnetisation]").expect("the table");
    let end = PROBLEM.find("[output]").expect("the table");
    let without = format!("{}{}", &PROBLEM[..start], &PROBLEM[end..]);
    let message = refused(folder.path(), &without);
    assert!(message.contains("is a magnetic field, but the problem has no table [magnetisation]"), "{message}");
    let nothing = PROBLEM.replace("susceptibility_per_density = 1.0", "").replace("susceptibility = 0.01", "");
    let nothing = nothing.replace("remanent = { intensity = 3.0, inclination = -30.0, declination = 120.0 }", "");
    assert!(refused(folder.path(), &nothing).contains("magnetises no prism"));
}

/// A magnetised ball of some thousand cells below a grid of points.
fn of_ball(fields: &str) -> String {
    let points = PROBLEM.find("[points.grid]").expect("points");
    let of_bodies = PROBLEM.find("[[magnetisation.body]]").expect("a magnetisation");
    let output = PROBLEM.find("[output]").expect("the output");
    format!(
        "fields = {fields}\n[[body]]\nball = {{ centre = [100.0, 100.0, -150.0], radius = 100.0, cell = 10.0, density = 1.0 }}\n{}\
         [[magnetisation.body]]\nsusceptibility = 0.05\nremanent = {{ intensity = 3.0, inclination = -30.0, declination = 120.0 }}\n{}",
        &PROBLEM[points..of_bodies],
        &PROBLEM[output..]
    )
}

/// The fields of the ball by direct sums of the library, at the points of the results.
fn fields_of_ball(results: &Results) -> Magnetic {
    let prisms = Prisms::new(ball([100.0, 100.0, -150.0], 100.0, 10.0, 1.0)).expect("prisms");
    assert!(prisms.len() > 4000);
    let induced = Magnetisation::induced(&vec![0.05; prisms.len()], MAIN.vector().map(|component| 5e-5 * component));
    let remanent = Magnetisation::new(REMANENT.vector().map(|component| vec![3.0 * component; prisms.len()]));
    let all = induced.expect("finite").plus(&remanent.expect("finite")).expect("equal numbers");
    let [x, y, z] = ["x_m", "y_m", "z_m"].map(|name| column(results, name));
    let points = Points::new((0..x.len()).map(|n| [x[n], y[n], z[n]])).expect("points");
    let workers = Workers::new(Some(2)).expect("two threads");
    magnetic_forward(&prisms, &all, &points, MagneticFields::WithGradient, &workers, Isa::detect()).expect("fields")
}

/// B and its gradient.
const ALL: &str = "[\"b_e\", \"b_n\", \"b_u\", \"b_ee\", \"b_en\", \"b_eu\", \"b_nn\", \"b_nu\", \"b_uu\"]";

/// The largest errors of B and of its gradient in results with [`ALL`], relative to the largest values.
fn largest_errors(found: &Results, exact: &Magnetic) -> [f64; 2] {
    let names = ["b_e", "b_n", "b_u", "b_ee", "b_en", "b_eu", "b_nn", "b_nu", "b_uu"];
    let pairs: Vec<(Vec<f64>, &[f64])> = names
        .into_iter()
        .zip(MagneticField::ALL)
        .map(|(name, field)| {
            let unit = if field.is_gradient() { "nt_per_m" } else { "nt" };
            (column(found, &format!("{name}_{unit}")), exact.get(field).expect("a component"))
        })
        .collect();
    let weights = [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.0];
    [0..3, 3..9].map(|kind| {
        // Largest norm over all points of the difference, or of the exact field.
        let largest = |is_difference: bool| {
            let square = |point: usize| {
                let of = |component: usize| {
                    let (found, exact) = &pairs[component];
                    let value = if is_difference { found[point] } else { 0.0 } - 1e9 * exact[point];
                    weights[component] * value.powi(2)
                };
                kind.clone().map(of).sum::<f64>()
            };
            (0..pairs[0].1.len()).map(square).fold(0.0, f64::max).sqrt()
        };
        largest(true) / largest(false)
    })
}

#[test]
fn gradients_by_a_tree_and_a_convolution_keep_their_accuracy() {
    let folder = tempfile::tempdir().expect("a folder");
    let problem = of_ball(ALL);
    for (path, description, least) in [
        ("tree", "tree of dipoles, accuracy 1e-5 of the largest values: B to ", 1e-10),
        (
            "convolution",
            "convolution of 20 layers of 20 x 20 cells: nine digits for each cell and point, round-off below ",
            0.0,
        ),
    ] {
        run(
            folder.path(),
            &problem,
            &[&format!("method.path='{path}'"), "method.accuracy=1e-5", "compute.device='cpu'"],
        );
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        assert!(record.contains(description), "{record}");
        let found = results(folder.path());
        let errors = largest_errors(&found, &fields_of_ball(&found));
        // Expansions of a tree replace prisms: its error is not that of round-off.
        let allowed = if path == "tree" { 1e-5 } else { 1e-9 };
        assert!(errors.iter().all(|&error| error < allowed && error > least), "{path}: {errors:?}");
    }
}

#[test]
fn gradients_of_several_directions_are_those_of_the_library_by_convolution() {
    let folder = tempfile::tempdir().expect("a folder");
    let changes =
        [&format!("fields={ALL}"), "method.path='convolution'", "method.accuracy=1e-5", "compute.device='cpu'"];
    run(folder.path(), PROBLEM, &changes);
    let found = results(folder.path());
    let errors = largest_errors(&found, &expected(&found));
    assert!(errors.iter().all(|&error| error < 1e-9), "{errors:?}");
    // Points on the tops of the cells: faces, edges and corners.
    let changes =
        [&changes[..], &["points.grid={x=[-50.0, 250.0], y=[-50.0, 150.0], spacing=[25.0, 25.0], z=-100.0}"]].concat();
    run(folder.path(), PROBLEM, &changes);
    let convolved = results(folder.path());
    run(folder.path(), PROBLEM, &[&changes[..], &["method.path='direct'"]].concat());
    let direct = results(folder.path());
    for name in ["b_e_nt", "b_u_nt", "b_ee_nt_per_m", "b_nu_nt_per_m"] {
        let [convolved, direct] = [&convolved, &direct].map(|results| column(results, name));
        let largest = direct.iter().filter(|value| !value.is_nan()).fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(direct.iter().any(|value| value.is_nan()), "{name}");
        for (a, b) in convolved.iter().zip(&direct) {
            assert!(a.is_nan() && b.is_nan() || (a - b).abs() < 1e-9 * largest, "{name}: {a}, not {b}");
        }
    }
}

#[test]
fn gradients_on_gpus_are_those_of_the_cpu_for_any_number_of_devices() {
    let Some(device) = super::devices::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let problem = of_ball(ALL);
    // One of the points is on a face.
    let few = "points={ list = { rows = [[40.0, 10.0, 20.0], [170.0, 80.0, 5.0], [100.0, 100.0, -50.0], [97.0, 93.0, -150.0]] } }";
    run(folder.path(), &problem, &[few, "compute.device='cpu'"]);
    let on_cpu = results(folder.path());
    let names = ["b_e_nt", "b_n_nt", "b_u_nt", "b_ee_nt_per_m", "b_eu_nt_per_m", "b_nu_nt_per_m", "b_uu_nt_per_m"];
    let one = format!("'{device}'");
    let all = if device == "cuda:0" { "'cuda'" } else { "['emulated', 'emulated']" };
    let mut columns_of_one = Vec::new();
    for (device, precision, allowed) in [(&*one, "double", 1e-9), (all, "double", 1e-9), (&*one, "single", 1e-4)] {
        let changes = [few, &format!("compute.device={device}"), &format!("method.precision='{precision}'")];
        run(folder.path(), &problem, &changes);
        let on_gpu = results(folder.path());
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        assert!(record.contains(&format!("direct sum on GPUs in {precision} precision")), "{record}");
        let columns = names.map(|name| column(&on_gpu, name));
        for (name, found) in names.into_iter().zip(&columns) {
            let expected = column(&on_cpu, name);
            let largest = expected.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < allowed * largest || a.is_nan() && b.is_nan();
            assert!(
                found.iter().zip(&expected).all(is_close),
                "{device}, {precision}, {name}: {found:?}, {expected:?}"
            );
        }
        columns_of_one.push(format!("{columns:?}"));
    }
    assert_eq!(columns_of_one[0], columns_of_one[1], "results depend on the number of devices");
}

#[test]
fn gradients_do_not_change_the_flux_density_on_faces_and_edges() {
    let folder = tempfile::tempdir().expect("a folder");
    // On a face, an edge and a corner between both cells, on the top of one, on outer edges, and off all prisms.
    let points = "points={ list = { rows = [[50.0, 25.0, -120.0], [50.0, 0.0, -110.0], [50.0, 50.0, -100.0], [25.0, 10.0, -100.0], \
                  [0.0, 10.0, -100.0], [200.0, 100.0, -120.0], [90.0, 10.0, -20.0]] } }";
    let names = ["b_e_nt", "b_n_nt", "b_u_nt"];
    let without = "fields=['b_e', 'b_n', 'b_u']";
    let with = "fields=['b_e', 'b_n', 'b_u', 'b_uu']";
    run(folder.path(), PROBLEM, &[points, without]);
    let expected = names.map(|name| column(&results(folder.path()), name));
    for method in [&[][..], &["method.path='tree'", "method.accuracy=1e-9"][..]] {
        run(folder.path(), PROBLEM, &[&[points, with][..], method].concat());
        let found = names.map(|name| column(&results(folder.path()), name));
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert_eq!(found.is_nan(), expected.is_nan(), "{found:?}, not {expected:?}");
            assert!(
                found.is_nan() || (found - expected).abs() < 1e-7 * expected.abs().max(100.0),
                "{found}, {expected}"
            );
        }
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        assert!(record.contains("6 points on faces") && !record.contains("The tensor there"), "{record}");
        assert!(record.contains("The gradient is the sum of the limits from outside each prism"), "{record}");
    }
}

#[test]
fn gpus_give_the_fields_of_the_cpu_for_several_directions_of_magnetisation() {
    let Some(device) = super::devices::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let points = "points={ list = { rows = [[40.0, 10.0, 20.0], [170.0, 80.0, 5.0]] } }";
    let [on_cpu, on_gpu] = ["cpu", device].map(|device| {
        run(folder.path(), PROBLEM, &[points, &format!("compute.device='{device}'")]);
        column(&results(folder.path()), "tfa_nt")
    });
    assert!(on_cpu.iter().zip(&on_gpu).all(|(cpu, gpu)| (cpu - gpu).abs() < 1e-9 * cpu.abs()), "{on_cpu:?} {on_gpu:?}");
}
