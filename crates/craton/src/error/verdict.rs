//! Classification of errors and exit codes.

use super::{Error, GravityFailure, SurveyError};
use crate::exit_code;

impl Error {
    /// Whether the error is an interruption by the user.
    pub fn is_stop(&self) -> bool {
        match self {
            Self::Stopped { .. } | Self::Gravity(GravityFailure::Stopped) | Self::Survey(SurveyError::Stopped) => true,
            Self::Together(error) => error.is_stop(),
            _ => false,
        }
    }

    /// Exit code of a program with this error; that of the first rank that failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ranks(craton_comm::CommError::Failed { code, .. }) => *code,
            error if error.is_stop() => exit_code::INTERRUPTED,
            error if error.is_bad_input() => exit_code::BAD_INPUT,
            _ => exit_code::FAILED,
        }
    }

    /// Whether all ranks of the run have this error.
    pub fn is_known_to_all_ranks(&self) -> bool {
        use craton_comm::CommError;
        matches!(self, Self::Ranks(CommError::Failed { .. } | CommError::Disagreement { .. }) | Self::Together(_))
    }

    /// Whether the error is in the input.
    pub fn is_bad_input(&self) -> bool {
        use craton_formats::FormatError;
        match self {
            Self::Format(error) => !matches!(error, FormatError::Io { .. } | FormatError::Unwritable { .. }),
            Self::Run(error) => error.is_bad_input(),
            Self::Device(error) | Self::GpuGrid(craton_fd::GpuSetupError::Device(error)) => is_of_choice(error),
            Self::GpuGrid(_) => true,
            Self::Together(error) => error.is_bad_input(),
            Self::Survey(error) => error.is_bad_input(),
            Self::Gravity(error) => error.is_bad_input(),
            Self::View(error) => matches!(error, craton_view::Error::Window { .. }),
            Self::Stopped { .. }
            | Self::Unstable(_)
            | Self::UnstableThere { .. }
            | Self::Failed(_)
            | Self::Workers(_)
            | Self::Ranks(_) => false,
            Self::Scenario(_)
            | Self::Process(_)
            | Self::NotAtEnd { .. }
            | Self::OtherCheckpoint { .. }
            | Self::Axes { .. }
            | Self::Read { .. }
            | Self::ChangedFile { .. }
            | Self::BadDevice(_)
            | Self::DeviceMemory { .. }
            | Self::TooFewDevices { .. }
            | Self::WithoutMetis
            | Self::NoMesh
            | Self::InLayer { .. }
            | Self::NoGround { .. }
            | Self::OwnFolder { .. }
            | Self::Numerics(_)
            | Self::Mesh(_)
            | Self::OfKey(_)
            | Self::Distorted { .. }
            | Self::Sem(_)
            | Self::Grid(_)
            | Self::TimeStep { .. }
            | Self::TooManySteps { .. }
            | Self::NotInMesh { .. }
            | Self::EmptySlice { .. }
            | Self::NothingInCommon { .. }
            | Self::NoCommonTime { .. }
            | Self::NothingAsked { .. } => true,
        }
    }
}

/// Whether another choice of device solves the problem.
fn is_of_choice(error: &craton_device::gpu::GpuError) -> bool {
    use craton_device::gpu::GpuError::{DriverTooOld, NoCode, NoCompiler, NoDevice, NoDriver, NoSuchDevice};
    matches!(error, NoDriver | DriverTooOld { .. } | NoDevice | NoSuchDevice { .. } | NoCode { .. } | NoCompiler)
}

impl From<craton_sim::Failure> for Error {
    fn from(failure: craton_sim::Failure) -> Self {
        match failure {
            craton_sim::Failure::Unstable(instability) => Self::Unstable(instability),
            craton_sim::Failure::Ranks(error) => Self::Ranks(error),
            craton_sim::Failure::Damaged { path, reason } => {
                Self::Run(craton_run::RunError::DamagedCheckpoint { path, reason })
            }
            other @ (craton_sim::Failure::Device { .. } | craton_sim::Failure::File { .. }) => Self::Failed(other),
        }
    }
}
