//! What computes: this processor or a GPU.

use craton_comm::Ranks;
use craton_device::gpu::{self, Gpu};
use craton_device::{Isa, Workers};
use craton_fd::GpuSetupError;
use craton_run::Bytes;

use crate::config::{DeviceChoice, GpuMessages};
use crate::error::Error;
use crate::number::counted;
use crate::setup::Setup;

/// Part of a device's free memory that a run may fill: the driver keeps some, and allocations come in blocks.
const FILLED: f64 = 0.97;

/// The kinds of devices that journals of many pieces tell apart.
pub const CPU: u8 = 0;
/// A GPU.
pub const GPU: u8 = 1;

/// The name of a kind.
pub fn kind_name(device: u8) -> &'static str {
    if device == CPU { "the CPU" } else { "GPUs" }
}

/// What computes in this process.
pub enum Device {
    /// This processor, the mesh or grid in so many parts.
    Cpu {
        /// Parts.
        parts: usize,
        /// Why no GPU does, if one was looked for.
        note: Option<String>,
    },
    /// GPUs, a part of the mesh or grid on each.
    Gpus {
        /// At least one.
        gpus: Vec<Gpu>,
        /// Whether fewer of them may compute where it is small: all ranks have as many parts, so none decides that by what it has.
        at_most: bool,
        /// Ranks that compute on each of them, this one included: they share its memory. As dealt, until [`Device::meet`] has looked.
        sharing: Vec<usize>,
        /// The way of messages to other ranks.
        way: Way,
    },
}

/// What the parts of a run need of their GPUs.
pub struct Need {
    /// `cells` or `elements`.
    pub unit: &'static str,
    /// How many of them the largest part has.
    pub of_part: usize,
    /// How many the run has; there may not be memory for them.
    pub of_run: f64,
    /// How many kernels can count.
    pub most: usize,
    /// Memory of the largest part [bytes].
    pub bytes: f64,
}

/// The way of messages between ranks that compute on GPUs; of several ranks' ways the least holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Through the memory of the host.
    ByHost,
    /// From GPU to GPU, though MPI does not say that it can.
    Forced,
    /// From GPU to GPU.
    InPlace,
}

impl Device {
    /// Finds what was asked for; GPUs are dealt to the ranks of a machine.
    ///
    /// # Arguments
    /// * `devices` – how many were asked for
    /// * `place` – this rank's number among those of its machine, and their number
    ///
    /// # Errors
    /// A GPU that was asked for and is not there; the message lists those that are.
    pub fn find(wanted: &DeviceChoice, devices: Option<usize>, place: LocalRank) -> Result<Self, Error> {
        let dealt = |numbers: &[usize], at_most| {
            let gpus = gpus(&place.share(numbers), devices, place)?;
            let sharing = vec![place.on_each_of(numbers.len()); gpus.len()];
            Ok::<_, Error>(Self::Gpus { gpus, sharing, at_most, way: Way::ByHost })
        };
        let all = |there: Vec<gpu::DeviceInfo>, at_most| {
            dealt(&there.iter().map(|gpu| gpu.ordinal).collect::<Vec<_>>(), at_most)
        };
        Ok(match wanted {
            DeviceChoice::Cpu => Self::Cpu { parts: devices.unwrap_or(1), note: None },
            DeviceChoice::Auto => match gpu::devices() {
                Ok(there) => all(there, devices.is_none() && place.of_run == 1)?,
                Err(error) => Self::Cpu { parts: devices.unwrap_or(1), note: Some(error.to_string()) },
            },
            DeviceChoice::AllGpus => all(gpu::devices()?, false)?,
            DeviceChoice::Gpus(numbers) => dealt(numbers, false)?,
            #[cfg(feature = "emulation")]
            DeviceChoice::Emulated(count) => {
                let gpus: Vec<Gpu> =
                    (0..devices.unwrap_or(*count)).map(|_| Gpu::emulated()).collect::<Result<_, _>>()?;
                Self::Gpus { sharing: vec![1; gpus.len()], gpus, at_most: false, way: Way::ByHost }
            }
        })
    }

    /// Itself, if its GPUs have what is required of them; the CPU where nobody asked for GPUs and they lack kernels.
    ///
    /// # Errors
    /// GPUs that were asked for and have no kernels; a device that fails.
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

