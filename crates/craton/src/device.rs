//! Selection of the devices: CPU or GPUs.

mod local_rank;

use craton_comm::Ranks;
use craton_device::gpu::{self, Gpu};
use craton_device::{Isa, Workers};
use craton_fd::GpuSetupError;
use craton_run::Bytes;

use crate::config::{DeviceChoice, GpuMessages};
use crate::error::Error;
use crate::number::counted;
use crate::setup::Setup;
pub use local_rank::LocalRank;

/// Fraction of a device's free memory for a run: the driver needs some, and allocations come in blocks.
const FILLED: f64 = 0.97;

/// The CPU, as a kind of device in journals.
pub const CPU: u8 = 0;
/// A GPU, as a kind of device in journals.
pub const GPU: u8 = 1;

/// The name of a kind.
pub fn kind_name(device: u8) -> &'static str {
    if device == CPU { "the CPU" } else { "GPUs" }
}

/// The devices of this process.
pub enum Device {
    /// The CPU, with the mesh or grid in several parts.
    Cpu {
        /// Number of parts.
        parts: usize,
        /// Why no GPU computes, if one was searched.
        note: Option<String>,
    },
    /// GPUs, with one part of the mesh or grid on each.
    Gpus {
        /// The GPUs; at least one.
        gpus: Vec<Gpu>,
        /// Whether fewer GPUs may compute a small problem. False with several ranks, whose numbers of parts must agree.
        at_most: bool,
        /// Number of ranks that compute on each GPU, including this one, and share its memory; [`Device::negotiate`]
        /// corrects it.
        sharing: Vec<usize>,
        /// Path of messages to other ranks.
        path: MessagePath,
    },
}

/// Requirements of the parts of a run on their GPUs.
pub struct Need {
    /// `cells` or `elements`.
    pub unit: &'static str,
    /// Number of cells or elements in the largest part.
    pub of_part: usize,
    /// Number in the whole run, which may exceed the memory.
    pub of_run: f64,
    /// Largest number that kernels can index.
    pub most: usize,
    /// Memory of the largest part [bytes].
    pub bytes: f64,
}

/// Path of messages between ranks that compute on GPUs; the least capable rank determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePath {
    /// Through host memory.
    ByHost,
    /// Directly between GPUs, although MPI does not report support.
    Forced,
    /// Directly between GPUs.
    InPlace,
}

impl Device {
    /// Finds the requested devices; the GPUs of a machine are distributed over its ranks.
    ///
    /// # Arguments
    /// * `devices` – requested number
    /// * `place` – index of this rank on its machine, and number of ranks there
    ///
    /// # Errors
    /// A requested GPU is missing; the message lists the available ones.
    pub fn find(choice: &DeviceChoice, devices: Option<usize>, place: LocalRank) -> Result<Self, Error> {
        let assigned = |numbers: &[usize], at_most| {
            let gpus = gpus(&place.share(numbers), devices, place)?;
            let sharing = vec![place.on_each_of(numbers.len()); gpus.len()];
            Ok::<_, Error>(Self::Gpus { gpus, sharing, at_most, path: MessagePath::ByHost })
        };
        let all = |there: Vec<gpu::DeviceInfo>, at_most| {
            assigned(&there.iter().map(|gpu| gpu.ordinal).collect::<Vec<_>>(), at_most)
        };
        Ok(match choice {
            DeviceChoice::Cpu => Self::Cpu { parts: devices.unwrap_or(1), note: None },
            DeviceChoice::Auto => match gpu::devices() {
                Ok(there) => all(there, devices.is_none() && place.of_run == 1)?,
                Err(error) => Self::Cpu { parts: devices.unwrap_or(1), note: Some(error.to_string()) },
            },
            DeviceChoice::AllGpus => all(gpu::devices()?, false)?,
            DeviceChoice::Gpus(numbers) => assigned(numbers, false)?,
            #[cfg(feature = "emulation")]
            DeviceChoice::Emulated(count) => {
                let gpus: Vec<Gpu> =
                    (0..devices.unwrap_or(*count)).map(|_| Gpu::emulated()).collect::<Result<_, _>>()?;
                Self::Gpus { sharing: vec![1; gpus.len()], gpus, at_most: false, path: MessagePath::ByHost }
            }
        })
    }

