//! Gravity for calling programs: input from arrays or files, results in arrays.
//!
//! ```
//! use craton::gravity::GravityFile;
//! use craton::{Given, Gravity, Inputs};
//!
//! // A cube of 100 m with a density contrast of 300 kg/m3, and three points above it.
//! let ends = [("west", -50.0), ("east", 50.0), ("south", -50.0), ("north", 50.0), ("bottom", -150.0), ("top", -50.0), ("density", 300.0)];
//! let inputs = Inputs::new()
//!     .with("cubes", Given::table(ends.map(|(name, value)| (name, vec![value]))))
//!     .with("line", Given::table([("x", vec![-100.0, 0.0, 100.0]), ("y", vec![0.0; 3]), ("z", vec![0.0; 3])]));
//! let problem = GravityFile::from_toml(r#"
//!     body = [{ prisms.file = "cubes" }]
//!     points.list.file = "line"
//!     fields = ["g_d", "g_dd"]
//!     output.directory = "unused"
//! "#, ".", inputs)?;
//! let columns = Gravity::new(problem)?.compute()?;
//! assert_eq!((columns[0].name.as_str(), columns[0].unit), ("g_d_mgal", "mGal"));
//! let g_d = &columns[0].values;
//! assert!(g_d[1] > 0.15 && g_d[1] < 0.25 && g_d[0] < g_d[1] && (g_d[0] - g_d[2]).abs() < 1e-12);
//! # Ok::<(), craton::Error>(())
//! ```

use craton_comm::Solo;
use craton_device::Workers;
use craton_gravity::Fields;
use craton_run::{Bytes, Cancel};

use super::GravityFile;
use super::columns::{Column, columns, fields_of};
use super::setup::Setup;
use super::sums::Sums;
use crate::device::LocalRank;
use crate::error::{Error, GravityFailure};
use crate::options::Computing;
use crate::simulation::{Watch, Work};

/// A gravity problem of a calling program.
pub struct Gravity {
    setup: Setup,
    fields: Fields,
    workers: Workers,
    place: LocalRank,
    cancel: Cancel,
}

impl Gravity {
    /// Checks a problem and reads its input; the problem selects the devices.
    ///
    /// # Errors
    /// Any problem of the file or its data.
    pub fn new(problem: GravityFile) -> Result<Self, Error> {
        Self::with(problem, &Computing::default())
    }

    /// As [`new`](Self::new), with other devices or a cancellation flag.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(problem: GravityFile, computing: &Computing) -> Result<Self, Error> {
        let mut setup = Setup::new(&problem)?;
        computing.apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
        Ok(Self {
            fields: fields_of(&setup.quantities),
            workers: Workers::new(setup.threads)?,
            setup,
            place: LocalRank::new(&Solo)?,
            cancel: computing.cancel.clone().unwrap_or_default(),
        })
    }

    /// The checked problem: prisms, points and quantities.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> &[String] {
        &self.setup.warnings
    }

    /// Computes the quantities at all points, in the order and the units of the problem.
    ///
    /// # Errors
    /// Insufficient memory, an inapplicable method, or [`GravityFailure::Stopped`] after a cancellation.
    pub fn compute(&self) -> Result<Vec<Column>, Error> {
        self.compute_watched(&mut ())
    }

    /// As [`compute`](Self::compute), with reports of progress.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    pub fn compute_watched(&self, watch: &mut dyn Watch) -> Result<Vec<Column>, Error> {
        let Self { setup, fields, workers, place, cancel } = self;
        let sums = Sums::new(setup, *fields, workers, *place, cancel)?;
        setup.room.require(Bytes(sums.bytes()))?;
        sums.room_on_gpus()?;
        let pieces = sums.pieces();
        let units = ("pairs", sums.pairs() / pieces.len().max(1) as f64);
        watch.begin(&Work { piece: "piece", first: 0, total: pieces.len() as u64, times: None, units });
        watch.message(&format!("computing on {}", sums.computes()));
        let warnings = self.warnings().iter().cloned().chain(sums.without_single()).chain(sums.on_faces());
        warnings.for_each(|warning| watch.message(&format!("warning: {warning}")));
        sums.prepare(cancel).ok_or(GravityFailure::Stopped)?;
        let mut computed: Vec<Vec<f64>> =
            fields.iter().map(|_| Vec::with_capacity(setup.places.points.len())).collect();
        for (done, piece) in pieces.iter().enumerate() {
            let gravity = sums.piece(piece, cancel, &|_| ())?.ok_or(GravityFailure::Stopped)?;
            for (all, field) in computed.iter_mut().zip(fields.iter()) {
                all.extend_from_slice(gravity.get(field).expect("all fields were requested"));
            }
            watch.progress(done as u64 + 1);
        }
        let values: Vec<Vec<f64>> = computed.into_iter().map(|field| sums.in_order(field)).collect();
        Ok(columns(&setup.quantities, *fields, &values, setup.output.units, setup.main_direction()))
    }
}
