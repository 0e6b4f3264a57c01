//! The Earth model: media, layers, tables and grids.

use craton_model::{EarthModel, Elasticity};

use crate::setup::common::{
    CHUNK, LONG_PERIODS, SURFACE_STATION, TABLE, TOPOGRAPHY, assert_errors, errors, example, folder, grid, set_up,
    whole_grid,
};

#[test]
fn the_tilted_block_is_anisotropic() {
    let setup = example("anisotropic");
    let medium = setup.model.medium(0, [0.0, 0.0, -1.0]);
    assert!(matches!(medium.elasticity(), Elasticity::Transverse { .. }));
    let stiffness = medium.stiffness();
    // Along the axis, which leans 35 degrees from the vertical towards 60 degrees from north, P travels at vp.
    let (tilt, azimuth) = (35f64.to_radians(), 60f64.to_radians());
    let axis = [tilt.sin() * azimuth.sin(), tilt.sin() * azimuth.cos(), tilt.cos()];
    let fastest = stiffness.christoffel(2400.0, axis).map(|wave| wave.speed).into_iter().fold(0.0, f64::max);
    assert!((fastest - 3300.0).abs() < 1e-6, "{fastest}");
}

#[test]
fn media_in_wrong_units_are_refused_at_their_layer() {
    assert_errors(
        &[],
        &[("rho = 2700.0", "rho = 2.7")],
        "it.toml:9:54: model.layered.layers[1].rho = 2.7: is out of range (allowed: at least 50 kg/m3 where vp is 6000 m/s; it seems to be in g/cm3; convert it to kg/m3)",
    );
    assert_errors(
        &[],
        &[("vp = 4000.0, vs = 2000.0", "vp = 4.0, vs = 2.0")],
        "it.toml:8:12: model.layered.layers[0].vp = 4: is out of range (allowed: at least 100 m/s; it seems to be in km/s; convert it to m/s)",
    );
}