    /// The same device if its GPUs support the kernels; the CPU if GPUs were not requested explicitly and do not
    /// support them.
    ///
    /// # Errors
    /// Requested GPUs without support for the kernels, or a failing device.
    pub fn with_kernels(
        self,
        choice: &DeviceChoice,
        devices: Option<usize>,
        require: impl Fn(&Gpu) -> Result<(), GpuSetupError>,
    ) -> Result<Self, Error> {
        let Self::Gpus { gpus, .. } = &self else { return Ok(self) };
        match gpus.iter().try_for_each(require) {
            Ok(()) => Ok(self),
            Err(error @ GpuSetupError::NoKernels(_)) if *choice == DeviceChoice::Auto => {
                Ok(Self::Cpu { parts: devices.unwrap_or(1), note: Some(error.to_string()) })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Finds GPUs that several ranks share, and the path of messages; a collective operation of all ranks, including
    /// those without GPUs.
    ///
    /// # Errors
    /// A lost rank.
    pub fn negotiate(&mut self, requested: GpuMessages, ranks: &dyn Ranks) -> Result<(), Error> {
        let slots = match self {
            // Emulated devices do not share memory.
            Self::Gpus { gpus, .. } => {
                gpus.iter().filter(|gpu| !gpu.is_emulated()).map(|gpu| gpu.info().slot).collect()
            }
            Self::Cpu { .. } => Vec::new(),
        };
        let own: Vec<String> = slots.iter().map(|slot| format!("{} {slot:?}", ranks.host())).collect();
        let all = ranks.all_gather(own.join("\n").as_bytes())?;
        // The path is the same for all ranks, so that a single line describes it.
        let agreed = ranks.least(f64::from(self.message_path(requested, ranks) as u8))?;
        if let Self::Gpus { sharing, path, .. } = self {
            sharing.iter_mut().zip(own).for_each(|(sharing, slot)| *sharing = ranks_on(&slot, &all));
            let is_agreed = |path: &MessagePath| f64::from(*path as u8) == agreed;
            let paths = [MessagePath::ByHost, MessagePath::Forced, MessagePath::InPlace];
            *path = paths.into_iter().find(is_agreed).expect("the path of some rank");
        }
        Ok(())
    }

    /// The path that this rank supports.
    fn message_path(&self, requested: GpuMessages, ranks: &dyn Ranks) -> MessagePath {
        let (Self::Gpus { gpus, .. }, Some(ranks)) = (self, ranks.on_devices()) else { return MessagePath::ByHost };
        // Memory of emulated devices is host memory. MPI libraries expect one device per process.
        let is_safe = gpus[0].is_emulated() || (gpus.len() == 1 && ranks.reach_devices());
        match requested {
            GpuMessages::Auto | GpuMessages::Direct if is_safe => MessagePath::InPlace,
            GpuMessages::Auto | GpuMessages::Host => MessagePath::ByHost,
            GpuMessages::Direct => MessagePath::Forced,
        }
    }

    /// Whether messages to other ranks go directly between devices, as found by [`Device::negotiate`].
    pub fn skips_host(&self) -> bool {
        matches!(self, Self::Gpus { path: MessagePath::InPlace | MessagePath::Forced, .. })
    }

    /// GPU memory of the parts of this process, after a check of the free memory; `None` on the CPU.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] with the size that fits.
    pub fn require_memory(&self, setup: &Setup, parts: usize, need: &Need) -> Result<Option<DeviceMemory>, Error> {
        let Self::Gpus { gpus, sharing, .. } = self else { return Ok(None) };
        let mut least = f64::INFINITY;
        for (gpu, &ranks) in gpus[..parts].iter().zip(sharing) {
            let free = available(gpu)?;
            least = least.min(free / ranks as f64);
            let fit = ((need.of_part as f64 * free / (ranks as f64 * need.bytes)) as usize).min(need.most);
            if need.of_part > fit {
                return Err(Error::DeviceMemory {
                    device: gpu.info().name.clone(),
                    needed: Bytes((ranks as f64 * need.bytes) as u64),
                    free: Bytes(free as u64),
                    elements: ranks * need.of_part,
                    unit: need.unit,
                    fit: ranks * fit,
                    devices: Some((need.of_run / (ranks * fit).max(1) as f64).ceil() as usize),
                    method: setup.method.name(),
                    frequency: setup.method.max_frequency() * (fit as f64 / need.of_part as f64).cbrt(),
                });
            }
        }
        let of_parts = |bytes: f64| Bytes((parts as f64 * bytes) as u64);
        Ok(Some(DeviceMemory { needed: of_parts(need.bytes), free: of_parts(least) }))
    }

    /// Number of parts of a mesh or grid that this process computes.
    ///
    /// # Arguments
    /// * `size` – number of elements or cells
    /// * `worth` – smallest efficient number per GPU
    pub fn parts(&self, size: usize, worth: usize) -> usize {
        match self {
            Self::Cpu { parts, .. } => *parts,
            Self::Gpus { gpus, at_most: true, .. } => gpus.len().min((size / worth).max(1)),
            Self::Gpus { gpus, .. } => gpus.len(),
        }
    }

    /// Description: `NVIDIA H200, cuda:0`, `2 x NVIDIA H200, cuda:0 and cuda:1`, or `CPU, 16 threads, avx512`.
    ///
    /// # Arguments
    /// * `parts` – number of parts of the mesh or grid in this process
    pub fn name(&self, workers: &Workers, parts: usize) -> String {
        match self {
            Self::Cpu { .. } => {
                let cut = if parts > 1 { format!(", {parts} parts") } else { String::new() };
                format!("CPU, {}, {}{cut}", counted(workers.threads(), "thread"), Isa::detect().name())
            }
            Self::Gpus { gpus, .. } => {
                let many = if parts > 1 { format!("{parts} x ") } else { String::new() };
                let numbers: Vec<String> =
                    gpus[..parts].iter().map(|gpu| format!("cuda:{}", gpu.info().ordinal)).collect();
                let numbers =
                    if gpus[0].is_emulated() { String::new() } else { format!(", {}", numbers.join(" and ")) };
                format!("{many}{}{numbers}", gpus[0].info().name)
            }
        }
    }

    /// Description with the number of ranks and the path of messages.
    pub fn name_on_ranks(&self, workers: &Workers, parts: usize, ranks: usize) -> String {
        let name = self.name(workers, parts);
        let path = match self {
            Self::Cpu { .. } => "",
            Self::Gpus { path: MessagePath::InPlace, .. } => ", direct messages between GPUs",
            Self::Gpus { path: MessagePath::Forced, .. } => {
                ", direct messages between GPUs without reported MPI support (if it crashes, set compute.gpu_messages = \"host\")"
            }
            Self::Gpus { path: MessagePath::ByHost, .. } => ", messages through host memory",
        };
        if ranks == 1 { name } else { format!("{name}, on each of {ranks} ranks{path}") }
    }

    /// Why no GPU computes, although one would have been used.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Cpu { note: Some(error), .. } => Some(format!("no GPU: {error}")),
            _ => None,
        }
    }
}

/// Memory of the devices of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// What the run needs.
    pub needed: Bytes,
    /// Memory available if all parts are of equal size.
    pub free: Bytes,
}

