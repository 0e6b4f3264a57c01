//! Rows and tiles for shots in a plane on a GPU.

use std::time::Instant;

use craton_device::gpu::Gpu;
use craton_fd::MemoryPoints;
use craton_fd::acoustic::{AcousticGpu, ShotWay};

use crate::{PLANE, ROUNDS, problem, taps};

/// Planes for the comparison of rows and tiles on a GPU: points, half-length, concurrent shots; the first ones are the shot of the thesis.
const COMPARED: [([usize; 3], usize, usize); 12] = [
    (PLANE, 8, 1),
    (PLANE, 8, 2),
    (PLANE, 8, 16),
    (PLANE, 4, 1),
    (PLANE, 4, 16),
    ([741, 1, 551], 8, 1),
    ([741, 1, 551], 8, 4),
    ([741, 1, 551], 4, 4),
    ([371, 1, 276], 8, 1),
    ([371, 1, 276], 8, 8),
    ([186, 1, 138], 8, 1),
    ([186, 1, 138], 8, 8),
];

/// Compares rows and tiles for shots in a plane on the first GPU, and checks that both are bit-identical. Numbers among the words select cases.
pub fn compare(words: &[String], memory: Option<MemoryPoints>) {
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    let chosen: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    println!("\n{}\n", gpu.info().name);
    println!(
        "| case | points | half-length | shots | way | us a step and shot, best (median) | Gpoint/s | with transfer of samples |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (number, (cells, half_length, shots)) in COMPARED.into_iter().enumerate() {
        if !chosen.is_empty() && !chosen.contains(&number) {
            continue;
        }
        let (medium, options, dt) = problem((cells, half_length, memory));
        let moving = |way| {
            AcousticGpu::moving(way, &gpu, medium.clone(), options.clone(), dt, shots).expect("memory for the shots")
        };
        let rows = moving(ShotWay::Rows);
        let (in_rows, bits) = move_shots(&gpu, rows, cells, shots);
        println!("| {number} | {cells:?} | {half_length} | {shots} | rows | {in_rows} |");
        let new = moving(ShotWay::Tiles);
        let Some(([across, down], at_once)) = new.tiles() else { continue };
        let (in_tiles, same) = move_shots(&gpu, new, cells, shots);
        let way = format!("{across} x {down} tiles, {at_once} at once");
        println!("| {number} | {cells:?} | {half_length} | {shots} | {way} | {in_tiles} |");
        if bits != same {
            println!("DIFFERENT BITS in case {number}: {bits:016x} and {same:016x}");
        }
    }
}

/// Times the shots, and returns a row of the table and a checksum of all results.
fn move_shots(gpu: &Gpu, mut operator: AcousticGpu, cells: [usize; 3], shots: usize) -> (String, u64) {
    let points = cells.iter().product::<usize>() as f64;
    let placed = |shot: usize| {
        let (mut source, receivers) = taps(cells);
        source.places[0].position[0] += 30.0 * shot as f64;
        (vec![source], receivers)
    };
    operator.place(&(0..shots).map(placed).collect::<Vec<_>>()).expect("places inside");
    let steps = ((6e9 / points / shots as f64) as u64).clamp(256, 4096);
    let (mut alone, mut all, mut sum) = (Vec::new(), Vec::new(), 0xcbf2_9ce4_8422_2325_u64);
    for _ in 0..=ROUNDS {
        gpu.synchronize().expect("no device failure");
        let start = Instant::now();
        operator.advance(steps).expect("no device failure");
        gpu.synchronize().expect("no device failure");
        let moved = start.elapsed().as_secs_f64();
        let samples = operator.take_samples().expect("no device failure");
        let per_step = 1e6 / (steps * shots as u64) as f64;
        alone.push(moved * per_step);
        all.push(start.elapsed().as_secs_f64() * per_step);
        samples.iter().flatten().for_each(|sample| add_bits(&mut sum, *sample));
    }
    for shot in 0..shots {
        operator.pressure(shot).expect("no device failure").iter().for_each(|&p| add_bits(&mut sum, p));
    }
    // The first round is a warm-up.
    let [alone, all] = [alone, all].map(|times| {
        let mut times = times[1..].to_vec();
        times.sort_by(f64::total_cmp);
        times
    });
    let (best, median) = (alone[0], alone[ROUNDS / 2]);
    (format!("{best:.2} ({median:.2}) | {:.1} | {:.2}", points / best / 1e3, all[0]), sum)
}

/// Adds a value to a Fowler-Noll-Vo checksum.
fn add_bits(sum: &mut u64, value: f32) {
    *sum = (*sum ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
}