    /// Finds out which GPUs several ranks compute on, and which way their messages take; all ranks together, those without GPUs too.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn meet(&mut self, wanted: GpuMessages, ranks: &dyn Ranks) -> Result<(), Error> {
        let slots = match self {
            // Emulated devices have no memory of their own to share.
            Self::Gpus { gpus, .. } => {
                gpus.iter().filter(|gpu| !gpu.is_emulated()).map(|gpu| gpu.info().slot).collect()
            }
            Self::Cpu { .. } => Vec::new(),
        };
        let own: Vec<String> = slots.iter().map(|slot| format!("{} {slot:?}", ranks.host())).collect();
        let all = ranks.all_gather(own.join("\n").as_bytes())?;
        // The way is the same for all, so that one line tells it.
        let agreed = ranks.least(f64::from(self.way(wanted, ranks) as u8))?;
        if let Self::Gpus { sharing, way, .. } = self {
            sharing.iter_mut().zip(own).for_each(|(sharing, slot)| *sharing = ranks_on(&slot, &all));
            let same = |way: &Way| f64::from(*way as u8) == agreed;
            *way = [Way::ByHost, Way::Forced, Way::InPlace].into_iter().find(same).expect("the way of some rank");
        }
        Ok(())
    }

    /// The way that messages of this rank may take.
    fn way(&self, wanted: GpuMessages, ranks: &dyn Ranks) -> Way {
        let (Self::Gpus { gpus, .. }, Some(ranks)) = (self, ranks.on_devices()) else { return Way::ByHost };
        // The memory of emulated devices is the host's. MPIs expect one device of a process.
        let is_safe = gpus[0].is_emulated() || (gpus.len() == 1 && ranks.reach_devices());
        match wanted {
            GpuMessages::Auto | GpuMessages::Direct if is_safe => Way::InPlace,
            GpuMessages::Auto | GpuMessages::Host => Way::ByHost,
            GpuMessages::Direct => Way::Forced,
        }
    }

    /// Whether messages to other ranks go from device to device, as [`Device::meet`] has found.
    pub fn skips_host(&self) -> bool {
        matches!(self, Self::Gpus { way: Way::InPlace | Way::Forced, .. })
    }

    /// Memory that the parts of this process take of its GPUs, after a look at what is free there; none on the CPU.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] with what would fit.
    pub fn require_memory(&self, setup: &Setup, parts: usize, need: &Need) -> Result<Option<Bytes>, Error> {
        let Self::Gpus { gpus, sharing, .. } = self else { return Ok(None) };
        for (gpu, &ranks) in gpus[..parts].iter().zip(sharing) {
            let free = available(gpu)?;
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
        Ok(Some(Bytes((parts as f64 * need.bytes) as u64)))
    }

    /// Parts of a mesh or a grid that this process computes.
    ///
    /// # Arguments
    /// * `size` – its elements or cells
    /// * `worth` – how many of them are worth a GPU of their own
    pub fn parts(&self, size: usize, worth: usize) -> usize {
        match self {
            Self::Cpu { parts, .. } => *parts,
            Self::Gpus { gpus, at_most: true, .. } => gpus.len().min((size / worth).max(1)),
            Self::Gpus { gpus, .. } => gpus.len(),
        }
    }

    /// Its name: `NVIDIA H200, cuda:0`, `2 x NVIDIA H200, cuda:0 and cuda:1`, or `CPU, 16 threads, avx512`.
    ///
    /// # Arguments
    /// * `parts` – of the mesh or grid, in this process
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

    /// The same on so many ranks, and which way messages between their GPUs take.
    pub fn name_on_ranks(&self, workers: &Workers, parts: usize, ranks: usize) -> String {
        let name = self.name(workers, parts);
        let way = match self {
            Self::Cpu { .. } => "",
            Self::Gpus { way: Way::InPlace, .. } => ", messages from GPU to GPU",
            Self::Gpus { way: Way::Forced, .. } => {
                ", messages from GPU to GPU, which MPI does not promise: should it crash, set compute.gpu_messages = \"host\""
            }
            Self::Gpus { way: Way::ByHost, .. } => ", messages through the host",
        };
        if ranks == 1 { name } else { format!("{name}, on each of {ranks} ranks{way}") }
    }

    /// Why no GPU computes although one would have been taken, for who wants to know.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Cpu { note: Some(error), .. } => Some(format!("no GPU: {error}")),
            _ => None,
        }
    }
}

/// What may be filled of a device's free memory now, by all ranks that compute on it [bytes].
///
/// # Errors
/// A device that has failed.
pub fn available(gpu: &Gpu) -> Result<f64, Error> {
    Ok(FILLED * gpu.memory()?.free as f64)
}

/// A rank among those of its machine.
#[derive(Debug, Clone, Copy)]
pub struct LocalRank {
    /// Its number there.
    pub number: usize,
    /// Ranks of the machine.
    pub ranks: usize,
    /// Ranks of the run, on whatever machine.
    pub of_run: usize,
    /// Ranks that may use the same cores as this one, itself included: 1 where the launcher gives each its own.
    pub on_same_cores: usize,
}