/// Free device memory that all its ranks may use now [bytes].
///
/// # Errors
/// A failed device.
pub fn available(gpu: &Gpu) -> Result<f64, Error> {
    Ok(FILLED * gpu.memory()?.free as f64)
}

/// Number of ranks on a device, from the device lists of all ranks, one device per line.
fn ranks_on(device: &str, all: &[Vec<u8>]) -> usize {
    all.iter().filter(|devices| devices.split(|&byte| byte == b'\n').any(|other| other == device.as_bytes())).count()
}

/// Opens the GPUs with these numbers, or the first ones if fewer are requested, with peer access where possible.
fn gpus(numbers: &[usize], devices: Option<usize>, place: LocalRank) -> Result<Vec<Gpu>, Error> {
    let requested = devices.unwrap_or(numbers.len());
    if requested > numbers.len() {
        let each = if place.ranks > 1 { " for each rank" } else { "" };
        let found = format!("{} are available{each}", numbers.len());
        return Err(Error::TooFewDevices { wanted: requested, found });
    }
    let gpus: Vec<Gpu> = numbers[..requested].iter().map(|&number| Gpu::cuda(number)).collect::<Result<_, _>>()?;
    for (number, gpu) in gpus.iter().enumerate() {
        for (_, other) in gpus.iter().enumerate().filter(|(other, _)| *other != number) {
            // Without peer access, copies go through host memory.
            let _ = gpu.reach(other)?;
        }
    }
    Ok(gpus)
}

