//! Peak performance of this machine, which gives lower bounds of the time of a step.

use std::hint::black_box;
use std::time::Instant;

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

/// Values of each of the two arrays of the copy: 256 MiB, much larger than any cache.
const COPIED: usize = 1 << 26;
/// Number of repetitions, of which the fastest counts.
const TRIES: usize = 7;
/// Independent chains of multiply-adds, enough to fill any pipeline.
const CHAINS: usize = 16;
/// Multiply-adds of each chain.
const LENGTH: usize = 1 << 22;

/// Bytes per second that all threads read and write when they copy an array.
pub fn copy_bandwidth(workers: &Workers) -> f64 {
    let from = vec![1.0_f32; COPIED];
    let mut to = vec![0.0_f32; COPIED];
    let part = COPIED / workers.threads();
    let seconds = best(|| {
        workers
            .run(|| to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from)));
        black_box(&to);
    });
    2.0 * size_of_val(&from[..]) as f64 / seconds
}

/// Floating-point operations per second of one thread in single precision; a multiply-add counts as two.
pub fn multiply_add_peak(isa: Isa) -> f64 {
    let mut sums = AlignedVec::<f32>::zeroed(f32::lanes(isa));
    let seconds = best(|| f32::dispatch(isa, MultiplyAdds { sums: black_box(&mut sums) }));
    2.0 * (CHAINS * LENGTH * f32::lanes(isa)) as f64 / seconds
}

struct MultiplyAdds<'a> {
    sums: &'a mut [f32],
}

impl Kernel<f32> for MultiplyAdds<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = f32>>(self) {
        let (factor, term) = (V::splat(black_box(0.5)), V::splat(black_box(1.0)));
        let mut chains = [V::constant(0.0); CHAINS];
        for _ in 0..LENGTH {
            for chain in &mut chains {
                *chain = factor.mul_add(*chain, term);
            }
        }
        V::cast_mut(self.sums)[0] = chains.into_iter().fold(V::constant(0.0), |sum, chain| sum + chain);
    }
}

fn best(mut work: impl FnMut()) -> f64 {
    let times = (0..TRIES).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Peak resident memory of this process [bytes]; 0 if the system does not report it.
pub fn peak_resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse::<f64>().ok());
    1024.0 * kib.unwrap_or(0.0)
}

/// Name of the processor, if the system reports it.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")).and_then(|rest| rest.split(": ").nth(1));
    name.unwrap_or("unknown processor").to_owned()
}