#[test]
fn a_grid_that_does_not_cover_the_domain_is_refused_with_the_missing_range() {
    let short = grid(10, 19, [-4000.0, -4000.0], 1000.0, |_, _| 500.0);
    assert_errors(
        &[("top.asc", &short)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the grid does not cover the domain along x: 5000 to 14000 m is missing (allowed: x from -4000 to 14000 m; the grid extends from -4000 to 5000; extend the grid, or shrink the domain)",
    );
    assert_errors(
        &[("deep.asc", &short)],
        &[("top = -1000.0", "top = \"deep.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = \"deep.asc\": the grid does not cover the domain along x: 5000 to 14000 m is missing (allowed: x from -4000 to 14000 m; the grid extends from -4000 to 5000; extend the grid, or shrink the domain)",
    );
}

#[test]
fn a_bad_grid_is_reported_with_its_line_and_a_missing_one_with_its_path() {
    let bad = whole_grid(|x, _| if x == 0.0 { f64::NAN } else { 500.0 });
    assert_errors(
        &[("top.asc", &bad)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": line 6: value in row 1, column 5 = `NaN` (allowed: a \
         finite number (no NaN, no infinity))",
    );
    assert_errors(
        &[],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": cannot be read: No such file or directory (os error 2) (paths of input files are relative to the folder of the configuration file)",
    );
}

#[test]
fn topography_outside_the_box_is_reported_with_its_position() {
    let high = whole_grid(|x, _| if x == 2000.0 { 1500.0 } else { 500.0 });
    assert_errors(
        &[("top.asc", &high)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the topography leaves the box: its elevation is 1062.5 m at x = 1500, y = -4000 m (interpolated between points of the grid at 500 to 1500 m, x = 1000 and 2000, y = -4000 m) (allowed: elevations above domain.z[0] = -12000 m and up to domain.z[1] = 1000 m; enlarge domain.z. Elevations are in metres, positive up)",
    );
    let deep = whole_grid(|_, _| -13000.0);
    assert_errors(
        &[("top.asc", &deep)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:6:14: domain.topography = \"top.asc\": the topography leaves the box: its elevation is -13000 m at x = -4000, y = -4000 m (allowed: elevations above domain.z[0] = -12000 m and up to domain.z[1] = 1000 m; enlarge domain.z. Elevations are in metres, positive up)",
    );
    let touching = whole_grid(|x, y| 1000.0 - 1e-6 * ((x - 2000.0).powi(2) + y * y));
    let folder = folder(&[("top.asc", &touching)]);
    set_up(folder.path(), &[TOPOGRAPHY, SURFACE_STATION]).expect("a topography up to the top");
}

#[test]
fn an_overshoot_of_the_interpolation_is_reported_with_the_neighbouring_points() {
    let step = whole_grid(|x, _| if x < 3000.0 { -300.0 } else { -5.0 });
    assert_errors(
        &[("step.asc", &step)],
        &[("top = -1000.0", "top = \"step.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = 13.4375 m at x = 3500, y = -4000 m (interpolated between points of the grid at -5 m, x = 3000 and 4000, y = -4000 m; the interpolation overshoots next to a step, less so if the step is smoothed): intersects the surface (allowed: < 0 m (the top of the previous layer); lower it below the topography everywhere. Every layer must extend across the box)",
    );
}

#[test]
fn layers_out_of_order_are_reported_with_their_position() {
    let dipping = whole_grid(|x, _| -1000.0 + 0.1 * x);
    assert_errors(
        &[("dip.asc", &dipping)],
        &[("top = -1000.0", "top = \"dip.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = 0 m at x = 10000, y = -4000 m: intersects the surface (allowed: < 0 m (the top of the previous layer); lower it below the topography everywhere. Every layer must extend across the box)",
    );
    let valley = whole_grid(|x, _| if x == 2000.0 { -1200.0 } else { 500.0 });
    assert_errors(
        &[("top.asc", &valley)],
        &[TOPOGRAPHY, SURFACE_STATION],
        "it.toml:10:13: model.layered.layers[1].top = -1000 m at x = 2000, y = -4000 m: intersects the surface (allowed: < -1200 m (the top of the previous layer); lower it below the topography everywhere. Every layer must extend across the box)",
    );
    assert_errors(
        &[],
        &[("{ vp = 4000.0", "{ top = 500.0, vp = 4000.0"), ("top = -1000.0", "top = 100.0")],
        "it.toml:9:13: model.layered.layers[1].top = 100 m at x = -4000, y = -4000 m: places the first layer entirely above the domain (allowed: < 0 m (the top of the previous layer); remove the first layer, or lower this top)",
    );
    let deep = whole_grid(|x, _| -11000.0 - 0.5 * x);
    assert_errors(
        &[("deep.asc", &deep)],
        &[("top = -1000.0", "top = \"deep.asc\"")],
        "it.toml:9:13: model.layered.layers[1].top = -12000 m at x = 2000, y = -4000 m: intersects the bottom of the domain (allowed: > domain.z[0] = -12000 m; lower domain.z[0], or remove the layer. Every layer must extend across the box)",
    );
}

#[test]
fn a_depth_table_is_cropped_to_the_box() {
    let table = "depth vp vs rho\n-3000 340 0 1.2\n0 340 0 1.2\n0 4000 2000 2600\n1000 5000 2900 2700\n1000 6000 3464 2700\n\
                 12000 6000 3464 2700\n12000 8000 0 3000\n20000 8000 0 3000\n";
    let folder = folder(&[("crust.txt", table)]);
    let setup = set_up(folder.path(), &[TABLE]).unwrap_or_else(|error| panic!("{error:?}"));
    let model = &setup.model;
    assert_eq!(model.regions().len(), 2);
    assert_eq!(model.surface().elevation(0.0, 0.0), 0.0);
    assert_eq!(model.slowest(0, 0.0, 0.0), 2000.0);
    assert_eq!(model.medium(0, [0.0, 0.0, -500.0]).rho(), 2650.0);
    assert_eq!(model.fastest(1, -12000.0, -1000.0), 6000.0);
}

#[test]
fn velocity_models_of_taup_are_depth_tables() {
    let rows = "0 4.0 2.0 2.6\n1 4.0 2.0 2.6\nmoho\n1 6.0 3.464 2.7 // rock\n20 6.0 3.464 2.7\n";
    let folder = folder(&[("crust.nd", rows), ("crust.tvel", &format!("P\nS\n{}", rows.replace("moho\n", "")))]);
    let table = |name: &str| TABLE.1.replace("crust.txt", name);
    let models =
        ["crust.nd", "crust.tvel"].map(|name| set_up(folder.path(), &[(TABLE.0, &table(name))]).unwrap().model);
    for z in [-500.0, -1500.0, -11_000.0] {
        let of = |model: &EarthModel| model.medium(model.region_at([0.0, 0.0, z]), [0.0, 0.0, z]);
        assert_eq!(of(&models[0]), of(&models[1]));
        assert_eq!(of(&models[0]).rho(), if z > -1000.0 { 2600.0 } else { 2700.0 });
    }
    std::fs::write(folder.path().join("crust.nd"), rows.replace("6.0", "six")).expect("written");
    let found = errors(folder.path(), &[(TABLE.0, &table("crust.nd"))]);
    assert!(found.contains("\"crust.nd\": line 4: vp_km_s = `six`"), "{found}");
}

#[test]
fn a_domain_beyond_a_depth_table_causes_a_warning_with_the_depths() {
    let warnings = |files: &[(&str, &str)], changes: &[(&str, &str)]| {
        let folder = folder(files);
        set_up(folder.path(), changes).unwrap_or_else(|error| panic!("{error:?}")).warnings
    };
    let table = |first: i32, last: i32| {
        format!("depth vp vs rho\n{first} 4000 2000 2600\n1000 5000 2900 2700\n{last} 6000 3464 2700\n")
    };
    assert_eq!(warnings(&[("crust.txt", &table(0, 12000))], &[TABLE]), Vec::<String>::new());
    assert_eq!(
        warnings(&[("crust.txt", &table(0, 8000))], &[TABLE]),
        [
            "model.depth_table.file = \"crust.txt\": the last row is at depth 8000 m, but the domain extends to 12000 m (domain.z[0] = -12000 m). The values of the last row extend to the bottom. Add rows or raise the bottom to avoid this"
        ]
    );
    let hills = whole_grid(|x, _| 0.05 * x);
    assert_eq!(
        warnings(&[("crust.txt", &table(0, 12000)), ("top.asc", &hills)], &[TABLE, TOPOGRAPHY, SURFACE_STATION]),
        [
            "model.depth_table.file = \"crust.txt\": the first row is at depth 0 m, but the ground is as high as z = 700 m (at x = 14000, y = -4000 m). The values of the first row extend up to the ground"
        ]
    );
    let rows = "[model.depth_table]\nrows = [[500.0, 4000.0, 2000.0, 2600.0]]";
    assert_eq!(
        warnings(&[], &[(TABLE.0, rows)]).iter().map(|warning| &warning[..46]).collect::<Vec<_>>(),
        ["model.depth_table.rows: the first row is at de", "model.depth_table.rows: the last row is at dep"]
    );
    let high =
        warnings(&[("crust.txt", &table(-1000, 12000)), ("top.asc", &hills)], &[TABLE, TOPOGRAPHY, SURFACE_STATION]);
    assert_eq!(high, Vec::<String>::new());
}

#[test]
fn a_table_too_shallow_for_a_chunk_is_refused_at_its_last_row() {
    let table = "depth_km vp_km_s vs_km_s rho_g_cm3\n0 6 3.4 2.7\n35 8 4.5 3.3\n410 9 4.9 3.5\n";
    let chunk = [TABLE, CHUNK, LONG_PERIODS];
    let found = errors(folder(&[("crust.txt", table)]).path(), &chunk);
    let limit = "(allowed: at least domain.chunk.depth = 600000 m in the last row; add rows (the last one may repeat the previous values), or reduce domain.chunk.depth)";
    assert!(found.contains(&format!("line 4: depth_km = `410` {limit}")), "{found}");
    let deep = format!("{table}600 9 4.9 3.5\n");
    let setup = set_up(folder(&[("crust.txt", &deep)]).path(), &chunk).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(setup.warnings.iter().all(|warning| !warning.contains("last row")), "{:?}", setup.warnings);
    let rows = "[model.depth_table]\nrows = [[0.0, 6000.0, 3400.0, 2700.0], [35000.0, 8000.0, 4500.0, 3300.0]]";
    let found = errors(folder(&[]).path(), &[(TABLE.0, rows), CHUNK, LONG_PERIODS]);
    assert!(found.contains(&format!("model.depth_table.rows[1][0] = 35000: depth is out of range {limit}")), "{found}");
}

#[test]
fn a_chunk_may_reach_into_the_core() {
    let earth = (TABLE.0, "[model.earth]\nname = \"ak135\"");
    let core = CHUNK.1.replace("600000", "5500000");
    let setup = set_up(folder(&[]).path(), &[earth, (CHUNK.0, &core), LONG_PERIODS]).expect("a chunk with core");
    let fluid: Vec<bool> = (0..setup.model.regions().len()).map(|region| setup.model.is_fluid(region)).collect();
    assert_eq!(fluid[fluid.len() - 3..], [false, true, false]);
}

#[test]
fn a_row_that_is_far_too_slow_is_named() {
    let table = "depth vp vs rho\n0 4000 2000 2600\n1000 1600 0.1 2000\n30000 6000 3464 2700\n";
    let found = errors(folder(&[("crust.txt", table)]).path(), &[TABLE]);
    assert!(
        found.contains("\"crust.txt\": line 3: vs = `0.1` (allowed: 31.9 m/s or more in all rows with "),
        "{found}"
    );
    assert!(found.contains("with max_frequency = 5 Hz in this box; the table requires 9.0e12 elements"), "{found}");
    let rows = "[model.depth_table]\nrows = [[0, 4000, 0.1, 2600], [1000, 5000, 2900, 2700]]";
    let found = errors(folder(&[]).path(), &[(TABLE.0, rows)]);
    assert!(found.contains("model.depth_table.rows[0][2] = 0.1: vs is out of range (allowed: "), "{found}");
    // Below the box, a slow row costs nothing.
    let below = table.replace("1000 1600", "19000 4000 2000 2600\n20000 1600");
    set_up(folder(&[("crust.txt", &below)]).path(), &[TABLE]).unwrap_or_else(|error| panic!("{error:?}"));
}

#[test]
fn the_least_speed_of_a_refused_table_is_accepted() {
    let rows = |speeds: [f64; 3], least: f64| {
        let [top, middle, bottom] = speeds.map(|speed| speed.max(least));
        format!(
            "[model.depth_table]\nrows = [[0, 4000, {top}, 2600], [1000, 4000, {middle}, 2600], [1000, 5000, {middle}, 2600], \
             [30000, 6000, {bottom}, 2700]]"
        )
    };
    for speeds in [[2000.0, 2.3, 3400.0], [2000.0, 0.1, 3400.0], [0.1, 2000.0, 3400.0], [0.1, 0.2, 0.3]] {
        let found = errors(folder(&[]).path(), &[(TABLE.0, &rows(speeds, 0.0))]);
        let (_, allowed) = found.split_once("(allowed: ").unwrap_or_else(|| panic!("{found}"));
        let least = allowed.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        let least = least.unwrap_or_else(|| panic!("{found}"));
        set_up(folder(&[]).path(), &[(TABLE.0, &rows(speeds, least))])
            .unwrap_or_else(|error| panic!("{speeds:?} with at least {least} m/s: {error:?}"));
        let slower = errors(folder(&[]).path(), &[(TABLE.0, &rows(speeds, 0.4 * least))]);
        assert!(slower.contains("elements, which cannot be numbered"), "{slower}");
    }
    // No speed of S waves suffices.
    let fast = [(TABLE.0, "[model.depth_table]\nrows = [[0, 4000, 200, 2600], [30000, 5000, 2000, 2700]]")];
    let found = errors(folder(&[]).path(), &[fast[0], ("max_frequency = 5.0", "max_frequency = 5000.0")]);
    let (_, allowed) = found.split_once("(allowed: max_frequency up to ").unwrap_or_else(|| panic!("{found}"));
    let highest = allowed.split(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a number");
    let frequency = format!("max_frequency = {highest}");
    set_up(folder(&[]).path(), &[fast[0], ("max_frequency = 5.0", &frequency)])
        .unwrap_or_else(|error| panic!("{highest} Hz: {error:?}"));
}

#[test]
fn invalid_rows_of_a_depth_table_are_reported_with_their_line() {
    let row = |row: &str| {
        format!("depth vp vs rho\n0 4000 2000 2600\n1000 5000 2900 2700\n1000 {row}\n30000 6000 3464 2700\n")
    };
    assert_errors(
        &[("crust.txt", &row("6000 3464 -2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": line 4: rho = `-2700` (allowed: above 0 kg/m3; \
         give the density)",
    );
    assert_errors(
        &[("crust.txt", &row("6000 5500 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": line 4: vs = `5500` (allowed: between 0 and 5196.152423 m/s (vp sqrt(3)/2, above which the bulk modulus is negative) for vp = 6000 m/s; lower vs or \
         raise vp)",
    );
    assert_errors(
        &[("crust.txt", &row("6000 0 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file: knot 2 at z = -30000 m: vs decreases linearly to zero, which no mesh can resolve (give the depth twice, so that fluid and solid meet at a discontinuity)",
    );
    assert_errors(
        &[("crust.txt", &row("nan 0 2700"))],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": line 4: vp = `nan` (allowed: a finite number \
         (no NaN, no infinity))",
    );
    assert_errors(
        &[("crust.txt", "depth vp rho\n0 1 2\n")],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": line 1: there is no column `vs`, only `depth`, \
         `vp`, `rho` (rename or add the column)",
    );
    assert_errors(
        &[("crust.txt", "depth vp vs rho\n100 4000 2000 2600\n0 4000 2000 2600\n")],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file: row 2 at depth 0 m: it is above the previous row (list the rows \
         from the top down)",
    );
}

#[test]
fn an_anisotropic_table_is_read_and_its_errors_name_the_line() {
    let table = |row: &str| {
        format!(
            "depth_km vpv_km_s vph_km_s vsv_km_s vsh_km_s eta rho_g_cm3\n0 5 5.2 2.9 3.0 0.9 2.6\n{row}\n20 7 7 4 4 1 3\n"
        )
    };
    let folder = folder(&[("crust.txt", &table("10 6 6.2 3.4 3.6 0.95 2.8"))]);
    let setup = set_up(folder.path(), &[TABLE]).unwrap_or_else(|error| panic!("{error:?}"));
    let medium = setup.model.medium(0, [0.0, 0.0, -5000.0]);
    assert!(matches!(medium.elasticity(), Elasticity::Transverse { .. }));
    let stiffness = medium.stiffness();
    // Half way between two rows, C33 of vpv and C66 of vsh.
    let [c33, c66] = [stiffness.0[11], stiffness.0[20]];
    assert!((c33 / (2700.0 * 5500.0_f64.powi(2)) - 1.0).abs() < 1e-12, "{c33}");
    assert!((c66 / (2700.0 * 3300.0_f64.powi(2)) - 1.0).abs() < 1e-12, "{c66}");
    let begin = "it.toml:7:8: model.depth_table.file = \"crust.txt\": line ";
    for (row, expected) in [
        ("10 6 6.2 3.4 3.6 -1 2.8", "3: eta = `-1` (allowed: above 0 ; 1 is isotropic)"),
        (
            "10 6 6.2 0 3.6 1 2.8",
            "3: vsv_km_s = `0` (allowed: above 0 m/s; a fluid is isotropic: vpv = vph, vsv = vsh = 0, eta = 1)",
        ),
        ("10 6 6 5.5 5.5 1 2.8", "3: vsv_km_s = `5.5` (allowed: between 0 and 5196.152423 m/s"),
        ("10 6 -6 3 3 1 2.8", "3: vph_km_s = `-6` (allowed: above 0 m/s; give the speed of P waves)"),
        (
            "10 6000 6200 3400 3600 1 2.8",
            "3: vpv_km_s = `6000` (allowed: at most 50 km/s; speeds in m/s belong in a column without `_km_s`)",
        ),
        ("10 6 6 5.5 5.6 1 2.8", "3: eta = `1` (allowed: speeds and eta of a solid; "),
    ] {
        let errors =
            crate::setup::common::errors(crate::setup::common::folder(&[("crust.txt", &table(row))]).path(), &[TABLE]);
        assert!(errors.starts_with(&format!("{begin}{expected}")), "{errors}");
    }
    let without = "depth vpv vph vsv eta rho\n0 5000 5000 3000 1 2600\n";
    assert_errors(
        &[("crust.txt", without)],
        &[TABLE],
        "it.toml:7:8: model.depth_table.file = \"crust.txt\": line 1: there is no column `vsh`, only `depth`, `vpv`, `vph`, \
         `vsv`, `eta`, `rho` (rename or add the column)",
    );
}

#[test]
fn a_depth_table_with_a_discontinuity_above_the_surface_is_refused() {
    let valley = whole_grid(|x, _| if x == 2000.0 { -1200.0 } else { 500.0 });
    assert_errors(
        &[
            ("crust.txt", "depth vp vs rho\n0 4000 2000 2600\n1000 5000 2900 2700\n1000 6000 3464 2700\n"),
            ("top.asc", &valley),
        ],
        &[TABLE, TOPOGRAPHY, SURFACE_STATION],
        "it.toml:8:8: model.depth_table.file: the discontinuity at z = -1000 m intersects the surface (allowed: discontinuities below the surface, which is at -1200 m at x = 2000, y = -4000 m; lower the discontinuity, or replace it by a gradient between two depths. Every region must extend across the box)",
    );
}

#[test]
fn errors_in_rows_of_the_scenario_name_row_and_column() {
    let rows = "[model.depth_table]\nrows = [[0.0, 4000.0, 2000.0, 2600.0], [500.0, 4000.0, 2000.0, 2.6]]";
    assert_errors(
        &[],
        &[(TABLE.0, rows)],
        "it.toml:7:64: model.depth_table.rows[1][3] = 2.6: rho is out of range (allowed: at least 50 kg/m3 where vp is 4000 m/s; it seems to be in g/cm3; convert it to kg/m3)",
    );
}
