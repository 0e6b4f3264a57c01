//! Accuracy with which element faces follow the grids of topography and interfaces.

use craton_mesh::{FACE_CORNERS, HexMesh, face_point};
use craton_model::{ElevationGrid, Interface};

use crate::meshing::WaveSpeeds;
use crate::number::Number;
use crate::setup::Setup;

/// The face of an element at the top of its region, if it has one.
const TOP: u8 = 5;

/// Largest accepted distance of a mesh from a grid point, in the shortest wavelengths on both sides.
///
/// Half the point spacing at five points per wavelength: smaller features hardly affect waves. A reflection from an
/// interface with this error is a fifth of a period early or late.
const LARGEST_MISFIT: f64 = 0.1;

/// The largest distance of a mesh from a grid, in wavelengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceMisfit {
    /// Index of the region below; region 0 is below the topography.
    pub region: usize,
    /// The grid point [m].
    pub point: [f64; 3],
    /// Elevation of the mesh there [m].
    pub elevation: f64,
    /// Distance of both, in the shortest wavelengths above and below.
    pub wavelengths: f64,
    /// Longer side of the element there [m].
    size: f64,
    /// Grid spacing [m].
    spacing: f64,
}

impl SurfaceMisfit {
    /// The largest distance for each gridded surface of a model.
    ///
    /// The comparison is at grid points only: if they are farther apart than elements, the surface between them is
    /// smooth.
    ///
    /// # Arguments
    /// * `mesh` – the box of the scenario, with vertical elements on rectangles
    pub fn of_all(setup: &Setup, mesh: &HexMesh) -> Vec<Self> {
        let speeds = WaveSpeeds::new(setup);
        let regions = setup.model.regions().iter().enumerate();
        let grids = regions.filter_map(|(region, below)| match &below.top {
            Interface::Flat(_) | Interface::Mesh(_) => None,
            Interface::Grid(grid) => Some((region, &**grid)),
        });
        grids.filter_map(|(region, grid)| Self::worst(setup, mesh, &speeds, region, grid)).collect()
    }

    fn worst(setup: &Setup, mesh: &HexMesh, speeds: &WaveSpeeds, region: usize, grid: &ElevationGrid) -> Option<Self> {
        let elements = (0..mesh.n_elements() as u32).filter(|&e| usize::from(mesh.region[e as usize]) == region);
        let on_top = elements.filter_map(|element| Some((element, rectangle(mesh, grid, element)?)));
        let misfits = on_top.flat_map(|(element, [x, y])| {
            grid.points_within(x, y).map(move |point| {
                let xi = [(point[0], x), (point[1], y)].map(|(at, [from, to])| 2.0 * (at - from) / (to - from) - 1.0);
                let elevation = mesh.position(element, face_point(TOP, xi))[2];
                let [low, high] = [point[2].min(elevation), point[2].max(elevation)];
                let adjacent = region.saturating_sub(1)..=region;
                let slowest = adjacent.map(|region| speeds.slowest(region, low, high)).fold(f64::INFINITY, f64::min);
                let wavelengths = (high - low) * setup.method.max_frequency() / slowest;
                let size = (x[1] - x[0]).max(y[1] - y[0]);
                let spacing = grid.spacing(0).min(grid.spacing(1));
                Self { region, point, elevation, wavelengths, size, spacing }
            })
        });
        misfits.max_by(|a, b| a.wavelengths.total_cmp(&b.wavelengths))
    }

    /// The warning about a surface that the mesh does not follow.
    pub fn warning(&self) -> Option<String> {
        let [x, y, z] = self.point;
        let surface = match self.region {
            0 => "the topography".to_owned(),
            region => format!("the top of layer {}", region + 1),
        };
        let (size, spacing) = (Number(self.size), Number(self.spacing));
        (self.wavelengths > LARGEST_MISFIT).then(|| {
            format!(
                "the elements do not resolve {surface}: at x = {x:.0}, y = {y:.0} m the grid is at z = {z:.1} m, but the mesh is at \
                 {:.1} m, {:.1} m away, {:.2} of the shortest wavelength. The grid spacing is {spacing:.0} m, the elements there are {size:.0} m \
                 wide. Reduce method.sem.element_size, or smooth the grid to the element width",
                self.elevation,
                (self.elevation - z).abs(),
                self.wavelengths,
            )
        })
    }
}