#[cfg(test)]
mod tests {
    use craton_device::gpu::GpuError;

    use super::*;

    /// The third of four ranks on two hosts with these allowed cores.
    fn third(hosts: [&str; 4], cores: [&str; 4]) -> LocalRank {
        let bytes = |texts: [&str; 4]| texts.map(|text| text.as_bytes().to_vec());
        LocalRank::of(2, &bytes(hosts), &bytes(cores))
    }

    #[test]
    fn ranks_share_cores_unless_the_launcher_binds_them() {
        let shared = third(["a", "a", "a", "b"], ["0-7"; 4]);
        assert_eq!((shared.number, shared.ranks, shared.on_same_cores), (2, 3, 3));
        let bound = third(["a", "a", "a", "b"], ["0-1", "2-3", "4-5", "4-5"]);
        assert_eq!((bound.number, bound.ranks, bound.on_same_cores), (2, 3, 1));
        assert_eq!(bound.of_run, 4, "includes the other host");
    }

    #[test]
    fn ranks_that_share_a_gpu_are_counted() {
        let devices =
            ["a [0, 1, 0]\na [0, 2, 0]", "a [0, 1, 0]", "b [0, 1, 0]", ""].map(|devices| devices.as_bytes().to_vec());
        let counts = ["a [0, 1, 0]", "a [0, 2, 0]", "b [0, 1, 0]"].map(|device| ranks_on(device, &devices));
        assert_eq!(counts, [2, 1, 1]);
    }

    #[test]
    #[cfg(feature = "emulation")]
    fn a_gpu_without_kernels_is_skipped_or_refused_with_a_remedy() {
        if Gpu::emulated_for_tests().is_none() {
            return;
        }
        let device = || Device::find(&DeviceChoice::Emulated(1), None, third(["a"; 4], [""; 4])).unwrap();
        let no_code =
            || GpuError::NoCode { image: "step.cu".into(), device: "L4".into(), chip: 89, reason: "none".into() };
        let none = |_: &Gpu| Err(GpuSetupError::NoKernels(no_code()));
        let found = device().with_kernels(&DeviceChoice::Auto, Some(3), none).unwrap();
        assert!(matches!(found, Device::Cpu { parts: 3, .. }));
        let note = found.note().unwrap();
        assert!(note.contains("no GPU: no code of `step.cu`") && note.contains("order = 4 and 8"), "{note}");
        let Err(refused) = device().with_kernels(&DeviceChoice::AllGpus, None, none) else { panic!("no kernels") };
        assert!(refused.is_bad_input() && refused.to_string().contains("--device cpu"), "{refused}");
        assert!(matches!(device().with_kernels(&DeviceChoice::Auto, None, |_| Ok(())), Ok(Device::Gpus { .. })));
        assert!(Error::from(GpuSetupError::from(no_code())).is_bad_input());
    }

    #[test]
    fn ranks_of_a_machine_share_its_gpus() {
        let of_two = third(["b", "a", "a", "b"], [""; 4]);
        assert_eq!(of_two.share(&[0, 1, 2, 3]), [2, 3], "the second of two has the second half");
        assert_eq!(third(["a"; 4], [""; 4]).share(&[0, 1]), [0], "the third of four has the first of two");
        assert_eq!(third(["a", "b", "c", "d"], [""; 4]).share(&[0, 1]), [0, 1]);
        assert_eq!([1, 3, 4, 8].map(|gpus| third(["a"; 4], [""; 4]).on_each_of(gpus)), [4, 2, 1, 1]);
    }
}