impl LocalRank {
    /// Of one of these ranks; all of them together.
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn new(ranks: &dyn Ranks) -> Result<Self, Error> {
        let hosts = ranks.all_gather(ranks.host().as_bytes())?;
        let cores = ranks.all_gather(allowed_cores().as_bytes())?;
        Ok(Self::of(ranks.rank(), &hosts, &cores))
    }

    /// Of the ranks that run on these hosts and may use these cores there.
    fn of(rank: usize, hosts: &[Vec<u8>], cores: &[Vec<u8>]) -> Self {
        let is_here = |other: &usize| hosts[*other] == hosts[rank];
        Self {
            number: (0..rank).filter(is_here).count(),
            ranks: (0..hosts.len()).filter(is_here).count(),
            of_run: hosts.len(),
            on_same_cores: (0..hosts.len()).filter(is_here).filter(|other| cores[*other] == cores[rank]).count(),
        }
    }

    /// This rank's share of the machine's GPUs: as many for each, or one for several ranks where there are fewer.
    fn share(self, all: &[usize]) -> Vec<usize> {
        let each = (all.len() / self.ranks).max(1);
        all.iter().cycle().skip(self.number * each).take(each.min(all.len())).copied().collect()
    }

    /// Ranks that [`LocalRank::share`] gives the same GPU of so many, at most.
    fn on_each_of(self, all: usize) -> usize {
        self.ranks.div_ceil(all.max(1))
    }
}

/// How many ranks have a device, each having told its own: one a line.
fn ranks_on(device: &str, all: &[Vec<u8>]) -> usize {
    all.iter().filter(|devices| devices.split(|&byte| byte == b'\n').any(|other| other == device.as_bytes())).count()
}

/// The cores that this process may use, as the system writes them: `0-3,8-11`; nothing where it does not tell.
fn allowed_cores() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.unwrap_or_default().trim().to_owned()
}

/// Opens the GPUs of these numbers, or the first ones if fewer were asked for; they reach each other's memory where they can.
fn gpus(numbers: &[usize], devices: Option<usize>, place: LocalRank) -> Result<Vec<Gpu>, Error> {
    let wanted = devices.unwrap_or(numbers.len());
    if wanted > numbers.len() {
        let each = if place.ranks > 1 { " for each rank" } else { "" };
        return Err(Error::TooFewDevices { wanted, found: format!("{} can be had{each}", numbers.len()) });
    }
    let gpus: Vec<Gpu> = numbers[..wanted].iter().map(|&number| Gpu::cuda(number)).collect::<Result<_, _>>()?;
    for (number, gpu) in gpus.iter().enumerate() {
        for (_, other) in gpus.iter().enumerate().filter(|(other, _)| *other != number) {
            // Where they cannot, copies take the way through the host.
            let _ = gpu.reach(other)?;
        }
    }
    Ok(gpus)
}

#[cfg(test)]
mod tests {
    use craton_device::gpu::GpuError;

    use super::*;

    /// The third of four ranks on two hosts, which may use these cores.
    fn third(hosts: [&str; 4], cores: [&str; 4]) -> LocalRank {
        let bytes = |texts: [&str; 4]| texts.map(|text| text.as_bytes().to_vec());
        LocalRank::of(2, &bytes(hosts), &bytes(cores))
    }

    #[test]
    fn ranks_share_the_cores_that_their_launcher_has_not_divided() {
        let shared = third(["a", "a", "a", "b"], ["0-7"; 4]);
        assert_eq!((shared.number, shared.ranks, shared.on_same_cores), (2, 3, 3));
        let bound = third(["a", "a", "a", "b"], ["0-1", "2-3", "4-5", "4-5"]);
        assert_eq!((bound.number, bound.ranks, bound.on_same_cores), (2, 3, 1));
        assert_eq!(bound.of_run, 4, "the one on the other host, too");
    }

    #[test]
    fn ranks_that_share_a_gpu_are_counted() {
        let told =
            ["a [0, 1, 0]\na [0, 2, 0]", "a [0, 1, 0]", "b [0, 1, 0]", ""].map(|devices| devices.as_bytes().to_vec());
        let counts = ["a [0, 1, 0]", "a [0, 2, 0]", "b [0, 1, 0]"].map(|device| ranks_on(device, &told));
        assert_eq!(counts, [2, 1, 1]);
    }

    #[test]
    #[cfg(feature = "emulation")]
    fn a_gpu_without_kernels_is_left_alone_or_refused_with_the_way_out() {
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