/// The horizontal rectangle [m] below the top of an element along x and y, if its corners are on a surface.
fn rectangle(mesh: &HexMesh, grid: &ElevationGrid, element: u32) -> Option<[[f64; 2]; 2]> {
    let corners = mesh.corners_of(element);
    let top = FACE_CORNERS[usize::from(TOP)].map(|corner| mesh.control_nodes[corners[corner] as usize]);
    let height = top[0][2] - mesh.control_nodes[corners[0] as usize][2];
    let is_on = |[x, y, z]: &[f64; 3]| (z - grid.elevation(*x, *y)).abs() <= 1e-6 * height.abs();
    top.iter().all(is_on).then(|| [0, 1].map(|axis| [top[0][axis], top[3][axis]]))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::meshing;
    use crate::written::Scenario;

    /// A box of one kilometre with an interface at 500 m depth that has a step over 100 m, from x = 400 to 500 m.
    fn warned(step: f64, changes: &[&str]) -> Vec<(SurfaceMisfit, Option<String>)> {
        let folder = tempfile::tempdir().unwrap();
        let row: Vec<String> =
            (0..=40).map(|i| (-500.0 + if (17..=19).contains(&i) { step } else { 0.0 }).to_string()).collect();
        let rows = vec![row.join(" "); 41].join("\n");
        let header = "ncols 41\nnrows 41\nxllcenter 0\nyllcenter 0\ncellsize 25\n";
        std::fs::write(folder.path().join("step.asc"), format!("{header}{rows}\n")).unwrap();
        let text = r#"
duration = 1.0
[domain]
x = [0.0, 1000.0]
y = [0.0, 1000.0]
z = [-1000.0, 0.0]
[model.layered]
layers = [{ vp = 4000.0, vs = 2000.0, rho = 2600.0 }, { top = "step.asc", vp = 6000.0, vs = 3464.0, rho = 2700.0 }]
[[source]]
position = [500.0, 500.0, -700.0]
moment_tensor = { xy = 1.0e18 }
time_function.gaussian = { sigma = 0.2 }
[receivers]
stations = [{ code = "XX.S10", position = [800.0, 600.0, 0.0] }]
[method.sem]
max_frequency = 4.0
element_size = 200.0
[output]
directory = "results"
"#;
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        std::fs::write(folder.path().join("box.toml"), text).unwrap();
        let setup = Setup::new(&Scenario::read(&folder.path().join("box.toml"), &changes).unwrap()).unwrap();
        let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
        SurfaceMisfit::of_all(&setup, &mesh).into_iter().map(|found| (found, found.warning())).collect()
    }

    #[test]
    fn a_step_between_elements_is_reported_with_its_position_and_height() {
        for control_nodes in ["method.sem.control_nodes=8", "method.sem.control_nodes=27"] {
            let [(found, Some(warning))] = &warned(80.0, &[control_nodes])[..] else { panic!("{control_nodes}") };
            let [x, _, z] = found.point;
            assert!((425.0..=475.0).contains(&x) && z == -420.0 && found.region == 1, "{found:?}");
            // Control nodes are at 400, 500 and 600 m: the mesh does not resolve the step.
            assert!((found.elevation + 500.0).abs() < 1e-9 && (found.wavelengths - 0.16).abs() < 1e-9, "{found:?}");
            for part in [
                "the top of layer 2",
                "at z = -420.0 m, but the mesh is at -500.0 m, 80.0 m away, 0.16 of",
                "spacing is 25 m",
            ] {
                assert!(warning.contains(part), "{warning}");
            }
        }
        // A tenth of the wavelength is 50 m.
        assert!(matches!(&warned(40.0, &[])[..], [(_, None)]));
    }

    #[test]
    fn elements_as_fine_as_the_grid_resolve_it() {
        let [(found, None)] = &warned(80.0, &["method.sem.element_size=25"])[..] else { panic!() };
        assert!(found.wavelengths < 1e-6, "{found:?}");
    }

    #[test]
    fn the_mesh_of_an_example_resolves_its_surface() {
        let file = format!("{}/../../examples/valley/valley.toml", env!("CARGO_MANIFEST_DIR"));
        let setup = Setup::new(&Scenario::read(Path::new(&file), &[]).unwrap()).unwrap();
        let (mesh, _) = meshing::mesh(&setup, |_| Ok(())).unwrap();
        let found = SurfaceMisfit::of_all(&setup, &mesh);
        assert!(found.len() == 1 && found[0].region == 0 && found[0].warning().is_none(), "{found:?}");
    }
}
